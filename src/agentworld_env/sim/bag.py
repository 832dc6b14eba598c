"""Bags: lots of items with their provenance, first in, first out."""

from __future__ import annotations

from agentworld_env.sim.events import Cause, Lot
from agentworld_env.sim.state import Bag


def count(lots: tuple[Lot, ...]) -> int:
    """Returns the units of some lots."""
    return sum(lot[2] for lot in lots)


def put(bag: Bag, item: str, lots: tuple[Lot, ...]) -> None:
    """Adds lots behind those already there."""
    have = bag.get(item)
    bag[item] = lots if have is None else have + lots


def take(bag: Bag, item: str, units: int) -> tuple[Lot, ...]:
    """Removes the oldest units of an item and returns their lots. The bag must hold enough."""
    taken: list[Lot] = []
    rest = bag[item]
    for i, (origin, via, held) in enumerate(rest):
        if held > units:
            taken.append((origin, via, units))
            bag[item] = ((origin, via, held - units), *rest[i + 1 :])
            return tuple(taken)
        taken.append((origin, via, held))
        units -= held
        if not units:
            left = rest[i + 1 :]
            if left:
                bag[item] = left
            else:
                del bag[item]
            return tuple(taken)
    raise ValueError(f"bag lacks {units} of {item}")


def carried_by(lots: tuple[Lot, ...], action: int) -> tuple[Lot, ...]:
    """Returns lots as they reach a new holder through an action; those that become alike are merged."""
    merged: dict[int, int] = {}
    for origin, _, units in lots:
        merged[origin] = merged.get(origin, 0) + units
    return tuple((origin, action, units) for origin, units in merged.items())


def material(lots: tuple[Lot, ...]) -> tuple[Cause, ...]:
    """Returns the material causes of what uses these lots: the actions that brought them to their holder."""
    return tuple(dict.fromkeys(("material", via) for _, via, _ in lots if via >= 0))
