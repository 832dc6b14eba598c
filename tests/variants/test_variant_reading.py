"""What a reader of a variant is told is whole, in order, and in good English."""

from __future__ import annotations

import re

import pytest
from tests.variants.conftest import Drafts

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s
from agentworld_env.variants.edit import groups, units, with_role
from agentworld_env.variants.text import worded
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import article, called, mobs, noun, people
from agentworld_env.variants.text.order import in_order
from agentworld_env.variants.text.title import LONGEST
from agentworld_env.world import World


def reworded(name: str, world: World) -> s.TaskSpec:
    """A main task in the words of the renderer."""
    spec = get_task(name).spec
    found = worded(spec, spec, world)
    assert found is not None
    return found


def all_texts(spec: s.TaskSpec) -> str:
    notes = " ".join(f"{role.about} {role.guide.notes}" for role in spec.team.values())
    return f"{spec.title} {spec.objective} {notes}"


def test_parts_are_named_before_what_is_made_of_them(world: World) -> None:
    objective = reworded("t06_heavy_sword", world).objective
    steps = [objective.index(words) for words in ("ine 3 iron ore", "smelt 3 iron bars", "1 heavy sword")]
    assert steps == sorted(steps)


def test_no_draft_names_a_product_before_its_only_part(drafts: Drafts, world: World) -> None:
    for source, spec, _ in drafts:
        facts = Facts(spec, source.spec, world)
        order = in_order(facts)
        assert sorted(p.label for p in order) == sorted(p.label for p in spec.checkpoints)
        for i, point in enumerate(order):
            if point.kind != "crafted" or len(units(point)) > 1:
                continue
            (product,) = units(point)
            late = {
                k for p in order[i + 1 :] if p.kind == "gathered" and len(units(p)) == 1 for k in units(p)
            }
            assert not late & facts.needs.chain(product), (spec.id, point.label)


def test_shares_in_the_kills_of_one_kind_are_said_at_once(world: World) -> None:
    objective = reworded("t35_combat_training", world).objective
    assert objective.startswith(
        "Kill 4 goblins, at least 1 of them with the tank, 1 of them with the dps and 1 of them with the ranger "
        "taking part; "
    )
    objective = reworded("t28_dark_forest_cleansing", world).objective
    assert "the light bringer and the shadow hunter each taking part" in objective
    assert objective.lower().count("kill the dark wolf") == 1


def test_the_team_rule_of_bosses_is_explained_once(world: World) -> None:
    objective = reworded("t30_legendary_boss_hunt", world).objective
    assert objective == (
        "Kill the Mermaid (it takes 2 of you striking in every round), the Ice Knight (3 of you) and the Dark Wolf "
        "(2 of you). Nobody may die."
    )


def test_each_thing_has_its_own_verb(world: World) -> None:
    objective = reworded("t62_weaponsmith_consortium", world).objective
    assert "forge 30 gold bars; smelt 18 iron bars" in objective
    assert "make 1 golden bow and 1 wooden bow" in objective


def test_what_is_worn_where_it_is_made_is_one_clause(world: World) -> None:
    objective = reworded("t01_magic_staff", world).objective
    assert "have the wizard make 1 magic staff (staff) and put it on" in objective


def test_the_objective_tells_when_raiders_come(world: World) -> None:
    assert "Goblin scouts come in round 6 and round 7." in reworded("t19_farm_defense", world).objective
    notes = reworded("t19_farm_defense", world).team["farm_guardian"].guide.notes
    assert "In round 7, 1 goblin scout comes from " in notes


def test_who_must_hand_something_over_is_told_though_the_receiver_could_get_it_too(world: World) -> None:
    # The support has an axe in its bag, and must be handed logs all the same.
    spec = reworded("t33_resource_collection", world)
    assert "Hand the logs to support." in spec.team["lumberjack"].guide.notes
    assert "You get the logs from lumberjack." in spec.team["support"].guide.notes


def test_only_who_is_named_for_a_material_is_told_to_gather_it(world: World) -> None:
    spec = reworded("t08_bronze_alloy", world)
    assert spec.team["copper_miner"].about == "You mine copper ore."
    assert spec.team["copper_miner"].guide.nodes == ("copperrock",)


def test_a_part_that_must_be_handed_over_is_made_by_somebody_else(world: World) -> None:
    # The enhancer could make the plain staff itself, but must be handed it.
    spec = reworded("t11_lightning_staff", world)
    assert spec.team["magic_enhancer"].about.startswith("You make lightning staffs.")
    assert "Hand the magic staff to magic_enhancer." in spec.team["staff_crafter"].guide.notes


def test_hunters_are_told_what_to_take_from_which_creatures(world: World) -> None:
    role = reworded("t65_cooking_guild", world).team["hunter"]
    assert role.about.startswith("You take the raw chickens.")
    assert re.match(
        r"2 raw chickens must be taken from chickens; the nearest live around \(\d+, \d+\)\.",
        role.guide.notes,
    )


def test_as_many_are_told_of_a_boss_as_it_takes(drafts: Drafts, world: World) -> None:
    bosses = 0
    for _, spec, _ in drafts:
        for point in spec.checkpoints:
            spawn = world.named_spawns.get(getattr(point, "mob", ""))
            if spawn is not None:
                told = [n for n, role in spec.team.items() if f"Kill the {spawn.name}" in role.guide.notes]
                assert len(told) >= spawn.team, (spec.id, spawn.id)
                assert all("no trade" not in spec.team[name].about for name in told)
                bosses += 1
    assert bosses > 10


