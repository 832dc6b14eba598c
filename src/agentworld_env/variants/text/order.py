"""The order in which an objective says what is to be done."""

from __future__ import annotations

from agentworld_env.tasks.schema import Built, Checkpoint
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts

_RANK = {"gathered": 0, "crafted": 0, "delivered": 1, "built": 2, "held": 2, "worn": 2}
"""Kind of checkpoint -> when, of all that are about one item, it is reached."""
_LAST = frozenset({"present_together", "held_for_rounds", "survived_until"})
"""Kinds of checkpoints that come after all that stand above them."""


def in_order(facts: Facts) -> list[Checkpoint]:
    """Returns the checkpoints in an order in which they can be reached, as near to the file's as possible.

    What something is made from comes before it, and what is handed over after it has been made.
    """
    rest = list(facts.spec.checkpoints)
    number = {point.label: i for i, point in enumerate(rest)}
    order: list[Checkpoint] = []

    def first(before: Checkpoint, after: Checkpoint) -> bool:
        if after.kind in _LAST and number[after.label] > number[before.label]:
            return True
        if getattr(after, "after", None) == before.label:
            return True
        mine, others = _concerns(before, facts), _concerns(after, facts)
        if mine & others:
            return _RANK[before.kind] < _RANK[after.kind]
        # What is handed to those who work on it is a step; what others get, or a site, is an end.
        step = before.kind in ("gathered", "crafted") or any(
            getattr(before, "to", None) in facts.users(item) for item in mine
        )
        return step and any(item in facts.needs.chain(other) for item in mine for other in others)

    def alike(point: Checkpoint, other: Checkpoint) -> bool:
        fields = ("kind", "to", "by", "site")
        return all(getattr(point, field, None) == getattr(other, field, None) for field in fields)

    while rest:
        ready = [
            point for point in rest if not any(first(other, point) for other in rest if other is not point)
        ]
        ready = ready or rest[:1]
        # What can be said in one breath waits for the rest of it.
        whole = [
            point
            for point in ready
            if not (point.kind == "delivered" and any(alike(point, o) for o in rest if o not in ready))
        ]
        same = [point for point in ready if order and alike(point, order[-1])]
        point = (same or whole or ready)[0]
        order.append(point)
        rest.remove(point)
    return order


def _concerns(point: Checkpoint, facts: Facts) -> set[str]:
    return set(facts.spec.sites[point.site].wants) if isinstance(point, Built) else set(units(point))
