from __future__ import annotations

from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge
from agentworld_env.sim.events import Mention


def test_no_message_counts_by_the_default_method() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    stage.say("scout", Mention("tile", "100,0"))
    walk = stage.move("miner", 100, 0)
    ore = stage.harvest("miner", "ore", 150, 0)
    assert stage.trace(ore).contributing == (walk, ore)


def test_a_message_counts_if_a_walk_led_to_the_tile_it_named() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    word = stage.say("scout", Mention("tile", "100,0"))
    walk = stage.move("miner", 100, 0)
    ore = stage.harvest("miner", "ore", 150, 0)
    trace = stage.trace(ore, method="events+chat")
    assert trace.contributing == (word, walk, ore)
    assert Edge(word, walk, "information") in trace.edges


def test_a_message_about_what_the_reader_saw_itself_does_not_count() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    stage.move("miner", 50, 0)
    stage.say("scout", Mention("entity", "ore-0001"))
    ore = stage.harvest("miner", "ore", 100, 0)  # 50 tiles off when it was named
    contributing = stage.trace(ore, method="events+chat").contributing
    assert all(stage.lines[number].call["tool"] != "chat" for number in contributing)


def test_a_message_about_what_was_out_of_sight_counts() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    word = stage.say("scout", Mention("entity", "ore-0001"))
    walk = stage.move("miner", 50, 0)
    ore = stage.harvest("miner", "ore", 100, 0)
    assert stage.trace(ore, method="events+chat").contributing == (word, walk, ore)


def test_only_the_first_message_that_says_so_counts() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    word = stage.say("smith", Mention("item", "ore"))
    stage.say("smith", Mention("item", "ore"))
    gift = stage.give("miner", "smith", "ore")
    assert stage.trace(gift, method="events+chat").contributing == (word, gift)


def test_who_said_a_thing_first_is_not_informed_by_its_echo() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    stage.say("miner", Mention("item", "ore"))
    stage.say("smith", Mention("item", "ore"))
    gift = stage.give("miner", "smith", "ore")
    assert stage.trace(gift, method="events+chat").contributing == (gift,)


def test_a_message_that_came_after_the_act_does_not_count() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    gift = stage.give("miner", "smith", "ore")
    stage.say("smith", Mention("item", "ore"))
    assert stage.trace(gift, method="events+chat").contributing == (gift,)


def test_a_quantity_alone_informs_nobody() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    stage.say("smith", Mention("quantity", "1"))
    gift = stage.give("miner", "smith", "ore")
    assert stage.trace(gift, method="events+chat").contributing == (gift,)
