"""Other starting items, so that other hand-overs become necessary."""

from __future__ import annotations

from agentworld_env.tasks.schema import Checkpoint, Crafted, Delivered, Gathered, TaskSpec
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.edit import add_point, groups, named, stock, units, with_points, with_stock
from agentworld_env.variants.mutations.products import MOST_POINTS
from agentworld_env.variants.mutations.quantities import settled_quotas
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World


def reassign(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Gives what a role needs and starts with to a role of a group that has no use for it."""
    needs = Needs(spec, world)
    movable = [
        (name, item)
        for name, role in spec.team.items()
        for item in role.inventory
        if needs.use.get(item) and world.items[item].tool is None
    ]
    for name, item in dice.shuffled(movable):
        using = {spec.team[user].group for user in needs.users(item)} | {spec.team[name].group}
        keepers = [other for group, names in groups(spec).items() if group not in using for other in names]
        wanting = {to for point in spec.checkpoints if item in units(point) for to in named(point)}
        keepers = [other for other in keepers if other not in wanting]
        if keepers:
            keeper = dice.choice(keepers)
            count = spec.team[name].inventory[item]
            held = spec.team[keeper].inventory.get(item, 0)
            return with_stock(with_stock(spec, name, item, 0), keeper, item, held + count)
    return None


def strip(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Takes away starting materials that the team can make itself, so that they have to be made."""
    needs = Needs(spec, world)
    held = [
        (name, item)
        for name, role in spec.team.items()
        for item in role.inventory
        if needs.use.get(item)
        and needs.makers(item)
        and world.items[item].tool is None
        and not all(maker == name for maker in needs.makers(item))
    ]
    for name, item in dice.shuffled(held):
        bare = with_stock(spec, name, item, 0)
        after = Needs(bare, world)
        # What is missing is not enough: as much may have to be made anyway, for a checkpoint that counts it.
        if not after.short and after.make[item] > needs.make[item]:
            return settled_quotas(_handed_on(bare, item, after), world)
    return None


def _handed_on(spec: TaskSpec, item: str, needs: Needs) -> TaskSpec:
    """Returns a task in which nobody is to be handed what it could make itself, unless somebody else has made it.

    That goes without saying as long as the thing lies in a bag; if it has to be made, it must be said who is not to.
    """

    def made(point: Checkpoint) -> Checkpoint | None:
        if isinstance(point, Delivered) and item in units(point) and point.to in needs.makers(item):
            return point.model_copy(update={"origin": "made"})
        return point

    return spec if stock(spec, item) else with_points(spec, made)


def stripped(spec: TaskSpec, before: TaskSpec, world: World) -> bool:
    """Returns whether something that lies in a bag no more is made for no other reason than that it is missing.

    Args:
        spec: A task that ``strip`` and other mutations made, which may have undone what it did.
        before: The task that they were applied to.
        world: The world.
    """
    needs = Needs(spec, world)
    return any(
        0 < needs.make.get(item, 0) <= needs.use[item] - stock(spec, item)
        for name, role in spec.team.items()
        if name in before.team
        for item, count in before.team[name].inventory.items()
        if count > role.inventory.get(item, 0)
    )


def hand_on(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Has what is made or gathered handed to a member of the team that had no part in it."""
    if len(spec.checkpoints) >= MOST_POINTS:
        return None
    needs = Needs(spec, world)
    taken = {
        item
        for point in spec.checkpoints
        if point.kind in ("delivered", "held", "worn")
        for item in units(point)
    }
    taken |= {item for site in spec.sites.values() for item in site.wants}
    ends = [
        (item, count)
        for point in spec.checkpoints
        if isinstance(point, Gathered | Crafted)
        for item, count in units(point).items()
        if item not in taken and not needs.users(item) and item not in spec.sources
    ]
    for item, count in dice.shuffled(ends):
        making = set(needs.makers(item))
        busy = {spec.team[name].group for name in making}
        receivers = [
            name for name, role in spec.team.items() if name not in making and role.group not in busy
        ]
        if receivers:
            point = Delivered(
                kind="delivered", label=f"handed {item}", item=item, count=count, to=dice.choice(receivers)
            )
            return add_point(spec, point)
    return None
