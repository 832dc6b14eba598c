from __future__ import annotations

import csv
from importlib import resources

import numpy as np
import pytest

from agentworld_env.errors import AgentWorldError
from agentworld_env.world.catalogue import Portal
from agentworld_env.world.generate.build import HOME, generate, portal_mouths
from agentworld_env.world.generate.check import detours, distance_field, mainland_anchors
from agentworld_env.world.generate.data import data_text
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import (
    BIOMES,
    GROUND,
    GROUND_CODE,
    WALKABLE_GROUND,
    WATER_GROUND,
    Terrain,
    load_terrain,
    pack_terrain,
    unpack_terrain,
)

# The published cells: a tile in each, and the biome found there.
CELLS = [
    (53, 306, "dragon_lair"),
    (168, 31, "mountain"),
    (163, 339, "magical"),
    (197, 633, "coastal"),
    (175, 635, "coastal"),
    (238, 48, "mountain"),
    (202, 39, "mountain"),
    (259, 151, "frozen"),
    (228, 156, "frozen"),
    (224, 359, "coastal"),
    (291, 644, "mountain"),
    (411, 732, "wilderness"),
    (460, 725, "wilderness"),
    (580, 755, "coastal"),
    (677, 671, "wilderness"),
    (706, 555, "wilderness"),
    (784, 676, "ruins"),
    (769, 657, "ruins"),
    (712, 717, "castle"),
    (855, 611, "wilderness"),
    (1016, 682, "dark_forest"),
]
STARTS = [
    (int(row["x"]), int(row["y"]))
    for row in csv.DictReader(data_text("anchors.csv").splitlines())
    if row["name"] == "start"
]


@pytest.fixture(scope="module")
def terrain() -> Terrain:
    return load_terrain()


@pytest.fixture(scope="module")
def finder(terrain: Terrain) -> PathFinder:
    return PathFinder(terrain)


def test_the_map_has_the_published_size_and_all_nine_biomes(terrain: Terrain) -> None:
    assert len(terrain.ground) == 1056 * 768
    assert {BIOMES[code] for code in set(terrain.biome)} == set(BIOMES)
    assert len(BIOMES) == 9


def test_the_packaged_map_is_what_the_generator_makes(terrain: Terrain) -> None:
    ground, biome = generate()
    assert ground == terrain.ground
    assert biome == terrain.biome


def test_the_packaged_map_is_under_a_megabyte() -> None:
    packed = (resources.files("agentworld_env.world") / "data" / "terrain.bin").read_bytes()
    assert len(packed) < 1_000_000


@pytest.mark.parametrize(("x", "y", "biome"), CELLS)
def test_a_published_cell_has_its_biome_on_walkable_ground(
    terrain: Terrain, x: int, y: int, biome: str
) -> None:
    assert terrain.biome_at(x, y) == biome
    assert terrain.is_walkable(x, y)


def test_every_anchor_is_walkable_and_in_the_biome_it_names(terrain: Terrain) -> None:
    for row in csv.DictReader(data_text("anchors.csv").splitlines()):
        x, y = int(row["x"]), int(row["y"])
        assert terrain.is_walkable(x, y), row
        assert row["biome"] in ("", terrain.biome_at(x, y)), row


def test_all_tiles_within_three_of_a_start_are_walkable(terrain: Terrain) -> None:
    for x, y in STARTS:
        for dy in range(-3, 4):
            for dx in range(-3, 4):
                if 0 <= x + dx < WIDTH and 0 <= y + dy < HEIGHT:
                    assert terrain.is_walkable(x + dx, y + dy), (x, y, dx, dy)


def stray_tiles(terrain: Terrain) -> list[tuple[int, int]]:
    """Returns walkable tiles that belong neither to the main land nor to the land around a portal."""
    known = np.zeros((terrain.height, terrain.width), dtype=np.bool_)
    for x, y in [HOME, *portal_mouths()]:
        if not known[y, x]:
            known |= distance_field(terrain, x, y) >= 0
    flags = np.frombuffer(terrain.walkable, dtype=np.uint8).reshape(terrain.height, terrain.width)
    rows, columns = np.nonzero(flags.astype(np.bool_) & ~known)
    return [(int(x), int(y)) for x, y in zip(columns, rows, strict=True)]


