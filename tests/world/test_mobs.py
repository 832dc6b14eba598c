"""The shipped mobs: figures that grow with the level, danger that grows away from towns, packs where tasks hunt."""

from __future__ import annotations

from collections import Counter
from statistics import median

import numpy as np
import pytest

from agentworld_env.world import load_world
from agentworld_env.world.catalogue import MobKind
from agentworld_env.world.content import data_path, read_standards
from agentworld_env.world.geometry import manhattan
from agentworld_env.world.place import read_sources

WORLD = load_world()
STANDARDS = read_standards(data_path())
TOWNS = read_sources(data_path()).towns

# Published figures: level, hit points, attack, defence, aggro, reach, temper, seconds of respawn.
PUBLISHED: dict[str, tuple[int, int, int, int, int, int, str, int]] = {
    "rat": (1, 34, 1, 1, 1, 1, "no", 10),
    "goblin": (7, 90, 4, 4, 1, 1, "no", 55),
    "ogre": (18, 150, 9, 9, 1, 1, "yes", 45),
    "cactus": (16, 160, 10, 34, 2, 1, "always", 35),
    "desertscorpion": (24, 124, 16, 16, 1, 1, "yes", 55),
    "goldgolem": (75, 1200, 15, 10, 1, 1, "yes", 35),
    "hobgoblin": (42, 260, 8, 8, 1, 1, "yes", 55),
    "iceknight": (37, 550, 8, 12, 1, 1, "yes", 35),
    "ironogre": (20, 300, 4, 5, 1, 1, "yes", 35),
    "mermaid": (40, 150, 14, 12, 1, 1, "no", 115),
    "scorpion": (80, 2700, 15, 10, 1, 1, "yes", 60),
    "vulture": (16, 100, 1, 5, 1, 1, "yes", 35),
    "wolf": (55, 350, 12, 3, 1, 1, "yes", 35),
    "darkwolf": (118, 850, 45, 33, 1, 1, "yes", 75),
    "ogrelord": (44, 2850, 38, 40, 12, 1, "yes", 90),
    "icerat": (80, 710, 5, 2, 1, 1, "no", 10),
}
OURS = [kind for kind in WORLD.mob_kinds.values() if kind.key not in PUBLISHED]


def to_town(x: int, y: int) -> int:
    return min(manhattan(x, y, a, b) for a, b in TOWNS)


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, with the mean rank for ties."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def test_the_kinds_number_at_least_the_published_144_from_level_1_to_250_and_beyond() -> None:
    levels = [kind.level for kind in WORLD.mob_kinds.values()]
    assert len(levels) >= 144
    assert min(levels) == 1
    assert max(levels) >= 250