def test_no_text_tells_where_a_hidden_site_stands(drafts: Drafts, world: World) -> None:
    hidden = [(get_task("t26_desert_caravan").spec, reworded("t26_desert_caravan", world))]
    hidden += [(spec, spec) for _, spec, _ in drafts]
    seen = 0
    for _, spec in hidden:
        for point in spec.checkpoints:
            if point.kind == "discovered" and point.target in spec.sites:
                x, y = spec.sites[point.target].at
                assert not re.search(rf"\b{x}, ?{y}\b", all_texts(spec)), (spec.id, point.target)
                seen += 1
    assert seen > 3


def test_a_group_is_second_only_to_a_first(drafts: Drafts) -> None:
    for source, spec, _ in drafts:
        for group in groups(spec):
            if group.startswith("second_") and group not in groups(source.spec):
                assert group.removeprefix("second_") in groups(spec), (spec.id, group)


def test_numbers_are_for_several_of_a_trade(drafts: Drafts) -> None:
    for source, spec, _ in drafts:
        new = [name for name in spec.team if name not in source.spec.team]
        for name in new:
            stem = name.rstrip("0123456789")
            if name != stem:
                alike = [n for n in (*spec.team, *source.spec.team) if n.rstrip("0123456789") == stem]
                assert len(set(alike)) > 1, (spec.id, name)


def test_titles_say_what_a_task_is_about_and_are_no_main_task_s(drafts: Drafts, world: World) -> None:
    main = {info.title for info in list_tasks("main")}
    for _, spec, _ in drafts:
        assert spec.title not in main
        assert spec.title[0].isupper()
        assert not re.search(r"\d|_|: |\(|\ba [AEIOU]|  ", spec.title), spec.title
        assert len(spec.title) <= LONGEST
        kills = [point.mob for point in spec.checkpoints if point.kind == "killed"]
        names = [world.named_spawns[mob].name for mob in kills if mob in world.named_spawns]
        assert all(name in spec.title for name in names), spec.title
        assert bool(re.search(r"\bHunt\b", spec.title)) >= bool(kills and not names)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("t01_magic_staff", "A Magic Staff for the Wizard"),
        ("t35_combat_training", "Goblin Hunt and a Meeting near Mudwich"),
        ("t44_messenger_run", "A Load of Logs and Coal for the Coordinator; a Secret Meeting"),
        ("t76_elemental_bosses", "The Fall of the Ice Guardian, the Iron Ogre and the Water Guardian"),
    ],
)
def test_titles_of_main_tasks_in_the_renderer_s_words(name: str, title: str, world: World) -> None:
    assert reworded(name, world).title == title


def test_a_member_with_nothing_but_rations_is_not_said_to_hold_what_the_team_needs(world: World) -> None:
    # Everybody has flasks and apples; the mountaineers are to find who needs six of each.
    spec = reworded("t73_biome_expedition", world)
    assert all("flask" not in role.about for role in spec.team.values())
    bringing = [n for n, role in spec.team.items() if "apples to the Stranded Prospector" in role.guide.notes]
    assert bringing
    assert all(spec.team[name].group == "mountaineers" for name in bringing)


def test_how_much_of_a_bag_is_needed_is_said_where_it_is_not_all(world: World) -> None:
    spec = get_task("t01_magic_staff").spec
    rich = with_role(spec, "wizard", inventory={**spec.team["wizard"].inventory, "bead": 3})
    found = worded(rich, spec, world)
    assert found is not None
    assert "You start with 3 magic beads (bead) (1 is needed) for the team." in found.team["wizard"].about


def test_a_keeper_is_told_what_it_is_to_get(drafts: Drafts) -> None:
    keepers = [
        spec.team["keeper"] for _, spec, names in drafts if "add_role" in names and "keeper" in spec.team
    ]
    assert keepers
    assert all(re.search(r"You are to get|You start with", role.about) for role in keepers)


def test_labels_say_whether_all_or_any_must_come(world: World) -> None:
    labels = [point.label for point in reworded("t85_ice_convoy", world).checkpoints]
    assert any(re.search(r"reached by (the ice|ice)", label) for label in labels)
    assert not any("one of" in label for label in labels if "reached" in label)


@pytest.mark.parametrize(
    ("text", "with_article"),
    [("opal ring", "an opal ring"), ("axe", "an axe"), ("bronze bell", "a bronze bell")],
)
def test_articles(text: str, with_article: str) -> None:
    assert article(text) == with_article


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wizard", "the wizard"),
        ("tool_smith", "the tool smith"),
        ("light_bringer", "the light bringer"),
        ("miner1", "miner1"),
        ("crafter_gold", "crafter_gold"),
    ],
)
def test_roles_with_names_of_somebody_have_an_article(name: str, said: str) -> None:
    assert called(name) == said


def test_plurals_of_names_of_several_words(world: World) -> None:
    assert noun("trident", 2, world) == "tridents of the seas"
    assert mobs("goblinscout", 2, world) == "2 goblin scouts"


def test_nearly_everybody_is_said_by_who_is_left_out() -> None:
    team = [f"tank{n}" for n in range(1, 7)] + ["crafter"]
    assert people(team[:6], {}, team, call=called) == "all of you but the crafter"
    assert people(team[:2], {}, team, "or") == "tank1 or tank2"
