"""The shipped catalogue keeps the published facts. Expected values are those of the published benchmark."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from tests.world.published import HEALS, NAMED_ITEMS, NEEDS, RECIPES

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


@pytest.mark.parametrize("item", sorted(RECIPES))
def test_every_published_recipe_keeps_its_figures(item: str) -> None:
    recipe = WORLD.recipe_of[item]
    assert (recipe.skill, recipe.level, recipe.count, recipe.xp, recipe.inputs) == RECIPES[item]


def test_the_47_published_recipes_are_46_since_gold_has_one() -> None:
    assert len(RECIPES) == 46


def test_every_item_that_the_published_set_names_exists() -> None:
    assert len(NAMED_ITEMS) == 111
    assert sorted(NAMED_ITEMS - WORLD.items.keys()) == []


def test_published_food_and_flasks_restore_what_they_did() -> None:
    have = {key: (WORLD.items[key].heal_hp, WORLD.items[key].heal_mana) for key in HEALS}
    assert have == HEALS


def test_published_gear_needs_what_it_did() -> None:
    assert {key: WORLD.items[key].needs for key in NEEDS} == NEEDS


METALS = ("copper", "bronze", "iron", "steel", "nisoc", "pythar", "ibo", "moonrock")
FAMILIES = [
    *(
        [metal + form for metal in METALS]
        for form in ("dagger", "sword", "spear", "mace", "battleaxe", "mail", "boots")
    ),
    [metal + "plate" for metal in METALS if metal != "steel"],
    [
        "palmbow",
        "iceoakbow",
        "pinebow",
        "icepalmbow",
        "willowbow",
        "hornbow",
        "bloodwoodbow",
        "antlerbow",
        "seabow",
    ],
    ["seabow", "moonrockbow", "dragonbow"],
    ["palmstaff", "iceoakstaff", "pinestaff", "willowstaff", "bloodwoodstaff"],
    [
        "waterstaff",
        "windstaff",
        "stonestaff",
        "shadowstaff",
        "lightstaff",
        "bloodstaff",
        "sunstaff",
        "moonstaff",
    ],
    ["furcoat", "hardleatherarmor", "snakeskinarmor", "shellarmor", "lizardarmor", "bearcoat", "wolfcoat"],
    ["wolfcoat", "ogrehidearmor", "snowcoat", "chitinarmor", "seascalearmor", "dragonarmor"],
    ["woolrobe", "linenrobe", "scarletrobe", "silkrobe", "shadowrobe", "starrobe"],
    ["linenslippers", "silkslippers", "starslippers"],
    ["lapisring", "amethystring"],
    ["copperring", "coralring", "amberring", "pearlring", "moonrockring", "dragonring"],
    ["lapispendant", "amethystpendant", "moonpendant"],
    ["iboaxe", "moonrockaxe"],
    ["ibopickaxe", "moonrockpickaxe"],
]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family[0]}-{family[-1]}")
def test_the_better_of_a_family_is_harder_to_wear_and_to_make(family: list[str]) -> None:
    for worse, better in pairwise(family):
        a, b = WORLD.items[worse], WORLD.items[better]
        assert b.attack + b.defence > a.attack + a.defence, better
        assert a.needs.keys() == b.needs.keys() or not a.needs, better
        assert max(b.needs.values()) > max(a.needs.values(), default=0), better
        assert WORLD.recipe_of[better].level > WORLD.recipe_of[worse].level, better


@pytest.mark.parametrize("metal", METALS[:-1])
def test_a_metal_is_worked_below_the_level_of_the_next(metal: str) -> None:
    following = METALS[METALS.index(metal) + 1]
    assert WORLD.recipe_of[metal + "bar"].level <= WORLD.recipe_of[following + "bar"].level
    assert WORLD.recipe_of[metal + "dagger"].level < WORLD.recipe_of[following + "dagger"].level


def test_cooking_never_makes_less_of_the_best_that_goes_in() -> None:
    for recipe in WORLD.recipes:
        product = WORLD.items[recipe.item]
        if not (product.heal_hp or product.heal_mana):
            continue
        parts = [WORLD.items[key] for key in recipe.inputs]
        if product.heal_hp:
            assert product.heal_hp > max(part.heal_hp for part in parts), recipe.item
        if any(part.heal_mana for part in parts):
            assert product.heal_mana > max(part.heal_mana for part in parts), recipe.item


def test_what_a_better_cook_makes_of_a_hearty_dish_restores_more() -> None:
    dishes = ["bread", "applepie", "meatpie", "seafoodplatter", "huntersfeast", "dragonchilli", "moonpudding"]
    made = [(WORLD.recipe_of[key].level, WORLD.items[key].heal_hp) for key in dishes]
    assert made == sorted(made)


def test_whoever_can_make_a_bow_can_nearly_make_its_arrows() -> None:
    for item in WORLD.items.values():
        if item.ammunition is not None and item.key in WORLD.recipe_of:
            assert WORLD.items[item.ammunition].kind == "ammunition"
            assert WORLD.recipe_of[item.ammunition].level <= WORLD.recipe_of[item.key].level + 5, item.key


def test_each_family_of_items_is_well_filled() -> None:
    have = Counter(item.kind for item in WORLD.items.values())
    least = {
        "tool": 12,
        "weapon": 60,
        "armour": 50,
        "jewellery": 40,
        "food": 50,
        "potion": 20,
        "ammunition": 8,
    }
    least |= {"ore": 10, "bar": 10, "wood": 7, "gem": 15, "part": 50, "curiosity": 40}
    assert {kind: have[kind] for kind, count in least.items() if have[kind] < count} == {}


def test_no_two_items_are_described_alike_and_each_in_one_sentence() -> None:
    abouts = [item.about for item in WORLD.items.values()]
    assert len(set(abouts)) == len(abouts)
    for about in abouts:
        assert about[0].isupper(), about
        assert about[-1] in ".!?", about
        assert about.count(". ") == 0, about


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


def hit_chance(attack: int, defence: int) -> float:
    """0.6 at equal ratings, 0.008 a point, between 0.2 and 0.95."""
    return min(max(0.6 + 0.008 * (attack - defence), 0.2), 0.95)


def test_no_boss_falls_to_one_agent_in_one_round() -> None:
    # A strike does at most 5 (bonus + strength) // 4 + 5; a turn has ten exchanges. No published strength exceeds 85.
    most = 10 * ((5 * (WORLD.items["sword2"].attack + 85)) // 4 + 5)
    for boss in WORLD.named_spawns.values():
        assert boss.hp > most, boss.id


def test_just_enough_typical_fighters_need_between_two_and_eight_rounds() -> None:
    # Strength 42 and accuracy 38 with a heavy sword; damage is uniform from 0 to the greatest strike.
    greatest = (5 * (WORLD.items["sword2"].attack + 42)) // 4 + 5
    for boss in WORLD.named_spawns.values():
        a_turn = 10 * hit_chance(38, boss.defence) * greatest / 2
        assert 2 <= boss.hp / (boss.team * a_turn) <= 8, boss.id


def test_a_typical_fighter_outlasts_a_boss_for_three_turns_without_eating() -> None:
    # Health 46 gives 39 + 30 x 46 hit points; a boss strikes once per exchange, for 5 attack // 2 at most.
    worn = WORLD.items["platearmor"].defence + WORLD.items["leatherboots"].defence
    for boss in WORLD.named_spawns.values():
        a_turn = 10 * hit_chance(boss.attack, 38 + worn) * (5 * boss.attack // 2) / 2
        assert 3 * a_turn < 39 + 30 * 46, boss.id


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
