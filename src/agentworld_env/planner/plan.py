"""From a task and a present state to a plan: jobs, fighters, meeting places."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from agentworld_env.planner.demand import demand_of
from agentworld_env.planner.hubs import choose_hubs
from agentworld_env.planner.jobs import Gap, Job, Kill, Plan, Stay, Tile, Visit, Wear
from agentworld_env.planner.style import Style
from agentworld_env.planner.supply import Supply
from agentworld_env.planner.team import Team, apart, turns
from agentworld_env.tasks.schema import (
    Area,
    Discovered,
    HeldForRounds,
    Killed,
    PresentTogether,
    TaskSpec,
    Visited,
    Worn,
)
from agentworld_env.verifiers.standing import discovery_tile

_PLAIN = Style()
_HUNTERS = 4
"""Most agents sent after common mobs of one kind."""
_LATER = 4
"""Rounds that further attackers may come later than those that it takes, for every two of them."""


def make_plan(
    spec: TaskSpec, team: Team, style: Style = _PLAIN, done: Mapping[str, int] = MappingProxyType({})
) -> Plan:
    """Returns a plan for the members of a team.

    Args:
        spec: The task.
        team: Who takes part, and the present state.
        style: How they work.
        done: Label of a checkpoint, or of one item's part of it -> units already counted.
    """
    supply = Supply(team, demand_of(spec, team, done), style)
    supply.assign()
    jobs = supply.jobs
    gaps = supply.gaps
    _add_kills(spec, team, jobs, supply.load, gaps, done, style.crowd)
    _add_places(spec, team, jobs, supply.load, gaps, done)
    hubs = choose_hubs(team, jobs, _gathering_places(spec, team), halfway=style.halfway)
    hubs.update((agent, tile) for agent, tile in style.hubs if agent in hubs)
    return Plan(jobs=jobs, hubs=hubs, gaps=gaps)


def area_tile(team: Team, area: Area) -> tuple[Tile, int]:
    """Returns the middle of an area and how near to it still counts (tiles)."""
    if area.at is not None:
        return area.at, area.within
    place = team.world.places[area.place or ""]
    inner = min(place.x - place.x0, place.x1 - place.x, place.y - place.y0, place.y1 - place.y)
    return (place.x, place.y), max(0, inner)


def _add_kills(
    spec: TaskSpec,
    team: Team,
    jobs: list[Job],
    load: dict[int, int],
    gaps: list[Gap],
    done: Mapping[str, int],
    crowd: int,
) -> None:
    taken: dict[int, int] = dict.fromkeys(team.members, 0)
    for point in spec.checkpoints:
        if not isinstance(point, Killed):
            continue
        left = point.count - done.get(point.label, 0)
        if left <= 0:
            continue
        able = tuple(i for i in team.members if not point.by or team.sim.names[i] in point.by)
        if not able:
            gaps.append(Gap(f"only {' or '.join(point.by)} may bring down {point.mob}", label=point.label))
            continue
        prey = _prey(spec, team, point.mob, able, left)
        if not prey:
            gaps.append(Gap(f"no {point.mob} lives anywhere", label=point.label))
        for mob, site, need, count in prey:
            more = crowd if need > 1 else min(count, _HUNTERS) - 1
            fighters = _fighters(team, able, site, need, more, taken, load)
            if len(fighters) < need:
                gaps.append(
                    Gap(f"{mob} needs {need} attackers, the team has {len(fighters)}", label=point.label)
                )
                continue
            for i in fighters:
                taken[i] += 1
                load[i] += 4
            by = able if point.by else ()
            jobs.append(Kill(agents=fighters, mob=mob, left=count, team=need, site=site, by=by))


def _prey(
    spec: TaskSpec, team: Team, mob: str, able: tuple[int, ...], left: int
) -> list[tuple[str, Tile, int, int]]:
    """Returns what to hunt, as (spawn id or kind, where it lives, attackers needed, kills)."""
    number = team.sim.mob_number(mob)
    if number is not None:
        figures = team.sim.spec(number)
        return [(mob, (figures.x, figures.y), figures.team, left)]
    homes = [(s.x, s.y) for s in team.world.mob_spawns if s.kind == mob]
    if homes:
        strongest = max(able, key=lambda i: (team.power(i), -i))
        return [(mob, min(homes, key=lambda tile: (apart(team.at(strongest), tile), tile)), 1, left)]
    named = [team.world.named_spawns[key] for key in spec.spawns if team.world.named_spawns[key].kind == mob]
    shares = [left // len(named) + (k < left % len(named)) for k in range(len(named))] if named else []
    return [
        (boss.id, (boss.x, boss.y), boss.team, count)
        for boss, count in zip(named, shares, strict=True)
        if count
    ]


def _fighters(
    team: Team,
    able: tuple[int, ...],
    site: Tile,
    need: int,
    more: int,
    taken: dict[int, int],
    load: dict[int, int],
) -> tuple[int, ...]:
    """Returns who fights: strong, near, not busy; a few more than needed if they are as near.

    Args:
        team: The team.
        able: Whose share in the kill counts; at least one of them takes part.
        site: Where the mobs are.
        need: Different attackers needed in a round.
        more: How many more may come along if they are near.
        taken: Fights that each member has already.
        load: Turns of work that each member has already.
    """
    best = max((team.power(i) for i in team.members), default=1)

    def cost(i: int) -> tuple[int, int, int]:
        weak = 3 if 2 * team.power(i) < best else 0
        return (turns(apart(team.at(i), site), 40) + 3 * taken[i] + load[i] // 2 + weak, -team.power(i), i)

    ranked = sorted(able, key=cost)
    helpers = sorted((i for i in team.members if i not in able), key=cost)
    chosen = (ranked + helpers)[:need]
    if chosen:
        limit = cost(chosen[-1])[0] + _LATER * more // 2
        # Common mobs fall too fast for company whose blows do not count.
        others = [i for i in (ranked + helpers if need > 1 else ranked) if i not in chosen]
        chosen += [i for i in others if cost(i)[0] <= limit][:more]
    return tuple(sorted(chosen))


def _place_to_go(team: Team, point: Visited | Discovered) -> tuple[Tile, int]:
    if isinstance(point, Visited):
        return area_tile(team, point.area)
    tile = discovery_tile(point.target, team.sim)
    if tile is None:
        raise ValueError(f"nothing called {point.target!r} is there to be discovered")
    return tile, point.within


def _add_places(
    spec: TaskSpec,
    team: Team,
    jobs: list[Job],
    load: dict[int, int],
    gaps: list[Gap],
    done: Mapping[str, int],
) -> None:
    index = team.sim.index
    for point in spec.checkpoints:
        match point:
            case Visited() | Discovered():
                site, within = _place_to_go(team, point)
                wanted = [i for i in team.members if not point.by or team.sim.names[i] in point.by]
                everybody = len(point.by or team.sim.names)
                if done.get(point.label, 0) >= (1 if point.need == "any" else everybody):
                    continue
                if point.need == "any":
                    wanted = sorted(wanted, key=lambda i: (turns(apart(team.at(i), site)) + load[i], i))[:1]
                if not wanted or (point.need == "all" and _absent(team, point.by, site, within)):
                    gaps.append(Gap(f"not everybody can reach {point.label}", label=point.label))
                for i in wanted:
                    load[i] += turns(apart(team.at(i), site))
                    jobs.append(Visit(agent=i, site=site, within=within))
            case PresentTogether() | HeldForRounds():
                if isinstance(point, HeldForRounds) and done.get(point.label, 0) >= point.rounds:
                    continue
                site, within = area_tile(team, point.area)
                names = point.by or team.sim.names
                here = tuple(index[name] for name in names if index[name] in team.members)
                if _absent(team, point.by, site, within):
                    gaps.append(Gap(f"not everybody can come: {point.label}", label=point.label))
                jobs.append(Stay(agents=here, site=site, within=within))
            case Worn() if not done.get(point.label, 0):
                jobs.append(Wear(agent=index[point.by], item=point.item))
            case _:
                pass


def _absent(team: Team, by: tuple[str, ...], site: Tile, within: int) -> bool:
    """Whether somebody named takes no part and does not stand in an area already."""
    numbers = [team.sim.index[name] for name in by or team.sim.names]
    return any(i not in team.members and apart(team.at(i), site) > within for i in numbers)


def _gathering_places(spec: TaskSpec, team: Team) -> dict[int, Tile]:
    """Returns where agents must stay in the end, which makes it a good place to meet them."""
    places: dict[int, Tile] = {}
    for point in spec.checkpoints:
        if isinstance(point, PresentTogether | HeldForRounds):
            site, _ = area_tile(team, point.area)
            for name in point.by or team.sim.names:
                places[team.sim.index[name]] = site
    return places
