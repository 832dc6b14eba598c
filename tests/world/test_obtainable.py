"""Goods: everything can be had, nothing is a dead end, and nothing new opens a way around the main tasks."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.world.published import RECIPES, ROLE_CEILINGS, TASK_GOODS

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.world.catalogue import SKILLS
from agentworld_env.world.chains import Way, chain, chains, ways
from agentworld_env.world.check_goods import check_goods
from agentworld_env.world.content import Catalogue, data_path, read_catalogue, read_standards
from agentworld_env.world.load import build_world
from agentworld_env.world.terrain import load_terrain

# Read from the sources, so that a faulty source is named here and not hidden behind the compiled file.
CATALOGUE: Catalogue = read_catalogue(data_path())
STANDARDS = read_standards(data_path())
WORLD = build_world(load_terrain(), CATALOGUE)
WAYS = ways(WORLD, STANDARDS.economy)
FIRST = chains(WAYS)
PROTECTED = {key for rule in STANDARDS.economy if rule.standing == "protected" for key in rule.keys}
TOOLS = {item.key for item in WORLD.items.values() if item.tool is not None}
NEW_RECIPES = [recipe for recipe in WORLD.recipes if recipe.item not in RECIPES]


def test_there_are_at_least_380_kinds_of_items() -> None:
    assert len(WORLD.items) >= 380


def test_every_item_has_a_chain_that_starts_from_nothing() -> None:
    assert [key for key in WORLD.items if key not in FIRST] == []


def test_every_step_of_every_chain_follows_the_steps_that_yield_its_inputs() -> None:
    for key in WORLD.items:
        steps = chain(key, FIRST)
        assert steps[-1].startswith(f"{key}: ")
        had: set[str] = set()
        for step in steps:
            item = step.split(":")[0]
            assert FIRST[item].open_to(had), step
            had.add(item)


def test_every_item_can_be_had_by_somebody_who_starts_with_empty_hands() -> None:
    # Worked out by the rules of play, apart from the walk of chains.py.
    have: set[str] = set()
    standing = {node.kind for node in WORLD.nodes}
    roaming = {spawn.kind for spawn in WORLD.mob_spawns}
    for mob in roaming:
        have |= {drop.item for drop in WORLD.mob_kinds[mob].drops}
    for spawn in WORLD.named_spawns.values():
        have |= {drop.item for drop in spawn.drops}
    before = -1
    while len(have) > before:
        before = len(have)
        worn = {WORLD.items[key].tool for key in have} | {None}
        have |= {WORLD.node_kinds[k].gives for k in standing if WORLD.node_kinds[k].tool in worn}
        have |= {recipe.item for recipe in WORLD.recipes if recipe.inputs.keys() <= have}
        have |= {offer.give for npc in WORLD.npcs.values() for offer in npc.offers if offer.take in have}
    assert sorted(WORLD.items.keys() - have) == []


def test_the_first_tools_come_of_bosses_that_no_shipped_task_lists() -> None:
    # A pickaxe wants metal, metal a pickaxe, and an axe wood: somewhere the circles must open, but in no task.
    sources = {
        kind: {
            spawn.id
            for spawn in WORLD.named_spawns.values()
            for drop in spawn.drops
            if drop.always and WORLD.items[drop.item].tool == kind
        }
        for kind in ("axe", "pickaxe", "fishingpole")
    }
    assert sources == {"axe": {"mimic-6"}, "pickaxe": {"baby-sea-dragon-1"}, "fishingpole": {"old-ogre-1"}}
    listed = {spawn for info in list_tasks() for spawn in get_task(info.id).spec.spawns}
    assert listed & {"baby-sea-dragon-1", "mimic-6"} == set()
    mains = {spawn for info in list_tasks("main") for spawn in get_task(info.id).spec.spawns}
    free = {key for rule in STANDARDS.economy if rule.standing == "open" for key in rule.keys}
    assert free & mains == set()


def test_only_what_tasks_reserve_for_a_boss_needs_a_boss() -> None:
    # Wood and metal need the first tools, so that all else is asked for as if those were there.
    given = [Way(item=key, how="harvest", source="the first of all tools") for key in ("axe", "pickaxe")]
    first = chains((*given, *WAYS))
    bosses_only = {key for key, way in first.items() if way.how == "boss"}
    published_spoils = {"trident", "wolfarmor", "icesword", "scimitar", "bluescimitar", "watermelonbow"}
    published_spoils |= {"redguardarmor", "redguardarcherarmor", "sproutring", "greenpendant", "pendant1"}
    # No plant and no common mob gives the pale mushroom, since a task starts with it.
    assert sorted(bosses_only - published_spoils - {"shardt1", "shardt2", "mushroom2"}) == []


def test_no_item_depends_on_a_tasks_own_goods() -> None:
    assert [key for key, way in FIRST.items() if way.how == "start"] == []


def test_nothing_is_a_dead_end_unless_it_is_worn_eaten_shot_or_kept() -> None:
    used = {key for recipe in WORLD.recipes for key in recipe.inputs}
    for npc in WORLD.npcs.values():
        used |= {offer.take for offer in npc.offers} | set(npc.wants)
    for item in WORLD.items.values():
        gear = item.slot is not None
        eaten = item.heal_hp > 0 or item.heal_mana > 0
        kept = item.kind in ("curiosity", "ammunition")
        assert gear or eaten or kept or item.key in used, item.key


@pytest.mark.parametrize("skill", ["crafting", "smithing", "smelting", "fletching", "cooking"])
def test_every_production_skill_never_runs_dry_for_long(skill: str) -> None:
    levels = sorted({recipe.level for recipe in WORLD.recipes if recipe.skill == skill})
    assert levels[0] == 1
    assert levels[-1] >= 70
    # Smelting has one product per metal, and the metals lie further apart.
    gap = 17 if skill == "smelting" else 10
    assert all(after - before <= gap for before, after in pairwise(levels))


def test_levels_to_make_and_to_wear_things_lie_between_1_and_99() -> None:
    assert all(1 <= recipe.level <= 99 for recipe in WORLD.recipes)
    for item in WORLD.items.values():
        assert set(item.needs) <= {*SKILLS, "combat"}
        assert all(1 <= level <= 99 for level in item.needs.values()), item.key


# -- the main tasks stay what they are ---------------------------------------------------------------------------------


def test_everything_that_tasks_collect_make_or_use_up_is_protected() -> None:
    assert sorted(TASK_GOODS - PROTECTED) == []


def test_a_new_recipe_for_what_tasks_count_or_for_a_tool_lies_above_every_roles_level() -> None:
    for recipe in NEW_RECIPES:
        if recipe.item in PROTECTED or recipe.item in TOOLS:
            assert recipe.level > ROLE_CEILINGS[recipe.skill], recipe.item


def test_without_levels_above_every_roles_the_new_recipes_and_merchants_give_nothing_protected() -> None:
    # Everything that nobody protects is handed out at once, as are all published recipes: the most generous case.
    within = [recipe for recipe in NEW_RECIPES if recipe.level <= ROLE_CEILINGS[recipe.skill]]
    assert {recipe.item for recipe in within} & (PROTECTED | TOOLS) == set()
    assert {offer.give for npc in WORLD.npcs.values() for offer in npc.offers} & (PROTECTED | TOOLS) == set()


def test_no_common_mob_drops_what_tasks_count_unless_a_rule_names_it() -> None:
    named = {(key, source) for rule in STANDARDS.economy for key in rule.keys for source in rule.by}
    for way in WAYS:
        if way.how == "drop" and way.item in PROTECTED:
            assert (way.item, way.source) in named, way


def test_published_recipes_use_no_item_that_the_published_set_lacks() -> None:
    # A published product must not come to hang on a chain of our own invention.
    old_ways = {key for inputs in RECIPES.values() for key in inputs[4]}
    new_products = {recipe.item for recipe in NEW_RECIPES}
    gated = {recipe.item for recipe in NEW_RECIPES if recipe.level > ROLE_CEILINGS[recipe.skill]}
    assert old_ways & new_products <= gated


def test_every_gathering_tool_is_protected() -> None:
    assert TOOLS <= PROTECTED


# -- the walk itself ---------------------------------------------------------------------------------------------------


def test_two_things_made_of_each_other_cannot_be_had() -> None:
    circle = (
        Way(item="egg", how="recipe", source="crafting", inputs=("hen",)),
        Way(item="hen", how="recipe", source="crafting", inputs=("egg",)),
    )
    assert chains(circle) == {}


def test_the_common_world_goes_before_a_boss() -> None:
    boss = Way(item="pearl", how="boss", source="kraken-1")
    clam = Way(item="clam", how="harvest", source="clamspot")
    opened = Way(item="pearl", how="recipe", source="cooking", inputs=("clam",), level=3)
    assert chains((boss, clam, opened))["pearl"] == opened
    assert chains((boss, clam))["pearl"] == boss
    assert chain("pearl", chains((boss, clam, opened))) == [
        "clam: harvest (clamspot)",
        "pearl: recipe (cooking) at level 3 from clam",
    ]


WAY = st.builds(
    Way,
    item=st.sampled_from("abcdefgh"),
    how=st.sampled_from(["harvest", "drop", "recipe", "barter", "boss", "start"]),
    source=st.just("somewhere"),
    inputs=st.lists(st.sampled_from("abcdefgh"), max_size=2, unique=True).map(tuple),
    tools=st.lists(st.sampled_from("abcdefgh"), max_size=2, unique=True).map(tuple),
)


@given(st.lists(WAY, max_size=14), WAY)
def test_one_way_more_never_takes_an_item_away(some: list[Way], more: Way) -> None:
    assert chains(some).keys() <= chains([*some, more]).keys()


@given(st.lists(WAY, max_size=14))
def test_what_has_no_chain_lacks_an_input_or_every_tool_on_every_way(some: list[Way]) -> None:
    first = chains(some)
    for way in some:
        lacks_input = any(key not in first for key in way.inputs)
        lacks_tool = bool(way.tools) and not set(way.tools) & first.keys()
        assert way.item in first or lacks_input or lacks_tool


@given(st.lists(WAY, max_size=14))
def test_every_chain_can_be_walked_from_nothing(some: list[Way]) -> None:
    first = chains(some)
    for key in first:
        had: set[str] = set()
        for step in chain(key, first):
            item = step.split(":")[0]
            assert first[item].open_to(had)
            had.add(item)


def test_a_tool_that_is_made_of_what_it_gathers_opens_nothing() -> None:
    ore = Way(item="ore", how="harvest", source="rock", tools=("pick", "goldpick"))
    pick = Way(item="pick", how="recipe", source="smithing", inputs=("ore",), level=5)
    assert chains((ore, pick)) == {}
    found = Way(item="goldpick", how="boss", source="troll-1")
    assert chain("pick", chains((ore, pick, found))) == [
        "goldpick: boss (troll-1)",
        "ore: harvest (rock) wearing goldpick",
        "pick: recipe (smithing) at level 5 from ore",
    ]


def test_a_world_without_a_first_pickaxe_has_no_metal() -> None:
    bare = tuple(way for way in WAYS if (way.item, way.how) != ("pickaxe", "boss"))
    lost = WORLD.items.keys() - chains(bare).keys()
    assert {"pickaxe", "ironore", "coal", "ironbar", "emerald", "goldring"} <= lost


def test_a_dead_end_and_a_missing_source_are_found() -> None:
    pebble = msgspec.structs.replace(WORLD.items["coal"], key="pebble", about="A pebble.")
    changed = msgspec.structs.replace(CATALOGUE, items=(*CATALOGUE.items, pebble))
    faults = list(check_goods(build_world(load_terrain(), changed), STANDARDS))
    assert any("item pebble" in fault and "dead end" in fault for fault in faults)
    assert any("item pebble" in fault and "nothing yields it" in fault for fault in faults)


def test_no_role_of_a_shipped_main_task_passes_the_ceilings() -> None:
    for info in list_tasks("main"):
        for name, role in get_task(info.id).spec.team.items():
            for skill, ceiling in ROLE_CEILINGS.items():
                assert role.skills.get(skill, 0) <= ceiling, (info.id, name, skill)
