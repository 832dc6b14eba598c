"""Placement: the land stays whole, demands are met, and the same sources give the same world."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.errors import AgentWorldError
from agentworld_env.world import load_world
from agentworld_env.world.board import GROVE, Board, diamond, distances
from agentworld_env.world.catalogue import MobKind, NodeKind, Temper
from agentworld_env.world.components import label_components
from agentworld_env.world.content import Demand, Habitat, Standards, data_path
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.load import CATALOGUE_FILE
from agentworld_env.world.place import FAMILY_TOTALS, Sources, place, read_sources, write
from agentworld_env.world.terrain import BIOME_CODE, GROUND_CODE, Terrain, load_terrain


def labels_of(walkable: bytes) -> np.ndarray:
    return label_components(np.frombuffer(walkable, dtype=np.uint8).reshape(HEIGHT, WIDTH) == 1)


def meadow(lake: bool = True) -> Terrain:
    """A bare meadow with a lake in its middle."""
    ground = np.full((HEIGHT, WIDTH), GROUND_CODE["grass"], dtype=np.uint8)
    if lake:
        ground[200:600, 300:800] = GROUND_CODE["shallow water"]
    biome = bytes([BIOME_CODE["wilderness"]]) * (WIDTH * HEIGHT)
    return Terrain(ground.tobytes(), biome)


def node_kind(key: str, family: str) -> NodeKind:
    return NodeKind(
        key=key, name=key, family=family, gives="x", skill="mining", tool=None, level=1, xp=1, respawn=1
    )


KINDS = tuple(node_kind(f"a{family}", family) for family in FAMILY_TOTALS)
WOLF = MobKind(
    key="awolf", name="w", level=9, hp=9, attack=1, defence=1, aggro=1, reach=1, temper="yes", respawn=1
)


def sources(demands: tuple[Demand, ...], anchors: tuple[tuple[int, int], ...] = ((100, 100),)) -> Sources:
    homes = tuple(Habitat(kind=kind.key, biomes=("wilderness",), share=1) for kind in KINDS)
    homes += (Habitat(kind="awolf", biomes=("wilderness",), count=3),)
    standards = Standards(economy=(), habitats=homes, demands=demands, anchors=anchors, lairs=())
    return Sources(node_kinds=KINDS, mob_kinds=(WOLF,), standards=standards, towns=((100, 100),))


def test_trees_and_rocks_never_cut_the_land_in_two() -> None:
    bare, full = labels_of(load_terrain().walkable), labels_of(load_world().walkable)
    for piece in np.unique(bare[bare > 0]):
        left = full[(bare == piece) & (full > 0)]
        assert len(np.unique(left)) <= 1, f"the piece of land {piece} falls apart"


def test_the_shipped_nodes_and_mobs_are_what_placement_gives_on_the_shipped_terrain() -> None:
    nodes, mobs = place(load_terrain(), read_sources(data_path()))
    assert nodes == load_world().nodes
    assert mobs == load_world().mob_spawns


def test_writing_leaves_tables_and_compiled_catalogue_in_step(tmp_path: Path) -> None:
    shipped = data_path()
    for source in shipped.iterdir():
        if source.suffix in (".yaml", ".csv"):
            (tmp_path / source.name).write_bytes(source.read_bytes())
    for name in ("nodes.csv", "mobs.csv"):
        (tmp_path / name).unlink()
    write(tmp_path)
    for name in ("nodes.csv", "mobs.csv", CATALOGUE_FILE):
        assert (tmp_path / name).read_bytes() == (shipped / name).read_bytes()


def test_ids_count_up_per_kind_from_one_by_row_and_column() -> None:
    by_kind: dict[str, list[tuple[str, int, int]]] = {}
    for node in load_world().nodes:
        by_kind.setdefault(node.kind, []).append((node.id, node.y, node.x))
    for kind, rows in by_kind.items():
        assert [row[0] for row in rows] == [f"{kind}-{i:04d}" for i in range(1, len(rows) + 1)]
        assert [row[1:] for row in rows] == sorted(row[1:] for row in rows)


def test_a_demand_is_met_where_it_asks_and_totals_stay_exact() -> None:
    demand = Demand(kind="arock", x=100, y=100, count=8, within=30, note="")
    nodes, mobs = place(meadow(), sources((demand,)))
    near = [n for n in nodes if n.kind == "arock" and abs(n.x - 100) + abs(n.y - 100) <= 30]
    assert len(near) >= 8
    for kind in KINDS:
        assert sum(n.kind == kind.key for n in nodes) == FAMILY_TOTALS[kind.family]
    assert len(mobs) == 3


def test_two_demands_for_one_spot_share_their_nodes() -> None:
    once = place(meadow(), sources((Demand(kind="arock", x=100, y=100, count=8, within=30, note=""),)))[0]
    twice = place(
        meadow(),
        sources(tuple(Demand(kind="arock", x=100, y=100, count=8, within=30, note=note) for note in "ab")),
    )[0]
    assert once == twice


def test_a_demand_that_the_land_cannot_meet_is_refused_with_its_place() -> None:
    demand = Demand(kind="afish", x=100, y=100, count=2, within=30, note="")
    with pytest.raises(AgentWorldError, match=r"demands\.csv, afish at \(100, 100\).*room for 0.*expected 2"):
        place(meadow(), sources((demand,)))


def test_a_total_that_the_land_cannot_hold_is_refused() -> None:
    with pytest.raises(AgentWorldError, match=r"habitats\.yaml, entry 'afish'.*room for 0; expected 106"):
        place(meadow(lake=False), sources(()))


def test_demands_beyond_a_familys_total_are_refused() -> None:
    demand = Demand(kind="arock", x=100, y=100, count=384, within=120, note="")
    with pytest.raises(AgentWorldError, match="asks for 384 nodes of family rock; at most 383"):
        place(meadow(), sources((demand,)))


def test_nothing_is_placed_near_an_anchor_and_nothing_aggressive_within_twelve_tiles() -> None:
    demand = Demand(kind="awolf", x=100, y=100, count=6, within=20, note="")
    nodes, mobs = place(
        meadow(), sources((demand, Demand(kind="atree", x=100, y=100, count=9, within=12, note="")))
    )
    assert min(max(abs(n.x - 100), abs(n.y - 100)) for n in nodes) > 4
    assert min(abs(m.x - 100) + abs(m.y - 100) for m in mobs) >= 12


def test_an_unknown_kind_in_a_demand_is_refused(tmp_path: Path) -> None:
    folder = data_path()
    for source in folder.iterdir():
        if source.suffix in (".yaml", ".csv"):
            (tmp_path / source.name).write_bytes(source.read_bytes())
    with (tmp_path / "demands.csv").open("a") as file:
        file.write("oaks,1,1,1,1,somebody\n")
    with pytest.raises(AgentWorldError, match=r"demands\.csv.*unknown 'oaks'; expected oak"):
        read_sources(tmp_path)


def mob(level: int, temper: Temper, aggro: int = 1) -> MobKind:
    return msgspec.structs.replace(WOLF, level=level, temper=temper, aggro=aggro)


BOARD = Board(meadow(), ((100, 100),), ((100, 100),))


@pytest.mark.parametrize(("level", "near", "far"), [(1, 1, 94), (40, 40, 250), (250, 160, 1090)])
def test_a_mob_is_scattered_no_nearer_to_towns_than_its_level_and_no_farther_than_its_range(
    level: int, near: int, far: int
) -> None:
    remote = BOARD.remote[BOARD.range_of(mob(level, "no"))]
    # Gentle mobs keep only the clearance of 4 rows and columns from the anchor in the town.
    assert remote.min() == max(near, 5)
    assert remote.max() <= far


@pytest.mark.parametrize(("level", "away"), [(7, 14), (24, 15), (100, 24), (250, 30)])
def test_a_mob_that_starts_fights_keeps_farther_from_roads_and_anchors_the_higher_its_level(
    level: int, away: int
) -> None:
    # The town lies far enough from the anchor that only the anchor limits the near side.
    town = (100, 100 + min(level, 160) + 40)
    board = Board(meadow(), ((100, 100),), (town,))
    assert board.away[board.range_of(mob(level, "yes"))].min() == away


def test_a_mob_that_starts_fights_keeps_thirteen_tiles_beyond_its_sight() -> None:
    assert BOARD.away[BOARD.ground_for(mob(9, "yes", aggro=12))].min() == 25
    assert BOARD.away[BOARD.ground_for(mob(9, "yes", aggro=1))].min() == 14


@pytest.mark.parametrize(("level", "pack"), [(39, 4), (40, 2), (119, 2), (120, 1)])
def test_weak_mobs_stand_in_packs_and_strong_ones_alone(level: int, pack: int) -> None:
    scene = sources(())
    scene = msgspec.structs.replace(
        scene,
        mob_kinds=(mob(level, "no"),),
        standards=msgspec.structs.replace(
            scene.standards,
            habitats=(
                *scene.standards.habitats[:-1],
                Habitat(kind="awolf", biomes=("wilderness",), count=12),
            ),
        ),
    )
    groves = Counter((spawn.x // GROVE, spawn.y // GROVE) for spawn in place(meadow(), scene)[1])
    # The corners of a grove that lie on the border of its range may hold less than a whole pack.
    assert max(groves.values()) == pack
    assert sum(groves.values()) == 12


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 8)), max_size=4),
)
def test_distances_are_manhattan_distances_to_the_nearest_of_the_set(points: list[tuple[int, int]]) -> None:
    mask = np.zeros((9, 12), dtype=bool)
    for x, y in points:
        mask[y, x] = True
    found = distances(mask)
    for y in range(9):
        for x in range(12):
            nearest = min((abs(x - a) + abs(y - b) for a, b in points), default=9 + 12)
            assert found[y, x] == nearest


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 8)), min_size=1, max_size=4), st.integers(0, 6))
def test_diamond_holds_exactly_the_tiles_within_the_manhattan_distance(
    points: list[tuple[int, int]], radius: int
) -> None:
    mask = np.zeros((9, 12), dtype=bool)
    for x, y in points:
        mask[y, x] = True
    grown = diamond(mask, radius)
    for y in range(9):
        for x in range(12):
            assert grown[y, x] == (min(abs(x - a) + abs(y - b) for a, b in points) <= radius)
