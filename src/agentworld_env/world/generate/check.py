"""Proves what the map promises: every known place can be stood on and reached, and no way is a long detour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from agentworld_env.world.generate.build import HOME
from agentworld_env.world.generate.sites import anchors
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import Terrain

Tile = tuple[int, int]

DETOUR_PER_CENT = 130
"""The longest way allowed between two known places, in per cent of their Manhattan distance."""


def distance_field(terrain: Terrain, x: int, y: int) -> npt.NDArray[np.int32]:
    """Returns the walking distance of every tile from one tile (tiles), negative where none leads there.

    Args:
        terrain: The land.
        x: Column of the tile to start from, which must be walkable.
        y: Row of that tile.
    """
    wide, high = terrain.width + 2, terrain.height + 2
    field = np.full((high, wide), -2, dtype=np.int32)
    flags = np.frombuffer(terrain.walkable, dtype=np.uint8).reshape(terrain.height, terrain.width)
    field[1:-1, 1:-1] = flags.astype(np.int32) - 2
    flat = field.reshape(-1)
    ticket = np.empty(flat.size, dtype=np.int32)
    wave = np.array([(y + 1) * wide + x + 1], dtype=np.int64)
    steps = 0
    while wave.size:
        flat[wave] = steps
        steps += 1
        beside = np.concatenate((wave - wide, wave - 1, wave + 1, wave + wide))
        beside = beside[flat[beside] == -1]
        numbers = np.arange(beside.size, dtype=np.int32)
        ticket[beside] = numbers
        wave = beside[ticket[beside] == numbers]
    return field[1:-1, 1:-1]


def mainland_anchors(terrain: Terrain, finder: PathFinder) -> list[Tile]:
    """Returns the anchors that lie on the main land; the others stand on islands that a ferry serves.

    Args:
        terrain: The land.
        finder: Its path finder.
    """
    return [tile for tile in anchors() if terrain.is_walkable(*tile) and finder.connected(*HOME, *tile)]


def detours(
    terrain: Terrain, tiles: Sequence[Tile], starts: Sequence[Tile]
) -> Iterator[tuple[Tile, Tile, int]]:
    """Yields every pair whose way is longer than the map promises, as (start, end, way in tiles or -1).

    Args:
        terrain: The land.
        tiles: Tiles to reach.
        starts: Tiles to start from.
    """
    columns = np.array([x for x, _ in tiles])
    rows = np.array([y for _, y in tiles])
    for x, y in starts:
        ways = distance_field(terrain, x, y)[rows, columns]
        apart = np.abs(columns - x) + np.abs(rows - y)
        for i in np.flatnonzero((ways * 100 > apart * DETOUR_PER_CENT) | (ways < 0)):
            yield (x, y), tiles[int(i)], int(ways[i])
