"""Kinds of checkpoints that count what happened. They latch: what was done cannot be undone."""

from __future__ import annotations

from typing import Any

from agentworld_env.sim import events as ev
from agentworld_env.verifiers.scene import Scene
from agentworld_env.verifiers.tracker import Tracker


class Gathered(Tracker):
    """Units harvested, and units looted of items that the task lists as ``sources``.

    Loot that fell to the ground counts for whoever first picks it up.
    """

    __slots__ = ("_by", "_item", "_loot")

    hears = (ev.Harvested, ev.Looted, ev.PickedUp)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self.need = spec.count
        self._item = spec.item
        self._by = frozenset(spec.by)
        self._loot = spec.item in scene.sources

    def on(self, event: Any) -> None:
        """Counts a harvest, or loot where loot counts."""
        if event.item != self._item or (self._by and event.agent not in self._by):
            return
        if type(event) is ev.PickedUp:
            if self._loot and self.scene.spoils(event.ground):
                self.count(sum(lot[2] for lot in event.lots), event.round, (event.action,))
        elif type(event) is ev.Harvested or self._loot:
            self.count(event.count, event.round, (event.action,))


class Crafted(Tracker):
    """Units crafted."""

    __slots__ = ("_by", "_item")

    hears = (ev.Crafted,)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self.need = spec.count
        self._item = spec.item
        self._by = frozenset(spec.by)

    def on(self, event: Any) -> None:
        """Counts a craft."""
        if event.item == self._item and (not self._by or event.agent in self._by):
            self.count(event.count, event.round, (event.action,))


class Killed(Tracker):
    """Kills of a mob kind or a named spawn; producers are all blows since its last full regeneration."""

    __slots__ = ("_by", "_mob")

    hears = (ev.Killed,)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self.need = spec.count
        self._mob = spec.mob
        self._by = frozenset(spec.by)

    def on(self, event: Any) -> None:
        """Counts a kill whose credit one of the named roles shares."""
        if self._mob != event.kind and self._mob != event.mob:
            return
        if self._by and all(agent not in self._by for agent, _ in event.by):
            return
        blows = tuple(action for kind, action in event.causes if kind == "damage")
        last = (event.action,) if event.action >= 0 else ()
        self.count(1, event.round, blows + last)


class Delivered(Tracker):
    """Units that reached someone by transfer, each once and never for its own maker.

    Bags are first in, first out, so that every lot (origin, via) knows how many of its units have been with the
    receiver before; where some have and some have not, those that have go first. Passing units to and fro thus adds
    nothing, by whatever way they come back, and units that are new to the receiver count even after it has given
    others of the same origin away.
    """

    __slots__ = ("_any", "_been", "_item", "_makers", "_to")

    hears = (ev.Harvested, ev.Crafted, ev.Looted, ev.PickedUp, ev.Transferred)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self.need = spec.count
        self._item = spec.item
        self._to: str = spec.to
        self._any: bool = spec.origin == "any"
        self._makers: dict[int, str] = {}
        self._been: dict[tuple[int, int], int] = {}

    def on(self, event: Any) -> None:
        """Remembers makers, follows units from hand to hand and counts those that arrive."""
        if event.item != self._item:
            return
        if type(event) is ev.Transferred:
            gain = self._carry(event.lots, event.action, event.to == self._to)
            if gain:
                self.count(gain, event.round, (event.action,))
        elif type(event) is ev.PickedUp:
            if self.scene.spoils(event.ground):
                self._makers.update({origin: event.agent for origin, _, _ in event.lots})
            self._carry(event.lots, event.action, False)
        else:
            self._makers[event.action] = event.agent

    def _carry(self, lots: tuple[ev.Lot, ...], action: int, arrives: bool) -> int:
        """Follows lots to their new holder and returns how many units count now for the first time."""
        been, gain = self._been, 0
        for origin, via, units in lots:
            if not self._counts(origin):
                continue
            known = min(units, been.get((origin, via), 0))
            if known:
                been[origin, via] -= known
            if arrives:
                gain += units - known
                known = units
            if known:
                been[origin, action] = been.get((origin, action), 0) + known
        return gain

    def _counts(self, origin: int) -> bool:
        maker = self._makers.get(origin)
        if maker is None:
            # Held at the start, or got from a merchant: counts only where any origin does.
            return self._any and (origin >= 0 or self.scene.sim.names[-1 - origin] != self._to)
        return maker != self._to

    def save(self) -> tuple[Any, ...]:
        """Returns everything that changes, as an immutable value."""
        return (*super().save(), tuple(self._makers.items()), tuple(self._been.items()))

    def load(self, saved: tuple[Any, ...]) -> None:
        """Goes back to what ``save`` returned."""
        super().load(saved[:3])
        makers, been = saved[3:]
        self._makers, self._been = dict(makers), dict(been)


class Worn(Tracker):
    """An item that a role has put on in the episode.

    What it wore at the start does not count, not even taken off and put on again.
    """

    __slots__ = ("_by", "_item", "_made", "_own")

    hears = (ev.Equipped,)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._item = spec.item
        self._by = spec.by
        self._made: bool = spec.origin == "made"
        number = scene.sim.index[spec.by]
        # Units that one agent held at the start are alike: if it wore one, none of them is surely another.
        self._own = -1 - number if spec.item in scene.sim.setup.agents[number].worn else None

    def on(self, event: Any) -> None:
        """Notes that the item was put on."""
        if event.item != self._item or event.agent != self._by or event.origin == self._own:
            return
        if not self._made or self.scene.made(self._item, event.origin):
            self.count(1, event.round, (event.action,))


class Built(Tracker):
    """A site whose list of materials is complete: units received of units wanted."""

    __slots__ = ("_site",)

    hears = (ev.Transferred,)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._site = spec.site
        self.need = sum(scene.sim.people[spec.site].wants.values())

    def on(self, event: Any) -> None:
        """Counts what the site took; a site takes no more of an item than it wants."""
        if event.to == self._site:
            self.count(event.count, event.round, (event.action,))
