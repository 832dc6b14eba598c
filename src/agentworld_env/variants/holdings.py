"""Which starting holdings matter: units in a bag that change who must make, gather or hand over something."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from agentworld_env.tasks.schema import Built, Crafted, Delivered, Gathered, Held, Worn
from agentworld_env.variants.edit import has_fights, skilled, units
from agentworld_env.variants.needs import Needs


class Share(msgspec.Struct, frozen=True):
    """What some roles' bags are to give together.

    Attributes:
        units: Role -> units that it can give; none that gives nothing.
        need: Units that are needed.
    """

    units: dict[str, int]
    need: int


class Supply(msgspec.Struct, frozen=True):
    """Where the units of an item come from.

    Attributes:
        counted: Roles whose units count, but for those that the item lets harvest or shoot.
        lacking: Roles that must get it from elsewhere.
        made: Whether some has to be made, whatever the bags hold.
        own: What the bags of those who use or keep it give them, for each use.
        free: What the other bags are to give; None if they are to give nothing, or only save making.
    """

    counted: frozenset[str]
    lacking: frozenset[str]
    made: bool
    own: tuple[Share, ...]
    free: Share | None


class Holdings:
    """The holdings of a task's roles that are not idle.

    An item's units in a bag count as follows. What checkpoints want gathered, crafted, or handed over as newly made has
    to be made whatever lies in the bags. If those who use the item start with all that they use themselves, their
    holdings count and nobody else's. Otherwise they lack it, and if the bags suffice, the holding of a role counts if
    without it some would have to be made, or the team could not cover what it needs. Where some has to be made anyway,
    the bags decide only how much. How much lies in a bag that counts never does.

    Args:
        needs: What the task takes.

    Attributes:
        counted: Role -> items whose units in its bag count, sorted.
        lacking: Role -> items that it uses, or is to have, and must get from elsewhere, sorted.
        supplies: Item -> where its units come from, for all that the task takes.
    """

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._spec = needs.spec
        counted: dict[str, set[str]] = {name: set() for name in needs.spec.team}
        lacking: dict[str, set[str]] = {name: set() for name in needs.spec.team}
        self.supplies = {item: self._of(item) for item in needs.items if needs.use.get(item)}
        for item, supply in self.supplies.items():
            for name in supply.counted | self._equipped(item):
                counted[name].add(item)
            for name in supply.lacking:
                lacking[name].add(item)
        self.counted = {name: sorted(items) for name, items in counted.items()}
        self.lacking = {name: sorted(items) for name, items in lacking.items()}

    def _of(self, item: str) -> Supply:
        needs, spec = self._needs, self._spec
        bags = {name: role.inventory.get(item, 0) for name, role in spec.team.items()}
        uses = [
            (needs.chosen(product), crafts, needs.world.recipe_of[product].inputs[item])
            for product, crafts in needs.crafts.items()
            if crafts and item in needs.world.recipe_of[product].inputs
        ]
        consumers = needs.consumers(item)
        passed: dict[str, int] = {}
        for point in spec.checkpoints:
            if isinstance(point, Delivered) and point.to in consumers and units(point).get(item):
                passed[point.to] = passed.get(point.to, 0) + units(point)[item]
        new, hands = self._new(item, consumers)
        rest = 0
        core: set[str] = set()
        wanting: set[str] = set()
        own: list[Share] = []
        if passed and sum(passed.values()) >= needs.spent(item):
            # A checkpoint wants all of it handed over; what the receivers hold already counts for no hand-over.
            rest += sum(passed.values())
            bags.update(dict.fromkeys(passed, 0))
            uses = []
        for chosen, crafts, each in uses:
            if new >= needs.use[item] and hands and hands <= set(chosen):
                rest += crafts * each  # they have to make as much themselves anyway
            elif _taken(bags, chosen, crafts, each) is not None:
                core |= {name for name in chosen if _taken({**bags, name: 0}, chosen, crafts, each) is None}
                own.append(Share({name: bags[name] // each for name in chosen if bags[name] >= each}, crafts))
                bags = _taken(bags, chosen, crafts, each) or {}
            else:
                rest += crafts * each
                wanting |= set(chosen)
        for name, count in self._owned(item).items():
            if bags[name] >= count:
                own.append(Share({name: bags[name]}, count))
                bags[name] -= count
                core.add(name)
            else:
                rest += count
                wanting.add(name)
        rest += self._given(item, consumers)
        total = sum(bags.values())
        made = max(new, rest - total)
        free = None
        # Whoever makes what is missing could make all; then the bags decide only how much.
        if not (needs.makers(item) and made > new):
            core |= {name for name, held in bags.items() if max(new, rest - total + held) > made}
            if rest > new:
                free = Share({name: held for name, held in bags.items() if held}, rest - new)
        return Supply(frozenset(core), frozenset(wanting), made > 0, tuple(own), free)

    def _new(self, item: str, consumers: set[str]) -> tuple[int, set[str]]:
        """Returns how many units have to be made whatever the bags hold, and by whom they can be."""
        makers = self._needs.makers(item)
        if not makers:
            return 0, set()
        quota: dict[tuple[str, ...], int] = {}
        named: set[str] = set()
        passed = others = 0
        for point in self._spec.checkpoints:
            count = units(point).get(item, 0)
            if isinstance(point, Gathered | Crafted) and count:
                quota[point.by] = max(quota.get(point.by, 0), count)
                named |= set(point.by or makers)
            elif isinstance(point, Delivered) and count and point.origin == "made":
                if point.to in consumers:
                    passed += count
                else:
                    others += count
            elif isinstance(point, Worn) and count and point.origin == "made":
                others += count
        free = quota.pop((), 0)
        return max(free, sum(quota.values()), passed, others), named or set(makers)

    def _owned(self, item: str) -> Mapping[str, int]:
        """Returns how many units roles are to have in the end, which may be their own of the start."""
        found: dict[str, int] = {}
        for point in self._spec.checkpoints:
            own = isinstance(point, Held) or (isinstance(point, Worn) and point.origin == "any")
            by = getattr(point, "by", None)
            if own and isinstance(by, str) and units(point).get(item):
                found[by] = max(found.get(by, 0), units(point)[item])
        return found

    def _given(self, item: str, consumers: set[str]) -> int:
        """Returns how many units go to sites, to roles that do not use them, or to the team as a whole."""
        kept: dict[str, int] = {}
        for point in self._spec.checkpoints:
            count = units(point).get(item, 0)
            if isinstance(point, Built):
                key, count = point.site, self._spec.sites[point.site].wants.get(item, 0)
            elif isinstance(point, Delivered) and point.to not in consumers:
                key = point.to
            elif isinstance(point, Held) and point.by is None:
                key = "-"
            elif isinstance(point, Worn) and point.origin == "made":
                key = f"{point.by} wears"
            else:
                continue
            kept[key] = max(kept.get(key, 0), count)
        return sum(kept.values())

    def _equipped(self, item: str) -> set[str]:
        """Returns the roles that an item in the bag lets harvest or shoot, which no hand-over speaks of."""
        world, spec, needs = self._needs.world, self._spec, self._needs
        tool = world.items[item].tool
        fight = has_fights(spec)
        found = set()
        for name, role in spec.team.items():
            if not role.inventory.get(item):
                continue
            others = [world.items[key] for key in (*role.worn, *role.inventory) if key != item]
            harvests = tool is not None and any(
                kind.tool == tool and kind.gives in needs.items and skilled(role, kind.skill, kind.level)
                for kind in world.node_kinds.values()
            )
            only = harvests and all(other.tool != tool for other in others)
            if only or (fight and any(other.ammunition == item for other in others)):
                found.add(name)
        return found


def _taken(bags: Mapping[str, int], chosen: tuple[str, ...], crafts: int, each: int) -> dict[str, int] | None:
    """Returns what is left in the bags after crafts, each from its crafter's own; None if they do not suffice."""
    left = dict(bags)
    for name in chosen:
        here = min(crafts, left[name] // each)
        left[name] -= here * each
        crafts -= here
    return None if crafts else left
