from __future__ import annotations

import pytest
from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge
from agentworld_env.sim import events as ev


def test_damage_to_a_mob_that_was_after_a_mate_leads_to_the_mates_next_contributing_action() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    blow = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    stage.sleep("miner")
    ore = stage.harvest("miner", "ore", 1, 0)
    again = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore, again).edges == (Edge(blow, ore, "protection"),)


def test_a_blow_without_damage_protects_nobody() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    stage.strike("guard", "wolf-0001", 0, guarded="miner")
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_fight_of_ones_own_protects_nobody() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    stage.strike("guard", "wolf-0001", 3)
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_protecting_one_who_contributes_no_more_is_useless() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    ore = stage.harvest("miner", "ore", 1, 0)
    stage.strike("guard", "wolf-0001", 3, guarded="miner")
    stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_guard_of_a_guard_contributes() -> None:
    stage = Stage(a=(0, 0), b=(1, 0), miner=(2, 0))
    first = stage.strike("a", "wolf-0001", 3, guarded="b")
    second = stage.strike("b", "wolf-0002", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 2, 0)
    assert stage.trace(ore).contributing == (first, second, ore)


def test_what_armed_the_guard_contributes_too() -> None:
    stage = Stage(guard=(0, 0), smith=(0, 1), miner=(1, 0))
    stage.own("smith", "sword", 1)
    gift = stage.give("smith", "guard", "sword")
    put_on = stage.equip("guard", "sword")
    blow = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (gift, put_on, blow, ore)


@pytest.mark.parametrize("blows", [1, 2, 10])
def test_of_many_blows_that_only_held_a_mob_off_one_counts(blows: int) -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    first = stage.strike("guard", "wolf-0001", 1, guarded="miner")
    for _ in range(blows - 1):
        stage.world()
        stage.strike("guard", "wolf-0001", 1, guarded="miner")
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (first, ore)


def test_a_mob_that_is_held_off_time_and_again_is_worth_a_blow_for_each_contributing_action() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    chain = []
    for _ in range(3):
        chain.append(stage.strike("guard", "wolf-0001", 1, guarded="miner"))
        chain.append(stage.harvest("miner", "ore", 1, 0))
        stage.world()
    assert stage.trace(*chain[1::2]).contributing == tuple(chain)


def test_of_a_mob_that_was_killed_every_blow_since_it_was_whole_counts() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    first = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    second = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    last = stage.strike("guard", "wolf-0001", 3, guarded="miner", kills=(first, second))
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).edges == (
        Edge(first, last, "damage"),
        Edge(second, last, "damage"),
        Edge(last, ore, "protection"),
    )


def test_blows_protect_no_more_once_the_mob_has_regained_everything() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    stage.strike("guard", "wolf-0001", 3, guarded="miner")
    stage.world(ev.Regained(-1, 1, (), "wolf-0001"))
    again = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (again, ore)


def test_a_guard_against_a_mob_that_the_mate_drew_for_nothing_does_not_count() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    stage.strike("miner", "wolf-0001", 1)
    stage.strike("guard", "wolf-0001", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 1, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_guard_against_a_mob_that_a_needed_walk_drew_counts() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    walk = stage.noticed("miner", 101, 0, "wolf-0001")
    blow = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 160, 0)
    assert stage.trace(ore).contributing == (walk, blow, ore)


def test_a_useless_blow_at_a_mob_that_a_needed_walk_drew_before_changes_nothing() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    walk = stage.noticed("miner", 101, 0, "wolf-0001")
    stage.strike("miner", "wolf-0001", 1)
    blow = stage.strike("guard", "wolf-0001", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 160, 0)
    assert stage.trace(ore).contributing == (walk, blow, ore)


def test_what_drew_a_mob_before_it_was_whole_again_drew_it_no_more() -> None:
    stage = Stage(guard=(0, 0), miner=(1, 0))
    walk = stage.noticed("miner", 101, 0, "wolf-0001")
    stage.world(ev.Regained(-1, 1, (), "wolf-0001"))
    stage.strike("miner", "wolf-0001", 1)
    stage.strike("guard", "wolf-0001", 3, guarded="miner")
    ore = stage.harvest("miner", "ore", 160, 0)
    assert stage.trace(ore).contributing == (walk, ore)
