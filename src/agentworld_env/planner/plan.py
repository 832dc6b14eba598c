"""From a task and a present state to a plan: jobs, fighters, meeting places."""

from __future__ import annotations

from agentworld_env.planner.demand import demand_of
from agentworld_env.planner.jobs import Craft, Gather, Give, Job, Kill, Plan, Stay, Tile, Visit, Wear
from agentworld_env.planner.supply import Supply
from agentworld_env.planner.team import Team, apart, turns
from agentworld_env.tasks.schema import (
    Area,
    HeldForRounds,
    Killed,
    PresentTogether,
    TaskSpec,
    Visited,
    Worn,
)


def make_plan(spec: TaskSpec, team: Team) -> Plan:
    """Returns a plan for the members of a team.

    Args:
        spec: The task.
        team: Who takes part, and the present state.
    """
    supply = Supply(team, demand_of(spec, team))
    supply.assign()
    jobs = supply.jobs
    gaps = supply.gaps
    _add_kills(spec, team, jobs, supply.load, gaps)
    _add_places(spec, team, jobs, supply.load, gaps)
    hubs = _hubs(team, jobs, _gathering_places(spec, team))
    return Plan(jobs=jobs, hubs=hubs, gaps=gaps)


def area_tile(team: Team, area: Area) -> tuple[Tile, int]:
    """Returns the middle of an area and how near to it still counts (tiles)."""
    if area.at is not None:
        return area.at, area.within
    place = team.world.places[area.place or ""]
    inner = min(place.x - place.x0, place.x1 - place.x, place.y - place.y0, place.y1 - place.y)
    return (place.x, place.y), max(0, inner)


def _add_kills(spec: TaskSpec, team: Team, jobs: list[Job], load: dict[int, int], gaps: list[str]) -> None:
    taken: dict[int, int] = dict.fromkeys(team.members, 0)
    for point in spec.checkpoints:
        if not isinstance(point, Killed):
            continue
        number = team.sim.mob_number(point.mob)
        if number is not None:
            spec_ = team.sim.spec(number)
            site, need = (spec_.x, spec_.y), spec_.team
        else:
            homes = [(s.x, s.y) for s in team.world.mob_spawns if s.kind == point.mob]
            homes += [
                (s.x, s.y)
                for s in team.world.named_spawns.values()
                if s.kind == point.mob and s.id in spec.spawns
            ]
            if not homes:
                gaps.append(f"no {point.mob} lives anywhere")
                continue
            strongest = max(team.members, key=lambda i: (team.power(i), -i))
            site, need = min(homes, key=lambda tile: (apart(team.at(strongest), tile), tile)), 1
        able = tuple(i for i in team.members if not point.by or team.sim.names[i] in point.by)
        fighters = _fighters(team, able if len(able) >= need else team.members, site, need, taken, load)
        if not able:
            gaps.append(f"only {' or '.join(point.by)} may bring down {point.mob}")
            continue
        if len(fighters) < need:
            gaps.append(f"{point.mob} needs {need} attackers, the team has {len(fighters)}")
            continue
        for i in fighters:
            taken[i] += 1
            load[i] += 4
        jobs.append(Kill(agents=fighters, mob=point.mob, left=point.count, team=need, site=site))


