"""The sketch of the world: one character per 16 x 16 tiles, drawn by hand, from which the coasts and regions grow."""

from __future__ import annotations

import numpy as np

from agentworld_env.world.generate.data import data_text
from agentworld_env.world.generate.noise import Grid, fractal_noise
from agentworld_env.world.geometry import HEIGHT, WIDTH

CELL = 16
"""Tiles per side of one cell of the sketch."""

REGIONS = "~lgfDmMskdwvyrcC"
"""Sea, lake, grassland, forest, dark forest, mountain, massif, snow, coast, desert, swamp, volcanic, magical, ruins,
castle, ice castle. The code of a region is the index here."""

_WARP = 22


def read_sketch() -> Grid:
    """Returns the sketch as region codes, indexed [row, column] of cells."""
    text = data_text("sketch.txt")
    rows = text.split()
    if len(rows) != HEIGHT // CELL or any(len(row) != WIDTH // CELL for row in rows):
        raise ValueError(f"sketch.txt must hold {HEIGHT // CELL} rows of {WIDTH // CELL} characters")
    return np.array([[REGIONS.index(char) for char in row] for row in rows], dtype=np.int64)


def grow_regions(sketch: Grid) -> Grid:
    """Returns the region code of every tile, with winding borders.

    A tile asks the four nearest cells of the sketch, from a place that noise has moved a little; the region with
    the most weight wins. That turns the steps of the sketch into curves.

    Args:
        sketch: Region codes per cell.
    """
    x = np.arange(WIDTH, dtype=np.int64)[None, :] + _warp(1)
    y = np.arange(HEIGHT, dtype=np.int64)[:, None] + _warp(2)
    rows, columns = sketch.shape
    # In sixteenths of a cell, measured from the middle of the first one.
    left, top = (x - CELL // 2) // CELL, (y - CELL // 2) // CELL
    part_x, part_y = (x - CELL // 2) % CELL, (y - CELL // 2) % CELL
    west, east = np.clip(left, 0, columns - 1), np.clip(left + 1, 0, columns - 1)
    north, south = np.clip(top, 0, rows - 1), np.clip(top + 1, 0, rows - 1)
    corners = (
        (sketch[north, west], (CELL - part_x) * (CELL - part_y)),
        (sketch[north, east], part_x * (CELL - part_y)),
        (sketch[south, west], (CELL - part_x) * part_y),
        (sketch[south, east], part_x * part_y),
    )
    best = np.zeros((HEIGHT, WIDTH), dtype=np.int64)
    most = np.full((HEIGHT, WIDTH), -1, dtype=np.int64)
    for code in range(len(REGIONS)):
        weight = np.zeros((HEIGHT, WIDTH), dtype=np.int64)
        for region, share in corners:
            weight += np.where(region == code, share, 0)
        better = weight > most
        best[better] = code
        most[better] = weight[better]
    return best


def _warp(stream: int) -> Grid:
    wide = fractal_noise(stream, 64, 4, WIDTH, HEIGHT) - 512
    fine = fractal_noise(stream + 20, 16, 3, WIDTH, HEIGHT) - 512
    moved: Grid = (3 * wide + fine) * _WARP // 1024
    return moved
