"""Turns the ground into coloured relief: what is high throws shade, what is deep is dark."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agentworld_env.draw.palette import BIOME_TINTS, GROUND_COLOURS
from agentworld_env.world.terrain import BIOMES, GROUND, GROUND_CODE, Terrain

Pixels = npt.NDArray[np.uint8]

_RISES = {"cliff": (3.0, 9), "thicket": (1.1, 2), "wall": (3.0, 1)}
"""Kind of ground -> height of one step inwards, and the number of steps it goes on rising."""

_LIGHT = 7.0
_GRAIN = 7


def relief(terrain: Terrain, *, grain: bool = True) -> Pixels:
    """Returns the land as one pixel per tile, indexed [row, column, red/green/blue].

    Args:
        terrain: The land to draw.
        grain: Whether plains get a faint pattern; without it, the picture compresses far better.
    """
    shape = (terrain.height, terrain.width)
    ground = np.frombuffer(terrain.ground, dtype=np.uint8).reshape(shape)
    biome = np.frombuffer(terrain.biome, dtype=np.uint8).reshape(shape)
    colours = np.array([GROUND_COLOURS[name] for name in GROUND], dtype=np.float32)[ground]
    colours += np.array([BIOME_TINTS[name] for name in BIOMES], dtype=np.float32)[biome]
    water = (ground == GROUND_CODE["deep water"]) | (ground == GROUND_CODE["shallow water"])
    height = np.zeros(shape, dtype=np.float32)
    for name, (rise, steps) in _RISES.items():
        inner = ground == GROUND_CODE[name]
        for _ in range(steps):
            height += np.where(inner, np.float32(rise), np.float32(0))
            inner = _inner(inner)
    height = _blurred(height)
    # Light falls from the north-west.
    slope = (height - np.roll(height, (1, 1), (0, 1))) * np.float32(_LIGHT)
    colours += np.clip(slope, -46, 46)[..., None]
    colours += (np.clip(height, 0, 20) * np.float32(1.6) * (ground == GROUND_CODE["cliff"]))[..., None]
    if grain:
        colours += np.where(water, 0, _grain(*shape))[..., None]
    sea = ground == GROUND_CODE["deep water"]
    for _ in range(5):
        sea = _inner(_inner(_inner(sea)))
        colours -= (sea * np.float32(3))[..., None]
    shore = ~water & ~_inner(~water)
    colours -= (shore * np.float32(26))[..., None]
    return np.clip(colours, 0, 255).astype(np.uint8)


def _inner(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Returns the tiles whose four neighbours belong to the mask as well; the map's edge counts as inside."""
    framed = np.pad(mask, 1, constant_values=True)
    inside: npt.NDArray[np.bool_] = (
        mask & framed[:-2, 1:-1] & framed[2:, 1:-1] & framed[1:-1, :-2] & framed[1:-1, 2:]
    )
    return inside


def _blurred(height: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    framed = np.pad(height, 1, mode="edge")
    total = np.zeros_like(height)
    for dy in range(3):
        for dx in range(3):
            total += framed[dy : dy + height.shape[0], dx : dx + height.shape[1]]
    return total / np.float32(9)


def _grain(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Returns a faint pattern that keeps plains from looking like paint; it needs no randomness."""
    x = np.arange(columns, dtype=np.uint64)[None, :]
    y = np.arange(rows, dtype=np.uint64)[:, None]
    mixed = (x * np.uint64(0x9E3779B1) ^ y * np.uint64(0x85EBCA77)) * np.uint64(0xC2B2AE3D)
    mixed ^= mixed >> np.uint64(29)
    return ((mixed >> np.uint64(7)) % np.uint64(_GRAIN)).astype(np.float32) - np.float32(_GRAIN // 2)
