"""The board that placement works on: which tiles suit what, and which are taken."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

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

_GROVE = 12  # side of the cells that scattered nodes gather in
_PER_GROVE = 5


class Board:
    """Which tiles suit what, and which are taken. Arrays are indexed [row, column].

    Attributes:
        solid: Tiles where a tree or rock may stand.
        open: Tiles where a plant or a peaceful mob may stand.
        calm: Tiles where a mob that starts fights may stand.
        shore: Water beside reachable ground, for fishing spots.
        taken: Tiles that are no longer free.

    Args:
        terrain: The land, without nodes on it.
        anchors: Tiles (x, y) to keep clear.
    """

    def __init__(self, terrain: Terrain, anchors: tuple[tuple[int, int], ...]) -> None:
        shape = (HEIGHT, WIDTH)
        self.ground = np.frombuffer(terrain.ground, dtype=np.uint8).reshape(shape)
        self.biome = np.frombuffer(terrain.biome, dtype=np.uint8).reshape(shape)
        walk = np.frombuffer(terrain.walkable, dtype=np.uint8).reshape(shape) == 1
        labels = label_components(walk)
        homes = {int(labels[y, x]) for x, y in anchors} - {0}
        reachable = walk & np.isin(labels, sorted(homes))
        road = np.isin(self.ground, [GROUND.index(name) for name in ROADS])
        named = np.zeros(shape, dtype=bool)
        for x, y in anchors:
            named[y, x] = True
        clear = ~_square(named, CLEARANCE) & ~road
        # A blocking node whose eight neighbours are all free never cuts the land in two: every way across its
        # tile has a way around it.
        self.solid: Mask = clear & ~_square(~reachable, 1) & ~_square(road, 1)
        self.open: Mask = clear & reachable
        water = np.isin(self.ground, [GROUND.index(name) for name in sorted(WATER_GROUND)])
        self.shore: Mask = water & diamond(reachable, 1)
        self.calm: Mask = self.open & ~diamond(named | road, DANGER - 1)
        self.taken: Mask = np.zeros(shape, dtype=bool)
        rows, columns = np.indices(shape)
        self._tile = (rows * WIDTH + columns).astype(np.uint64)
        self._cell = ((rows // _GROVE) * WIDTH + columns // _GROVE).astype(np.uint64)
        self._rows, self._columns = rows, columns

    def near(self, kind: str, mask: Mask, x: int, y: int, within: int) -> Iterator[tuple[int, int]]:
        """Yields suitable tiles near a point, the nearer ones rather first.

        Args:
            kind: Kind that is placed; every kind has its own luck.
            mask: Tiles that suit it.
            x: Column of the point.
            y: Row of the point.
            within: Manhattan distance (tiles).
        """
        distance = np.abs(self._columns - x) + np.abs(self._rows - y)
        flat = np.flatnonzero(mask & (distance <= within))
        # Up to eight tiles of luck make a loose cluster instead of a solid diamond.
        score = distance.reshape(-1)[flat] * 8 + (_hash(kind, flat.astype(np.uint64)) % 64).astype(np.int64)
        yield from self._tiles(flat[np.lexsort((flat, score))])

    def scatter(self, kind: str, mask: Mask) -> Iterator[tuple[int, int]]:
        """Yields suitable tiles all over the map, in small groves.

        Args:
            kind: Kind that is placed; every kind has its own luck.
            mask: Tiles that suit it.
        """
        flat = np.flatnonzero(mask)
        cells = self._cell.reshape(-1)[flat]
        order = np.lexsort((flat, _hash(kind, flat.astype(np.uint64)), _hash(kind + "/grove", cells)))
        given: dict[int, int] = {}
        for index, (x, y) in zip(order, self._tiles(flat[order]), strict=True):
            cell = int(cells[index])
            if given.get(cell, 0) < _PER_GROVE:
                # Only tiles that are still free count: the caller takes what it is given.
                if not self.taken[y, x]:
                    given[cell] = given.get(cell, 0) + 1
                yield x, y

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

    def _tiles(self, flat: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        for tile in flat:
            yield int(tile) % WIDTH, int(tile) // WIDTH


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
