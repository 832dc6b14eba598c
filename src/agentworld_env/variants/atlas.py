"""Where in the world a variant can put things: places by what grows there, and free tiles at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from agentworld_env.variants.edit import Tile
from agentworld_env.world import World
from agentworld_env.world.catalogue import Place
from agentworld_env.world.geometry import manhattan

GROUND = 40
"""A resource belongs to a place if it stands at most so far (tiles) from its middle."""
STAND = 4
"""So many resources of a kind make a ground of a place."""
_WILD = 24
"""Nothing dangerous may live so near (tiles) to where a variant puts people."""
_FEARED = 30
"""Mobs of at least this level that start fights are dangerous."""
_CENTRE = "crossroads"


class Atlas:
    """Places of one world.

    Args:
        world: The world.

    Attributes:
        places: Places that can be walked to from the middle of the map and are no boss's lair.
        grounds: Kind of resource -> keys of the places where it stands.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        centre = world.places[_CENTRE]
        self.places: dict[str, Place] = {
            key: place
            for key, place in world.places.items()
            if world.paths.distance(centre.x, centre.y, place.x, place.y) is not None
            and (place.x1 - place.x0) + (place.y1 - place.y0) <= 160
        }
        self.grounds: dict[str, list[str]] = {kind: [] for kind in world.node_kinds}
        self.stands: dict[str, Counter[str]] = {}
        for key, place in self.places.items():
            near = Counter(world.nodes[index].kind for _, index in world.nodes_near(place.x, place.y, GROUND))
            self.stands[key] = near
            for kind, count in near.items():
                if count >= STAND:
                    self.grounds[kind].append(key)
        self._free: dict[Tile, list[Tile]] = {}

    def quiet(self, key: str) -> bool:
        """Returns whether people can wait at a place without being attacked by anything that they should fear."""
        place = self.places[key]
        return bool(self.free(place.x, place.y))

    def free(self, x: int, y: int, count: int = 24) -> list[Tile]:
        """Returns safe tiles to stand on around a tile, nearest first, two tiles apart.

        Args:
            x: Column.
            y: Row.
            count: At most so many.
        """
        if (x, y) not in self._free:
            feared = [
                (spawn.x, spawn.y)
                for spawn in self.world.mob_spawns
                if manhattan(x, y, spawn.x, spawn.y) <= _WILD + 20
                and self.world.mob_kinds[spawn.kind].temper != "no"
                and self.world.mob_kinds[spawn.kind].level >= _FEARED
            ]
            found = []
            for tile in _rings(x, y, 16):
                if (
                    self.world.is_walkable(*tile)
                    and all(manhattan(*tile, *home) > _WILD for home in feared)
                    and self.world.paths.distance(*tile, x, y) is not None
                ):
                    found.append(tile)
                if len(found) == count:
                    break
            self._free[x, y] = found
        return self._free[x, y]

    def walkable(self, tile: Tile) -> Tile:
        """Returns the nearest tile that can be walked to from the middle of the map, itself if it is one."""
        centre = self.world.places[_CENTRE]
        for radius in range(0, 25, 2):
            for x, y in _rings(*tile, radius):
                if (
                    self.world.is_walkable(x, y)
                    and self.world.paths.distance(centre.x, centre.y, x, y) is not None
                ):
                    return x, y
        return centre.x, centre.y

    def near(self, x: int, y: int, kind: str, radius: int) -> bool:
        """Returns whether resources of a kind stand within a radius (tiles) of a tile."""
        return any(self.world.nodes[index].kind == kind for _, index in self.world.nodes_near(x, y, radius))

    def place_of(self, x: int, y: int) -> Place:
        """Returns the place that a tile belongs to: the smallest that holds it, or else the nearest."""
        holding = [
            place for place in self.places.values() if place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1
        ]
        return min(
            holding or self.places.values(), key=lambda place: (manhattan(x, y, place.x, place.y), place.key)
        )


def _rings(x: int, y: int, radius: int) -> Iterator[Tile]:
    """Yields every other tile around a tile, ring by ring."""
    for ring in range(0, radius + 1, 2):
        for dx in range(-ring, ring + 1, 2):
            dy = ring - abs(dx)
            yield x + dx, y + dy
            if dy:
                yield x + dx, y - dy


@cache
def atlas(world: World) -> Atlas:
    """Returns the atlas of a world; the same for the same world."""
    return Atlas(world)
