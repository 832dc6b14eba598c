from __future__ import annotations

import pytest
from tests.sim.worlds import agent, do, full_bag, of_type, start

from agentworld_env.sim.events import Consumed, Crafted, Equipped, Unequipped

FLETCHER = {"fletching": 15}


def test_a_craft_uses_up_its_materials_and_gives_its_count() -> None:
    sim = start(agent("a", skills=FLETCHER, bag={"logs": 3}))
    assert do(sim, "a", "craft_item", skill="fletching", item="stick", count=1).ok
    assert {key: sim.state.agents[0].count(key) for key in sim.state.agents[0].bag} == {"logs": 2, "stick": 4}


@pytest.mark.parametrize("times", [1, 5, 10])
def test_crafts_come_one_five_or_ten_at_a_time(times: int) -> None:
    sim = start(agent("a", skills=FLETCHER, bag={"logs": 10}))
    assert do(sim, "a", "craft_item", skill="fletching", item="stick", count=times).ok
    assert sim.state.agents[0].count("stick") == 4 * times
    assert of_type(sim, Crafted)[0].xp == 3 * times


def test_one_unit_short_crafts_nothing_at_all() -> None:
    sim = start(agent("a", skills=FLETCHER, bag={"logs": 4}))
    result = do(sim, "a", "craft_item", skill="fletching", item="stick", count=5)
    assert (result.code, "1 logs" in result.reason) == ("materials", True)
    assert sim.state.agents[0].count("logs") == 4


def test_an_unlisted_production_skill_cannot_be_used() -> None:
    sim = start(agent("a", skills={"lumberjacking": 50}, bag={"logs": 4}))
    assert do(sim, "a", "craft_item", skill="fletching", item="stick").code == "skill"


def test_a_recipe_names_its_own_skill_and_level() -> None:
    sim = start(agent("a", skills={"fletching": 14, "cooking": 9}, bag={"stick": 2, "fang": 1}))
    assert do(sim, "a", "craft_item", skill="cooking", item="arrow").code == "wrong_skill"
    assert do(sim, "a", "craft_item", skill="fletching", item="arrow").code == "skill"
    assert do(sim, "a", "craft_item", skill="fletching", item="apple").code == "unknown_recipe"


def test_materials_are_taken_first_in_first_out_and_named_as_causes() -> None:
    sim = start(agent("a", skills={**FLETCHER, "lumberjacking": 1}, worn=("axe",), bag={"logs": 1}))
    do(sim, "a", "harvest_resource", target="oak-0001")
    do(sim, "a", "craft_item", skill="fletching", item="stick")
    do(sim, "a", "craft_item", skill="fletching", item="stick")
    first, second = of_type(sim, Crafted)
    assert first.inputs == (("logs", ((-1, -1, 1),)),)
    assert first.causes == ()
    assert second.inputs == (("logs", ((0, 0, 1),)),)
    assert second.causes == (("material", 0),)


def test_a_full_bag_crafts_only_if_materials_free_a_slot() -> None:
    crowded = start(agent("a", skills=FLETCHER, bag={**full_bag("logs"), "logs": 2}))
    assert do(crowded, "a", "craft_item", skill="fletching", item="stick").code == "bag_full"
    freed = start(agent("a", skills=FLETCHER, bag=full_bag("logs")))
    assert do(freed, "a", "craft_item", skill="fletching", item="stick").ok


def test_putting_on_swaps_and_taking_off_works_by_naming_what_is_worn() -> None:
    sim = start(agent("a", bag={"sword": 1}, worn=("axe",)))
    assert do(sim, "a", "equip_item", item="sword").ok
    assert set(sim.state.agents[0].bag) == {"axe"}
    assert sim.state.agents[0].worn["weapon"][0] == "sword"
    assert do(sim, "a", "equip_item", item="sword").ok
    assert sim.state.agents[0].worn == {}
    assert set(sim.state.agents[0].bag) == {"axe", "sword"}
    assert [event.item for event in of_type(sim, Equipped)] == ["sword"]
    assert [event.item for event in of_type(sim, Unequipped)] == ["axe", "sword"]


def test_requirements_are_checked() -> None:
    sim = start(agent("a", skills={"strength": 8}, bag={"club": 1, "crownring": 1, "apple": 1}))
    assert do(sim, "a", "equip_item", item="club").code == "requirement"
    assert do(sim, "a", "equip_item", item="crownring").code == "requirement"
    assert do(sim, "a", "equip_item", item="apple").code == "not_wearable"
    assert do(sim, "a", "equip_item", item="bow").code == "not_carried"


def test_combat_level_is_what_combat_skills_add_up_to() -> None:
    # 1 + (16 - 1) + (15 - 1) = 30, as the ring asks.
    sim = start(agent("a", skills={"strength": 16, "health": 15}, bag={"crownring": 1}))
    assert do(sim, "a", "equip_item", item="crownring").ok


def test_swapping_into_a_full_bag_needs_the_slot_that_the_new_piece_leaves() -> None:
    freed = start(agent("a", bag=full_bag("sword"), worn=("axe",)))
    assert do(freed, "a", "equip_item", item="sword").ok
    crowded = start(agent("a", bag={**full_bag("sword"), "sword": 2}, worn=("axe",)))
    assert do(crowded, "a", "equip_item", item="sword").code == "bag_full"
    assert crowded.state.agents[0].worn["weapon"][0] == "axe"


def test_eating_restores_no_more_than_the_maximum_and_uses_up_one_unit() -> None:
    sim = start(agent("a", bag={"apple": 2}))
    sim.state.agents[0].hp = 50
    assert do(sim, "a", "use_item", item="apple").ok
    # 39 + 30 hit points at level 1.
    assert sim.state.agents[0].hp == 69
    assert of_type(sim, Consumed)[0].hp == 19
    assert sim.state.agents[0].count("apple") == 1


def test_eating_at_full_health_is_refused_and_costs_nothing() -> None:
    sim = start(agent("a", bag={"apple": 2, "logs": 1}))
    assert do(sim, "a", "use_item", item="apple").code == "no_need"
    assert do(sim, "a", "use_item", item="logs").code == "not_usable"
    assert do(sim, "a", "use_item", item="flask").code == "not_carried"
    assert sim.state.agents[0].count("apple") == 2
