from __future__ import annotations

from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Edge


def test_a_handed_over_tool_leads_through_the_put_on_to_what_it_won() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "pickaxe", 1)
    gift = stage.give("a", "b", "pickaxe")
    put_on = stage.equip("b", "pickaxe")
    ore = stage.harvest("b", "ore", 1, 0)
    assert stage.trace(ore).edges == (
        Edge(gift, put_on, "delivery"),
        Edge(gift, ore, "equipment"),
        Edge(put_on, ore, "equipment"),
    )


def test_a_tool_worn_from_the_start_needs_no_put_on_even_after_a_swap_to_and_fro() -> None:
    stage = Stage(a=(0, 0))
    stage.wear("a", "pickaxe")
    stage.own("a", "sword", 1)
    stage.equip("a", "sword")
    stage.equip("a", "pickaxe")
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_swaps_count_if_each_thing_served() -> None:
    stage = Stage(a=(0, 0))
    stage.wear("a", "pickaxe")
    stage.own("a", "sword", 1)
    first = stage.harvest("a", "ore", 0, 0)
    to_sword = stage.equip("a", "sword")
    kill = stage.strike("a", "rat-0001", 5, kills=())
    to_pickaxe = stage.equip("a", "pickaxe")
    second = stage.harvest("a", "ore", 0, 0)
    trace = stage.trace(first, kill, second)
    assert trace.contributing == (first, to_sword, kill, to_pickaxe, second)


def test_of_repeated_put_ons_only_the_first_counts() -> None:
    stage = Stage(a=(0, 0))
    stage.own("a", "pickaxe", 1)
    first = stage.equip("a", "pickaxe")
    stage.equip("a", "pickaxe")  # takes it off
    stage.equip("a", "pickaxe")
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (first, ore)


def test_gear_for_useless_work_is_useless() -> None:
    stage = Stage(a=(0, 0))
    stage.own("a", "pickaxe", 1)
    stage.own("a", "bead", 1)
    stage.equip("a", "pickaxe")
    stage.harvest("a", "ore", 0, 0)
    ring = stage.craft("a", "ring", bead=1)
    assert stage.trace(ring).contributing == (ring,)


def test_taking_off_what_is_handed_on_counts() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.wear("a", "pickaxe")
    off = stage.equip("a", "pickaxe")
    gift = stage.give("a", "b", "pickaxe")
    assert stage.trace(gift).edges == (Edge(off, gift, "equipment"),)


def test_putting_on_and_taking_off_for_nothing_before_handing_on_does_not_count() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "pickaxe", 1)
    stage.equip("a", "pickaxe")
    stage.equip("a", "pickaxe")
    gift = stage.give("a", "b", "pickaxe")
    assert stage.trace(gift).contributing == (gift,)


def test_work_without_a_tool_rests_on_no_gear() -> None:
    stage = Stage(a=(0, 0))
    stage.own("a", "sword", 1)
    stage.equip("a", "sword")
    berry = stage.harvest("a", "berry", 0, 0, tool=False)
    assert stage.trace(berry).contributing == (berry,)


def test_wearing_something_before_the_tool_that_served_does_not_count() -> None:
    stage = Stage(a=(0, 0))
    stage.own("a", "sword", 1)
    stage.own("a", "pickaxe", 1)
    stage.equip("a", "sword")
    to_pickaxe = stage.equip("a", "pickaxe")
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.trace(ore).contributing == (to_pickaxe, ore)


def test_lending_a_worn_tool_and_putting_it_on_again_makes_nothing_contribute() -> None:
    stage = Stage(smith=(0, 0), a=(0, 1), b=(1, 0))
    stage.own("smith", "pickaxe", 1)
    gift = stage.give("smith", "a", "pickaxe")
    put_on = stage.equip("a", "pickaxe")
    for _ in range(3):
        stage.equip("a", "pickaxe")
        stage.give("a", "b", "pickaxe")
        stage.give("b", "a", "pickaxe")
        stage.equip("a", "pickaxe")
    ore = stage.harvest("a", "ore", 0, 1)
    assert stage.trace(ore).contributing == (gift, put_on, ore)


def test_swapping_a_tool_for_another_of_its_kind_does_not_make_its_giver_contribute() -> None:
    stage = Stage(smith=(0, 0), a=(0, 1))
    stage.own("smith", "pickaxe", 1)
    stage.wear("a", "pickaxe")
    stage.give("smith", "a", "pickaxe")
    stage.equip_another("a")
    ore = stage.harvest("a", "ore", 0, 1)
    assert stage.trace(ore).contributing == (ore,)


def test_trying_on_a_tool_that_was_lent_for_nothing_does_not_make_the_loan_count() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "pickaxe", 1)
    stage.give("a", "b", "pickaxe")
    stage.equip("b", "pickaxe")
    stage.equip("b", "pickaxe")
    stage.give("b", "a", "pickaxe")
    put_on = stage.equip("a", "pickaxe")
    ore = stage.harvest("a", "ore", 0, 1)
    assert stage.trace(ore).contributing == (put_on, ore)


def test_working_for_nothing_with_a_tool_that_was_lent_does_not_make_the_loan_count() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "pickaxe", 1)
    stage.give("a", "b", "pickaxe")
    stage.equip("b", "pickaxe")
    stage.harvest("b", "coal", 1, 1)
    stage.equip("b", "pickaxe")
    stage.give("b", "a", "pickaxe")
    put_on = stage.equip("a", "pickaxe")
    ore = stage.harvest("a", "ore", 0, 1)
    assert stage.trace(ore).contributing == (put_on, ore)


def test_a_loan_counts_there_and_back_if_the_tool_served_in_between() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "pickaxe", 1)
    chain = [stage.give("a", "b", "pickaxe"), stage.equip("b", "pickaxe"), stage.harvest("b", "coal", 1, 1)]
    chain += [stage.equip("b", "pickaxe"), stage.give("b", "a", "pickaxe"), stage.equip("a", "pickaxe")]
    chain.append(stage.harvest("a", "ore", 0, 1))
    assert stage.trace(chain[2], chain[-1]).contributing == tuple(chain)
