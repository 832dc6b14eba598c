"""Another team: a role more, or a redundant one less."""

from __future__ import annotations

from agentworld_env.tasks.schema import AllAlive, Checkpoint, Crafted, Gathered, Held, Role, TaskSpec
from agentworld_env.variants.atlas import atlas
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.edit import add_point, fresh_name, groups, units, with_points, with_stock
from agentworld_env.variants.mutations.products import MOST_POINTS
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World

MOST_AGENTS = 20
"""Largest team of a variant, as in the main tasks."""
_STEM = "keeper"
_FOOD = {"flask": 10, "apple": 15}
_SKILLS = {"strength": 25, "health": 30}
_WORN = ("leatherarmor", "leatherboots")


def add_role(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Adds a keeper: it owns a start-only part that others need, or the team's wares end with it."""
    if len(spec.team) >= MOST_AGENTS:
        return None
    name = fresh_name([*spec.team, *spec.sites, *world.npcs], _STEM)
    first = next(iter(spec.team.values()))
    others = [role.start for role in spec.team.values()]
    middle = dice.choice(others)
    tiles = atlas(world).free(*middle)
    if not tiles:
        return None
    start = dice.choice(tiles[len(tiles) // 2 :])
    role = Role(group=f"{name}s", about="-", start=start, skills=_SKILLS, inventory=_FOOD, worn=_WORN)
    role = role.model_copy(update={"guide": first.guide.model_copy(update={"sites": ()})})
    spec_ = spec.model_copy(update={"team": {**spec.team, name: role}})
    needs = Needs(spec_, world)
    scarce = [
        (owner, item)
        for owner, mate in spec.team.items()
        for item in mate.inventory
        if needs.use.get(item) and not needs.makers(item)
    ]
    if scarce and dice.below(2):
        owner, item = dice.choice(scarce)
        count = spec.team[owner].inventory[item]
        return with_stock(with_stock(spec_, owner, item, 0), name, item, count)
    if len(spec.checkpoints) >= MOST_POINTS:
        return None
    taken = {item for point in spec.checkpoints if point.kind in ("held", "worn") for item in units(point)}
    taken |= {item for site in spec.sites.values() for item in site.wants}
    delivered = {item for point in spec.checkpoints if point.kind == "delivered" for item in units(point)}
    wares = [
        (item, count)
        for point in spec.checkpoints
        if isinstance(point, Gathered | Crafted)
        for item, count in units(point).items()
        if item not in taken | delivered and not needs.users(item) and item not in spec.sources
    ]
    if not wares:
        return None
    item, count = dice.choice(wares)
    point = Held(kind="held", label=f"kept {item}", item=item, count=count, by=name)
    return add_point(spec_, point)


def drop_role(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Removes a member that a mate of its group can stand in for; the mate inherits what the team needs."""
    if len(spec.team) <= 3:
        return None
    single = {
        name
        for point in spec.checkpoints
        for name in (getattr(point, "to", None), getattr(point, "by", None))
        if isinstance(name, str)
    }
    needs = Needs(spec, world)
    spare = [
        name
        for names in groups(spec).values()
        if len(names) > 1
        for name in names
        if name not in single and not any(name in units_ for units_ in _alone(spec))
    ]
    if not spare:
        return None
    gone = dice.choice(spare)
    heir = next(name for name in groups(spec)[spec.team[gone].group] if name != gone)

    def without(point: Checkpoint) -> Checkpoint | None:
        by = getattr(point, "by", ())
        if isinstance(by, tuple) and gone in by:
            return point.model_copy(update={"by": tuple(name for name in by if name != gone)})
        return point

    changed = with_points(spec, without)
    for item, count in spec.team[gone].inventory.items():
        if needs.use.get(item):
            held = changed.team[heir].inventory.get(item, 0)
            changed = with_stock(changed, heir, item, held + count)
    team = {name: role for name, role in changed.team.items() if name != gone}
    constraints = tuple(
        rule.model_copy(update={"by": tuple(name for name in rule.by if name != gone)})
        if isinstance(rule, AllAlive)
        else rule
        for rule in changed.constraints
    )
    return changed.model_copy(update={"team": team, "constraints": constraints})


def _alone(spec: TaskSpec) -> list[tuple[str, ...]]:
    """Returns the roles that stand alone in a checkpoint: nobody could take their place."""
    tuples = [getattr(point, "by", ()) for point in spec.checkpoints]
    return [by for by in tuples if isinstance(by, tuple) and len(by) == 1]
