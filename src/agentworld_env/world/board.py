"""The board that placement works on: which tiles suit what, and which are taken."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from agentworld_env.world.catalogue import MobKind
from agentworld_env.world.components import label_components
from agentworld_env.world.content import Habitat
from agentworld_env.world.generate.noise import mix
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.terrain import BIOMES, GROUND, WATER_GROUND, Terrain

Mask = npt.NDArray[np.bool_]
"""A set of tiles, indexed [row, column]."""

CLEARANCE = 4
"""No node or mob stands within so many columns and rows of a tile where a task may put an agent (tiles)."""

DANGER = 12
"""Mobs that start fights stand at least so far from those tiles and from roads (tiles)."""

ROADS = ("road", "bridge", "paving")
"""Kinds of ground that stay free of nodes, and of mobs that start fights."""

GROVE = 12
"""Side of the cells that scattered nodes and mobs gather in (tiles); it divides both sides of the map."""

# The seed moves mobs and agents up to 3 columns and 3 rows each; even so nobody is noticed where it starts.
_BEYOND_SIGHT = 13
# A mob keeps one tile more from roads and anchors for so many levels, and one tile from towns for every level,
# up to the farthest that the land has room for in every biome.
_LEVELS_PER_TILE = 8
_FARTHEST_FROM_ROADS = 30
_FARTHEST_FROM_TOWNS = 160
# The gentlest stay near towns, and every level widens their range.
_NEAR_TOWNS = 90
_RANGE_PER_LEVEL = 4


class Board:
    """Which tiles suit what, and which are taken. Arrays are indexed [row, column].

    Attributes:
        solid: Tiles where a tree or rock may stand.
        open: Tiles where a plant or a peaceful mob may stand.
        calm: Tiles where a mob that starts fights may stand, if it sees no farther than most.
        shore: Water beside reachable ground, for fishing spots.
        away: Manhattan distance to the nearest road or anchor (tiles).
        remote: Manhattan distance to the nearest town (tiles); the map's size where there is none.
        taken: Tiles that are no longer free.

    Args:
        terrain: The land, without nodes on it.
        anchors: Tiles (x, y) to keep clear.
        towns: Middles (x, y) of the towns, from which danger grows.
    """

    def __init__(
        self,
        terrain: Terrain,
        anchors: tuple[tuple[int, int], ...],
        towns: tuple[tuple[int, int], ...] = (),
    ) -> None:
        shape = (HEIGHT, WIDTH)
        self.ground = np.frombuffer(terrain.ground, dtype=np.uint8).reshape(shape)
        self.biome = np.frombuffer(terrain.biome, dtype=np.uint8).reshape(shape)
        walk = np.frombuffer(terrain.walkable, dtype=np.uint8).reshape(shape) == 1
        labels = label_components(walk)
        homes = {int(labels[y, x]) for x, y in anchors} - {0}
        reachable = walk & np.isin(labels, sorted(homes))
        road = np.isin(self.ground, [GROUND.index(name) for name in ROADS])
        named = _marked(anchors)
        clear = ~_square(named, CLEARANCE) & ~road
        # A blocking node whose eight neighbours are all free never cuts the land in two: every way across its
        # tile has a way around it.
        self.solid: Mask = clear & ~_square(~reachable, 1) & ~_square(road, 1)
        self.open: Mask = clear & reachable
        water = np.isin(self.ground, [GROUND.index(name) for name in sorted(WATER_GROUND)])
        self.shore: Mask = water & diamond(reachable, 1)
        self.away = distances(named | road)
        self.remote = distances(_marked(towns))
        self.calm: Mask = self.open & (self.away >= DANGER)
        self.taken: Mask = np.zeros(shape, dtype=bool)

    def near(self, kind: str, mask: Mask, x: int, y: int, within: int) -> Iterator[tuple[int, int]]:
        """Yields suitable tiles near a point, the nearer ones rather first.

        Args:
            kind: Kind that is placed; every kind has its own luck.
            mask: Tiles that suit it.
            x: Column of the point.
            y: Row of the point.
            within: Manhattan distance (tiles).
        """
        x0, x1 = max(0, x - within), min(WIDTH, x + within + 1)
        y0, y1 = max(0, y - within), min(HEIGHT, y + within + 1)
        rows, columns = np.nonzero(mask[y0:y1, x0:x1])
        rows, columns = rows + y0, columns + x0
        distance = np.abs(columns - x) + np.abs(rows - y)
        inside = distance <= within
        flat, distance = (rows * WIDTH + columns)[inside], distance[inside]
        # Up to eight tiles of luck make a loose cluster instead of a solid diamond.
        score = distance * 8 + (_hash(kind, flat.astype(np.uint64)) % 64).astype(np.int64)
        yield from _tiles(flat[np.lexsort((flat, score))])

    def scatter(self, kind: str, mask: Mask, per_grove: int) -> Iterator[tuple[int, int]]:
        """Yields suitable tiles all over the map, in small groves.

        Args:
            kind: Kind that is placed; every kind has its own luck.
            mask: Tiles that suit it.
            per_grove: At most so many free tiles of one grove are given.
        """
        blocks = mask.reshape(HEIGHT // GROVE, GROVE, WIDTH // GROVE, GROVE)
        rows, columns = np.nonzero(blocks.any(axis=(1, 3)))
        luck = _hash(kind + "/grove", (rows * WIDTH + columns).astype(np.uint64))
        for i in np.argsort(luck, kind="stable"):
            y0, x0 = int(rows[i]) * GROVE, int(columns[i]) * GROVE
            inner_rows, inner_columns = np.nonzero(mask[y0 : y0 + GROVE, x0 : x0 + GROVE])
            flat = (inner_rows + y0) * WIDTH + inner_columns + x0
            given = 0
            for x, y in _tiles(flat[np.lexsort((flat, _hash(kind, flat.astype(np.uint64))))]):
                # Only tiles that are still free count: the caller takes what it is given.
                if not self.taken[y, x]:
                    given += 1
                    yield x, y
                if given == per_grove:
                    break

    def ground_for(self, kind: MobKind) -> Mask:
        """Returns the tiles where a mob may stand at all.

        Args:
            kind: The mob's kind.
        """
        if kind.temper == "no":
            return self.open
        return self.calm & (self.away >= kind.aggro + _BEYOND_SIGHT)

    def range_of(self, kind: MobKind) -> Mask:
        """Returns the tiles where a mob may be scattered: danger grows away from towns and roads.

        Args:
            kind: The mob's kind.
        """
        near = min(kind.level, _FARTHEST_FROM_TOWNS)
        far = _NEAR_TOWNS + _RANGE_PER_LEVEL * kind.level
        mask = self.ground_for(kind) & (self.remote >= near) & (self.remote <= far)
        if kind.temper != "no":
            mask &= self.away >= min(DANGER + kind.level // _LEVELS_PER_TILE, _FARTHEST_FROM_ROADS)
        return mask

    def home(self, habitat: Habitat) -> Mask:
        """Returns the tiles of a habitat."""
        mask: Mask = np.isin(self.biome, [BIOMES.index(name) for name in habitat.biomes])
        if habitat.ground:
            mask &= np.isin(self.ground, [GROUND.index(name) for name in habitat.ground])
        return mask

    def take(self, x: int, y: int) -> bool:
        """Takes a tile, on land with its eight neighbours, unless it is taken; returns whether it did."""
        if self.taken[y, x]:
            return False
        room = 0 if self.shore[y, x] else 1
        self.taken[max(0, y - room) : y + room + 1, max(0, x - room) : x + room + 1] = True
        return True


def _tiles(flat: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    for tile in flat:
        yield int(tile) % WIDTH, int(tile) // WIDTH


def _marked(points: tuple[tuple[int, int], ...]) -> Mask:
    mask = np.zeros((HEIGHT, WIDTH), dtype=bool)
    for x, y in points:
        mask[y, x] = True
    return mask


def distances(mask: Mask) -> npt.NDArray[np.int64]:
    """Returns the Manhattan distance of every tile to the nearest tile of a set (tiles).

    Args:
        mask: The set, indexed [row, column]; if it is empty, every distance is that of the map's corners or more.
    """
    far = mask.shape[0] + mask.shape[1]
    found = np.where(mask, 0, far).astype(np.int64)
    # Manhattan distances separate: along the rows first, then along the columns, each there and back.
    for lines in (found.T, found):
        for i in range(1, len(lines)):
            np.minimum(lines[i], lines[i - 1] + 1, out=lines[i])
        for i in range(len(lines) - 2, -1, -1):
            np.minimum(lines[i], lines[i + 1] + 1, out=lines[i])
    return found


def _square(mask: Mask, radius: int) -> Mask:
    """Returns the tiles within so many rows and columns of a set; the map's edge counts as outside."""
    grown = mask.copy()
    for _ in range(radius):
        wide = grown.copy()
        wide[:, 1:] |= grown[:, :-1]
        wide[:, :-1] |= grown[:, 1:]
        grown = wide.copy()
        grown[1:] |= wide[:-1]
        grown[:-1] |= wide[1:]
    return grown


def diamond(mask: Mask, radius: int) -> Mask:
    """Returns the tiles within a Manhattan distance of a set.

    Args:
        mask: The set, indexed [row, column].
        radius: The distance (tiles).
    """
    grown = mask.copy()
    for _ in range(radius):
        wide = grown.copy()
        wide[:, 1:] |= grown[:, :-1]
        wide[:, :-1] |= grown[:, 1:]
        wide[1:] |= grown[:-1]
        wide[:-1] |= grown[1:]
        grown = wide
    return grown


def _hash(salt: str, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Returns a 64-bit hash per value, another one for every salt."""
    key = int.from_bytes(blake2b(salt.encode(), digest_size=8).digest(), "little")
    return mix(mix(values ^ np.uint64(key)))
