"""Meeting places worth a rehearsal: nearer to where goods come from, or to where they go next."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.planner.hubs import beside
from agentworld_env.planner.jobs import Gather, Give, Plan, Stay, Tile, Visit
from agentworld_env.planner.team import Team, apart

_STEPS = (120, 60, 240)
"""How far a meeting place is moved at once (tiles): one walk, half of one, two."""
_NEAR = 12
"""Places that lie so near to each other (tiles) are as good as one."""

Hubs = tuple[tuple[int, Tile], ...]
"""Pairs (agent, tile where it takes deliveries)."""


def other_hubs(team: Team, plan: Plan) -> Iterator[Hubs]:
    """Yields meeting places to be tried in place of a plan's, one place moved at a time.

    Agents that share a place move together first, then each of them alone.

    Args:
        team: The members that take part, at the moment the plan was made for.
        plan: Their plan.
    """
    shared: dict[Tile, list[int]] = {}
    for agent, hub in sorted(plan.hubs.items()):
        if agent in team.members:
            shared.setdefault(hub, []).append(agent)
    groups = [tuple(agents) for agents in shared.values()]
    groups += [(agent,) for agents in shared.values() if len(agents) > 1 for agent in agents]
    tried: set[tuple[tuple[int, ...], Tile]] = set()
    for step in _STEPS:
        for group in groups:
            hub = plan.hubs[group[0]]
            for anchor in _anchors(team, plan, group):
                tile = _towards(team, hub, anchor, step)
                if tile is None or any(
                    apart(tile, known) < _NEAR for others, known in tried if others == group
                ):
                    continue
                tried.add((group, tile))
                moved = {**plan.hubs, **dict.fromkeys(group, tile)}
                yield tuple(sorted(moved.items()))


def _anchors(team: Team, plan: Plan, group: tuple[int, ...]) -> list[Tile]:
    """Returns the places between which those who meet have to walk."""
    index = team.sim.index
    found: dict[Tile, None] = {}
    for agent in group:
        found[team.at(agent)] = None
    for job in plan.jobs:
        if isinstance(job, Give):
            to = index.get(job.to)
            if to in group:
                found.update(dict.fromkeys(_work(team, plan, job.agent)))
            elif job.agent in group:
                person = team.sim.people.get(job.to)
                where = (person.x, person.y) if person is not None else plan.hubs.get(index.get(job.to, -1))
                if where is not None:
                    found[where] = None
        elif (isinstance(job, Visit) and job.agent in group) or (
            isinstance(job, Stay) and set(job.agents) & set(group)
        ):
            found[job.site] = None
    hub = plan.hubs[group[0]]
    far = [tile for tile in found if apart(tile, hub) > _NEAR]
    kept: list[Tile] = []
    for tile in sorted(far, key=lambda tile: (-apart(tile, hub), tile)):
        if all(apart(tile, other) > 2 * _NEAR for other in kept):
            kept.append(tile)
    return kept


def _work(team: Team, plan: Plan, agent: int) -> list[Tile]:
    """Returns where an agent works before it comes to a meeting."""
    sites = [job.site for job in plan.jobs if isinstance(job, Gather) and job.agent == agent]
    return sites or [plan.hubs.get(agent, team.at(agent))]


def _towards(team: Team, hub: Tile, anchor: Tile, step: int) -> Tile | None:
    """Returns the tile so many steps on the way from a meeting place to another place."""
    world = team.world
    start = next((tile for tile in beside(hub) if world.is_walkable(*tile)), None)
    if start is None or not team.ways.walkable(start, anchor):
        return None
    way = world.paths.walk(*start, *anchor, step)
    return None if way is None or not way.length else way.at(way.length)
