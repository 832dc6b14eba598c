"""Equipment edges: which put-on, and which take-off, a contributing action rested on.

As with moves, changing gear to and fro must not count: of the put-ons since the agent last needed something
else, only the first one matters; and taking a thing off counts only if wearing it had served something, or
began before the episode.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Crafted, Equipped, Harvested, Lot, Struck, Transferred, Unequipped

_HAND = "weapon"
_NOTHING = ""


class _Use(NamedTuple):
    """A call that needed what its agent had in hand."""

    number: int
    item: str
    put_on: int


class _Release(NamedTuple):
    """A thing taken off (by ``off``, having been put on by ``on`` or before the episode) and then given or used up."""

    on: int
    off: int
    target: int


class Gear:
    """Draws the equipment edges of an episode that depend on what contributes.

    Args:
        log: The episode.
    """

    def __init__(self, log: Log) -> None:
        self._puts: dict[tuple[str, str], list[int]] = {}
        self._uses: dict[str, list[_Use]] = {}
        self._releases: list[_Release] = []
        worn = self._worn_at_start(log)
        loose: dict[tuple[str, str, int], tuple[int, int]] = {}
        for _, event in log.events:
            if isinstance(event, Equipped):
                via = next((source for kind, source in event.causes if kind == "material"), -1)
                worn[event.agent, event.slot] = (event.item, event.action, via)
                if event.slot == _HAND:
                    self._puts.setdefault((event.agent, event.item), []).append(event.action)
                loose.pop((event.agent, event.item, via), None)
            elif isinstance(event, Unequipped):
                _, on, via = worn[event.agent, event.slot]
                worn[event.agent, event.slot] = (_NOTHING, event.action, -1)
                loose[event.agent, event.item, via] = (on, event.action)
            elif isinstance(event, Struck | Harvested):
                item, put_on, _ = worn.get((event.agent, _HAND), (_NOTHING, -1, -1))
                tool = isinstance(event, Struck) or any(kind == "equipment" for kind, _ in event.causes)
                if tool or put_on < 0:
                    self._uses.setdefault(event.agent, []).append(_Use(event.action, item, put_on))
            elif isinstance(event, Transferred):
                self._release(event.agent, event.item, event.lots, event.action, loose)
            elif isinstance(event, Crafted):
                for item, lots in event.inputs:
                    self._release(event.agent, item, lots, event.action, loose)

    def _worn_at_start(self, log: Log) -> dict[tuple[str, str], tuple[str, int, int]]:
        """Returns (agent, slot) -> (item, put-on, via): what comes off before anything was put on was worn."""
        worn: dict[tuple[str, str], tuple[str, int, int]] = {}
        for _, event in log.events:
            if isinstance(event, Equipped | Unequipped):
                item = event.item if isinstance(event, Unequipped) else _NOTHING
                worn.setdefault((event.agent, event.slot), (item, -1, -1))
        self._first = {agent: item for (agent, slot), (item, _, _) in worn.items() if slot == _HAND}
        return worn

    def _release(
        self,
        agent: str,
        item: str,
        lots: tuple[Lot, ...],
        action: int,
        loose: dict[tuple[str, str, int], tuple[int, int]],
    ) -> None:
        for _, via, _ in lots:
            taken_off = loose.pop((agent, item, via), None)
            if taken_off is not None:
                self._releases.append(_Release(*taken_off, action))

    def edges(self, chosen: frozenset[int]) -> Iterator[Edge]:
        """Yields the equipment edges into contributing actions.

        Args:
            chosen: Actions that contribute.
        """
        for agent, uses in self._uses.items():
            item, put_on, latest = self._first.get(agent, _NOTHING), -1, -1
            for use in uses:
                if use.number not in chosen:
                    continue
                if use.put_on < 0 or use.item == _NOTHING:
                    item, put_on = use.item, -1
                elif use.item != item:
                    puts = self._puts[agent, use.item]
                    item, put_on = use.item, next(number for number in puts if number > latest)
                latest = use.number
                if put_on >= 0:
                    yield Edge(put_on, use.number, "equipment")
        for release in self._releases:
            if release.target in chosen and (release.on < 0 or release.on in chosen):
                yield Edge(release.off, release.target, "equipment")


def without_idle_wear(log: Log, contributing: Container[int]) -> Log:
    """Returns an episode without the put-ons that were for nothing, and the take-offs that ended them.

    Such a thing lay in its wearer's bag all the time, as it were: whether it was lent for nothing must not hang on its
    having been tried on.

    Args:
        log: The episode.
        contributing: Actions that contribute.

    Returns:
        The same log if nothing was worn for nothing.
    """
    idle: set[int] = set()
    worn: dict[tuple[str, str], int] = {}
    served: set[int] = set()
    ends: dict[int, int] = {}
    for place, (_, event) in enumerate(log.events):
        if isinstance(event, Equipped):
            worn[event.agent, event.slot] = place
            if event.action not in contributing:
                idle.add(place)
        elif isinstance(event, Unequipped):
            put_on = worn.pop((event.agent, event.slot), -1)
            ends[put_on] = place
        elif isinstance(event, Harvested | Struck) and event.action in contributing:
            served.add(worn.get((event.agent, _HAND), -1))
    idle -= served
    idle.update([ends[place] for place in idle if place in ends])
    return (
        log.with_events([pair for place, pair in enumerate(log.events) if place not in idle]) if idle else log
    )
