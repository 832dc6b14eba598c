"""A variant of an author's has to ask for something: no bag that is merely added, but tools that let others gather."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.variants.author import examined
from agentworld_env.variants.edit import with_role, with_stock
from agentworld_env.variants.edits import EditError, Edits
from agentworld_env.variants.holdings import Holdings
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.novelty import asks_nothing_new
from agentworld_env.variants.text.names import renamed

IDS = [info.id for info in list_tasks("main")]
SAME = "it asks for the same as the given task"

# In each, another role starts with enough of the part, and whoever hands it over in the source still can.
REDUNDANT = [
    ("t84_tunnel_expedition", {"miner3": {"logs": 20}}, 5),
    ("t10_cooking_stew", {"container_crafter": {"mushroom2": 20}}, 5),
    ("t71_supply_network", {"ironminer2": {"string": 1}}, 5),
    ("t74_guild_equipment", {"jeweler": {"string": 20}}, 1_000_005),
    ("t03_silver_ring", {"smith": {"coal": 5}}, 2_000_005),
    ("t91_royal_tournament", {"fighter2": {"goldring": 5}}, 2_000_005),
    # One of three who hand a ring over each could now hand over all.
    ("t91_royal_tournament", {"support1": {"goldring": 3}}, 5),
]


@pytest.mark.parametrize(("name", "bags", "seed"), REDUNDANT)
def test_a_bag_added_where_others_suffice_is_no_variant(
    name: str, bags: dict[str, dict[str, int]], seed: int
) -> None:
    with pytest.raises(EditError, match=SAME):
        examined(get_task(name), Edits(bags=bags), seed)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_adding_to_bags_of_those_who_lack_nothing_of_it_never_asks_for_anything_new(
    data: st.DataObject,
) -> None:
    task = get_task(data.draw(st.sampled_from(IDS)))
    supplies = Holdings(Needs(task.spec, task.world)).supplies
    spec = task.spec
    for item, supply in supplies.items():
        thing = task.world.items[item]
        # Neither made, so that a bag could spare the making, nor something that lets its holder do more.
        others = sorted(set(task.team) - supply.lacking)
        if supply.made or thing.tool is not None or thing.kind == "ammunition" or not others:
            continue
        for name in data.draw(st.sets(st.sampled_from(others))):
            more = data.draw(st.integers(1, 200))
            spec = with_stock(spec, name, item, spec.team[name].inventory.get(item, 0) + more)
    assert asks_nothing_new(spec, task.spec, task.world)


@pytest.mark.parametrize("name", IDS)
def test_a_task_under_other_names_asks_for_nothing_new(name: str) -> None:
    task = get_task(name)
    other = renamed(task.spec, {role: f"other{number}" for number, role in enumerate(task.team)})
    assert asks_nothing_new(other, task.spec, task.world)


def test_to_take_the_choice_away_asks_for_something_new_and_to_give_it_does_not() -> None:
    task = get_task("t03_silver_ring")
    both = with_stock(task.spec, "smith", "coal", 2)
    assert asks_nothing_new(both, task.spec, task.world)
    assert not asks_nothing_new(with_stock(both, "miner", "coal", 0), both, task.world)
    # One each: neither could hand over the two that are needed, as the miner can in the task.
    halves = with_stock(with_stock(task.spec, "smith", "coal", 1), "miner", "coal", 1)
    assert not asks_nothing_new(halves, task.spec, task.world)


def test_to_need_none_of_it_made_asks_for_something_new_however_many_have_it() -> None:
    # Ten shafts are used and no checkpoint counts them.
    task = get_task("t31_woodworking_production")
    plenty = with_stock(with_stock(task.spec, "lumberjack", "stick", 10), "coordinator", "stick", 10)
    assert not asks_nothing_new(plenty, task.spec, task.world)


def test_more_of_a_part_to_hand_over_is_a_matter_of_quantity() -> None:
    # Whoever holds it holds as much more as is needed, and another one besides.
    task = get_task("t03_silver_ring")
    edits = Edits(
        counts={"Iron bars smelted": 4, "Iron bars handed to the smith": 4, "Iron ore mined": 4},
        bags={"miner": {"coal": 4}, "smith": {"coal": 9}},
    )
    with pytest.raises(EditError, match=SAME):
        examined(task, edits, 5)


@pytest.mark.parametrize(
    ("name", "bags", "seed"),
    [
        # The support could cut logs and cannot any more.
        ("t33_resource_collection", {"support": {"axe": 0}}, 5),
        # The smelter can mine, and had nothing to do it with.
        ("t03_silver_ring", {"smelter": {"pickaxe": 1}}, 1_000_005),
    ],
)
def test_a_tool_in_a_bag_that_changes_who_can_gather_makes_another_task(
    name: str, bags: dict[str, dict[str, int]], seed: int
) -> None:
    assert examined(get_task(name), Edits(bags=bags), seed).certificate.ok


def test_a_tool_that_has_to_be_handed_over_first_is_not_called_the_same() -> None:
    source = get_task("t21_mining_expedition")
    edits = Edits(bags={"ore_prospector": {"pickaxe": 0}, "master_smith": {"pickaxe": 1}})
    # No plan hands tools on, so that it cannot be certified; that is what its author is told.
    with pytest.raises(EditError, match="holds the pickaxe but lacks the skill"):
        examined(source, edits, 5)


@pytest.mark.parametrize(
    ("name", "role", "tool"),
    [
        ("t03_silver_ring", "miner", "pickaxe"),  # wears one
        ("t03_silver_ring", "smith", "pickaxe"),  # cannot mine; the miner has its own
        ("t03_silver_ring", "smelter", "axe"),  # nothing is to be cut
    ],
)
def test_a_tool_that_lets_nobody_gather_anything_more_is_idle(name: str, role: str, tool: str) -> None:
    task = get_task(name)
    assert asks_nothing_new(with_stock(task.spec, role, tool, 1), task.spec, task.world)


def test_who_can_hand_over_a_tool_counts_where_it_must_be_handed_over() -> None:
    task = get_task("t21_mining_expedition")
    without = with_stock(task.spec, "ore_prospector", "pickaxe", 0)
    without = with_role(without, "master_smith", skills={"smelting": 25, "smithing": 50, "health": 40})
    smith = with_stock(without, "master_smith", "pickaxe", 1)
    miner = with_stock(without, "fuel_gatherer", "pickaxe", 1)
    either = with_stock(smith, "fuel_gatherer", "pickaxe", 1)
    assert not asks_nothing_new(smith, miner, task.world)
    assert not asks_nothing_new(miner, smith, task.world)
    assert not asks_nothing_new(smith, either, task.world)
    assert asks_nothing_new(either, smith, task.world)


def test_arrows_in_the_bag_of_an_archer_let_it_shoot_and_so_make_another_task() -> None:
    shooting = [
        (task, name)
        for task in map(get_task, IDS)
        for name, role in task.spec.team.items()
        if "arrow" in role.inventory and any(task.world.items[key].ammunition == "arrow" for key in role.worn)
    ]
    assert shooting
    for task, name in shooting:
        fights = any(point.kind == "killed" for point in task.spec.checkpoints)
        fewer = with_stock(task.spec, name, "arrow", 1)
        assert asks_nothing_new(fewer, task.spec, task.world)
        if fights:
            assert not asks_nothing_new(with_stock(task.spec, name, "arrow", 0), task.spec, task.world)
