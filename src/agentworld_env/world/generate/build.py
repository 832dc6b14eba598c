"""The whole recipe of the map, from the sketch to the two planes of the packaged file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

from agentworld_env.world.components import label_components
from agentworld_env.world.generate.data import data_text
from agentworld_env.world.generate.ground import (
    BARRIER_GROUND,
    OPEN_GROUND,
    Mask,
    biomes,
    by_region,
    cover,
    near,
)
from agentworld_env.world.generate.noise import Grid
from agentworld_env.world.generate.sites import (
    build_roads,
    clear_places,
    dig_caves,
    dig_rivers,
    is_any,
    raise_buildings,
    raise_volcanoes,
)
from agentworld_env.world.generate.sketch import grow_regions, read_sketch
from agentworld_env.world.terrain import BIOME_CODE, GROUND_CODE, WALKABLE_GROUND, pack_terrain

_BEACH = 16

HOME = (528, 384)
"""A tile of the main land (x, y): the middle of the Central Kingdom."""


def generate() -> tuple[bytes, bytes]:
    """Returns the ground plane and the biome plane, always the same ones."""
    regions = grow_regions(read_sketch())
    ground, biome = cover(regions), biomes(regions)
    open_ground = by_region(regions, OPEN_GROUND, GROUND_CODE)
    raise_volcanoes(ground, biome)
    dig_rivers(ground)
    clear_places(ground, open_ground)
    raise_buildings(ground)
    build_roads(ground, open_ground)
    dig_caves(ground, biome)
    _clear_mouths(ground, open_ground)
    lost = _unreachable(ground)
    ground[lost] = by_region(regions, BARRIER_GROUND, GROUND_CODE)[lost]
    beach = is_any(ground, "sand") & near(regions == 0, _BEACH) & (biome == BIOME_CODE["wilderness"])
    biome[beach] = BIOME_CODE["coastal"]
    return ground.astype(np.uint8).tobytes(), biome.astype(np.uint8).tobytes()


def write(path: Path) -> int:
    """Writes the packaged file and returns its size (bytes).

    Args:
        path: Where ``terrain.bin`` goes.
    """
    packed = pack_terrain(*generate())
    return path.write_bytes(packed)


def portal_mouths() -> list[tuple[int, int]]:
    """Returns the tiles (x, y) of all portal mouths."""
    return [(entry["x"], entry["y"]) for entry in yaml.safe_load(data_text("portals.yaml"))]


def _clear_mouths(ground: Grid, open_ground: Grid) -> None:
    for x, y in portal_mouths():
        around = (slice(y - 2, y + 3), slice(x - 2, x + 3))
        blocked = ~is_any(ground[around], *WALKABLE_GROUND)
        ground[around] = np.where(blocked, open_ground[around], ground[around])


def _unreachable(ground: Grid) -> Mask:
    walkable = is_any(ground, *WALKABLE_GROUND)
    labels = label_components(walkable)
    kept = {int(labels[y, x]) for x, y in [HOME, *portal_mouths()]}
    lost: Mask = walkable & ~np.isin(labels, sorted(kept))
    return lost
