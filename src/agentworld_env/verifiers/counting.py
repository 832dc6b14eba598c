"""Kinds of checkpoints that count what happened. They latch: what was done cannot be undone."""

from __future__ import annotations

from typing import Any

from agentworld_env.sim import events as ev
from agentworld_env.verifiers.scene import Scene
from agentworld_env.verifiers.tracker import Tracker


class Gathered(Tracker):
    """Units harvested, and units looted of items that the task lists as ``sources``."""

    __slots__ = ("_by", "_item", "_loot")

    hears = (ev.Harvested, ev.Looted)

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
        if type(event) is ev.Harvested or self._loot:
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

    Per origin (the action that made the units) the most that the receiver had received net of what it gave
    away again is counted, so that passing units to and fro adds nothing.
    """

    __slots__ = ("_any", "_best", "_item", "_makers", "_net", "_to")

    hears = (ev.Harvested, ev.Crafted, ev.Looted, ev.Transferred)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self.need = spec.count
        self._item = spec.item
        self._to: str = spec.to
        self._any: bool = spec.origin == "any"
        self._makers: dict[int, str] = {}
        self._net: dict[int, int] = {}
        self._best: dict[int, int] = {}

    def on(self, event: Any) -> None:
        """Remembers makers and counts transfers."""
        if event.item != self._item:
            return
        if type(event) is not ev.Transferred:
            self._makers[event.action] = event.agent
        elif event.to == self._to:
            gain = 0
            for origin, _, units in event.lots:
                if self._counts(origin):
                    net = self._net[origin] = self._net.get(origin, 0) + units
                    best = self._best.get(origin, 0)
                    if net > best:
                        self._best[origin] = net
                        gain += net - best
            if gain:
                self.count(gain, event.round, (event.action,))
        elif event.agent == self._to:
            for origin, _, units in event.lots:
                if self._counts(origin):
                    self._net[origin] = self._net.get(origin, 0) - units

    def _counts(self, origin: int) -> bool:
        maker = self._makers.get(origin)
        if maker is None:
            # Held at the start, or got from a merchant: counts only where any origin does.
            return self._any and (origin >= 0 or self.scene.sim.names[-1 - origin] != self._to)
        return maker != self._to

    def save(self) -> tuple[Any, ...]:
        """Returns everything that changes, as an immutable value."""
        ledger = (tuple(self._makers.items()), tuple(self._net.items()), tuple(self._best.items()))
        return (*super().save(), *ledger)

    def load(self, saved: tuple[Any, ...]) -> None:
        """Goes back to what ``save`` returned."""
        super().load(saved[:3])
        self._makers, self._net, self._best = (dict(pairs) for pairs in saved[3:])


class Worn(Tracker):
    """An item that a role has put on in the episode; what it wore at the start does not count."""

    __slots__ = ("_by", "_item")

    hears = (ev.Equipped,)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._item = spec.item
        self._by = spec.by

    def on(self, event: Any) -> None:
        """Notes that the item was put on."""
        if event.item == self._item and event.agent == self._by:
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
