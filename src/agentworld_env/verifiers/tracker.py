"""What all kinds of checkpoints share: counting, latching, saving."""

from __future__ import annotations

from typing import Any, ClassVar

from agentworld_env.sim.events import Event
from agentworld_env.verifiers.scene import Scene


class Tracker:
    """Follows one checkpoint through an episode.

    A kind overrides what it needs: ``on`` for events of its ``hears`` types, ``look`` for the state after new
    events, ``end_round`` for the end of a round. One that ``latches`` and is reached hears no more.

    Args:
        spec: The checkpoint from the task file.
        scene: The episode.

    Attributes:
        hears: Event types handed to ``on``.
        looks: Whether ``look`` is to be called after new events.
        latches: Whether it stays reached.
    """

    __slots__ = ("_actions", "have", "kind", "label", "need", "round", "scene")

    hears: ClassVar[tuple[type[Event], ...]] = ()
    looks: ClassVar[bool] = False
    latches: ClassVar[bool] = True

    def __init__(self, spec: Any, scene: Scene) -> None:
        self.kind: str = spec.kind
        self.label: str = spec.label
        self.scene = scene
        self.need: int = 1
        self.have: int = 0
        self.round: int = 0
        self._actions: tuple[int, ...] = ()

    @property
    def reached(self) -> bool:
        """Whether the checkpoint counts as reached."""
        return self.have >= self.need

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions that produced what was counted, ascending; empty unless reached."""
        return tuple(sorted(set(self._actions))) if self.reached else ()

    @property
    def shares(self) -> tuple[tuple[str, int, int], ...]:
        """What is counted item by item, as (item, have, need); empty unless several items are."""
        return ()

    def listens(self) -> tuple[type[Event], ...]:
        """Returns the event types to hand to ``on``."""
        return self.hears

    def on(self, event: Any) -> None:
        """Takes note of an event of a type in ``hears``."""

    def look(self) -> None:
        """Reads the state after new events."""

    def end_round(self, ended: int) -> None:
        """Takes note of the end of a round."""

    def count(self, units: int, round_number: int, actions: tuple[int, ...]) -> None:
        """Adds units and their producers, and latches when there are enough."""
        self.have += units
        self._actions += actions
        if self.have >= self.need:
            self.round = round_number

    def save(self) -> tuple[Any, ...]:
        """Returns everything that changes, as an immutable value."""
        return (self.have, self.round, self._actions)

    def load(self, saved: tuple[Any, ...]) -> None:
        """Goes back to what ``save`` returned."""
        self.have, self.round, self._actions = saved
