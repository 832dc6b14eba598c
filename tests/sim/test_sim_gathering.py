from __future__ import annotations

from tests.sim.worlds import agent, do, end_round, full_bag, of_type, start

from agentworld_env.sim.events import Harvested

LOGGER = {"lumberjacking": 1, "foraging": 1}


def test_a_harvest_gives_exactly_one_unit_of_its_own_origin() -> None:
    sim = start(agent("a", skills=LOGGER, worn=("axe",)))
    assert do(sim, "a", "harvest_resource", target="oak-0001").ok
    assert sim.state.agents[0].bag == {"logs": ((0, 0, 1),)}
    assert of_type(sim, Harvested)[0].count == 1


def test_harvesting_walks_up_beside_the_node() -> None:
    sim = start(agent("a", skills=LOGGER, worn=("axe",)))
    do(sim, "a", "harvest_resource", target="oak-0001")
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (104, 100)


def test_a_harvested_node_gives_again_after_its_respawn_rounds_and_not_before() -> None:
    sim = start(agent("a", skills=LOGGER, worn=("axe",)))
    do(sim, "a", "harvest_resource", target="oak-0001")
    end_round(sim, 2)
    assert do(sim, "a", "harvest_resource", target="oak-0001").code == "depleted"
    end_round(sim)
    assert do(sim, "a", "harvest_resource", target="oak-0001").ok


def test_an_unlisted_gathering_skill_is_zero() -> None:
    sim = start(agent("a", worn=("axe",)))
    assert do(sim, "a", "harvest_resource", target="oak-0001").code == "skill"


def test_a_level_below_the_nodes_is_refused() -> None:
    sim = start(agent("a", skills={"lumberjacking": 19}, worn=("axe",)))
    assert do(sim, "a", "harvest_resource", target="elm-0001").code == "skill"


def test_experience_raises_no_gate_unless_the_task_lets_it_grow() -> None:
    for growth, code in ((False, "skill"), (True, "")):
        sim = start(agent("a", skills={"lumberjacking": 19}, worn=("axe",)), growth=growth)
        sim.state.agents[0].xp["lumberjacking"] = 10_000
        assert do(sim, "a", "harvest_resource", target="elm-0001").code == code


def test_the_tool_must_be_worn_not_carried() -> None:
    sim = start(agent("a", skills=LOGGER, bag={"axe": 1}))
    assert do(sim, "a", "harvest_resource", target="oak-0001").code == "tool"
    assert do(sim, "a", "equip_item", item="axe").ok
    assert do(sim, "a", "harvest_resource", target="oak-0001").ok
    assert of_type(sim, Harvested)[0].causes == (("equipment", 1),)


def test_plants_need_no_tool() -> None:
    sim = start(agent("a", skills=LOGGER))
    assert do(sim, "a", "harvest_resource", target="bush-0001").ok


def test_a_26th_kind_is_refused_before_anything_is_depleted_or_walked() -> None:
    sim = start(agent("a", skills=LOGGER, bag=full_bag(), worn=("axe",)))
    assert do(sim, "a", "harvest_resource", target="oak-0001").code == "bag_full"
    assert sim.state.nodes == {}
    assert sim.state.agents[0].x == 100


def test_a_full_bag_takes_more_of_a_kind_it_holds() -> None:
    sim = start(agent("a", skills=LOGGER, bag=full_bag("logs"), worn=("axe",)))
    assert do(sim, "a", "harvest_resource", target="oak-0001").ok
    assert sim.state.agents[0].count("logs") == 2


def test_nodes_are_out_of_sight_beyond_64_tiles() -> None:
    far = start(agent("a", 100, 159, skills=LOGGER, worn=("axe",)))
    near = start(agent("a", 100, 158, skills=LOGGER, worn=("axe",)))
    # oak-0001 stands at (105, 100): 5 + 59 = 64 tiles away, and one more.
    assert do(near, "a", "harvest_resource", target="oak-0001").code == ""
    assert do(far, "a", "harvest_resource", target="oak-0001").code == ""
    farther = start(agent("a", 100, 160, skills=LOGGER, worn=("axe",)))
    assert do(farther, "a", "harvest_resource", target="oak-0001").code == "out_of_sight"


def test_of_two_who_want_the_same_node_the_first_in_turn_order_gets_it() -> None:
    sim = start(agent("a", skills=LOGGER, worn=("axe",)), agent("b", skills=LOGGER, worn=("axe",)))
    assert do(sim, "a", "harvest_resource", target="oak-0001").ok
    assert do(sim, "b", "harvest_resource", target="oak-0001").code == "depleted"


def test_a_harvest_states_where_it_had_to_stand() -> None:
    sim = start(agent("a", skills=LOGGER))
    (need,) = do(sim, "a", "harvest_resource", target="bush-0001").needs
    assert (need.agent, need.x, need.y, need.within) == ("a", 100, 103, 64)
