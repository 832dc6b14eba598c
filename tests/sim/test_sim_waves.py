"""Waves: creatures that come at a round, go for the nearest agent, and do not come back."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sim.worlds import SURE, agent, do, end_round, of_type, start

from agentworld_env.sim import Rules, Simulation
from agentworld_env.sim.events import Hurt, Killed
from agentworld_env.sim.setup import Raider

HOME = (500, 500)


def raider(number: int = 1, **fields: object) -> Raider:
    plain = {"id": f"wolf-wave1-{number}", "kind": "wolf", "x": 500, "y": 500, "appears": 3, "seeks": 20}
    return msgspec.convert({**plain, **fields}, Raider)


def stage(
    *tiles: tuple[int, int], raiders: tuple[Raider, ...], rules: Rules = SURE, seed: int = 1
) -> Simulation:
    """Strong agents that stand at some tiles, and what will come for them."""
    team = (agent(f"a{i}", x, y, skills={"health": 90}) for i, (x, y) in enumerate(tiles))
    return start(*team, rules=rules, seed=seed, raiders=raiders)


def number(sim: Simulation, name: str = "wolf-wave1-1") -> int:
    found = sim.mob_number(name)
    assert found is not None
    return found


@given(st.integers(2, 12), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_a_raider_is_absent_until_its_round_and_then_stands_near_its_home(appears: int, seed: int) -> None:
    sim = stage((900, 700), raiders=(raider(appears=appears),), rules=Rules(start_depleted=0), seed=seed)
    for round_ in range(1, appears):
        assert sim.state.round == round_
        assert sim.where(number(sim)) is None
        end_round(sim, 1)
    tile = sim.where(number(sim))
    assert tile is not None
    assert max(abs(tile[0] - HOME[0]), abs(tile[1] - HOME[1])) <= sim.rules.jitter


def test_an_absent_raider_cannot_be_attacked() -> None:
    sim = stage((501, 500), raiders=(raider(),))
    result = do(sim, "a0", "attack_entity", target="wolf-wave1-1")
    assert (result.ok, result.code) == (False, "out_of_sight")


def test_a_raider_leaves_one_round_to_meet_it_and_then_comes_twelve_tiles_a_round() -> None:
    sim = stage((515, 500), raiders=(raider(),))
    end_round(sim, 2)
    assert (sim.state.round, sim.where(number(sim))) == (3, HOME)
    end_round(sim, 1)
    assert sim.where(number(sim)) == (512, 500)
    assert not of_type(sim, Hurt)
    end_round(sim, 1)
    assert sim.where(number(sim)) == (514, 500)
    assert [event.agent for event in of_type(sim, Hurt)] == ["a0"]


def test_a_raider_goes_for_the_nearest_agent_and_of_equals_for_the_first_in_turn_order() -> None:
    sim = stage((500, 515), (490, 500), (510, 500), raiders=(raider(),))
    end_round(sim, 3)
    assert sim.state.mobs[number(sim)].target == 1


def test_a_raider_that_loses_its_prey_takes_the_next_one() -> None:
    sim = stage((505, 500), (512, 500), raiders=(raider(),))
    end_round(sim, 3)
    assert sim.state.mobs[number(sim)].target == 0
    sim.depart(0, 1)
    end_round(sim, 1)
    assert sim.state.mobs[number(sim)].target == 1


def test_nobody_beyond_a_raiders_reach_is_sought_and_the_last_tile_of_it_is_within() -> None:
    beyond, within = (stage((500 + 20 + far, 500), raiders=(raider(),)) for far in (1, 0))
    end_round(beyond, 6)
    assert beyond.where(number(beyond)) == HOME
    end_round(within, 4)
    assert within.state.mobs[number(within)].target == 0


def test_a_raider_fears_nobody_however_strong() -> None:
    # A wolf has level 10: common ones leave alone whoever has more than level 20; these agents have 90.
    sim = stage((505, 500), raiders=(raider(),))
    assert sim.levels[0] > sim.rules.temper_factor * 10
    end_round(sim, 3)
    assert sim.state.mobs[number(sim)].target == 0


def test_a_raider_follows_as_far_as_it_seeks_beyond_the_leash_of_common_mobs() -> None:
    sim = stage((500 + 44, 500), raiders=(raider(seeks=45),))
    end_round(sim, 7)
    assert sim.rules.leash < 43
    assert sim.where(number(sim)) == (543, 500)


def test_a_fallen_raider_carries_nothing_and_never_comes_back() -> None:
    sim = stage((501, 500), raiders=(raider(kind="rat"),), rules=SURE)
    end_round(sim, 2)
    assert do(sim, "a0", "attack_entity", target="wolf-wave1-1").ok
    assert [event.kind for event in of_type(sim, Killed)] == ["rat"]
    # Common rats drop a fang and stand again after two rounds.
    assert not sim.state.agents[0].bag
    assert not sim.state.ground
    end_round(sim, 300)
    assert sim.where(number(sim)) is None


def test_a_restored_snapshot_brings_the_same_waves_as_the_first_time() -> None:
    sim = stage((515, 500), (505, 503), raiders=(raider(), raider(2, x=507)), rules=Rules())
    end_round(sim, 1)
    kept = sim.snapshot()
    end_round(sim, 6)
    first = sim.state_hash()
    other = stage((515, 500), (505, 503), raiders=(raider(), raider(2, x=507)), rules=Rules())
    other.restore(kept)
    end_round(other, 6)
    assert other.state_hash() == first
    sim.restore(kept)
    end_round(sim, 6)
    assert sim.state_hash() == first


def test_the_hash_tells_a_raider_that_comes_now_from_one_that_comes_later() -> None:
    soon, late = (stage((515, 500), raiders=(raider(appears=r),)) for r in (3, 4))
    assert soon.state_hash() != late.state_hash()
