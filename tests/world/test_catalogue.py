"""The shipped catalogue keeps the published facts. Expected values are those of the published benchmark."""

from __future__ import annotations

from collections import Counter

import pytest

from agentworld_env.world import load_world

WORLD = load_world()


def test_the_published_totals_of_resource_nodes_hold() -> None:
    have = Counter(kind.family for kind in WORLD.kind_of_node)
    assert have == {"tree": 803, "rock": 383, "fish": 106, "plant": 239}
    assert len(WORLD.nodes) == 1531


def test_every_published_kind_of_node_exists_and_stands_somewhere() -> None:
    have = Counter(kind.family for kind in WORLD.node_kinds.values())
    assert have == {"tree": 8, "rock": 20, "fish": 4, "plant": 5}
    assert {node.kind for node in WORLD.nodes} == set(WORLD.node_kinds)


@pytest.mark.parametrize(
    ("item", "skill", "level", "count", "inputs"),
    [
        ("stick", "fletching", 1, 4, {"logs": 1}),
        ("arrow", "fletching", 1, 10, {"stick": 10, "feather": 10}),
        ("woodenbow", "fletching", 5, 1, {"logs": 1, "string": 1}),
        ("goldenbow", "fletching", 32, 1, {"goldbar": 15, "string": 10, "logs": 2}),
        ("stew2", "cooking", 1, 1, {"bowlmedium": 1, "mushroom2": 1, "corn": 1}),
        ("jellyfishsmoothie", "cooking", 10, 1, {"jellyfish": 1}),
        ("hilt2", "smithing", 1, 1, {"ironbar": 1, "logs": 1}),
        ("sword2", "smithing", 1, 1, {"ironbar": 2, "hilt2": 1}),
        ("axe", "smithing", 3, 1, {"ironbar": 3, "logs": 1}),
        ("pickaxe", "smithing", 5, 1, {"ironbar": 5, "logs": 1}),
        ("goldbar", "smithing", 1, 1, {"goldnugget": 1}),
        ("silverring", "smithing", 1, 1, {"ironbar": 2}),
        ("ironbar", "smelting", 20, 1, {"ironore": 1, "coal": 1}),
        ("staff", "crafting", 1, 1, {"stick": 5, "bead": 1}),
        ("icestaff", "crafting", 55, 1, {"staff": 1, "icebead": 1}),
    ],
)
def test_recipes_keep_the_published_quantities_and_levels(
    item: str, skill: str, level: int, count: int, inputs: dict[str, int]
) -> None:
    recipe = WORLD.recipe_of[item]
    assert (recipe.skill, recipe.level, recipe.count, recipe.inputs) == (skill, level, count, inputs)


def test_gold_has_one_key_and_one_recipe_without_coal() -> None:
    assert "goldore" not in WORLD.items
    assert [r.inputs for r in WORLD.recipes if r.item == "goldbar"] == [{"goldnugget": 1}]
    assert WORLD.node_kinds["goldrock"].gives == "goldnugget"


@pytest.mark.parametrize(
    ("kind", "level", "rounds"),
    [("oak", 1, 3), ("citrinerock", 50, 10), ("rubyrock", 62, 28), ("amethystrock", 65, 30)],
)
def test_seconds_of_respawn_become_rounds_of_ten_seconds_rounded_up(
    kind: str, level: int, rounds: int
) -> None:
    # published: 30 s, 98 s, 276 s, 300 s
    assert (WORLD.node_kinds[kind].level, WORLD.node_kinds[kind].respawn) == (level, rounds)


@pytest.mark.parametrize(
    ("kind", "level", "hp", "attack", "defence", "respawn"),
    [
        ("rat", 1, 34, 1, 1, 1),
        ("goblin", 7, 90, 4, 4, 6),
        ("wolf", 55, 350, 12, 3, 4),
        ("icerat", 80, 710, 5, 2, 1),
    ],
)
def test_common_mobs_keep_the_published_figures(
    kind: str, level: int, hp: int, attack: int, defence: int, respawn: int
) -> None:
    mob = WORLD.mob_kinds[kind]
    assert (mob.level, mob.hp, mob.attack, mob.defence, mob.respawn) == (level, hp, attack, defence, respawn)


@pytest.mark.parametrize(
    ("spawn", "level", "x", "y"),
    [
        ("ancient-wizard-1", 10, 163, 339),
        ("ice-guardian-1", 35, 259, 151),
        ("ice-guardian-2", 35, 260, 156),
        ("iron-ogre-1", 25, 238, 48),
        ("water-guardian-1", 36, 197, 633),
        ("ice-knight-1", 62, 712, 717),
        ("mermaid-1", 55, 580, 755),
        ("mimic-5", 84, 855, 611),
    ],
)
def test_named_bosses_keep_the_published_level_and_place(spawn: str, level: int, x: int, y: int) -> None:
    boss = WORLD.named_spawns[spawn]
    assert (boss.level, boss.x, boss.y) == (level, x, y)


def test_no_boss_falls_to_one_agent_in_one_round_but_three_fighters_fell_it_in_a_few() -> None:
    # A strike does 0 to 5 (bonus + strength) // 4 + 5; a turn has ten exchanges.
    heavy_sword = WORLD.items["sword2"].attack
    three_in_a_round = 3 * 10 * ((5 * (heavy_sword + 40)) // 4 + 5) / 2
    strong_and_armed = 10 * ((5 * (heavy_sword + 85)) // 4 + 5)
    for boss in WORLD.named_spawns.values():
        assert boss.hp <= 3 * three_in_a_round, boss.id
        # What ten strikes of a heavy sword in the strongest hands that any task sends against it can do.
        most = strong_and_armed if "ogre" in boss.id else 10 * ((5 * (heavy_sword + 55)) // 4 + 5)
        if boss.id not in ("mimic-1", "vulture-1"):
            assert boss.hp > most, boss.id


def test_three_agents_of_health_45_outlast_a_boss_for_three_rounds() -> None:
    # Hit points are 39 + 30 x health; a boss strikes once per exchange, for 5 attack // 2 at most.
    for boss in WORLD.named_spawns.values():
        taken = 3 * 10 * (5 * boss.attack // 2) / 2
        assert taken < 39 + 30 * 45, boss.id


def test_named_bosses_number_the_published_22_and_the_golems_second_ground() -> None:
    assert len(WORLD.named_spawns) == 22 + 1
    assert (WORLD.named_spawns["golden-golem-2"].x, WORLD.named_spawns["golden-golem-2"].y) == (548, 232)


@pytest.mark.parametrize(
    "key",
    [
        "mudwich",
        "north-mine",
        "mountain-mine",
        "western-forest",
        "iron-field",
        "aynor-woods",
        "wizard-cave",
        "oak-grove",
    ],
)
def test_places_have_the_keys_that_guides_use(key: str) -> None:
    place = WORLD.places[key]
    assert WORLD.is_walkable(place.x, place.y)
    assert WORLD.place_at(place.x, place.y) is not None
