"""Sustenance edges: food without which the eater would have died before it contributed again.

What an agent's hit points would have been is told from its wounds: every wound records the hit points it left. Without
a meal these are lower by what the meal gave, less what later meals and rest would have made up because they were cut
off by the maximum. Without a fight that the agent picked for nothing they are higher by its wounds and by the rest
that it kept the agent from: no meal is owed to useless actions. Meals are struck out from the last to the first, so
that of two meals of which one was enough, one counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping

import msgspec

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.enmity import Fight, Quarrel, counts
from agentworld_env.metrics.causal.log import Log, rounds_asleep
from agentworld_env.sim.events import Consumed, Hurt
from agentworld_env.sim.rules import RULES


class _Meal(msgspec.Struct, frozen=True, gc=False):
    action: int
    gain: int
    item: str


class _Clash(msgspec.Struct, frozen=True, gc=False):
    """A fight, with the wound it left or none.

    Attributes:
        round: Its round.
        quarrel: The calls that drew the mob.
        before: Hit points before the wound; 0 if there is none.
        after: Hit points after it.
        first: The first action that a death here would have prevented.
    """

    round: int
    quarrel: Quarrel
    before: int = 0
    after: int = 0
    first: int = 0


_Life = list[_Meal | _Clash]


class Sustenance:
    """Draws the sustenance edges of an episode.

    Args:
        log: The episode.
        fights: Its fights.
        heals: Gives item key -> hit points it restores at most; asked only if somebody ate and was hurt.
    """

    def __init__(self, log: Log, fights: Iterable[Fight], heals: Callable[[], Mapping[str, int]]) -> None:
        meals = {event.agent for _, event in log.events if isinstance(event, Consumed) and event.hp}
        self._lives: dict[str, _Life] = {}
        self._heals = heals
        self._memo: dict[tuple[str, tuple[int, ...]], list[tuple[int, int]]] = {}
        if not meals:
            return
        of_event = {id(fight.event): fight for fight in fights}
        lives: dict[str, _Life] = {}
        for number, event in log.events:
            fight = of_event.get(id(event))
            if fight is not None and fight.event.agent in meals:
                lives.setdefault(fight.event.agent, []).append(_clash(number, fight))
            elif isinstance(event, Consumed) and event.hp:
                lives.setdefault(event.agent, []).append(_Meal(event.action, event.hp, event.item))
        self._asleep = rounds_asleep(log) if lives else {}
        for agent, life in lives.items():
            if any(isinstance(thing, _Clash) and thing.before for thing in life):
                self._lives[agent] = life

    def edges(self, chosen: dict[str, list[int]], contributing: Container[int]) -> Iterator[Edge]:
        """Yields the sustenance edges: each to the eater's first contributing action after it would have died.

        Args:
            chosen: Agent -> its contributing actions, ascending.
            contributing: All of them.
        """
        for agent, life in self._lives.items():
            acts = chosen.get(agent, [])
            if not acts:
                continue
            for meal, first in self._saved(agent, life, contributing):
                at = bisect_left(acts, first)
                if at < len(acts):
                    yield Edge(meal, acts[at], "sustenance")

    def _saved(self, agent: str, life: _Life, contributing: Container[int]) -> list[tuple[int, int]]:
        """Returns the meals without which an agent would have died, each with the first action this prevented."""
        idle = tuple(
            k
            for k, thing in enumerate(life)
            if isinstance(thing, _Clash) and not counts(thing.quarrel, contributing)
        )
        found = self._memo.get((agent, idle))
        if found is None:
            found = self._memo[agent, idle] = []
            struck_out: set[int] = set()
            for meal in [thing.action for thing in reversed(life) if isinstance(thing, _Meal)]:
                without = struck_out | {meal}
                missed = _death(
                    life, without, frozenset(idle), self._heals(), self._asleep.get(agent, frozenset())
                )
                if missed is None:
                    struck_out.add(meal)
                else:
                    found.append((meal, missed))
        return found


def _clash(number: int, fight: Fight) -> _Clash:
    event = fight.event
    if not isinstance(event, Hurt):
        return _Clash(event.round, fight.own)
    first = event.action if event.action >= 0 else number + 1
    return _Clash(event.round, fight.own, event.hp + event.damage, event.hp, first)


def _death(
    life: _Life,
    without: set[int],
    idle: frozenset[int],
    heals: Mapping[str, int],
    asleep: Collection[int],
) -> int | None:
    """Returns the first action that an agent would not have lived to make, or None.

    Args:
        life: Its meals and fights.
        without: Meals that it does not have.
        idle: Places of the fights in ``life`` that it does not have either.
        heals: Item key -> hit points it restores at most.
        asleep: Rounds that it slept through.
    """
    most = next(thing.before for thing in life if isinstance(thing, _Clash) and thing.before)

    def rest(round_: int) -> int:
        factor = RULES.sleep_factor if round_ in asleep else 1
        return max(1, most * RULES.regain * factor // 1000)

    fought = {thing.round for k, thing in enumerate(life) if isinstance(thing, _Clash) and k not in idle}
    ahead = 0
    """Hit points that the agent would have had, less those that it had."""
    left, gained, since = most, 0, 0
    for k, thing in enumerate(life):
        if isinstance(thing, _Meal):
            gained += thing.gain
            spare = max(0, heals.get(thing.item, 0) - thing.gain)
            if thing.action in without:
                ahead -= thing.gain
            elif ahead < 0:
                ahead = min(0, ahead + spare)
            elif spare:
                ahead = 0  # the meal filled it up
            continue
        if k in idle and thing.round not in fought:
            # Who does not fight rests.
            fought.add(thing.round)
            ahead += rest(thing.round)
        if not thing.before:
            continue
        if ahead < 0 and thing.before == most:
            # Resting was cut off by the maximum; a weaker agent would have gone on resting.
            rested = max(0, thing.before - left - gained)
            possible = sum(rest(round_) for round_ in range(since + 1, thing.round))
            ahead = min(0, ahead + max(0, possible - rested))
        ahead = min(ahead, most - thing.before)
        if k in idle:
            ahead = min(ahead + thing.before - thing.after, most - thing.after)
        elif 0 < thing.after <= -ahead:
            return thing.first
        left, gained, since = thing.after, 0, thing.round
    return None
