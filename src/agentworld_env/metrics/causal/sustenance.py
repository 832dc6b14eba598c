"""Sustenance edges: food without which the eater would have died before it contributed again.

What an agent's hit points would have been is told from its wounds: every wound records the hit points it
left. Without a meal these are lower by what the meal gave, less what later meals and rest would have made
up because they were cut off by the maximum. Meals are struck out from the last to the first, so that of two
meals of which one was enough, one counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

import msgspec

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Consumed, Hurt
from agentworld_env.sim.rules import RULES


class _Meal(msgspec.Struct, frozen=True, gc=False):
    action: int
    gain: int
    item: str


class _Wound(msgspec.Struct, frozen=True, gc=False):
    """A wound: hit points before and after; ``first`` is the first action that a death here would have prevented."""

    round: int
    before: int
    after: int
    first: int


class Sustenance:
    """Draws the sustenance edges of an episode.

    Args:
        log: The episode.
        heals: Gives item key -> hit points it restores at most; asked only if somebody ate and was hurt.
    """

    def __init__(self, log: Log, heals: Callable[[], Mapping[str, int]]) -> None:
        lives: dict[str, list[_Meal | _Wound]] = {}
        for number, event in log.events:
            if isinstance(event, Hurt):
                first = event.action if event.action >= 0 else number + 1
                wound = _Wound(event.round, event.hp + event.damage, event.hp, first)
                lives.setdefault(event.agent, []).append(wound)
            elif isinstance(event, Consumed) and event.hp:
                lives.setdefault(event.agent, []).append(_Meal(event.action, event.hp, event.item))
        self._saved: list[tuple[str, int, int]] = []
        for agent, life in lives.items():
            meals = [thing.action for thing in life if isinstance(thing, _Meal)]
            if not meals or not any(isinstance(thing, _Wound) for thing in life):
                continue
            struck_out: set[int] = set()
            for meal in reversed(meals):
                missed = _death(life, struck_out | {meal}, heals())
                if missed is None:
                    struck_out.add(meal)
                else:
                    self._saved.append((agent, meal, missed))

    def edges(self, chosen: dict[str, list[int]]) -> Iterator[Edge]:
        """Yields the sustenance edges: each to the eater's first contributing action after it would have died.

        Args:
            chosen: Agent -> its contributing actions, ascending.
        """
        for agent, meal, first in self._saved:
            acts = chosen.get(agent, [])
            at = bisect_left(acts, first)
            if at < len(acts):
                yield Edge(meal, acts[at], "sustenance")


def _death(life: list[_Meal | _Wound], without: set[int], heals: Mapping[str, int]) -> int | None:
    """Returns the first action that an agent would not have lived to make without some meals, or None."""
    most = next(thing.before for thing in life if isinstance(thing, _Wound))
    pace = max(1, most * RULES.regain // 1000)
    lower = 0
    left, gained, since = most, 0, 0
    for thing in life:
        if isinstance(thing, _Meal):
            gained += thing.gain
            if thing.action in without:
                lower += thing.gain
            else:
                lower -= min(lower, max(0, heals.get(thing.item, 0) - thing.gain))
            continue
        if lower and thing.before == most:
            # Resting was cut off by the maximum; a weaker agent would have gone on resting.
            rested = max(0, thing.before - left - gained)
            possible = pace * max(0, thing.round - since - 1)
            lower -= min(lower, max(0, possible - rested))
        if lower and 0 < thing.after <= lower:
            return thing.first
        left, gained, since = thing.after, 0, thing.round
    return None
