from __future__ import annotations

from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge


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
