from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.worlds import agent, do, end_round, start

from agentworld_env.sim import RULES, Simulation
from agentworld_env.sim.growth import experience_for, grown
from agentworld_env.sim.rules import combat_level, max_hp, max_mana, max_strike, mob_max_strike
from agentworld_env.world.catalogue import COMBAT_SKILLS


def busy() -> Simulation:
    """Returns a simulation in which something has happened to every part of the state."""
    sim = start(
        agent("a", skills={"lumberjacking": 1}, worn=("axe",), bag={"apple": 2}),
        agent("b", 400, 399, bag={"apple": 1}),
        agent("c", 130, 129, bag={"logs": 2}),
    )
    do(sim, "a", "harvest_resource", target="oak-0001")
    do(sim, "b", "attack_entity", target="reaper-0001")
    do(sim, "c", "transfer_items", to="warden", item="logs", count=2)
    do(sim, "a", "chat", message="hello")
    return sim


def test_a_copy_shares_nothing_that_changes() -> None:
    sim = busy()
    twin = sim.state.copy()
    before = twin.digest()
    assert before == sim.state_hash()
    sim.state.agents[0].bag["fang"] = ((0, 0, 1),)
    sim.state.agents[0].worn.clear()
    sim.state.agents[0].xp["mining"] = 4
    sim.state.nodes[1] = 9
    sim.state.ground.clear()
    sim.state.sites["warden"]["herb"] = 1
    for mob in sim.state.mobs.values():
        mob.hp = 1
    sim.state.events.clear()
    assert twin.digest() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda state: setattr(state, "round", 9),
        lambda state: setattr(state.agents[0], "x", 1),
        lambda state: setattr(state.agents[0], "hp", 1),
        lambda state: setattr(state.agents[0], "mana", 1),
        lambda state: setattr(state.agents[0], "asleep", 1),
        lambda state: setattr(state.agents[0], "heard", 0),
        lambda state: state.agents[0].bag.clear(),
        lambda state: state.agents[0].worn.clear(),
        lambda state: state.agents[0].xp.clear(),
        lambda state: state.nodes.clear(),
        lambda state: state.ground.clear(),
        lambda state: state.sites.clear(),
        lambda state: state.mobs.clear(),
        lambda state: setattr(state.agents[0], "last", None),
        lambda state: state.said.clear(),
    ],
)
def test_every_part_of_the_state_enters_its_hash(change: object) -> None:
    sim = busy()
    before = sim.state_hash()
    change(sim.state)  # type: ignore[operator]
    assert sim.state_hash() != before


def test_a_snapshot_stays_as_it_was_while_the_episode_goes_on() -> None:
    sim = busy()
    aside, then = sim.snapshot(), sim.state_hash()
    end_round(sim, 3)
    do(sim, "a", "chat", message="later")
    assert sim.state_hash() != then
    for snapshot in (aside, copy.deepcopy(aside), pickle.loads(pickle.dumps(aside))):
        sim.restore(snapshot)
        assert sim.state_hash() == then


def test_a_restored_past_does_not_reach_into_the_future_it_came_from() -> None:
    sim = busy()
    aside = sim.snapshot()
    do(sim, "a", "chat", message="first")
    first = sim.snapshot()
    sim.restore(aside)
    do(sim, "a", "chat", message="second")
    sim.restore(first)
    assert sim.state.events[sim.state.said[-1]].text == "first"  # type: ignore[attr-defined]


def test_restoring_another_seeds_snapshot_brings_its_mobs_homes_along() -> None:
    one = start(agent("a"), rules=RULES, seed=1)
    two = start(agent("a"), rules=RULES, seed=2)
    homes = [one.home(number) for number in range(3)]
    for number in range(3):
        two.home(number)
    two.restore(one.snapshot())
    assert [two.home(number) for number in range(3)] == homes


def test_published_figures() -> None:
    assert max_hp(25) == 789
    assert max_mana(10) == 260
    # 1.25 x (15 + 40) + 5 = 73.75; 2.5 x 9 = 22.5.
    assert max_strike(15, 40) == 73
    assert mob_max_strike(9) == 22
    assert combat_level({"strength": 5, "health": 3, "mining": 90}, COMBAT_SKILLS) == 7


def test_levels_begin_at_the_published_experience() -> None:
    # 300 x 2^(1/7) = 331.2, so level 2 begins at floor(332.2) / 4 = 83; level 3 adds floor(2 + 365.7) / 4 = 91.
    assert [experience_for(level) for level in (1, 2, 3)] == [0, 83, 174]


@given(st.integers(1, 120), st.integers(0, 10**7))
def test_growth_never_loses_a_level_and_reaches_the_next_exactly_at_its_experience(
    level: int, xp: int
) -> None:
    assert grown(level, xp) >= level
    assert grown(level, xp) >= grown(level, xp // 2)
    missing = experience_for(level + 1) - experience_for(level)
    assert (grown(level, missing - 1), grown(level, missing)) == (level, level + 1)


def test_the_seed_depletes_about_a_tenth_of_the_nodes_for_at_most_three_rounds() -> None:
    waits = []
    for seed in range(400):
        sim = start(agent("a"), rules=RULES, seed=seed)
        waits += [sim.node_ready(number) - 1 for number in range(4)]
    assert set(waits) <= {0, 1, 2, 3}
    # 160 of 1,600 are expected; five standard deviations are 60.
    assert 100 < sum(wait > 0 for wait in waits) < 220
