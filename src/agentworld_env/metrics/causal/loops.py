"""Hand-overs that only passed things to and fro.

Units of one kind are alike. Where hand-overs of a kind lead in a circle and everybody on it could have kept what it
had, the circle was for nothing: with it left out, everybody holds as much in the end and could have done all that it
did in between. Such circles are cut out here, as many units of them as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import (
    AnyEvent,
    Bartered,
    Consumed,
    Crafted,
    Dropped,
    Equipped,
    Harvested,
    Looted,
    PickedUp,
    Transferred,
    Unequipped,
)

Key = tuple[str, str]
"""Holder and item."""


class Change(NamedTuple):
    """So many units of an item came to a holder, or left it if ``units`` is negative."""

    holder: str
    item: str
    units: int


def changes(event: AnyEvent) -> Iterator[Change]:
    """Yields what an event changed in bags; what is worn is in no bag."""
    if isinstance(event, Harvested | Looted | Bartered):
        yield Change(event.agent, event.item, event.count)
    elif isinstance(event, Crafted):
        for item, lots in event.inputs:
            yield Change(event.agent, item, -sum(count for _, _, count in lots))
        yield Change(event.agent, event.item, event.count)
    elif isinstance(event, Consumed):
        yield Change(event.agent, event.item, -event.count)
    elif isinstance(event, Equipped | Unequipped):
        yield Change(event.agent, event.item, 1 if isinstance(event, Unequipped) else -1)
    elif isinstance(event, Transferred):
        yield Change(event.agent, event.item, -event.count)
        yield Change(event.to, event.item, event.count)
    elif isinstance(event, PickedUp):
        yield Change(event.agent, event.item, sum(count for _, _, count in event.lots))
    elif isinstance(event, Dropped):
        yield Change(event.source, event.item, -sum(count for _, _, count in event.lots))


class _Gift(NamedTuple):
    """A hand-over: its action, its place among the changes of its item, who gave, who got it, and how many units."""

    action: int
    place: int
    giver: str
    receiver: str
    units: int


Cut = Literal["later", "earlier", "none"]
"""Which circles of an item are cut out: ``later`` or ``earlier`` ones first, so that of several hand-overs to one
holder the first or the last ones are left; or none."""


def useless_gifts(
    log: Log, start: Mapping[Key, int], kept: Collection[int], cut: Cut, but: Mapping[str, Cut]
) -> dict[str, dict[int, int]]:
    """Returns item -> action -> units of it that were handed over for nothing.

    Args:
        log: The episode.
        start: Units that holders had at the start.
        kept: Actions that count in any case.
        cut: Which circles are cut out.
        but: Item -> which of its circles are instead.
    """
    rows: dict[str, list[list[Change]]] = {}
    gifts: dict[str, list[_Gift]] = {}
    for _, event in log.events:
        at_once: dict[str, list[Change]] = {}
        for change in changes(event):
            at_once.setdefault(change.item, []).append(change)
        for item, of_event in at_once.items():
            rows.setdefault(item, []).append(of_event)
        if isinstance(event, Transferred) and event.action not in kept:
            place = len(rows[event.item]) - 1
            gift = _Gift(event.action, place, event.agent, event.to, event.count)
            gifts.setdefault(event.item, []).append(gift)
    useless: dict[str, dict[int, int]] = {}
    for item, of_item in gifts.items():
        way = but.get(item, cut)
        if way != "none" and {gift.giver for gift in of_item} & {gift.receiver for gift in of_item}:
            circles = _Circles(item, rows[item], start)
            for gift in of_item if way == "earlier" else reversed(of_item):
                circles.add(gift)
            if circles.useless:
                useless[item] = circles.useless
    return useless


class _Circles:
    """Cuts circles out of the hand-overs of one item; these are added one by one, forwards or backwards in time.

    Args:
        item: The item.
        rows: All changes of it, in order; those of one event together.
        start: Units that holders had at the start.

    Attributes:
        useless: Action -> units of it that were handed over for nothing.
    """

    def __init__(self, item: str, rows: Sequence[Sequence[Change]], start: Mapping[Key, int]) -> None:
        self.useless: dict[int, int] = {}
        self._item, self._rows, self._start = item, rows, start
        self._gifts: dict[str, list[_Gift]] = {}
        self._stocks: dict[str, list[int]] = {}

    def add(self, gift: _Gift) -> None:
        """Adds a hand-over and cuts out the circles that it closes."""
        while self._left(gift):
            circle = self._circle(gift)
            if circle is None:
                break
            units = self._spare(circle)
            for one, after in _pairs(circle):
                self.useless[one.action] = self.useless.get(one.action, 0) + units
                row = self._stock(one.receiver)
                for place in range(one.place, after.place):
                    row[place] -= units
                for place in range(after.place, one.place):
                    row[place] += units
        self._gifts.setdefault(gift.giver, []).append(gift)

    def _stock(self, holder: str) -> list[int]:
        """Returns how many units a holder has after each change, without those that were handed over for nothing."""
        row = self._stocks.get(holder)
        if row is None:
            row = [sum(units for who, _, units in at_once if who == holder) for at_once in self._rows]
            row[0] += self._start.get((holder, self._item), 0)
            row = self._stocks[holder] = list(accumulate(row))
        return row

    def _left(self, gift: _Gift) -> int:
        return gift.units - self.useless.get(gift.action, 0)

    def _circle(self, gift: _Gift) -> list[_Gift] | None:
        """Returns a circle that begins with a hand-over, or None; of several the one nearest in time."""
        way, seen = [gift], {gift.receiver}
        left = [reversed(self._gifts.get(gift.receiver, []))]
        while left:
            after = next(left[-1], None)
            if after is None:
                left.pop()
                way.pop()
            elif not self._left(after):
                continue
            elif after.receiver == gift.giver:
                if self._spare([*way, after]):
                    return [*way, after]
            elif after.receiver not in seen:
                seen.add(after.receiver)
                way.append(after)
                left.append(reversed(self._gifts.get(after.receiver, [])))
        return None

    def _spare(self, circle: list[_Gift]) -> int:
        """Returns how many units can be left out all along a circle, so that nobody lacks any in between."""
        units = min(self._left(one) for one in circle)
        for one, after in _pairs(circle):
            units = min(units, *self._stock(one.receiver)[one.place : after.place], units)
        return max(units, 0)


def _pairs(circle: list[_Gift]) -> Iterator[tuple[_Gift, _Gift]]:
    """Yields each hand-over of a circle with the one by which its receiver gave."""
    return zip(circle, (*circle[1:], circle[0]), strict=True)
