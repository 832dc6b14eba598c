"""Other target items, along the recipe graph, and other raw materials."""

from __future__ import annotations

from functools import cache

from agentworld_env.tasks.schema import Checkpoint, Crafted, Delivered, Gathered, TaskSpec, Worn
from agentworld_env.variants.atlas import atlas
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.edit import (
    add_point,
    groups,
    stock,
    units,
    with_points,
    with_site,
    with_stock,
    with_units,
)
from agentworld_env.variants.mutations.places import settle
from agentworld_env.variants.mutations.quantities import settled_quotas
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World
from agentworld_env.world.catalogue import Recipe

MOST_POINTS = 8
"""Checkpoints of a variant at the most, as in the main tasks."""
WORK = (60, 250)
"""Per cent of the raw units and crafts of the old product that a new one may take."""


def swap_product(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Lets the same crafters make another thing, with all that follows for materials, checkpoints and bags."""
    needs = Needs(spec, world)
    goals = _goals(spec)
    products = [
        item
        for item in needs.items
        if needs.crafts.get(item) and item in goals and not _is_part(item, goals - {item}, needs)
    ]
    for old in dice.shuffled(products):
        able = needs.chosen(old)
        for recipe in dice.shuffled(_others(spec, world, needs, old, able)):
            changed = _replaced(spec, world, dice, needs, old, recipe)
            if changed is not None:
                return changed
    return None


def swap_material(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Lets the same gatherers bring another raw material, where it is delivered or kept as it is."""
    needs = Needs(spec, world)
    raws = [item for item in needs.items if needs.harvesters(item) and not needs.users(item)]
    for old in dice.shuffled(raws):
        gatherers = needs.harvesters(old)
        families = {world.node_kinds[kind].skill for name in gatherers for kind in needs.kinds(name, old)}
        fresh = sorted(
            {
                kind.gives
                for kind in world.node_kinds.values()
                if kind.skill in families
                and kind.gives not in needs.items
                and atlas(world).grounds[kind.key]
                and stock(spec, kind.gives) == 0
            }
        )
        for new in dice.shuffled(fresh):
            changed = _renamed(spec, world, old, new, 1, 1)
            if changed is None or old in Needs(changed, world).items:
                continue
            able = Needs(changed, world).harvesters(new)
            if any(name not in able for name in gatherers):
                continue
            changed = _without_stock(changed, {old})
            found = settle(changed, world, dice, new)
            if found is not None:
                return found
    return None


def _goals(spec: TaskSpec) -> set[str]:
    goals = {item for point in spec.checkpoints for item in units(point)}
    return goals | {item for site in spec.sites.values() for item in site.wants}


def _is_part(item: str, others: set[str], needs: Needs) -> bool:
    return any(item in needs.chain(other) for other in others if needs.crafts.get(other))


def _others(spec: TaskSpec, world: World, needs: Needs, old: str, able: tuple[str, ...]) -> list[Recipe]:
    """Returns what the crafters of a product could make in its place, with about as much work."""
    skill = world.recipe_of[old].skill
    least = min(spec.team[name].skills[skill] for name in able)
    work = _work(old, needs)
    return [
        recipe
        for recipe in world.recipes
        if recipe.skill == skill
        and recipe.level <= least
        and recipe.item not in needs.items
        and world.items[recipe.item].tool is None
        and recipe.item not in loose(world)
        and stock(spec, recipe.item) == 0
        and all(_obtainable(part, spec, world, needs) for part in recipe.inputs)
        and WORK[0] * work <= 100 * _work(recipe.item, needs) <= WORK[1] * work
    ]


def _obtainable(item: str, spec: TaskSpec, world: World, needs: Needs) -> bool:
    """Returns whether the team can make an item, or may be given it at the start without becoming needless."""
    if needs.harvesters(item):
        return any(
            atlas(world).grounds[kind] for name in needs.harvesters(item) for kind in needs.kinds(name, item)
        )
    if needs.crafters(item):
        return all(_obtainable(part, spec, world, needs) for part in world.recipe_of[item].inputs)
    return item not in loose(world)


@cache
def loose(world: World) -> frozenset[str]:
    """Returns what common mobs drop and merchants give: whoever can fight or barter has it."""
    drops = {drop.item for spawn in world.mob_spawns for drop in world.mob_kinds[spawn.kind].drops}
    return frozenset(drops | {offer.give for npc in world.npcs.values() for offer in npc.offers})


def _work(item: str, needs: Needs) -> int:
    """Returns raw units and crafts that one unit of an item takes, in hundredths."""
    if needs.harvesters(item) or not needs.crafters(item):
        return 100
    recipe = needs.world.recipe_of[item]
    return (100 + sum(n * _work(part, needs) for part, n in recipe.inputs.items())) // recipe.count


def _replaced(
    spec: TaskSpec, world: World, dice: Dice, needs: Needs, old: str, recipe: Recipe
) -> TaskSpec | None:
    chain = needs.chain(old)
    rest = {
        item
        for other in _goals(spec) - chain - {old}
        if needs.crafts.get(other)
        for item in needs.chain(other)
    }
    ends = _kept_ends(spec, needs)
    stale = chain - rest - ends

    def without(point: Checkpoint) -> Checkpoint | None:
        counted = units(point)
        if not counted or not (counted.keys() & stale):
            return point
        return with_units(point, {item: n for item, n in counted.items() if item not in stale})

    changed = _renamed(
        with_points(spec, without), world, old, recipe.item, recipe.count, world.recipe_of[old].count
    )
    if changed is None:
        return None
    changed = _without_stock(changed, stale | {old})
    after = Needs(changed, world)
    for item, missing in after.short.items():
        if item in loose(world):
            return None
        keeper = _keeper(changed, dice, set(after.users(item)))
        if keeper is None:
            return None
        held = changed.team[keeper].inventory.get(item, 0)
        changed = with_stock(changed, keeper, item, held + missing)
    changed = settled_quotas(_supported(changed, world, recipe.item), world)
    if len(changed.checkpoints) < 2:
        return None
    for item in Needs(changed, world).items:
        found = settle(changed, world, dice, item)
        if found is None:
            return None
        changed = found
    return changed


def _kept_ends(spec: TaskSpec, needs: Needs) -> set[str]:
    """Returns items that somebody wants as they are, not only to work on them."""
    kept = {item for site in spec.sites.values() for item in site.wants}
    for point in spec.checkpoints:
        if point.kind in ("held", "worn"):
            kept |= set(units(point))
        elif isinstance(point, Delivered):
            kept |= {item for item in units(point) if point.to not in needs.users(item)}
        elif isinstance(point, Gathered | Crafted):
            kept |= {item for item in units(point) if not needs.users(item)}
    return kept


def _renamed(spec: TaskSpec, world: World, old: str, new: str, count: int, per: int) -> TaskSpec | None:
    """Returns a task that asks for ``new`` instead of ``old``, ``count`` units for every ``per``; None if it cannot."""

    def other(n: int) -> int:
        return max(1, -(-n // per)) * count if (count, per) != (1, 1) else n

    if any(old in (*role.worn, *role.inventory) and old in _worn(spec) for role in spec.team.values()):
        return None
    for point in spec.checkpoints:
        if isinstance(point, Worn) and point.item == old and not wearable(spec, world, point.by, new):
            return None

    def renamed(point: Checkpoint) -> Checkpoint | None:
        counted = units(point)
        if old not in counted:
            return point
        return with_units(
            point, {(new if k == old else k): (other(n) if k == old else n) for k, n in counted.items()}
        )

    changed = with_points(spec, renamed)
    for key, site in spec.sites.items():
        wants = {(new if k == old else k): (other(n) if k == old else n) for k, n in site.wants.items()}
        changed = with_site(changed, key, wants=wants)
    return changed


def _worn(spec: TaskSpec) -> set[str]:
    return {point.item for point in spec.checkpoints if isinstance(point, Worn)}


def wearable(spec: TaskSpec, world: World, name: str, item: str) -> bool:
    """Returns whether a role can put an item on."""
    from agentworld_env.sim.rules import combat_level
    from agentworld_env.world.catalogue import COMBAT_SKILLS

    skills = spec.team[name].skills
    if world.items[item].slot is None:
        return False
    return all(
        (combat_level(skills, COMBAT_SKILLS) if skill == "combat" else skills.get(skill, 1)) >= level
        for skill, level in world.items[item].needs.items()
    )


def _without_stock(spec: TaskSpec, items: set[str]) -> TaskSpec:
    for name, role in spec.team.items():
        for item in role.inventory:
            if item in items:
                spec = with_stock(spec, name, item, 0)
    return spec


def _keeper(spec: TaskSpec, dice: Dice, users: set[str]) -> str | None:
    """Returns a role that may hold what others need: preferably of a group that has no use for it."""
    using = {spec.team[name].group for name in users}
    others = [name for group, names in groups(spec).items() if group not in using for name in names]
    return dice.choice(others) if others else None


def _supported(spec: TaskSpec, world: World, product: str) -> TaskSpec:
    """Returns a task with checkpoints for the steps on the way to a new product, as many as there is room for."""
    needs = Needs(spec, world)
    asked = {(point.kind, item) for point in spec.checkpoints for item in units(point)}
    chain = [item for item in needs.items if item in needs.chain(product)]
    steps: list[Checkpoint] = []
    for item in chain:
        users = needs.users(item)
        sources = set(needs.makers(item)) | {n for n, r in spec.team.items() if item in r.inventory}
        apart = len(users) == 1 and not set(users) & set(needs.makers(item)) and users[0] not in sources
        if apart and ("delivered", item) not in asked and needs.use[item]:
            origin = "any" if stock(spec, item) else "made"
            steps.append(
                Delivered(
                    kind="delivered",
                    label=f"step {item}",
                    item=item,
                    count=needs.use[item],
                    to=users[0],
                    origin=origin,
                )
            )
        if needs.harvesters(item) and needs.make[item] and ("gathered", item) not in asked:
            steps.append(Gathered(kind="gathered", label=f"raw {item}", item=item, count=needs.make[item]))
        elif needs.crafts.get(item) and len(chain) > 1 and ("crafted", item) not in asked and not apart:
            steps.append(Crafted(kind="crafted", label=f"part {item}", item=item, count=needs.make[item]))
    for step in steps[: max(0, MOST_POINTS - len(spec.checkpoints))]:
        spec = _before(spec, step)
    return spec


def _before(spec: TaskSpec, step: Checkpoint) -> TaskSpec:
    """Returns a task with a checkpoint put where it happens: what is gathered comes first, in the order of work."""
    rank = {"gathered": 0, "crafted": 1, "delivered": 2}
    for i, point in enumerate(spec.checkpoints):
        if rank.get(point.kind, 3) > rank[step.kind] or (point.kind == "crafted" and step.kind != "gathered"):
            return spec.model_copy(
                update={"checkpoints": (*spec.checkpoints[:i], step, *spec.checkpoints[i:])}
            )
    return add_point(spec, step)
