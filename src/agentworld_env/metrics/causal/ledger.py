"""The ledger of units: which actions brought units to those who used them.

The event log says for every unit which action last brought it to its holder. Passed to and fro, a unit would so rest on
every hand-over that there was. The ledger leaves out hand-overs in circles, see ``loops``, and follows what is left:
first in, first out, where what was worn and taken off takes its old place.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from agentworld_env.metrics.causal.log import Log
from agentworld_env.metrics.causal.loops import Cut, Key, changes, useless_gifts
from agentworld_env.sim.events import (
    AnyEvent,
    Bartered,
    Consumed,
    Crafted,
    Died,
    Dropped,
    Equipped,
    Harvested,
    Looted,
    PickedUp,
    Struck,
    Transferred,
    Unequipped,
)

UseKind = Literal["material", "loot", "equipment"]

_HAND = "weapon"
_START = -1

_Units = tuple[int, int]
"""(action that brought them to their holder or -1, count)."""


class LotLedger:
    """Follows the units of an episode.

    Args:
        log: The episode.
        start: Units that holders had at the start, at least; whatever else they must have had is added.
        kept: Actions that count in any case, so that they are in no circle.
        cut: Which hand-overs to leave out where a circle can be cut in several ways.
        but: Item -> which of its hand-overs to leave out instead.

    Attributes:
        uses: (action that brought units, action that used them or passed them on, ``material``, ``loot`` or
            ``equipment``).
        useless: Action -> units of it that were left out.
        circling: Items of which some were left out, sorted.
    """

    def __init__(
        self,
        log: Log,
        start: Mapping[Key, int] | None = None,
        kept: Collection[int] = (),
        *,
        cut: Cut = "later",
        but: Mapping[str, Cut] | None = None,
    ) -> None:
        held = _start(log, start or {})
        useless = useless_gifts(log, held, kept, cut, but or {})
        self.circling = tuple(sorted(useless))
        self.useless = {action: units for of_item in useless.values() for action, units in of_item.items()}
        self.uses: list[tuple[int, int, UseKind]] = []
        self._bags: dict[Key, list[_Units]] = {key: [(_START, count)] for key, count in held.items()}
        self._worn: dict[Key, tuple[str, int]] = {}
        self._ground: dict[str, list[_Units]] = {}
        for _, event in log.events:
            self._read(event)

    def held(self, agents: Iterable[str], item: str, units: int) -> set[int]:
        """Returns the actions that brought the oldest units of an item that agents hold or wear at the end."""
        found: set[int] = set()
        for agent in agents:
            rows = [
                (came, 1) for (who, _), (what, came) in self._worn.items() if (who, what) == (agent, item)
            ]
            for came, count in (*rows, *self._bags.get((agent, item), ())):
                if units > 0:
                    found.add(came)
                units -= count
        return found - {_START}

    def _read(self, event: AnyEvent) -> None:
        if isinstance(event, Harvested | Struck):
            _, came = self._worn.get((event.agent, _HAND), ("", _START))
            if any(kind == "equipment" for kind, _ in event.causes):
                self._use([(came, 1)], event.action, "equipment")
        if isinstance(event, Harvested | Looted | Bartered):
            self._put(event.agent, event.item, event.action, event.count)
        elif isinstance(event, Crafted):
            for item, lots in event.inputs:
                units = self._take(event.agent, item, sum(count for _, _, count in lots))
                self._use(units, event.action, "material")
            self._put(event.agent, event.item, event.action, event.count)
        elif isinstance(event, Consumed):
            self._use(self._take(event.agent, event.item, event.count), event.action, "material")
        elif isinstance(event, Equipped):
            units = self._take(event.agent, event.item, 1)
            self._use(units, event.action, "material")
            self._worn[event.agent, event.slot] = event.item, units[0][0]
        elif isinstance(event, Unequipped):
            self._take_off(event.agent, event.slot, event.item)
        elif isinstance(event, Died):
            for agent, slot in [key for key in self._worn if key[0] == event.agent]:
                self._take_off(agent, slot, self._worn[agent, slot][0])
        elif isinstance(event, Dropped):
            made = [(via, count) for _, via, count in event.lots]
            known = (event.source, event.item) in self._bags
            self._ground[event.ground] = (
                self._take(event.source, event.item, sum(count for _, count in made)) if known else made
            )
        elif isinstance(event, PickedUp):
            lying = self._ground.pop(event.ground, [(via, count) for _, via, count in event.lots])
            self._use(lying, event.action, "loot")
            self._put(event.agent, event.item, event.action, sum(count for _, _, count in event.lots))
        elif isinstance(event, Transferred):
            count = event.count - self.useless.get(event.action, 0)
            self._use(self._take(event.agent, event.item, count), event.action, "material")
            self._put(event.to, event.item, event.action, count)

    def _use(self, units: Iterable[_Units], action: int, kind: UseKind) -> None:
        self.uses.extend((came, action, kind) for came, _ in units if came >= 0)

    def _put(self, holder: str, item: str, came: int, count: int) -> None:
        if count:
            insort(self._bags.setdefault((holder, item), []), (came, count))

    def _take_off(self, agent: str, slot: str, item: str) -> None:
        _, came = self._worn.pop((agent, slot), (item, _START))
        self._put(agent, item, came, 1)

    def _take(self, holder: str, item: str, count: int) -> list[_Units]:
        """Takes the oldest units out of a bag."""
        bag = self._bags.setdefault((holder, item), [])
        taken: list[_Units] = []
        while count and bag:
            came, held = bag[0]
            used = min(count, held)
            bag[:1] = [(came, held - used)] if held > used else []
            taken.append((came, used))
            count -= used
        return [*taken, (_START, count)] if count else taken


def _start(log: Log, known: Mapping[Key, int]) -> dict[Key, int]:
    """Returns what agents had at the start: what is known, or what they must have had to do as they did."""
    found = dict(known)
    balance: dict[Key, int] = {}
    for _, event in log.events:
        if isinstance(event, Dropped):
            continue  # the dead drop what they wore as well, and the rest no longer matters
        for holder, item, count in changes(event):
            balance[holder, item] = balance.get((holder, item), 0) + count
            found[holder, item] = max(found.get((holder, item), 0), -balance[holder, item])
    return {key: count for key, count in found.items() if count}