def _fighters(
    team: Team, able: tuple[int, ...], site: Tile, need: int, taken: dict[int, int], load: dict[int, int]
) -> tuple[int, ...]:
    """Returns who fights: strong, near, not busy; a few more than needed if they are as near."""
    best = max((team.power(i) for i in team.members), default=1)

    def cost(i: int) -> tuple[int, int, int]:
        weak = 3 if 2 * team.power(i) < best else 0
        return (turns(apart(team.at(i), site), 40) + 3 * taken[i] + load[i] // 2 + weak, -team.power(i), i)

    ranked = sorted(able, key=cost)
    chosen = ranked[:need]
    if chosen:
        limit = cost(chosen[-1])[0]
        chosen += [i for i in ranked[need : need + 2] if cost(i)[0] <= limit and not load[i]]
    return tuple(sorted(chosen))


def _add_places(spec: TaskSpec, team: Team, jobs: list[Job], load: dict[int, int], gaps: list[str]) -> None:
    index = team.sim.index
    for point in spec.checkpoints:
        match point:
            case Visited():
                site, within = area_tile(team, point.area)
                wanted = [i for i in team.members if not point.by or team.sim.names[i] in point.by]
                if point.need == "any":
                    wanted = sorted(wanted, key=lambda i: (turns(apart(team.at(i), site)) + load[i], i))[:1]
                elif len(wanted) < len(point.by or team.sim.names):
                    gaps.append(f"not everybody can reach {point.label}")
                for i in wanted:
                    load[i] += turns(apart(team.at(i), site))
                    jobs.append(Visit(agent=i, site=site, within=within))
            case PresentTogether() | HeldForRounds():
                site, within = area_tile(team, point.area)
                names = point.by or team.sim.names
                here = tuple(index[name] for name in names if index[name] in team.members)
                if len(here) < len(names):
                    gaps.append(f"not everybody can come: {point.label}")
                jobs.append(Stay(agents=here, site=site, within=within))
            case Worn():
                jobs.append(Wear(agent=index[point.by], item=point.item))
            case _:
                pass


def _gathering_places(spec: TaskSpec, team: Team) -> dict[int, Tile]:
    """Returns where agents must stay in the end, which makes it a good place to meet them."""
    places: dict[int, Tile] = {}
    for point in spec.checkpoints:
        if isinstance(point, PresentTogether | HeldForRounds):
            site, _ = area_tile(team, point.area)
            for name in point.by or team.sim.names:
                places[team.sim.index[name]] = site
    return places


def _hubs(team: Team, jobs: list[Job], final: dict[int, Tile]) -> dict[int, Tile]:
    """Chooses where each receiver takes deliveries: where the last of those concerned can be soonest.

    Sources come before receivers: a receiver that hands on what it makes is itself a giver of the next.
    """
    index = team.sim.index
    sources: dict[int, list[int]] = {}
    for job in jobs:
        if isinstance(job, Give) and job.to in index:
            sources.setdefault(index[job.to], []).append(job.agent)
    ready: dict[int, tuple[int, Tile]] = {}
    hubs: dict[int, Tile] = {}

    def settle(agent: int, above: tuple[int, ...]) -> tuple[int, Tile]:
        """Returns when an agent has done its own part, and where it is then."""
        if agent in ready:
            return ready[agent]
        time, place = _own_work(team, jobs, agent)
        givers = sorted({g for g in sources.get(agent, ()) if g not in above and g != agent})
        if agent in sources:
            arrivals = [settle(g, (*above, agent)) for g in givers]
            candidates = {place, team.at(agent), *(tile for _, tile in arrivals)}
            if agent in final:
                candidates = {final[agent]}

            def cost(hub: Tile) -> tuple[int, int, Tile]:
                latest = max((t + turns(apart(tile, hub), 8) for t, tile in arrivals), default=0)
                own = time + turns(apart(place, hub))
                return (max(latest, own), sum(apart(tile, hub) for _, tile in arrivals), hub)

            hub = min(candidates, key=cost)
            hubs[agent] = hub
            time, place = cost(hub)[0] + 1 + _craft_calls(jobs, agent), hub
        if not above or not (set(sources.get(agent, ())) & set(above)):
            ready[agent] = (time, place)
        return time, place

    for agent in sorted(sources):
        settle(agent, ())
    _unify(sources, hubs)
    return hubs


def _own_work(team: Team, jobs: list[Job], agent: int) -> tuple[int, Tile]:
    time, place = 0, team.at(agent)
    for job in jobs:
        if isinstance(job, Gather) and job.agent == agent:
            time += turns(apart(place, job.site), 64) + job.left
            place = job.site
    return time, place


def _craft_calls(jobs: list[Job], agent: int) -> int:
    return sum(
        job.left // 10 + job.left % 10 // 5 + job.left % 5
        for job in jobs
        if isinstance(job, Craft) and job.agent == agent
    )


def _unify(sources: dict[int, list[int]], hubs: dict[int, Tile]) -> None:
    """Two agents that give to each other meet at one place."""
    for agent in sorted(sources):
        for giver in sources[agent]:
            if agent in sources.get(giver, ()) and giver in hubs:
                hubs[giver] = hubs[agent]