@pytest.mark.parametrize("key", PUBLISHED)
def test_published_figures_are_kept_with_seconds_as_rounds_of_ten_rounded_up(key: str) -> None:
    kind = WORLD.mob_kinds[key]
    *figures, seconds = PUBLISHED[key]
    assert [
        kind.level,
        kind.hp,
        kind.attack,
        kind.defence,
        kind.aggro,
        kind.reach,
        kind.temper,
    ] == figures
    assert kind.respawn == -(-seconds // 10)


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.key)
def test_our_figures_keep_to_the_curve_within_the_builds_of_families(kind: MobKind) -> None:
    # Builds lie between 80 and 140 % of the hit points, 70 and 120 % of the attack, 60 and 130 % of the defence;
    # figures are rounded down and at least 1.
    level = kind.level
    assert 80 * (24 + 9 * level) // 100 <= kind.hp <= 140 * (24 + 9 * level) // 100
    assert max(1, 70 * (10 + 3 * level) // 1000) <= kind.attack <= max(1, 120 * (10 + 3 * level) // 1000)
    assert max(1, 60 * (4 + level) // 400) <= kind.defence <= max(1, 130 * (4 + level) // 400)


def test_thrice_the_level_always_means_more_hit_points_and_more_damage() -> None:
    for low in OURS:
        for high in OURS:
            if low.level >= 3 and high.level >= 3 * low.level:
                assert high.hp > low.hp, (low.key, high.key)
                assert high.attack > low.attack, (low.key, high.key)


def test_common_mobs_see_four_tiles_at_most_and_stand_again_within_twelve_rounds() -> None:
    for kind in WORLD.mob_kinds.values():
        assert 1 <= kind.respawn <= 12, kind.key
        assert 1 <= kind.aggro <= (12 if kind.key == "ogrelord" else 4), kind.key


def test_nothing_below_level_8_starts_a_fight() -> None:
    assert [k.key for k in WORLD.mob_kinds.values() if k.level < 8 and k.temper != "no"] == []


def test_every_kind_stands_somewhere_and_leaves_something_behind() -> None:
    standing = Counter(spawn.kind for spawn in WORLD.mob_spawns)
    assert set(standing) == set(WORLD.mob_kinds)
    assert [kind.key for kind in WORLD.mob_kinds.values() if not kind.drops] == []


def test_no_drop_list_names_an_item_twice() -> None:
    for kind in WORLD.mob_kinds.values():
        assert len({drop.item for drop in kind.drops}) == len(kind.drops), kind.key


def test_every_kind_has_a_name_and_a_sentence_of_its_own() -> None:
    kinds = WORLD.mob_kinds.values()
    assert len({kind.name for kind in kinds}) == len(kinds)
    assert len({kind.about for kind in kinds}) == len(kinds)
    assert [kind.key for kind in kinds if not kind.about.endswith((".", "!", "?"))] == []


def test_danger_rises_with_the_distance_from_towns() -> None:
    distance = np.array([to_town(spawn.x, spawn.y) for spawn in WORLD.mob_spawns])
    level = np.array([WORLD.mob_kinds[spawn.kind].level for spawn in WORLD.mob_spawns])
    assert np.corrcoef(ranks(distance), ranks(level))[0, 1] > 0.4
    quarters = np.quantile(distance, [0.25, 0.5, 0.75])
    means = [level[np.digitize(distance, quarters) == quarter].mean() for quarter in range(4)]
    assert means == sorted(means)


def test_a_scattered_mob_keeps_as_many_tiles_from_towns_as_it_has_levels_up_to_160() -> None:
    asked: dict[str, list[tuple[int, int, int]]] = {}
    for demand in STANDARDS.demands:
        asked.setdefault(demand.kind, []).append((demand.x, demand.y, demand.within))
    for spawn in WORLD.mob_spawns:
        level = WORLD.mob_kinds[spawn.kind].level
        if not any(manhattan(spawn.x, spawn.y, x, y) <= far for x, y, far in asked.get(spawn.kind, ())):
            assert min(level, 160) <= to_town(spawn.x, spawn.y) <= 90 + 4 * level, spawn.id


def test_whoever_starts_fights_notices_nobody_on_an_anchor_even_after_stepping_off_its_place() -> None:
    # The seed moves agents and mobs by up to 3 columns and 3 rows each: 12 tiles in the worst case.
    for spawn in WORLD.mob_spawns:
        kind = WORLD.mob_kinds[spawn.kind]
        if kind.temper != "no":
            nearest = min(manhattan(spawn.x, spawn.y, x, y) for x, y in STANDARDS.anchors)
            assert nearest > kind.aggro + 12, spawn.id


@pytest.mark.parametrize(
    ("kind", "x", "y"),
    [
        ("cactus", 205, 620),
        ("desertscorpion", 205, 620),
        ("vulture", 205, 620),
        ("scorpion", 300, 720),
        ("wolf", 405, 400),
        ("goblin", 26, 41),
        ("skeleton", 505, 400),
        ("rat", 50, 50),
        ("ogre", 232, 45),
        ("ogre", 171, 41),
        ("goblin", 53, 66),
        ("hobgoblin", 112, 52),
        ("chicken", 210, 230),
        ("icerat", 460, 167),
        ("goblin", 15, 15),
        ("skeleton", 15, 15),
        ("goblin", 350, 200),
        ("ogre", 160, 15),
        ("skeleton", 192, 610),
    ],
)
def test_a_task_that_hunts_a_kind_finds_six_within_forty_tiles(kind: str, x: int, y: int) -> None:
    near = [spawn for spawn in WORLD.mob_spawns if manhattan(spawn.x, spawn.y, x, y) <= 40]
    assert sum(spawn.kind == kind for spawn in near) >= 6


def test_a_view_holds_a_handful_of_mobs() -> None:
    # Every 23rd tile of every 17th row that can be walked, seen with the published radius of 50 tiles.
    seen = [
        len(WORLD.mob_homes_near(x, y, 50))
        for y in range(0, WORLD.height, 17)
        for x in range(0, WORLD.width, 23)
        if WORLD.is_walkable(x, y)
    ]
    assert 2 <= median(seen) <= 8
    assert 900 <= len(WORLD.mob_spawns) <= 1500
