"""To whom it falls to pass what on: hand-overs and deliveries that the guides tell of."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from agentworld_env.tasks.schema import Delivered, Gathered
from agentworld_env.variants.edit import units

if TYPE_CHECKING:
    from agentworld_env.variants.text.facts import Facts


class Handing:
    """Hand-overs of a variant, as its texts tell them.

    Whoever makes an item or starts with some has no need of others' units, unless a checkpoint says that it must be
    handed some, it alone can do work that takes more than it holds, or no user holds enough for the work: then one of
    them gets all.

    Args:
        facts: The variant's facts.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._given: dict[tuple[str, str], list[str]] = {}

    def gives(self, name: str, item: str) -> list[str]:
        """Returns to which roles and sites it falls to a role to pass an item on."""
        if (name, item) not in self._given:
            self._given[name, item] = self._gives(name, item)
        return self._given[name, item]

    def givers(self, name: str, item: str) -> list[str]:
        """Returns from which roles a role gets an item."""
        return [other for other in self._facts.team if name in self.gives(other, item)]

    def must(self, name: str, item: str) -> bool:
        """Returns whether a role must be given an item, whoever else gets some."""
        return self._asked(name, item) or self._lacks(name, item)

    def _gives(self, name: str, item: str) -> list[str]:
        facts = self._facts
        providers = facts.providers(item)
        passes = self.passes(name, item)
        if name not in providers and not passes:
            return []
        if not facts.needs.use.get(item) or (self._keeps(name, item) and not passes):
            return []
        taker = self._takers.get(item)
        receivers = facts.receivers(item)
        relays = [other for other in receivers if self.passes(other, item)]
        if relays and not passes:
            receivers = relays
        if taker is not None:
            # The others who work on it are no ends of its way; who gets it as it is still is one.
            users = set(facts.users(item)) - {taker}
            receivers = [other for other in receivers if other not in users or self._asked(other, item)]
        return [
            other
            for other in receivers
            if other != name
            and (
                other not in providers
                or other == taker
                or self._handed(other, item)
                or self._lacks(other, item)
            )
        ]

    def _keeps(self, name: str, item: str) -> bool:
        """Returns whether a role uses up itself all that it has of an item, as nobody could in its place."""
        return name not in self._facts.makers(item) and 0 < self._held(name, item) <= self._own(name, item)

    def passes(self, name: str, item: str) -> bool:
        """Returns whether a role must be handed all that is gathered of an item, and more than it works on."""
        facts = self._facts
        handed = gathered = 0
        for point in facts.spec.checkpoints:
            if isinstance(point, Delivered) and point.to == name:
                handed += units(point).get(item, 0)
            elif isinstance(point, Gathered):
                gathered += units(point).get(item, 0)
        worked = facts.needs.spent(item) if name in facts.users(item) else 0
        return 0 < worked < handed and 0 < gathered <= handed

    def _lacks(self, name: str, item: str) -> bool:
        """Returns whether a role holds less of an item than it alone uses, and makes none."""
        return name not in self._facts.makers(item) and self._held(name, item) < self._own(name, item)

    def _own(self, name: str, item: str) -> int:
        """Returns how many units of an item a role uses up for what nobody else makes."""
        facts = self._facts
        if name not in facts.spec.team:
            return 0
        return sum(
            crafts * facts.world.recipe_of[product].inputs.get(item, 0)
            for product, crafts in facts.needs.crafts.items()
            if facts.makers(product) == (name,)
        )

    def _held(self, name: str, item: str) -> int:
        role = self._facts.spec.team.get(name)
        return role.inventory.get(item, 0) if role else 0

    @cached_property
    def _takers(self) -> dict[str, str]:
        """Items of which several users hold a part, none of them enough -> who gets the parts of the others.

        For all parts of one product that is the same role: of those who make it, one that must be handed most of the
        other parts anyway, or who holds most.
        """
        facts = self._facts
        found: dict[str, str] = {}
        for product, crafts in facts.needs.crafts.items():
            makers = facts.makers(product)
            parts = facts.world.recipe_of[product].inputs if crafts else {}
            short = [item for item in parts if item not in found and self._scattered(item, makers)]
            if not short:
                continue
            taker = max(
                makers,
                key=lambda name: (
                    sum(name not in facts.providers(item) for item in parts),
                    sum(self._held(name, item) for item in parts),
                    -facts.team.index(name),
                ),
            )
            found.update(dict.fromkeys(short, taker))
        return found

    def _scattered(self, item: str, makers: tuple[str, ...]) -> bool:
        """Returns whether an item that nobody makes lies with several who work on it, too little with each of them."""
        facts = self._facts
        if len(makers) < 2 or facts.makers(item) or not all(self._held(name, item) for name in makers):
            return False
        bags = {name: self._held(name, item) for name in facts.users(item)}
        for product, crafts in facts.needs.crafts.items():
            parts = facts.world.recipe_of[product].inputs.get(item, 0)
            for _ in range(crafts if parts else 0):
                name = max(facts.makers(product), key=lambda name: bags[name])
                bags[name] -= parts
                if bags[name] < 0:
                    return True
        return False

    def _asked(self, name: str, item: str) -> bool:
        """Returns whether a checkpoint says that a role must get, hold or wear an item."""
        for point in self._facts.spec.checkpoints:
            to = point.to if isinstance(point, Delivered) else getattr(point, "by", None)
            if point.kind in ("delivered", "held", "worn") and to == name and item in units(point):
                return True
        return False

    def _handed(self, name: str, item: str) -> bool:
        return any(
            isinstance(point, Delivered) and point.to == name and item in units(point)
            for point in self._facts.spec.checkpoints
        )
