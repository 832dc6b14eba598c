"""Guides: true by construction, compact, and different from role to role."""

from __future__ import annotations

import re

import pytest

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks.load import load_text

ROLES = [(info.id, role) for info in list_tasks("main") for role in get_task(info.id).team]


@pytest.mark.parametrize(("task_id", "role"), ROLES)
def test_a_guide_names_all_it_is_to_name_and_only_what_exists(task_id: str, role: str) -> None:
    task = get_task(task_id)
    world = task.world
    text = task.guide(role)
    guide = task.spec.team[role].guide
    for key in (*guide.recipes, *guide.nodes, *guide.mobs, *guide.places, *guide.sites):
        assert re.search(rf"\b{re.escape(key)}\b", text), key
    # Words of a note that end in a digit or hold an underscore can only be ids.
    known = {*task.team, *world.items, *task.spec.spawns, *task.spec.sites}
    tools = {
        "transfer_items",
        "equip_item",
        "use_item",
        "move_character",
        "craft_item",
        "harvest_resource",
        "attack_entity",
    }
    for word in re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[0-9]\b", text):
        assert word in known | tools, word


@pytest.mark.parametrize(("task_id", "role"), ROLES)
def test_a_guide_is_compact(task_id: str, role: str) -> None:
    # Four characters are about one token.
    assert 80 < len(get_task(task_id).guide(role)) < 1900


@pytest.mark.parametrize("task_id", [info.id for info in list_tasks("main")])
def test_no_guide_tells_everything_that_the_guides_of_a_task_tell(task_id: str) -> None:
    guides = [role.guide for role in get_task(task_id).spec.team.values()]
    told = [{*g.recipes, *g.nodes, *g.mobs, *g.places, *g.sites, g.notes} for g in guides]
    assert all(facts < set().union(*told) for facts in told)


def test_a_recipe_shows_skill_level_inputs_output_and_exact_arguments() -> None:
    line = '- Shaft: fletching 1; 1 logs -> 4 stick; {"skill": "fletching", "item": "stick", "count": 1}'
    assert line in get_task("t01_magic_staff").guide("woodworker")


def test_a_resource_shows_yield_skill_level_tool_and_respawn() -> None:
    line = "- ironrock (rock) gives ironore: mining 10, pickaxe worn; gives again after 3 rounds"
    assert line in get_task("t86_forge_vanguard").guide("miner1")


def test_a_named_boss_shows_its_place_and_its_team_rule() -> None:
    text = get_task("t76_elemental_bosses").guide("ice_leader")
    assert "- ice-guardian-1 (Ice Guardian): level 35, " in text
    assert (
        "stands at (259, 151); regains everything after any round in which fewer than 2 different agents"
        in text
    )


def test_a_site_shows_where_it_is_and_what_it_takes() -> None:
    line = "- fortress (The Fortress) at (350, 250) takes 6 logs, 6 ironore, 4 coal"
    assert line in get_task("t93_fortress_construction").guide("support2")


def test_notes_are_text_and_never_a_template(good: str) -> None:
    text = good.replace("places: [oak-grove]", "notes: 'Sum {{ 7 * 7 }} {% if x %}'")
    assert "Notes: Sum {{ 7 * 7 }} {% if x %}" in load_text(text.encode(), "mine.yaml").guide("logger")


def test_a_kind_that_comes_in_waves_is_said_to_attack_first(good: str) -> None:
    told = good.replace("nodes: [oak]", "nodes: [oak]\n      mobs: [goblinscout]", 1)
    raided = told + "waves:\n  - {mob: goblinscout, at: [388, 10], appears: 3}\n"
    assert "never attacks first" in load_text(told.encode(), "mine.yaml").guide("logger")
    assert "never attacks first" not in load_text(raided.encode(), "mine.yaml").guide("logger")
