"""Ways that lead through portals, for where nobody can walk."""

from __future__ import annotations

from typing import NamedTuple

from agentworld_env.planner.jobs import Tile
from agentworld_env.world import World
from agentworld_env.world.catalogue import Portal
from agentworld_env.world.geometry import manhattan


class Step(NamedTuple):
    """The next stretch of a way: where to walk, and the portal to enter there, if any."""

    tile: Tile
    portal: Portal | None


class Ways:
    """Finds the next stretch towards a tile.

    Args:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._portals = sorted(world.portals.values(), key=lambda portal: portal.id)

    def walkable(self, a: Tile, b: Tile) -> bool:
        """Returns whether one can walk from a tile to another, or beside it if it is blocked."""
        paths = self._world.paths
        if self._world.is_walkable(*b):
            return paths.connected(*a, *b)
        return any(paths.connected(*a, b[0] + dx, b[1] + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))

    def towards(self, here: Tile, goal: Tile) -> Step:
        """Returns the next stretch: straight to the goal if one can walk there, or else to the best portal.

        Where no way leads, the goal itself is returned: walking there ends as near as one can get.
        """
        if self.walkable(here, goal):
            return Step(goal, None)
        best: tuple[int, str] | None = None
        first: Portal | None = None
        # Settled: portal -> tiles walked until one stands at its exit, and the first portal on the way.
        frontier = {
            portal.id: (manhattan(*here, portal.x, portal.y), portal)
            for portal in self._portals
            if self.walkable(here, (portal.x, portal.y))
        }
        settled: set[str] = set()
        while frontier:
            key = min(frontier, key=lambda portal_id: (frontier[portal_id][0], portal_id))
            tiles, start = frontier.pop(key)
            settled.add(key)
            out = self._world.portals[key]
            end = (out.to_x, out.to_y)
            if self.walkable(end, goal):
                rank = (tiles + manhattan(*end, *goal), key)
                if best is None or rank < best:
                    best, first = rank, start
                continue
            for other in self._portals:
                if other.id not in settled and self.walkable(end, (other.x, other.y)):
                    further = tiles + manhattan(*end, other.x, other.y)
                    if other.id not in frontier or further < frontier[other.id][0]:
                        frontier[other.id] = (further, start)
        return Step(goal, None) if first is None else Step((first.x, first.y), first)
