"""A coarse map of the world in characters: one per square of eight by eight tiles."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from agentworld_env.world.catalogue import Portal
from agentworld_env.world.terrain import GROUND, GROUND_CODE, WATER_GROUND, Terrain

SQUARE = 8
"""Side of a square (tiles)."""

REACH_X = 8
"""Squares shown to the west and to the east."""

REACH_Y = 5
"""Squares shown to the north and to the south."""

LEGEND = "@ you, . open ground, = road, ~ water, # blocked, > portal"

_OUTSIDE = " "


class Overview:
    """The coarse map.

    A square with at least half of its tiles closed is water (``~``) or blocked (``#``), whichever is more; else
    it is a road (``=``) if one runs through it, or open ground (``.``). A square with a portal is ``>``.

    Args:
        terrain: The terrain, with trees and rocks merged in.
        portals: Portal mouths.
    """

    __slots__ = ("rows",)

    def __init__(self, terrain: Terrain, portals: Iterable[Portal]) -> None:
        shape = (terrain.height // SQUARE, SQUARE, terrain.width // SQUARE, SQUARE)
        ground = np.frombuffer(terrain.ground, dtype=np.uint8)
        closed = _sums(np.frombuffer(terrain.walkable, dtype=np.uint8) == 0, shape)
        water = _sums(np.isin(ground, [GROUND.index(name) for name in sorted(WATER_GROUND)]), shape)
        road = _sums(np.isin(ground, [GROUND_CODE["road"], GROUND_CODE["bridge"]]), shape)
        half = SQUARE * SQUARE // 2
        chars = np.where(
            closed >= half, np.where(2 * water >= closed, "~", "#"), np.where(road > 0, "=", ".")
        )
        for portal in portals:
            chars[portal.y // SQUARE, portal.x // SQUARE] = ">"
        side = _OUTSIDE * REACH_X
        blank = _OUTSIDE * (chars.shape[1] + 2 * REACH_X)
        self.rows = (
            *(blank,) * REACH_Y,
            *(side + "".join(row) + side for row in chars.tolist()),
            *(blank,) * REACH_Y,
        )

    def around(self, x: int, y: int) -> list[str]:
        """Returns the rows of the coarse map around a tile, which is marked ``@``, north first.

        Args:
            x: Column (tiles).
            y: Row (tiles).
        """
        column, row = x // SQUARE, y // SQUARE
        window = [line[column : column + 2 * REACH_X + 1] for line in self.rows[row : row + 2 * REACH_Y + 1]]
        middle = window[REACH_Y]
        window[REACH_Y] = f"{middle[:REACH_X]}@{middle[REACH_X + 1 :]}"
        return window


def _sums(mask: NDArray[np.bool_], shape: tuple[int, int, int, int]) -> NDArray[np.int64]:
    """Returns how many tiles of each square a mask holds."""
    return np.asarray(mask.reshape(shape).sum(axis=(1, 3)), dtype=np.int64)
