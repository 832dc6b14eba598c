from __future__ import annotations

from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge
from agentworld_env.sim import events as ev
from agentworld_env.sim.rules import max_mana

# A fire staff costs 4 mana an exchange, a mana potion restores up to 60; magic 5 gives 140.
COST = 4
MAGIC = 5


def _stage() -> Stage:
    stage = Stage(mage=(0, 0), brewer=(1, 0))
    stage.team["mage"]["skills"] = {"magic": MAGIC}
    stage.team["mage"]["worn"] = ["firestaff"]
    stage.own("brewer", "manapotion", 3)
    return stage


def _cast(stage: Stage, exchanges: int, kills: tuple[int, ...] | None = None) -> int:
    number = stage.next
    events: list[ev.Event] = [ev.Struck(number, stage.round, (), "mage", "ogre-0001", exchanges, 9, 0, "")]
    if kills is not None:
        causes = tuple(("damage", blow) for blow in kills)
        events.append(ev.Killed(number, stage.round, causes, "ogre-0001", "ogre", "mage", (("mage", 9),)))
    cast = stage.turn("mage", "attack_entity", *events)
    stage.world()
    return cast


def _drink(stage: Stage, gain: int = 60) -> int:
    stage.bags["mage"].pop("manapotion", None)
    event = ev.Consumed(stage.next, stage.round, (), "mage", "manapotion", 1, 0, gain)
    return stage.turn("mage", "use_item", event, item="manapotion")


def test_a_drink_counts_with_its_giver_if_the_staff_could_not_have_struck_without_it() -> None:
    stage = _stage()
    blows = [_cast(stage, 10) for _ in range(3)]  # 120 of 140 mana
    gift = stage.give("brewer", "mage", "manapotion")
    drink = _drink(stage)
    kill = _cast(stage, 10, kills=tuple(blows))
    trace = stage.trace(kill)
    assert trace.contributing == (*blows, gift, drink, kill)
    assert Edge(drink, kill, "sustenance") in trace.edges


def test_a_drink_without_which_there_was_mana_enough_does_not_count() -> None:
    stage = _stage()
    assert max_mana(MAGIC) >= 3 * 10 * COST
    blows = [_cast(stage, 10)]
    stage.give("brewer", "mage", "manapotion")
    _drink(stage, 40)
    kill = _cast(stage, 10, kills=tuple(blows))
    assert stage.trace(kill).contributing == (*blows, kill)


def test_a_drink_for_a_blow_that_led_nowhere_does_not_count() -> None:
    stage = _stage()
    for _ in range(3):
        _cast(stage, 10)
    stage.give("brewer", "mage", "manapotion")
    _drink(stage)
    _cast(stage, 10)
    ore = stage.harvest("mage", "ore", 0, 0, tool=False)
    assert stage.trace(ore).contributing == (ore,)


def test_of_two_drinks_of_which_one_was_enough_one_counts() -> None:
    stage = _stage()
    blows = [_cast(stage, 10) for _ in range(3)]
    stage.give("brewer", "mage", "manapotion", 2)
    first = _drink(stage)
    second = _drink(stage)
    kill = _cast(stage, 10, kills=tuple(blows))
    contributing = stage.trace(kill).contributing
    assert first in contributing
    assert second not in contributing


def test_a_drink_that_rest_would_have_made_up_for_does_not_count() -> None:
    stage = _stage()
    blows = [_cast(stage, 10) for _ in range(3)]
    stage.give("brewer", "mage", "manapotion")
    _drink(stage)
    for _ in range(40):  # quiet rounds restore at least one point each
        stage.sleep("mage")
        stage.world()
    kill = _cast(stage, 10, kills=tuple(blows))
    assert stage.trace(kill).contributing == (*blows, kill)


def test_a_drink_for_mana_that_was_spent_on_a_fight_for_nothing_does_not_count() -> None:
    stage = _stage()
    for _ in range(2):
        number = stage.next
        stage.turn(
            "mage", "attack_entity", ev.Struck(number, stage.round, (), "mage", "rat-0001", 10, 1, 9, "")
        )
        stage.world()
    stage.give("brewer", "mage", "manapotion")
    _drink(stage)
    blows = [_cast(stage, 10) for _ in range(2)]
    kill = _cast(stage, 10, kills=tuple(blows))  # 120 of 140 mana
    assert stage.trace(kill).contributing == (*blows, kill)
