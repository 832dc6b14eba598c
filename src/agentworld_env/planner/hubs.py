"""Where agents meet to hand things over."""

from __future__ import annotations

from itertools import combinations

from agentworld_env.planner.jobs import Craft, Gather, Give, Job, Tile
from agentworld_env.planner.team import Team, apart, craft_calls, turns

_PARTS = 6
"""Agents may meet at so many parts of the way between two places of work."""


class _Hubs:
    def __init__(self, team: Team, jobs: list[Job], final: dict[int, Tile], halfway: bool) -> None:
        self.team = team
        self.jobs = jobs
        self.final = final
        self.halfway = halfway
        self.hubs: dict[int, Tile] = {}
        self._ready: dict[int, tuple[int, Tile]] = {}
        self.sources: dict[int, list[int]] = {}
        index = team.sim.index
        for job in jobs:
            if isinstance(job, Give) and job.to in index:
                self.sources.setdefault(index[job.to], []).append(job.agent)

    def settle(self, agent: int, above: tuple[int, ...]) -> tuple[int, Tile]:
        """Returns when an agent has done its own part, and where it is then; its hub is chosen on the way."""
        if agent in self._ready:
            return self._ready[agent]
        time, place = self._own_work(agent)
        givers = sorted({g for g in self.sources.get(agent, ()) if g not in above and g != agent})
        if agent in self.sources:
            arrivals = [self.settle(g, (*above, agent)) for g in givers]

            def cost(hub: Tile) -> tuple[int, int, Tile]:
                latest = max((t + turns(apart(tile, hub), 8) for t, tile in arrivals), default=0)
                own = time + turns(apart(place, hub))
                return (max(latest, own), sum(apart(tile, hub) for _, tile in arrivals), hub)

            hub = min(self._candidates(agent, place, arrivals), key=cost)
            self.hubs[agent] = hub
            time, place = cost(hub)[0] + 1 + self._crafting(agent), hub
        if not above or not (set(self.sources.get(agent, ())) & set(above)):
            self._ready[agent] = (time, place)
        return time, place

    def _candidates(self, agent: int, place: Tile, arrivals: list[tuple[int, Tile]]) -> set[Tile]:
        if agent not in self.team.members:
            # Who takes no part stays where it is.
            return {self.team.at(agent)}
        if agent in self.final:
            return {self.final[agent]}
        found = {place, self.team.at(agent), *(tile for _, tile in arrivals)}
        if self.halfway and arrivals:
            here = self.team.at(agent)
            _, last = max(
                arrivals, key=lambda arrival: (arrival[0] + turns(apart(arrival[1], place), 8), arrival)
            )
            found.update(self._between(place, last))
            corners = sorted({place, here, *(tile for _, tile in arrivals)})
            if len(corners) > 2:
                found.update(
                    self._between(*max(combinations(corners, 2), key=lambda pair: (apart(*pair), pair)))
                )
        return found

    def _between(self, a: Tile, b: Tile) -> list[Tile]:
        """Returns tiles on the way from one place to another."""
        world = self.team.world
        start = next((tile for tile in beside(a) if world.is_walkable(*tile)), None)
        if (
            start is None
            or apart(a, b) < self.team.sim.rules.path_limit
            or not self.team.ways.walkable(start, b)
        ):
            return []
        way = world.paths.walk(*start, *b, world.width + world.height + 4 * apart(a, b))
        return [] if way is None else [way.at(way.length * part // _PARTS) for part in range(1, _PARTS)]

    def _own_work(self, agent: int) -> tuple[int, Tile]:
        time, place = 0, self.team.at(agent)
        for job in self.jobs:
            if isinstance(job, Gather) and job.agent == agent:
                time += turns(apart(place, job.site), 64) + job.left
                place = job.site
        return time, place

    def _crafting(self, agent: int) -> int:
        return sum(
            craft_calls(job.left) for job in self.jobs if isinstance(job, Craft) and job.agent == agent
        )

    def unify(self) -> None:
        """Two agents that give to each other meet at one place."""
        for agent in sorted(self.sources):
            for giver in self.sources[agent]:
                if agent in self.sources.get(giver, ()) and giver in self.hubs:
                    self.hubs[giver] = self.hubs[agent]


def beside(tile: Tile) -> list[Tile]:
    """Returns a tile and its neighbours: trees and rocks cannot be stood on."""
    x, y = tile
    return [tile, (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def choose_hubs(team: Team, jobs: list[Job], final: dict[int, Tile], *, halfway: bool) -> dict[int, Tile]:
    """Chooses where each receiver takes deliveries: where the last of those concerned can be soonest.

    Sources come before receivers: a receiver that hands on what it makes is itself a giver of the next.

    Args:
        team: The members that take part.
        jobs: Their jobs.
        final: Agent -> where it must stay in the end.
        halfway: Whether places between two places of work may be chosen.
    """
    hubs = _Hubs(team, jobs, final, halfway)
    for agent in sorted(hubs.sources):
        hubs.settle(agent, ())
    hubs.unify()
    return hubs.hubs
