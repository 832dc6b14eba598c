"""A lower bound on the rounds that any team play of a task takes, so that a planner's rounds can be judged.

The bound is the greatest of several, each of which holds by itself: the critical path of every checkpoint, the walks
that places ask for, and the turns that must be spent by the agents able to spend them.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import msgspec

from agentworld_env.certify.blows import Blows
from agentworld_env.certify.critical import NEVER, Critical
from agentworld_env.certify.fights import Fights
from agentworld_env.certify.gaps import Tile, stretch
from agentworld_env.certify.handing import tool_turns
from agentworld_env.certify.needs import VIEWS, Needs
from agentworld_env.certify.reach import Reach
from agentworld_env.certify.sources import Sources
from agentworld_env.certify.spans import Spans
from agentworld_env.certify.turns import Need, covered
from agentworld_env.sim import Simulation
from agentworld_env.tasks.schema import (
    Built,
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    PresentTogether,
    SurvivedUntil,
    TaskSpec,
    Visited,
    Worn,
    parts_of,
)
from agentworld_env.verifiers.standing import discovery_tile

_MOST_GROUPS = 64
"""Sets of agents looked at for the turns they must share."""
_MOST_WAYS = 16
"""Ways of making things in batches that are told apart."""
_MOST_STOPS = 6
"""Places of one agent whose order is tried out."""
_MOST_ROUNDS = 501
"""More rounds than any task has: a bound that gets here says that nobody can succeed."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """A lower bound on the rounds of a successful episode.

    Attributes:
        rounds: The bound.
        why: What it rests on, in words.
        label: Label of the checkpoint that it rests on, or of a part of it; empty if it rests on several.
    """

    rounds: int
    why: str
    label: str = ""


class _Why(NamedTuple):
    """What a bound rests on, in words, and the label of the checkpoint if it is one alone."""

    text: str
    label: str = ""


def lower_bound(
    spec: TaskSpec, sim: Simulation, members: tuple[int, ...] | None = None, *, seed: int | None = None
) -> Bound:
    """Returns a lower bound on the rounds of any successful episode of a task.

    Args:
        spec: The task.
        sim: A simulation of its set-up; its state is not read.
        members: Indices of the agents that act while the others idle; all if None.
        seed: Seed for which the bound is to hold: it decides where agents begin, which nodes give nothing at first, and
            how fights go; None: whatever the seed.
    """
    sources = Sources(spec, sim, members, seed)
    critical = Critical(sources)
    spans = Spans(critical)
    fights = Fights(critical, Reach(spec, sim, tuple(sources.team)).items, seed)
    blows = Blows(spans, fights)
    found = [(1, _Why("a turn must be had"))]
    found.extend(
        (_earliest(point, critical, blows), _Why(f"critical path of {point.label!r}", point.label))
        for point in sources.parts
    )
    stops = _Stops(spec, sources)
    found.extend(stops.found)
    rounds, why = max((pair for pair in found if pair[0] < _MOST_ROUNDS), key=lambda pair: pair[0])
    tours = {i: stops.tour(i, areas)[1] for i, areas in stops.areas.items()}
    ways = []
    for needs in _ways(critical, spans, blows):
        way = rounds, why
        for view in VIEWS:
            way = _shared(needs.all(view), tours, critical, *way)
        ways.append(way)
    # Whatever a team does, it makes things in one of these ways.
    rounds, why = min(ways, key=lambda pair: pair[0])
    return Bound(rounds=rounds, why=why.text, label=why.label)


def _ways(critical: Critical, spans: Spans, blows: Blows) -> list[Needs]:
    """Returns what is needed in each of the ways of making things: exactly as often as asked for, or in batches."""
    open_ = [Needs(spans, blows, {})]
    settled: list[Needs] = []
    while open_:
        needs = open_.pop(0)
        choice = needs.undecided()
        if choice is None or len(open_) + len(settled) >= _MOST_WAYS:
            settled.append(needs)
            continue
        item, batches = choice
        ways = [Needs(spans, blows, {**needs.batch, item: batch}) for batch in batches]
        # Exactly so often is always worth a look; more often only as far as start-only goods last.
        open_.extend(way for way in ways if way.possible or way is ways[0])
    return settled


# -- critical paths --------------------------------------------------------------------------------------------------


def _earliest(point: Checkpoint, critical: Critical, blows: Blows) -> int:
    """Returns the first round in which a checkpoint may hold; at least ``_MOST_ROUNDS`` if it never can."""
    sources = critical.sources
    index = sources.sim.index
    match point:
        case Gathered() | Crafted():
            able = [index[name] for name in point.by] or list(sources.team)
            slots = [critical.makes.get((point.item, i), NEVER) for i in able]
            return critical.round_of(min(slots))
        case Delivered() if point.to in index:
            receiver = index[point.to]
            if point.origin == "made":
                first = critical.round_of(critical.made_and_given(point.item, receiver))
                return max(first, critical.brought(point.item, receiver, point.count, made=True))
            slots = [critical.handed(point.item, i, receiver) for i in sources.team if i != receiver]
            return critical.round_of(min(slots, default=NEVER))
        case Delivered():
            return _at_person(point.item, point.to, point.count, critical, made=point.origin == "made")
        case Built():
            wants = sources.sim.people[point.site].wants
            return max(
                _at_person(
                    item, point.site, count - sources.stock(item), critical, made=count > sources.stock(item)
                )
                for item, count in wants.items()
            )
        case Worn():
            by = index[point.by]
            return critical.round_of(critical.after(by, critical.holds.get((point.item, by), NEVER)))
        case Killed():
            return _killed(point, sources, blows)
        case Held() if point.by is not None:
            return _held(point.item, point.count, index[point.by], critical)
        case HeldForRounds() if point.after is not None:
            before = parts_of(other for other in sources.spec.checkpoints if other.label == point.after)
            return max(_earliest(part, critical, blows) for part in before) + point.rounds - 1
        case SurvivedUntil():
            return point.round
        case _:
            return 1


def _at_person(item: str, person: str, units: int, critical: Critical, *, made: bool) -> int:
    npc = critical.sources.sim.people[person]
    return critical.round_of(critical.brought_to(item, npc.x, npc.y, units, made=made))


def _held(item: str, count: int, holder: int, critical: Critical) -> int:
    """Returns the first round in which an agent may hold so many units."""
    stock = critical.sources.stock(item, holder)
    if stock >= count:
        return 1
    soonest = critical.round_of(critical.holds.get((item, holder), NEVER))
    return max(1, soonest, critical.brought(item, holder, count))


def _killed(point: Killed, sources: Sources, blows: Blows) -> int:
    spawn = sources.world.named_spawns.get(point.mob)
    if spawn is None:
        return 1
    rules = sources.sim.rules
    arrivals = sorted(
        int(
            sources.gaps.moves(
                sources.gaps.gap(start, (spawn.x, spawn.y)) - sources.slack,
                rules.sight_mobs + rules.pursuit + rules.leash,
            )
        )
        for start in sources.starts
    )
    if spawn.team > len(arrivals):
        return _MOST_ROUNDS
    # The last blow needs so many attackers in reach since the world's last turn.
    return max(arrivals[spawn.team - 1] + 1, blows.falls(point, sources.spec.max_rounds))


# -- places ----------------------------------------------------------------------------------------------------------


class _Stops:
    """Where each agent must have been.

    Attributes:
        areas: Agent -> areas as (tile, radius).
        found: Bounds from single checkpoints, with what they rest on.
    """

    def __init__(self, spec: TaskSpec, sources: Sources) -> None:
        self.sources = sources
        self.areas: dict[int, list[tuple[Tile, int]]] = {}
        self.found: list[tuple[int, _Why]] = []
        choices: list[tuple[_Why, tuple[Tile, int], list[int]]] = []
        for point in spec.checkpoints:
            if not isinstance(point, Visited | Discovered | PresentTogether | HeldForRounds):
                continue
            area = self._area(point)
            able = [sources.sim.index[name] for name in point.by] or list(sources.team)
            why = _Why(f"the way to {point.label!r}", point.label)
            if isinstance(point, Visited | Discovered) and point.need == "any" and len(able) > 1:
                choices.append((why, area, able))
                continue
            stay = point.rounds - 1 if isinstance(point, HeldForRounds) else 0
            self.found.append((max(1, *(self.tour(i, [area])[0] for i in able)) + stay, why))
            for i in able:
                self.areas.setdefault(i, []).append(area)
        for why, area, able in choices:
            self.found.append((min(self.tour(i, [*self.areas.get(i, []), area])[0] for i in able), why))
        for i in self.areas:
            self.found.append(
                (self.tour(i, self.areas[i])[0], _Why(f"the round trip of {sources.sim.names[i]}"))
            )

    def _area(self, point: Visited | Discovered | PresentTogether | HeldForRounds) -> tuple[Tile, int]:
        if not isinstance(point, Discovered):
            return stretch(self.sources.world, point.area)
        tile = discovery_tile(point.target, self.sources.sim)
        if tile is None:
            raise ValueError(f"nothing called {point.target!r} is there to be discovered")
        return tile, point.within

    def legs(self, agent: int, areas: list[tuple[Tile, int]]) -> list[int]:
        """Returns the least tiles of each leg when an agent goes to areas in this order."""
        gaps = self.sources.gaps
        here, near = self.sources.starts[agent], self.sources.slack
        tiles = []
        for tile, within in areas:
            tiles.append(max(0, gaps.gap(here, tile) - near - within))
            here, near = tile, within
        return tiles

    def tour(self, agent: int, areas: list[tuple[Tile, int]]) -> tuple[int, int]:
        """Returns the fewest walks, and the fewest tiles, in which an agent can have been in all of some areas."""
        orders = [self.legs(agent, list(order)) for order in permutations(areas[:_MOST_STOPS])]
        limit = self.sources.sim.rules.path_limit
        return min(_walks(legs, limit) for legs in orders), min(sum(legs) for legs in orders)


def _walks(legs: list[int], limit: int) -> int:
    """Returns how many walks legs of so many tiles take, each of which ends in an area of its own."""
    return sum(-(-tiles // limit) for tiles in legs)


# -- shared turns ----------------------------------------------------------------------------------------------------


def _shared(
    needs: list[Need], tours: dict[int, int], critical: Critical, rounds: int, why: _Why
) -> tuple[int, _Why]:
    """Returns the least rounds, at least as many as given, in which the turns needed can be found.

    Args:
        needs: The turns needed.
        tours: Agent -> tiles that it must walk in any case.
        critical: Earliest times.
        rounds: A bound already known.
        why: What that rests on.
    """
    limit = critical.sources.sim.rules.path_limit
    # What nobody can do, for want of a tool say, takes nobody's turns; that it is missing the planner says.
    needs = [need for need in needs if any(need.windows.values())]
    for group in _groups(needs):
        for inside in _portions([need for need in needs if set(need.windows) <= group]):
            asked = sum(need.turns for need in inside)
            tools = sorted({need.tool for need in inside if need.tool is not None})
            while rounds < _MOST_ROUNDS and (
                _capacity(inside, group, tours, rounds, limit) < asked
                or any(_with_tool(inside, tool, group, critical, rounds) < asked for tool in tools)
            ):
                rounds += 1
                why = _Why(f"{asked} turns of {len(group)} agents: {', '.join(need.what for need in inside)}")
    return rounds, why


def _portions(needs: list[Need]) -> list[list[Need]]:
    """Returns all of some needs, those that leave most time to follow, and those that can be met only late."""
    tails = [min(tail for window in need.windows.values() for _, tail in window) for need in needs]
    heads = [min(head for window in need.windows.values() for head, _ in window) for need in needs]
    found = [needs] if needs else []
    for times in (tails, heads):
        found.extend(
            [need for need, time in zip(needs, times, strict=True) if time >= least]
            for least in sorted(set(times))[1:]
        )
    return found


def _with_tool(needs: list[Need], tool: str, group: frozenset[int], critical: Critical, rounds: int) -> int:
    """Returns how many turns a group has for some needs if there are only so many tools of a kind."""
    others = [need for need in needs if need.tool != tool]
    turns = sum(covered([need.windows.get(i, ()) for need in others], rounds) for i in group)
    return turns + tool_turns(needs, tool, critical, rounds)


def _groups(needs: list[Need]) -> list[frozenset[int]]:
    """Returns sets of agents worth looking at: those able to meet a need, and their unions."""
    groups = list(dict.fromkeys(frozenset(need.windows) for need in needs))
    for group in groups[:]:
        for other in groups[:]:
            union = group | other
            if union not in groups and len(groups) < _MOST_GROUPS:
                groups.append(union)
    everybody = frozenset().union(*groups)
    return [*groups, everybody] if groups and everybody not in groups else groups


def _capacity(
    needs: list[Need], group: frozenset[int], tours: dict[int, int], rounds: int, limit: int
) -> int:
    """Returns how many turns the agents of a group have that can serve any of the needs."""
    total = 0
    for agent in group:
        turns = covered([need.windows.get(agent, ()) for need in needs], rounds)
        stride = max((need.stride for need in needs if agent in need.windows), default=0)
        if stride < limit:
            # Whatever the agent must walk besides, it walks in other turns, or along with these.
            spare = limit * rounds - tours.get(agent, 0)
            turns = min(turns, max(0, spare // (limit - stride)))
        total += turns
    return total


__all__ = ["Bound", "lower_bound"]
