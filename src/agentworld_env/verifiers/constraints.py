"""Constraints: true at the start, and broken for good by one event."""

from __future__ import annotations

from typing import Any, ClassVar

from agentworld_env.sim import events as ev


class Watch:
    """Watches one constraint.

    Args:
        spec: The constraint from the task file.

    Attributes:
        hears: Event types handed to ``on``.
        broken_by: Who or what broke it, or empty.
        round: Round in which it was broken, or 0.
    """

    __slots__ = ("broken_by", "kind", "label", "round")

    hears: ClassVar[tuple[type[ev.Event], ...]] = ()

    def __init__(self, spec: Any) -> None:
        self.kind: str = spec.kind
        self.label = ""
        self.broken_by = ""
        self.round = 0

    @property
    def held(self) -> bool:
        """Whether it has held so far."""
        return not self.round

    def listens(self) -> tuple[type[ev.Event], ...]:
        """Returns the event types to hand to ``on``."""
        return self.hears

    def on(self, event: Any) -> None:
        """Takes note of an event of a type in ``hears``."""

    def save(self) -> tuple[str, int]:
        """Returns everything that changes, as an immutable value."""
        return (self.broken_by, self.round)

    def load(self, saved: tuple[str, int]) -> None:
        """Goes back to what ``save`` returned."""
        self.broken_by, self.round = saved


class AllAlive(Watch):
    """Nobody of the named roles dies."""

    __slots__ = ("_by",)

    hears = (ev.Died,)

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self._by = frozenset(spec.by)
        self.label = f"Alive: {', '.join(spec.by)}" if spec.by else "Everyone alive"

    def on(self, event: Any) -> None:
        """Notes the first death that breaks it."""
        if self.held and (not self._by or event.agent in self._by):
            self.broken_by, self.round = event.agent, event.round


class NeverCrafted(Watch):
    """Nobody crafts an item."""

    __slots__ = ("_item",)

    hears = (ev.Crafted,)

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self._item = spec.item
        self.label = f"Never crafted: {spec.item}"

    def on(self, event: Any) -> None:
        """Notes the first craft that breaks it."""
        if self.held and event.item == self._item:
            self.broken_by, self.round = event.agent, event.round
