"""How many units of each item a task takes at the least."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from agentworld_env.certify.sources import Sources
from agentworld_env.tasks.schema import Built, Crafted, Delivered, Gathered, Held
from agentworld_env.world.catalogue import Recipe


class Amounts(msgspec.Struct):
    """Units of an item that a task takes at the least.

    Attributes:
        gathered: Units that checkpoints count as gathered, whoever gathers them.
        crafted: Units that checkpoints count as crafted.
        handed: Units that must be made and handed to one agent; the greatest such number.
        used: Units used up by crafts and sites, or held in the end, less those there at the start.
    """

    gathered: int = 0
    crafted: int = 0
    handed: int = 0
    used: int = 0

    @property
    def all(self) -> int:
        """Units that must be made."""
        return max(self.gathered, self.crafted, self.handed, self.used)


class Units:
    """The units of all items concerned, products before what they are made from.

    Args:
        sources: Where items come from.
        batch: Item -> number to a multiple of which its crafts are rounded up.

    Attributes:
        amounts: Item -> units.
        final: Item -> roles, sites and people that it must be handed to.
    """

    def __init__(self, sources: Sources, batch: Mapping[str, int]) -> None:
        self.sources = sources
        self.batch = batch
        self.spec = sources.spec
        self.sim = sources.sim
        self.amounts: dict[str, Amounts] = {}
        self.final: dict[str, set[str]] = {}
        self._uses: dict[str, list[Recipe]] = {}
        for item in self._order():
            self.amounts[item] = self._amounts(item)

    def _order(self) -> list[str]:
        """Returns the items concerned, every product before what it is made from."""
        order: list[str] = []
        seen: set[str] = set()

        def visit(item: str) -> None:
            if item not in seen:
                seen.add(item)
                recipe = self.sources.world.recipe_of.get(item)
                for part in recipe.inputs if recipe is not None else ():
                    visit(part)
                order.append(item)

        for item in sorted(self.sources.relevant):
            visit(item)
        return order[::-1]

    def _amounts(self, item: str) -> Amounts:
        found = Amounts()
        held: dict[str | None, int] = {}
        sites: dict[str, int] = {}
        gathered: list[tuple[int, tuple[str, ...]]] = []
        crafted: list[tuple[int, tuple[str, ...]]] = []
        handed: dict[str, int] = {}
        for point in self.sources.parts:
            match point:
                case Gathered() if point.item == item:
                    gathered.append((point.count, point.by))
                case Crafted() if point.item == item:
                    crafted.append((point.count, point.by))
                case Delivered() if point.item == item and point.to in self.sim.index:
                    fresh = point.count if point.origin == "made" else point.count - self.sources.stock(item)
                    handed[point.to] = max(handed.get(point.to, 0), fresh)
                case Delivered() if point.item == item:
                    sites[point.to] = max(sites.get(point.to, 0), point.count)
                    if point.origin == "made":
                        handed[point.to] = max(handed.get(point.to, 0), point.count)
                case Built() if item in self.sim.people[point.site].wants:
                    sites[point.site] = max(sites.get(point.site, 0), self.sim.people[point.site].wants[item])
                case Held() if point.item == item:
                    held[point.by] = max(held.get(point.by, 0), point.count)
                case _:
                    pass
        found.gathered, found.crafted = _total(gathered), _total(crafted)
        found.handed = max(handed.values(), default=0)
        spent = sum(self.crafts(recipe.item) * recipe.inputs[item] for recipe in self.users(item))
        # What different agents must hold they hold at the same time.
        kept = max(held.pop(None, 0), sum(held.values()))
        found.used = spent + sum(sites.values()) + kept - self.sources.stock(item)
        self.final[item] = {*handed, *sites}
        return found

    def users(self, item: str) -> list[Recipe]:
        """Returns the recipes that use an item up and must be made."""
        if item not in self._uses:
            self._uses[item] = [
                recipe
                for recipe in self.sources.world.recipes
                if item in recipe.inputs and recipe.item in self.amounts and self.crafts(recipe.item)
            ]
        return self._uses[item]

    @property
    def possible(self) -> bool:
        """Whether there is enough of everything that nobody can make or get."""
        sources = self.sources
        return all(
            amounts.used <= 0
            or sources.loose(item)
            or bool(sources.crafters(item))
            or bool(sources.harvesters(item))
            for item, amounts in self.amounts.items()
        )

    def crafts(self, item: str) -> int:
        """Returns how many crafts of an item there are, rounded up if that is settled."""
        batch = self.batch.get(item, 1)
        return -(-self.needed_crafts(item) // batch) * batch

    def needed_crafts(self, item: str) -> int:
        """Returns how many crafts of an item are unavoidable."""
        recipe = self.sources.world.recipe_of.get(item)
        if recipe is None or item not in self.amounts:
            return 0
        amounts = self.amounts[item]
        only = self.sources.crafters(item) and not (self.sources.loose(item) or self.sources.harvesters(item))
        units = amounts.all if only else amounts.crafted
        return max(0, -(-units // recipe.count))


def apart(spread: list[tuple[int, tuple[str, ...]]]) -> list[tuple[int, tuple[str, ...]]]:
    """Returns those of some (units, roles) whose roles are disjoint, so that their units add up; the largest first."""
    kept: list[tuple[int, tuple[str, ...]]] = []
    taken: set[str] = set()
    for count, by in sorted(spread, key=lambda pair: (-pair[0], pair[1])):
        if by and not taken & set(by):
            kept.append((count, by))
            taken |= set(by)
    return kept


def _total(spread: list[tuple[int, tuple[str, ...]]]) -> int:
    """Returns the units that several checkpoints count at the least: those of disjoint roles add up."""
    return max([sum(count for count, _ in apart(spread)), *(count for count, _ in spread)])