def test_no_walkable_tile_is_cut_off_from_the_main_land_and_all_portals(terrain: Terrain) -> None:
    assert stray_tiles(terrain) == []


def test_only_the_ferry_island_lies_off_the_main_land(terrain: Terrain, finder: PathFinder) -> None:
    anchors = {(int(r["x"]), int(r["y"])) for r in csv.DictReader(data_text("anchors.csv").splitlines())}
    assert anchors - set(mainland_anchors(terrain, finder)) == {(17, 194)}


def test_ways_between_anchors_are_at_most_three_tenths_longer_than_the_distance(
    terrain: Terrain, finder: PathFinder
) -> None:
    anchors = mainland_anchors(terrain, finder)
    assert list(detours(terrain, anchors, anchors[::45])) == []


def test_portals_are_linked_pairs_that_lead_beside_the_other_mouth(terrain: Terrain) -> None:
    import msgspec
    import yaml

    portals = msgspec.convert(yaml.safe_load(data_text("portals.yaml")), list[Portal])
    by_id = {portal.id: portal for portal in portals}
    assert len(by_id) == len(portals) >= 8
    for portal in portals:
        other = by_id[portal.to]
        assert other.to == portal.id
        assert abs(portal.to_x - other.x) + abs(portal.to_y - other.y) == 1
        assert terrain.is_walkable(portal.x, portal.y)
        assert terrain.is_walkable(portal.to_x, portal.to_y)


def test_a_portal_leads_to_land_that_one_cannot_walk_to(finder: PathFinder) -> None:
    import yaml

    for portal in yaml.safe_load(data_text("portals.yaml")):
        assert not finder.connected(portal["x"], portal["y"], portal["to_x"], portal["to_y"]), portal["id"]


def test_open_sea_lies_beyond_the_eastern_coast(terrain: Terrain) -> None:
    assert terrain.ground_at(1050, 400) == "deep water"
    assert terrain.is_walkable(900, 400)
    assert any(terrain.ground_at(x, 400) == "sand" for x in range(900, 1050))


def test_walkable_kinds_exclude_water_cliffs_thickets_walls_and_lava() -> None:
    blocked = {"deep water", "shallow water", "cliff", "thicket", "wall", "lava"}
    assert set(GROUND) - WALKABLE_GROUND == blocked
    assert blocked >= WATER_GROUND


def small() -> Terrain:
    ground = bytes(GROUND_CODE[name] for name in ("grass", "cliff", "shallow water", "road"))
    return Terrain(ground, bytes(4), width=2, height=2)


def test_a_terrain_derives_walkability_from_its_ground() -> None:
    terrain = small()
    assert list(terrain.walkable) == [1, 0, 0, 1]
    assert terrain.ground_at(1, 0) == "cliff"
    assert terrain.is_water(0, 1)
    assert not terrain.is_water(5, 5)
    assert not terrain.is_walkable(-1, 0)


def test_blocking_tiles_leaves_the_original_as_it_was() -> None:
    terrain = small()
    blocked = terrain.with_blocked([(0, 0)])
    assert list(blocked.walkable) == [0, 0, 0, 1]
    assert list(terrain.walkable) == [1, 0, 0, 1]
    assert blocked.ground == terrain.ground


def test_tiles_outside_the_map_are_refused() -> None:
    with pytest.raises(IndexError, match="outside the map"):
        small().ground_at(2, 0)
    with pytest.raises(IndexError, match="outside the map"):
        small().with_blocked([(-1, 0)])


def test_planes_of_the_wrong_size_are_refused() -> None:
    with pytest.raises(ValueError, match="2 x 2 tiles"):
        Terrain(bytes(3), bytes(4), width=2, height=2)


def test_packing_is_undone_by_unpacking(terrain: Terrain) -> None:
    assert unpack_terrain(pack_terrain(terrain.ground, terrain.biome)) == (terrain.ground, terrain.biome)


def test_a_damaged_map_file_is_refused_with_one_clear_line() -> None:
    with pytest.raises(AgentWorldError, match="cannot be unpacked"):
        unpack_terrain(b"no map")
    with pytest.raises(AgentWorldError, match="two planes"):
        unpack_terrain(pack_terrain(bytes(3), bytes(3)))
