"""What a task takes: who can make each item, and how many units have to be made, by backward chaining."""

from __future__ import annotations

from agentworld_env.tasks.schema import (
    Built,
    Crafted,
    Delivered,
    Gathered,
    Held,
    TaskSpec,
    Worn,
)
from agentworld_env.variants.edit import skilled, stock, units
from agentworld_env.world import World
from agentworld_env.world.catalogue import NodeKind


class Needs:
    """The items that a task is about.

    Args:
        spec: The task.
        world: The world it plays in.

    Attributes:
        items: All items concerned, products before what they are made from.
        use: Item -> units that are used up, handed over, held or worn in the end.
        make: Item -> units that must be harvested, looted or crafted in the episode.
        crafts: Item -> crafts for these.
        short: Item -> units that are used but that nobody has or can make.
    """

    def __init__(self, spec: TaskSpec, world: World) -> None:
        self.spec = spec
        self.world = world
        self._makers: dict[str, tuple[str, ...]] = {}
        self._harvesters: dict[str, tuple[str, ...]] = {}
        self._tools = {
            name: {world.items[key].tool for key in (*role.worn, *role.inventory)}
            for name, role in spec.team.items()
        }
        self._given: dict[str, list[NodeKind]] = {}
        for kind in world.node_kinds.values():
            self._given.setdefault(kind.gives, []).append(kind)
        self.items = self._order()
        self.use: dict[str, int] = {}
        self.make: dict[str, int] = {}
        self.crafts: dict[str, int] = {}
        self.short: dict[str, int] = {}
        for item in self.items:
            self._count(item)

    def makers(self, item: str) -> tuple[str, ...]:
        """Returns the roles that can craft, harvest or, as a source of the task, loot an item."""
        if item not in self._makers:
            self._makers[item] = tuple(name for name in self.spec.team if self._can_make(name, item))
        return self._makers[item]

    def crafters(self, item: str) -> tuple[str, ...]:
        """Returns the roles that have the skill for an item's recipe."""
        recipe = self.world.recipe_of.get(item)
        if recipe is None:
            return ()
        return tuple(
            name for name, role in self.spec.team.items() if skilled(role, recipe.skill, recipe.level)
        )

    def harvesters(self, item: str) -> tuple[str, ...]:
        """Returns the roles that have the skill and the tool to harvest an item."""
        if item not in self._harvesters:
            self._harvesters[item] = tuple(name for name in self.spec.team if self.kinds(name, item))
        return self._harvesters[item]

    def kinds(self, name: str, item: str) -> list[str]:
        """Returns the kinds of resources from which a role can harvest an item."""
        role, tools = self.spec.team[name], self._tools[name]
        return [
            kind.key
            for kind in self._given.get(item, ())
            if skilled(role, kind.skill, kind.level) and (kind.tool is None or kind.tool in tools)
        ]

    def users(self, item: str) -> tuple[str, ...]:
        """Returns the roles that use an item in a craft that the task takes, in turn order."""
        found = {
            name
            for product in self.items
            if self.crafts.get(product) and item in self.world.recipe_of[product].inputs
            for name in self.chosen(product)
        }
        return tuple(name for name in self.spec.team if name in found)

    def chosen(self, product: str) -> tuple[str, ...]:
        """Returns the roles that may craft a product: those that a checkpoint names, or all that can."""
        able = self.crafters(product)
        by = [
            name
            for point in self.spec.checkpoints
            if isinstance(point, Crafted) and product in units(point)
            for name in point.by
        ]
        return tuple(name for name in able if name in by) or able

    def chain(self, item: str) -> set[str]:
        """Returns everything that an item is made from by recipes that the team can follow, itself excepted."""
        found: set[str] = set()
        open_ = [item]
        while open_:
            key = open_.pop()
            if self.crafters(key):
                fresh = set(self.world.recipe_of[key].inputs) - found
                found |= fresh
                open_ += sorted(fresh)
        return found

    def consumers(self, item: str) -> set[str]:
        """Returns the roles that have the skill for a craft that the task takes and that uses up an item."""
        return {
            name
            for product, crafts in self.crafts.items()
            if crafts and item in self.world.recipe_of[product].inputs
            for name in self.crafters(product)
        }

    def spent(self, item: str) -> int:
        """Returns how many units of an item the crafts of the task use up."""
        return sum(
            crafts * self.world.recipe_of[product].inputs.get(item, 0)
            for product, crafts in self.crafts.items()
        )

    def _can_make(self, name: str, item: str) -> bool:
        role = self.spec.team[name]
        recipe = self.world.recipe_of.get(item)
        if recipe is not None and skilled(role, recipe.skill, recipe.level):
            return True
        return item in self.spec.sources or bool(self.kinds(name, item))

    def _order(self) -> list[str]:
        wanted = {item for point in self.spec.checkpoints for item in units(point)}
        wanted |= {item for site in self.spec.sites.values() for item in site.wants}
        order: list[str] = []
        seen: set[str] = set()

        def visit(item: str) -> None:
            if item not in seen:
                seen.add(item)
                if self.crafters(item):
                    for part in self.world.recipe_of[item].inputs:
                        visit(part)
                order.append(item)

        for item in sorted(wanted):
            visit(item)
        return order[::-1]

    def _count(self, item: str) -> None:
        quota: dict[tuple[str, ...], int] = {}
        kept: dict[str, int] = {}
        passing = made_for_others = 0
        for point in self.spec.checkpoints:
            count = units(point).get(item, 0)
            if not count:
                continue
            match point:
                case Gathered() | Crafted():
                    quota[point.by] = max(quota.get(point.by, 0), count)
                case Delivered() if point.to in self.spec.team and point.to in self.consumers(item):
                    passing += count
                case Delivered():
                    kept[point.to] = max(kept.get(point.to, 0), count)
                    made_for_others += count * (point.origin == "made")
                case Held():
                    key = point.by or "-"
                    kept[key] = max(kept.get(key, 0), count)
                case Worn():
                    kept[point.by] = max(kept.get(point.by, 0), 1)
                case _:
                    pass
        for point in self.spec.checkpoints:
            if isinstance(point, Built):
                wants = self.spec.sites[point.site].wants.get(item, 0)
                kept[point.site] = max(kept.get(point.site, 0), wants)
        free = quota.pop((), 0)
        counted = max(free, sum(quota.values()))
        self.use[item] = max(self.spent(item), passing) + sum(kept.values())
        missing = max(0, self.use[item] - stock(self.spec, item))
        make = max(counted, missing, made_for_others)
        crafters = self.crafters(item)
        if not self.makers(item):
            if missing:
                self.short[item] = missing
            make = 0
        self.make[item] = make
        if crafters and make and not self.harvesters(item):
            self.crafts[item] = -(-make // self.world.recipe_of[item].count)
