from __future__ import annotations

from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge


def test_a_meal_counts_if_the_eater_would_have_died_before_it_contributed_again() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.hurt("a", 60, 40)
    meal = stage.eat("a", 50)
    stage.hurt("a", 70, 20)  # 20 left; without the meal 30 too few
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).edges == (Edge(meal, ore, "sustenance"),)


def test_a_meal_that_was_not_needed_to_live_does_not_count() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.hurt("a", 60, 40)
    stage.eat("a", 50)
    stage.hurt("a", 30, 60)  # without the meal 10 would have been left
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_meal_against_a_death_after_the_last_contribution_does_not_count() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.hurt("a", 60, 40)
    stage.eat("a", 50)
    ore = stage.harvest("a", "ore", 0, 0)
    stage.hurt("a", 70, 20)
    stage.sleep("a")
    assert stage.trace(ore).contributing == (ore,)


def test_of_two_meals_of_which_one_was_enough_one_counts() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.hurt("a", 190, 10)
    first = stage.eat("a", 50)
    stage.eat("a", 50)
    stage.hurt("a", 50, 60)  # with one meal 10 left, without any dead
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (first, ore)


def test_one_who_was_never_hurt_needed_no_meal() -> None:
    stage = Stage(a=(0, 0))
    stage.eat("a", 5)
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_who_brought_the_meal_contributes() -> None:
    stage = Stage(cook=(0, 0), a=(1, 0))
    stage.own("cook", "apple", 1)
    gift = stage.give("cook", "a", "apple")
    stage.hurt("a", 60, 40)
    meal = stage.eat("a", 50, causes=(("material", gift),))
    stage.hurt("a", 70, 20)
    ore = stage.harvest("a", "ore", 1, 0)
    assert stage.trace(ore).contributing == (gift, meal, ore)


def test_a_later_meal_that_would_have_filled_the_gap_makes_an_earlier_one_useless() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.hurt("a", 60, 40)  # 100 at most
    stage.eat("a", 50)
    second = stage.eat("a", 10)  # an apple gives far more than the 10 that were missing
    stage.hurt("a", 95, 5)
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (second, ore)


def test_a_meal_that_rest_would_have_made_up_for_does_not_count() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.hurt("a", 60, 40)  # 100 at most, so rest gives 1 a round
    stage.eat("a", 50)
    for _ in range(70):
        stage.sleep("a")
        stage.world()
    stage.hurt("a", 95, 5)  # rest needed ten rounds to fill up; without the meal sixty
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (ore,)
