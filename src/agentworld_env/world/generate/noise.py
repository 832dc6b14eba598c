"""Integer noise: a pure function of a stream number and the tile, equal on every machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Grid = npt.NDArray[np.int64]
"""Integers per tile, indexed [row, column]."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_MASK = (1 << 64) - 1


def mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Returns well-mixed 64-bit integers (the SplitMix64 finaliser).

    Args:
        values: Unsigned 64-bit integers.
    """
    values = (values + _GOLDEN).astype(np.uint64)
    values = (values ^ (values >> np.uint64(30))) * _MIX_1
    values = (values ^ (values >> np.uint64(27))) * _MIX_2
    return values ^ (values >> np.uint64(31))


def hash_grid(stream: int, columns: int, rows: int) -> Grid:
    """Returns one independent value of 0..1023 per cell.

    Args:
        stream: Number of the noise stream.
        columns: Columns of the grid.
        rows: Rows of the grid.
    """
    x = np.arange(columns, dtype=np.uint64)[None, :]
    y = np.arange(rows, dtype=np.uint64)[:, None]
    salt = mix(np.array([stream & _MASK], dtype=np.uint64))[0]
    mixed = mix(mix(x ^ salt) + (y << np.uint64(32)))
    return (mixed >> np.uint64(54)).astype(np.int64)


def hash_int(stream: int, *keys: int) -> int:
    """Returns an integer of 0..1023 for a stream and some keys.

    Args:
        stream: Number of the noise stream.
        keys: Whatever tells one draw from another.
    """
    value = np.array([stream & _MASK], dtype=np.uint64)
    for key in keys:
        value = mix(value ^ np.uint64(key & _MASK))
    return int(mix(value)[0] >> np.uint64(54))


def value_noise(stream: int, cell: int, width: int, height: int) -> Grid:
    """Returns smooth noise of 0..1023 with features about ``cell`` tiles wide.

    Args:
        stream: Number of the noise stream.
        cell: Distance of the lattice points (tiles).
        width: Columns (tiles).
        height: Rows (tiles).
    """
    lattice = hash_grid(stream, width // cell + 2, height // cell + 2)
    x, y = np.arange(width, dtype=np.int64), np.arange(height, dtype=np.int64)
    column, row = x // cell, y // cell
    ease_x = _ease(x % cell, cell)[None, :]
    ease_y = _ease(y % cell, cell)[:, None]
    # Along x on the coarse rows first: it costs a fraction of blending four full planes.
    across: Grid = lattice[:, column] * (256 - ease_x) + lattice[:, column + 1] * ease_x
    blended: Grid = (across[row] * (256 - ease_y) + across[row + 1] * ease_y) >> 16
    return blended


def fractal_noise(stream: int, cell: int, octaves: int, width: int, height: int) -> Grid:
    """Returns noise of 0..1023 with detail: each octave is half as wide and half as strong as the one before.

    Args:
        stream: Number of the noise stream.
        cell: Width of the largest features (tiles).
        octaves: Number of octaves.
        width: Columns (tiles).
        height: Rows (tiles).
    """
    total = np.zeros((height, width), dtype=np.int64)
    weight, weights = 1 << octaves, 0
    for octave in range(octaves):
        total += weight * value_noise(stream * 64 + octave, max(2, cell >> octave), width, height)
        weights += weight
        weight >>= 1
    return total // weights


def ridged_noise(stream: int, cell: int, octaves: int, width: int, height: int) -> Grid:
    """Returns noise of 0..1023 that is highest along winding lines, as the crests of mountains are.

    Args:
        stream: Number of the noise stream.
        cell: Width of the largest features (tiles).
        octaves: Number of octaves.
        width: Columns (tiles).
        height: Rows (tiles).
    """
    ridge: Grid = 1023 - 2 * np.abs(fractal_noise(stream, cell, octaves, width, height) - 512)
    return np.maximum(ridge, 0)


def _ease(offset: Grid, cell: int) -> Grid:
    eased: Grid = (offset * offset * (3 * cell - 2 * offset) * 256) // (cell**3)
    return eased
