"""Which candidates make no sense to a reader, however sound they are, and quantities that nobody would ask for."""

from __future__ import annotations

from agentworld_env.tasks.schema import (
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Killed,
    TaskSpec,
    Visited,
)
from agentworld_env.variants.edit import has_fights, named, units, with_points, with_units
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.text.facts import Facts
from agentworld_env.world import World

LABOUR = (2, 5)
"""A variant takes at least this fraction of its source's labour."""
SMALL = 6
"""In a team of at most so many, nobody loses its part; in larger ones, as in those of main tasks, some may stand by."""
STAND_BY = (1, 5)
"""Fraction of a larger team that may stand by, unless the source has more of such."""
_PASSES = 12


def trimmed(spec: TaskSpec, source: TaskSpec, world: World) -> TaskSpec:
    """Returns a task that asks for no more of a part than what is made of it takes, as far as its source does not.

    Products and quantities change in many places at once; where a part was asked for that another product no longer
    takes, or more of it than the same single product takes, the number is lowered to what is used. Where a source
    itself asks for more than is used, as much more may stay. Quotas that several roles share are what they are in the
    source where more than that would go unused.
    """
    before = Needs(source, world)
    for _ in range(_PASSES):  # each pass settles what the parts of the last one take
        needs = Needs(spec, world)
        alone = [
            item
            for point in spec.checkpoints
            if isinstance(point, Gathered | Crafted)
            for item in units(point)
        ]

        def lower(point: Checkpoint, needs: Needs = needs, alone: list[str] = alone) -> Checkpoint | None:
            if isinstance(point, Delivered):
                concerned = [item for item in units(point) if point.to in needs.users(item)]
            elif isinstance(point, Gathered | Crafted):
                concerned = [item for item in units(point) if needs.users(item) and alone.count(item) == 1]
            else:
                return point
            wanted = dict(units(point))
            for item in wanted.keys() - concerned:
                if (
                    alone.count(item) > 1
                    and needs.users(item)
                    and _surplus(item, needs) > _surplus(item, before)
                ):
                    wanted[item] = min(wanted[item], _share(point, item, source) or wanted[item])
            for item in concerned:
                most = needs.spent(item) + _kept(item, needs) + _slack(point, item, source, before)
                if 0 < most < wanted[item]:
                    wanted[item] = most
            return with_units(point, wanted) if wanted != units(point) else point

        lowered = with_points(spec, lower)
        if lowered == spec:
            break
        spec = lowered
    return spec


def _kept(item: str, needs: Needs) -> int:
    """Returns how many units are wanted as they are: held, worn, at a site, or with somebody who does not use them."""
    users = needs.users(item)
    kept = sum(site.wants.get(item, 0) for site in needs.spec.sites.values())
    for point in needs.spec.checkpoints:
        if point.kind in ("held", "worn") or (isinstance(point, Delivered) and point.to not in users):
            kept += units(point).get(item, 0)
    return kept


def _surplus(item: str, needs: Needs) -> int:
    """Returns how many units several quotas of an item ask for together beyond what is used or kept."""
    quotas = (point for point in needs.spec.checkpoints if isinstance(point, Gathered | Crafted))
    total = sum(units(point).get(item, 0) for point in quotas)
    return max(0, total - needs.spent(item) - _kept(item, needs))


def _share(point: Checkpoint, item: str, source: TaskSpec) -> int:
    """Returns how much a source asks of the same roles, in a checkpoint of the same kind; 0 if it asks for none."""
    if not isinstance(point, Gathered | Crafted):
        return 0
    for other in source.checkpoints:
        if isinstance(other, Gathered | Crafted) and (other.kind, other.by) == (point.kind, point.by):
            counted = units(other).get(item, 0)
            if counted:
                return counted
    return 0


def _slack(point: Checkpoint, item: str, source: TaskSpec, before: Needs) -> int:
    """Returns by how much a source asks for more of a part than it uses, in checkpoints of the same kind."""
    asked = [units(other).get(item, 0) for other in source.checkpoints if other.kind == point.kind]
    return max(0, max(asked, default=0) - before.spent(item) - _kept(item, before))


def grown(spec: TaskSpec, source: TaskSpec) -> bool:
    """Returns whether a task asks for more units or kills of something than its source."""
    before = _most(source)
    return any(count > before.get(thing, count) for thing, count in _most(spec).items())


def _most(spec: TaskSpec) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for point in spec.checkpoints:
        counted = {point.mob: point.count} if isinstance(point, Killed) else units(point)
        for thing, count in counted.items():
            key = point.kind, thing
            found[key] = max(count, found.get(key, 0))
    for site in spec.sites.values():
        for item, count in site.wants.items():
            key = "built", item
            found[key] = max(count, found.get(key, 0))
    return found


def senseless(spec: TaskSpec, source: TaskSpec, world: World) -> str | None:
    """Returns in words why a variant makes no sense, or None if it does.

    It does not where too little of the work is left, where members of a small team, or many of a larger one, have lost
    their part in it, or where somebody has joined the team for nothing.
    """
    after, before = Facts(spec, source, world), Facts(source, source, world)
    if labour(after) * LABOUR[1] < labour(before) * LABOUR[0]:
        return "too little of the work is left"
    idle = [name for name in spec.team if not _has_part(name, after)]
    fresh = [name for name in idle if name not in source.team or _has_part(name, before)]
    joined = [name for name in fresh if name not in source.team]
    few = len(spec.team) > SMALL and len(idle) * STAND_BY[1] <= len(spec.team) * STAND_BY[0]
    if joined or (fresh and not few):
        return f"{(joined or fresh)[0]} has no part in it"
    return None


def labour(facts: Facts) -> int:
    """Returns how much a task takes: units that are gathered and crafted, kills, places that are found or reached."""
    needs = facts.needs
    made = sum(needs.crafts.get(item, needs.make.get(item, 0)) for item in needs.items)
    points = facts.spec.checkpoints
    kills: dict[str, int] = {}
    for point in points:
        if isinstance(point, Killed):  # those with a share of somebody are among those of the kind
            kills[point.mob] = max(point.count, kills.get(point.mob, 0))
    return made + sum(kills.values()) + sum(isinstance(point, Discovered | Visited) for point in points)


def _has_part(name: str, facts: Facts) -> bool:
    """Returns whether there is something that a role is to do, to give or to get."""
    role, spec = facts.spec.team[name], facts.spec
    common = {item for item in role.inventory if all(item in mate.inventory for mate in spec.team.values())}
    return (
        bool(facts.trades(name) or facts.spoils(name) or facts.prey(name))
        or (has_fights(spec) and facts.armed(name))
        or any(facts.needs.use.get(item) for item in role.inventory.keys() - common)
        or any(name in named(point) for point in spec.checkpoints)
    )
