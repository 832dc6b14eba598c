"""Movement edges: which walks brought an agent where its contributing actions needed it.

Looking back over all of an agent's moves would call the way back of a useless detour a cause. So first the
fewest moves are sought that still bring the agent, in time, within reach of everything its contributing
actions needed; detours, and the ways back from them, are not among these. Then every need is traced along
the moves that are left: its cause is the latest of them at whose start the need did not hold yet.

Mobs bar ways. A shortcut on which a mob at home would have noticed the agent is none, so that keeping out of its notice
is needed; and walks that a mob cut short by noticing the agent are needed one by one where the way leads past the mob:
without them the next walk would have ended there. Only calls that contribute keep a mob from barring a way.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from agentworld_env.errors import EpisodeFileError
from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.goals import Box, Stay, inside
from agentworld_env.metrics.causal.log import Land, Log, Step
from agentworld_env.metrics.causal.wilds import Bars, Wilds
from agentworld_env.sim.events import Need
from agentworld_env.sim.rules import RULES

_PLAIN = frozenset({"move_character", "enter_portal"})
_START = -1
_WALKING = frozenset({"harvest_resource", "attack_entity"})
"""Tools that walk to their target themselves: what they need is a way, not only to be near."""


class _Demand(NamedTuple):
    """What an agent's place had to be just before an action.

    ``step`` is the index of the walk within a contributing action, or None; ``stay``: a checkpoint asks for it;
    ``walks``: the action would have walked by itself, had its agent stood elsewhere.
    """

    number: int
    needs: tuple[Need | Box, ...]
    step: int | None
    stay: bool = False
    walks: bool = False


class Moves(NamedTuple):
    """Movement edges, and the moves that brought agents where checkpoints wanted them."""

    edges: list[Edge]
    goals: list[int]


class _Way:
    """The places of one agent. Place -1 is the start; place i is where its step i ended."""

    __slots__ = ("_bars", "_far", "_land", "_unfit", "_zones", "steps")

    def __init__(self, steps: list[Step], land: Callable[[], Land], bars: Bars) -> None:
        self.steps = steps
        self._land = land
        self._bars = bars
        self._far: set[tuple[int, int]] = set()
        self._unfit: set[tuple[int, int]] = set()
        self._zones = self._find_zones()

    def _find_zones(self) -> list[int]:
        """Numbers the pieces of land that the agent stood on: walks stay on one, portals may lead to another."""
        first = self.steps[0]
        ashore = [(first.x0, first.y0)]
        zones = [0]
        for step in self.steps:
            zone = zones[-1]
            if step.portal:
                paths = self._land()
                zone = next(
                    (i for i, (x, y) in enumerate(ashore) if paths.connected(x, y, step.x, step.y)),
                    len(ashore),
                )
                if zone == len(ashore):
                    ashore.append((step.x, step.y))
            zones.append(zone)
        return zones

    def place(self, index: int) -> tuple[int, int]:
        if index < 0:
            return self.steps[0].x0, self.steps[0].y0
        return self.steps[index].x, self.steps[index].y

    def meets(self, index: int, needs: tuple[Need | Box, ...], actual: int) -> bool:
        """Returns whether needs hold at a place, for an action that really happened at the place ``actual``."""
        if index == actual:
            return True
        if self._zones[index + 1] != self._zones[actual + 1]:
            return False
        x, y = self.place(index)
        return all(inside(need, x, y) for need in needs)

    def serves(self, index: int, demand: _Demand, needs: tuple[Need | Box, ...], actual: int) -> bool:
        """Returns whether needs of a demand hold at a place, as far as is known."""
        return (index, demand.number) not in self._unfit and self.meets(index, needs, actual)

    def forget(self) -> None:
        """Forgets what was measured, because other mobs may bar ways now."""
        self._far.clear()
        self._unfit.clear()

    def stand_fails(self, index: int, demand: _Demand, actual: int) -> bool:
        """Measures the way that a call would have had to its target from another place; returns whether it had none.

        Args:
            index: The place.
            demand: What the call, which did not walk, demanded.
            actual: The place where it happened.
        """
        if index == actual or demand.stay or not demand.walks:
            return False
        if self._clear(demand.number, index, self.place(actual), range(index + 1, actual + 1), ""):
            return False
        self._unfit.add((index, demand.number))
        return True

    def _clear(self, number: int, index: int, end: tuple[int, int], skipped: range, but: str) -> bool:
        """Returns whether a call could have walked from a place to a tile without some steps before it."""
        start = self.place(index)
        length = self._land().distance(*start, *end)
        if length is None or length > RULES.path_limit or self._waylaid(start, end, skipped, length):
            return False
        return not self._bars.barred(number, start, end, but)

    def leads(self, index: int, k: int) -> bool:
        """Returns whether the agent could have taken its step k from a place instead."""
        if index == k - 1:
            return True
        if (index, k) in self._far:
            return False
        step = self.steps[k]
        if step.needs:
            return self.meets(index, step.needs, k - 1)
        # A call that failed after its walk records no need: the walk itself had to be short enough.
        x, y = self.place(index)
        near = abs(x - step.x) + abs(y - step.y) <= RULES.path_limit
        return near and self._zones[index + 1] == self._zones[k]

    def shortcut_fails(self, index: int, k: int) -> bool:
        """Measures a shortcut on the land; returns whether one call could not have taken it, and remembers that."""
        step = self.steps[k]
        if index == k - 1 or step.portal:
            return False
        if self._clear(step.number, index, (step.x, step.y), range(index + 1, k), step.noticed):
            return False
        self._far.add((index, k))
        return True

    def _waylaid(self, start: tuple[int, int], end: tuple[int, int], skipped: range, length: int) -> bool:
        """Returns whether a mob that ended a skipped walk stands on a way of some length, and would end it."""
        land = self._land()
        for step in (self.steps[i] for i in skipped):
            if not step.noticed or abs(step.x - start[0]) + abs(step.y - start[1]) > length:
                continue
            there = land.distance(*start, step.x, step.y)
            on = land.distance(step.x, step.y, *end)
            if there is not None and on is not None and there + on == length:
                return True
        return False


class Movement:
    """Draws the movement edges of an episode.

    Args:
        log: The episode.
        land: Gives the land that was walked on; asked only for portals and shortcuts.
        wilds: The mobs that noticed agents; None knows of none but those that ended walks.
    """

    def __init__(self, log: Log, land: Callable[[], Land], wilds: Wilds | None = None) -> None:
        self._log = log
        bars = self._bars = Bars(log, wilds)
        self._ways = {agent: _Way(steps, land, bars) for agent, steps in log.steps.items()}
        self._index = {
            agent: {step.number: i for i, step in enumerate(way.steps)} for agent, way in self._ways.items()
        }
        self._memo: dict[str, tuple[list[_Demand], Moves]] = {}

    def moves(self, pinned: frozenset[int], stays: tuple[Stay, ...]) -> Moves:
        """Returns the movement edges.

        Args:
            pinned: Actions that contribute for another reason than having moved somebody.
            stays: Where checkpoints wanted agents to stand.
        """
        if self._bars.suppose(pinned):
            self._memo.clear()
            for way in self._ways.values():
                way.forget()
        demands: dict[str, list[_Demand]] = {agent: [] for agent in self._ways}
        for number in sorted(pinned):
            needs = self._log.needs.get(number, ())
            act = self._log.acts[number]
            agents = {need.agent for need in needs} | {act.agent}
            for agent in agents & demands.keys():
                own = tuple(need for need in needs if need.agent == agent)
                step = self._index[agent].get(number)
                if own or step is not None:
                    walks = act.tool in _WALKING and agent == act.agent
                    demands[agent].append(_Demand(number, own, step, walks=walks))
        for stay in stays:
            if stay.agent in demands:
                demands[stay.agent].append(_Demand(stay.number, (stay.where,), None, stay=True))
        found = Moves([], [])
        for agent, wanted in demands.items():
            if not wanted:
                continue
            wanted.sort(key=lambda demand: (demand.number, not demand.stay))
            held = self._memo.get(agent)
            if held is None or held[0] != wanted:
                held = self._memo[agent] = (wanted, self._of_agent(self._ways[agent], wanted))
            found.edges.extend(held[1].edges)
            found.goals.extend(held[1].goals)
        return found

    def _of_agent(self, way: _Way, demands: list[_Demand]) -> Moves:
        while True:
            taken = self._fewest(way, demands)
            pairs = zip([_START, *taken], taken, strict=False)
            # Everything is measured, not only up to the first failure, so that fewer rounds are needed.
            if not sum([way.shortcut_fails(*pair) for pair in pairs]) + sum(
                [way.stand_fails(*stand) for stand in _stands(way, taken, demands)]
            ):
                break
        return _look_back(way, taken, demands)

    def _fewest(self, way: _Way, demands: list[_Demand]) -> list[int]:
        """Returns the fewest steps that meet all demands; of equally many the plainest, then the earliest."""
        steps = way.steps
        costs: dict[int, tuple[int, int]] = {_START: (0, 0)}
        came: dict[int, int] = {}
        done = 0
        for demand in demands:
            while done < len(steps) and steps[done].number < demand.number:
                self._offer(way, done, costs, came)
                done += 1
            actual = done - 1
            if demand.step is None:
                costs = {i: cost for i, cost in costs.items() if way.serves(i, demand, demand.needs, actual)}
            else:
                sources = {i: cost for i, cost in costs.items() if way.leads(i, demand.step)}
                costs = {}
                if sources:
                    came[demand.step] = _best(sources)
                    costs[demand.step] = sources[came[demand.step]]
                done = demand.step + 1
            if not costs:
                raise EpisodeFileError(f"action {demand.number} happened where its agent cannot have been")
        taken: list[int] = []
        at = _best(costs)
        while at != _START:
            taken.append(at)
            at = came[at]
        return taken[::-1]

    def _offer(self, way: _Way, k: int, costs: dict[int, tuple[int, int]], came: dict[int, int]) -> None:
        sources = {i: cost for i, cost in costs.items() if way.leads(i, k)}
        if sources:
            best = came[k] = _best(sources)
            count, odd = sources[best]
            costs[k] = (count + 1, odd + (self._log.acts[way.steps[k].number].tool not in _PLAIN))


def _best(costs: dict[int, tuple[int, int]]) -> int:
    return min(costs, key=lambda i: (costs[i], i))


def _stands(way: _Way, taken: list[int], demands: list[_Demand]) -> Iterator[tuple[int, _Demand, int]]:
    """Yields where taken steps leave an agent for its demands without a walk of their own, and where it really was."""
    numbers = [step.number for step in way.steps]
    for demand in demands:
        if demand.step is None:
            actual = bisect_left(numbers, demand.number) - 1
            at = bisect_right(taken, actual) - 1
            yield taken[at] if at >= 0 else _START, demand, actual


def _look_back(way: _Way, taken: list[int], demands: list[_Demand]) -> Moves:
    starts = [_START, *taken]
    found = Moves([], [])

    def latest(before: int, holds: Callable[[int], bool]) -> int | None:
        """Returns the latest of the first so many taken moves at whose start something did not hold."""
        for j in range(before - 1, -1, -1):
            if not holds(starts[j]):
                return way.steps[taken[j]].number
        return None

    for j, k in enumerate(taken):
        cause = latest(j, lambda i, k=k: way.leads(i, k))  # type: ignore[misc]
        if cause is not None:
            found.edges.append(Edge(cause, way.steps[k].number, "movement"))
    for demand in demands:
        if demand.step is not None:
            continue
        before = sum(1 for k in taken if way.steps[k].number < demand.number)
        actual = sum(1 for step in way.steps if step.number < demand.number) - 1
        for need in demand.needs:
            cause = latest(before, lambda i, d=demand, n=need, a=actual: way.serves(i, d, (n,), a))  # type: ignore[misc]
            if cause is not None and demand.stay:
                found.goals.append(cause)
            elif cause is not None:
                found.edges.append(Edge(cause, demand.number, "movement"))
    return found
