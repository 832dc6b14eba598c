"""Checkpoints that count several items: one tracker for each item, and each up to its own number only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentworld_env.sim.events import Event
from agentworld_env.tasks.schema import parts_of
from agentworld_env.verifiers.scene import Scene
from agentworld_env.verifiers.tracker import Tracker


class Several(Tracker):
    """Units of several items that latch, item by item: surplus of one never makes up for another.

    Args:
        spec: The checkpoint from the task file.
        scene: The episode.
        single: Makes the tracker of one item.
    """

    __slots__ = ("_items", "_parts")

    def __init__(self, spec: Any, scene: Scene, single: Callable[[Any, Scene], Tracker]) -> None:
        super().__init__(spec, scene)
        self._items = tuple(spec.items)
        self._parts = tuple(single(part, scene) for part in parts_of((spec,)))
        self.need = sum(part.need for part in self._parts)
        self._add_up()

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions that produced what was counted of any item, ascending; empty unless all are complete."""
        return (
            tuple(sorted({action for part in self._parts for action in part.actions})) if self.reached else ()
        )

    @property
    def shares(self) -> tuple[tuple[str, int, int], ...]:
        """What is counted item by item, as (item, have, need)."""
        return tuple(
            (item, min(part.have, part.need), part.need)
            for item, part in zip(self._items, self._parts, strict=True)
        )

    def listens(self) -> tuple[type[Event], ...]:
        """Returns the event types to hand to ``on``."""
        return tuple(dict.fromkeys(kind for part in self._parts for kind in part.listens()))

    def on(self, event: Any) -> None:
        """Hands an event to every item's tracker that is not complete for good."""
        for part in self._parts:
            if not (part.latches and part.reached):
                part.on(event)
        self._add_up()

    def _add_up(self) -> None:
        self.have = sum(min(part.have, part.need) for part in self._parts)
        self.round = max(part.round for part in self._parts) if self.reached else 0

    def save(self) -> tuple[Any, ...]:
        """Returns everything that changes, as an immutable value."""
        return tuple(part.save() for part in self._parts)

    def load(self, saved: tuple[Any, ...]) -> None:
        """Goes back to what ``save`` returned."""
        for part, own in zip(self._parts, saved, strict=True):
            part.load(own)
        self._add_up()


class SeveralHeld(Several):
    """Units of several items that somebody has right now; any of them can be lost again."""

    __slots__ = ()

    latches = False
