"""What has to come about for a task: end uses of items, and how many units must be made, by backward chaining."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from agentworld_env.planner.team import Team
from agentworld_env.tasks.schema import (
    Built,
    Crafted,
    Delivered,
    Gathered,
    Held,
    TaskSpec,
    Worn,
)


class Use(msgspec.Struct, kw_only=True):
    """Somebody needs units of an item.

    Attributes:
        item: What.
        count: Units.
        to: Agent index that needs them, or -1 if ``person`` does.
        person: Site or person, or empty.
        delivery: Whether they must be handed over by somebody else.
        made: Whether, besides, only units made in the episode will do.
    """

    item: str
    count: int
    to: int
    person: str = ""
    delivery: bool = False
    made: bool = False


class Quota(msgspec.Struct, kw_only=True):
    """A checkpoint that counts units made, whatever becomes of them. ``by`` holds who may make them."""

    item: str
    count: int
    by: tuple[int, ...]


class Demand(msgspec.Struct, kw_only=True):
    """End uses and quotas of a task.

    Attributes:
        uses: Deliveries, things to be held or worn.
        gather: Quotas of harvested units.
        craft: Quotas of crafted units.
    """

    uses: list[Use]
    gather: list[Quota]
    craft: list[Quota]


def demand_of(spec: TaskSpec, team: Team, done: Mapping[str, int]) -> Demand:
    """Returns what a task still asks for, apart from kills and places.

    Args:
        spec: The task.
        team: The members that take part.
        done: Label of a checkpoint, or of one item's part of it -> units already counted.
    """
    index = team.sim.index
    demand = Demand(uses=[], gather=[], craft=[])
    sites: dict[tuple[str, str], Use] = {}
    for point in spec.parts:
        had = done.get(point.label, 0)
        match point:
            case Gathered() | Crafted() | Delivered() if had >= point.count:
                pass
            case Gathered():
                demand.gather.append(Quota(item=point.item, count=point.count - had, by=_who(team, point.by)))
            case Crafted():
                demand.craft.append(Quota(item=point.item, count=point.count - had, by=_who(team, point.by)))
            case Delivered() if point.to in index:
                made = point.origin == "made"
                demand.uses.append(
                    Use(
                        item=point.item, count=point.count - had, to=index[point.to], delivery=True, made=made
                    )
                )
            case Delivered():
                _at_site(sites, point.to, point.item, point.count - had, made=point.origin == "made")
            case Built():
                got = team.sim.state.sites.get(point.site, {})
                for item, count in team.sim.people[point.site].wants.items():
                    if count > got.get(item, 0):
                        _at_site(sites, point.site, item, count - got.get(item, 0), made=False)
            case Held() if point.by is not None:
                demand.uses.append(Use(item=point.item, count=point.count, to=index[point.by]))
            case Held():
                demand.uses.append(Use(item=point.item, count=point.count, to=_keeper(team, point.item)))
            case Worn() if not had:
                demand.uses.append(Use(item=point.item, count=1, to=index[point.by]))
            case _:
                pass
    demand.uses.extend(sites.values())
    return demand


def _who(team: Team, names: tuple[str, ...]) -> tuple[int, ...]:
    wanted = {team.sim.index[name] for name in names}
    return tuple(i for i in team.members if not wanted or i in wanted)


def _keeper(team: Team, item: str) -> int:
    """Returns the member that carries the most of an item, to keep what the team must hold."""
    return max(team.members, key=lambda i: (team.holds(i, item), -i))


def _at_site(sites: dict[tuple[str, str], Use], site: str, item: str, count: int, *, made: bool) -> None:
    """A site's list and a delivery to it are served by the same units."""
    use = sites.get((site, item))
    if use is None:
        sites[site, item] = Use(item=item, count=count, to=-1, person=site, delivery=True, made=made)
    else:
        use.count = max(use.count, count)
        use.made = use.made or made
