"""More of the same: quantities along the recipe graph, and the round budget."""

from __future__ import annotations

from agentworld_env.tasks.schema import Checkpoint, Crafted, Gathered, Killed, TaskSpec
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.edit import stock, units, waves, with_points, with_site, with_stock, with_units
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World

FACTORS = ((3, 2), (4, 3), (2, 1))
"""By how much quantities grow, as fractions; the smaller ones are tried where the larger would be too much work."""
MOST_UNITS = 26
"""Units that may have to be made by hand for each maker of an item."""
SHARES = (95, 90, 85, 80)
"""Per cent of the budget that are left."""
HORIZONS = (30, 40, 50)
"""Round budgets at which the next longer horizon begins: up to 30 rounds, up to 40, up to 50, and more."""


def scale(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Asks for more of everything that is counted, with as much more of what only the start gives."""
    if not any(count > 1 for point in spec.checkpoints for count in units(point).values()):
        return None
    upper, lower = dice.choice(FACTORS)

    def more(count: int) -> int:
        return -(-count * upper // lower) if count > 1 else count

    def grown(point: Checkpoint) -> Checkpoint | None:
        if isinstance(point, Killed):
            return point.model_copy(update={"count": min(point.count + 1, more(point.count))})
        counted = units(point)
        if not counted or not hasattr(point, "count"):
            return point
        return with_units(point, {item: _lots(item, more(n), point, world) for item, n in counted.items()})

    grown_spec = with_points(spec, grown)
    for key, site in spec.sites.items():
        wants = {item: more(count) for item, count in site.wants.items()}
        grown_spec = with_site(grown_spec, key, wants=wants)
    grown_spec = settled_quotas(supplied(grown_spec, world), world)
    needs = Needs(grown_spec, world)
    if needs.short or any(
        needs.make[item] > MOST_UNITS * len(needs.harvesters(item))
        for item in needs.items
        if needs.harvesters(item)
    ):
        return None
    return grown_spec if grown_spec != spec else None


def _lots(item: str, count: int, point: Checkpoint, world: World) -> int:
    """Returns a number of crafted units that recipes give without remainder, as ten arrows do."""
    recipe = world.recipe_of.get(item)
    if recipe is None or recipe.count < 10 or point.kind == "gathered":
        return count
    return -(-count // recipe.count) * recipe.count


def supplied(spec: TaskSpec, world: World) -> TaskSpec:
    """Returns a task whose roles start with more of what is used, nobody can make, and somebody has."""
    for item, missing in Needs(spec, world).short.items():
        having = [name for name, role in spec.team.items() if item in role.inventory]
        if having:
            first = max(having, key=lambda name: spec.team[name].inventory[item])
            spec = with_stock(spec, first, item, spec.team[first].inventory[item] + missing)
    return spec


def settled_quotas(spec: TaskSpec, world: World) -> TaskSpec:
    """Returns a task that counts at least as many units of a material as its products really take.

    Where a checkpoint counts a material that is worked on, it follows what is made of it, as in the main tasks: a
    number that nobody needs, or that the work exceeds anyway, would tell the team nothing.
    """
    needs = Needs(spec, world)

    def settle(point: Checkpoint) -> Checkpoint | None:
        if not isinstance(point, Gathered | Crafted) or point.by:
            return point
        wanted = {}
        for item, count in units(point).items():
            worked = needs.users(item)
            missing = max(0, needs.use[item] - stock(spec, item))
            wanted[item] = missing if worked and missing else count
        return with_units(point, wanted)

    return with_points(spec, settle)


def tighten(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Leaves the team fewer rounds, but not so few that the task is one of a shorter horizon."""
    rounds = spec.max_rounds * dice.choice(SHARES) // 100
    floor = max((bound + 1 for bound in HORIZONS if bound < spec.max_rounds), default=12)
    rounds = max(rounds, floor, last_event(spec))
    return spec.model_copy(update={"max_rounds": rounds}) if rounds < spec.max_rounds else None


def last_event(spec: TaskSpec) -> int:
    """Returns the last round that a task names, for a checkpoint or a wave; 0 if it names none."""
    rounds = [getattr(point, "round", 0) for point in spec.checkpoints]
    last: int = max([*rounds, *(wave.appears for wave in waves(spec))])
    return last


def horizon(max_rounds: int) -> int:
    """Returns the number of a task's horizon, 0 for the shortest."""
    return sum(max_rounds > bound for bound in HORIZONS)
