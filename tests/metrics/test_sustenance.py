from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge
from agentworld_env.sim import events as ev


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


def test_a_meal_for_wounds_of_a_fight_that_was_picked_for_nothing_does_not_count() -> None:
    stage = Stage(a=(0, 0))
    stage.strike("a", "wolf-0001", 1)
    stage.hurt("a", 60, 40)
    stage.eat("a", 50)
    stage.hurt("a", 70, 20)
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_meal_for_wounds_by_a_mob_that_a_needed_walk_drew_counts_whatever_its_agent_did_to_it() -> None:
    stage = Stage(a=(0, 0))
    walk = stage.noticed("a", 100, 0, "wolf-0001")
    stage.strike("a", "wolf-0001", 1)
    stage.hurt("a", 60, 40)
    meal = stage.eat("a", 50)
    stage.hurt("a", 70, 20)
    ore = stage.harvest("a", "ore", 160, 0)
    assert stage.trace(ore).contributing == (walk, meal, ore)


def _bitten(stage: Stage, mob: str, damage: int, hp: int, kills: tuple[int, ...] | None = None) -> int:
    """A blow at a mob that strikes back in the same call."""
    number = stage.next
    events: list[ev.Event] = [
        ev.Struck(number, stage.round, (), "a", mob, 1, 1, 0, ""),
        ev.Hurt(number, stage.round, (), "a", mob, damage, hp),
    ]
    if kills is not None:
        causes = tuple(("damage", blow) for blow in kills)
        events.append(ev.Killed(number, stage.round, causes, mob, "rat", "a", (("a", 1),)))
    blow = stage.turn("a", "attack_entity", *events, target=mob)
    stage.world()
    return blow


def test_a_wound_of_a_useless_fight_makes_no_meal_count_that_was_not_needed_without_it() -> None:
    lean = Stage(a=(0, 0))
    lean.sleep("a")
    first = _bitten(lean, "rat-0001", 50, 50)  # 100 at most
    lean.eat("a", 50)
    last = _bitten(lean, "rat-0001", 40, 60, kills=(first,))  # 10 left without the meal
    assert lean.trace(last).contributing == (first, last)

    fat = Stage(a=(0, 0))
    fat.sleep("a")
    first = _bitten(fat, "rat-0001", 50, 50)
    _bitten(fat, "rat-0009", 20, 30)
    fat.eat("a", 50)
    last = _bitten(fat, "rat-0001", 40, 40, kills=(first,))  # dead without the meal
    assert fat.trace(last).contributing == (first, last)


def test_a_meal_for_the_wounds_of_a_fight_that_led_somewhere_counts() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    first = _bitten(stage, "rat-0001", 50, 50)
    second = _bitten(stage, "rat-0001", 20, 30)
    meal = stage.eat("a", 50)
    last = _bitten(stage, "rat-0001", 40, 40, kills=(first, second))
    assert stage.trace(last).contributing == (first, second, meal, last)


def test_the_rest_that_a_useless_fight_cost_is_no_reason_for_a_meal() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    first = _bitten(stage, "rat-0001", 60, 40)  # 100 at most, so rest gives 1 a round
    for _ in range(5):
        stage.strike("a", "rat-0009", 0)  # without these fights 5 more would be left
        stage.world()
    stage.eat("a", 50)
    last = _bitten(stage, "rat-0001", 42, 48, kills=(first,))  # 2 too few without the meal
    assert stage.trace(last).contributing == (first, last)


def _played(steps: list[str], *, quarrelling: bool) -> tuple[Stage, dict[int, int], int] | None:
    """Plays steps, one a round, of one who has 100 hit points at most and rests 1 in a round without a fight.

    Returns:
        The stage, action -> the step behind it, and the killing blow; None if somebody like this would have died.
    """
    stage, hp, blows, steps_of = Stage(a=(0, 0)), 100, [], {}
    for number, step in enumerate([*steps, "kill"]):
        if step == "quarrel" and not quarrelling:
            step = "wait"
        steps_of[stage.next] = number
        if step in ("fight", "quarrel", "kill"):
            hp -= 30
            if hp <= 0:
                return None
            mob, kills = ("rat-0009", None) if step == "quarrel" else ("rat-0001", None)
            done = _bitten(stage, mob, 30, hp, kills=tuple(blows) if step == "kill" else kills)
            if step == "fight":
                blows.append(done)
            continue
        if step == "eat" and hp < 100:
            stage.eat("a", 100 - hp)
            hp = 100
        else:
            stage.turn("a", "sleep")
        stage.world()
        hp = min(100, hp + 1)
    return stage, steps_of, done


@settings(deadline=None)
@given(st.lists(st.sampled_from(("fight", "eat", "quarrel", "wait")), max_size=14))
def test_fights_for_nothing_never_change_which_meals_count(steps: list[str]) -> None:
    lean, fat = _played(steps, quarrelling=False), _played(steps, quarrelling=True)
    assume(fat is not None and lean is not None)
    assert fat is not None
    assert lean is not None
    found = [
        {steps_of[number] for number in stage.trace(kill).contributing}
        for stage, steps_of, kill in (lean, fat)
    ]
    assert found[1] == found[0]


def test_rest_that_a_quarrel_picked_for_nothing_prevented_is_that_of_a_sleeper_who_slept() -> None:
    """Asleep, 1000 hit points regain 21 a round: nine rounds of it would have been enough without the meal."""
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.world(ev.Hurt(-1, stage.round, (), "a", "bear-0001", 600, 400))
    stage.strike("a", "wolf-0001", 1)
    stage.world()
    for hp in range(399, 390, -1):
        stage.sleep("a")
        stage.hurt("a", 1, hp)
    stage.eat("a", 200)
    stage.world(ev.Hurt(-1, stage.round, (), "a", "bear-0001", 540, 51))
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_sleeper_who_was_woken_rests_as_one_awake_from_then_on() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.sleep("a")
    stage.world(ev.Hurt(-1, stage.round, (), "a", "bear-0001", 600, 400))
    stage.strike("a", "wolf-0001", 1)
    stage.world()
    stage.sleep("a", 9)
    stage.turn("b", "send_chat_message", ev.Woke(stage.next, stage.round, (), "a", "b"))
    for hp in range(399, 390, -1):
        stage.hurt("a", 1, hp)
        stage.turn("a", "pass", ok=False)
    meal = stage.eat("a", 200)
    stage.world(ev.Hurt(-1, stage.round, (), "a", "bear-0001", 540, 51))
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (meal, ore)
