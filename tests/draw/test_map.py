from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from agentworld_env.draw import world_map
from agentworld_env.draw.map import LEGEND_HEIGHT
from agentworld_env.draw.palette import BIOME_TINTS, GROUND_COLOURS, NODE_COLOURS
from agentworld_env.draw.relief import relief
from agentworld_env.errors import AgentWorldError
from agentworld_env.world.catalogue import Place
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.terrain import BIOMES, GROUND, Terrain, load_terrain
from agentworld_env.world.world import World


def empty_world(terrain: Terrain, *places: Place) -> World:
    return World(
        terrain=terrain,
        items=(),
        recipes=(),
        node_kinds=(),
        nodes=(),
        mob_kinds=(),
        mob_spawns=(),
        named_spawns=(),
        npcs=(),
        portals=(),
        places=places,
    )


def place(key: str, x: int, y: int) -> Place:
    return Place(key=key, name=key, kind="town", x=x, y=y, x0=x, y0=y, x1=x, y1=y)


@pytest.fixture(scope="module")
def terrain() -> Terrain:
    return load_terrain()


def test_every_ground_biome_and_family_has_a_colour() -> None:
    assert set(GROUND_COLOURS) == set(GROUND)
    assert set(BIOME_TINTS) == set(BIOMES)
    assert set(NODE_COLOURS) == {"tree", "rock", "fish", "plant"}


def test_the_picture_holds_every_tile_and_the_legend(terrain: Terrain, tmp_path: Path) -> None:
    path = world_map(empty_world(terrain), tmp_path / "map.png")
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        assert picture.size == (WIDTH, HEIGHT + LEGEND_HEIGHT)


def test_the_scale_is_pixels_per_tile(terrain: Terrain, tmp_path: Path) -> None:
    path = world_map(empty_world(terrain), tmp_path / "map.png", scale=2)
    with Image.open(path) as picture:
        assert picture.size == (2 * WIDTH, 2 * (HEIGHT + LEGEND_HEIGHT))


def test_sea_is_bluer_than_grass_and_snow_is_brighter_than_ash(terrain: Terrain) -> None:
    pixels = relief(terrain)
    ground = np.frombuffer(terrain.ground, dtype=np.uint8).reshape(HEIGHT, WIDTH)

    def mean(name: str) -> np.ndarray:
        return pixels[ground == GROUND.index(name)].mean(axis=0)

    assert mean("deep water")[2] > mean("deep water")[1] > mean("deep water")[0]
    assert mean("grass")[1] > mean("grass")[2]
    assert mean("snow").sum() > mean("ash").sum() + 200


def test_a_named_place_is_lettered_and_one_in_the_same_spot_gives_way(
    terrain: Terrain, tmp_path: Path
) -> None:
    def land(*places: Place) -> np.ndarray:
        with Image.open(world_map(empty_world(terrain, *places), tmp_path / "map.png")) as picture:
            return np.asarray(picture)[:HEIGHT]

    bare = land()
    one = (land(place("alpha", 900, 300)) != bare).any(axis=2)
    assert one[280:320, 900:960].sum() == one.sum() > 50
    crowd = (land(*(place(f"alpha{i:02d}", 900, 300) for i in range(40))) != bare).any(axis=2)
    # A spot offers four places for lettering; the other names of the forty are left out.
    assert one.sum() < crowd.sum() < 6 * one.sum()


def test_a_scale_out_of_range_is_refused(terrain: Terrain, tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError, match="scale"):
        world_map(empty_world(terrain), tmp_path / "map.png", scale=0)


def test_importing_the_drawing_room_does_not_load_pillow() -> None:
    import subprocess
    import sys

    code = "import sys, agentworld_env.draw; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
