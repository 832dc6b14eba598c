from __future__ import annotations

import pytest
from tests.metrics.hand_made import Plain, Stage

from agentworld_env.errors import EpisodeFileError
from agentworld_env.metrics import ActionGraph, Edge
from agentworld_env.sim import events as ev


def test_a_planted_chain_is_found_exactly() -> None:
    stage = Stage(miner=(10, 10), smith=(90, 10), idler=(50, 50))
    ore = stage.harvest("miner", "ore", 60, 10)
    stage.harvest("idler", "berry", 50, 51, tool=False)
    walk = stage.move("miner", 85, 10)
    stage.sleep("smith")
    stage.harvest("idler", "berry", 50, 52, tool=False)
    gift = stage.give("miner", "smith", "ore")
    forged = stage.craft("smith", "bar", ore=1)
    trace = stage.trace(forged)
    assert trace.contributing == (ore, walk, gift, forged)
    assert trace.edges == (
        Edge(ore, gift, "material"),
        Edge(walk, gift, "movement"),
        Edge(gift, forged, "delivery"),
    )


def test_a_chain_within_one_round_is_followed() -> None:
    stage = Stage(a=(0, 0), b=(1, 0), c=(2, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    first = stage.give("a", "b", "ore")
    second = stage.give("b", "c", "ore")
    assert {line.round for line in stage.lines} == {1}
    assert stage.trace(second).contributing == (ore, first, second)


def test_units_are_used_in_the_order_they_came_and_the_surplus_is_useless() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    cuts = [stage.harvest("a", "logs", 0, 0, tool=False) for _ in range(5)]
    gift = stage.give("a", "b", "logs", 3)
    made = stage.craft("b", "stick", logs=2)
    # A gift of three is one action, and rests on all three units; logs four and five went nowhere.
    assert stage.trace(made).contributing == (*cuts[:3], gift, made)


def test_every_blow_since_the_mob_was_whole_is_a_cause_of_the_kill() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    first = stage.strike("a", "ogre-0001", 4)
    second = stage.strike("b", "ogre-0001", 4)
    kill = stage.strike("a", "ogre-0001", 4, kills=(first, second))
    assert stage.trace(kill).edges == (Edge(first, kill, "damage"), Edge(second, kill, "damage"))


def test_loot_leads_to_what_is_made_of_it() -> None:
    stage = Stage(a=(0, 0))
    kill = stage.loot("a", "feather")
    made = stage.craft("a", "arrow", feather=1)
    assert stage.trace(made).edges == (Edge(kill, made, "loot"),)


def test_things_held_at_the_start_have_no_maker() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "bead", 2)
    gift = stage.give("a", "b", "bead")
    made = stage.craft("b", "ring", bead=1)
    assert stage.trace(made).contributing == (gift, made)


def test_a_bartered_item_rests_on_the_barter() -> None:
    stage = Stage(a=(0, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    lots = ((ore, ore, 1),)
    number = stage.next
    sold = ev.Transferred(number, 1, (("material", ore),), "a", "trader", "ore", 1, lots)
    got = ev.Bartered(number, 1, (("material", ore),), "a", "trader", "bead", 1)
    barter = stage.turn("a", "transfer_items", sold, got)
    stage.bags["a"] = {"bead": ((barter, barter, 1),)}
    made = stage.craft("a", "ring", bead=1)
    assert stage.trace(made).edges == (Edge(ore, barter, "material"), Edge(barter, made, "material"))


def test_things_of_the_dead_lead_from_their_maker_through_the_pick_up() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    lots = ((ore, ore, 1),)
    event = ev.PickedUp(stage.next, 1, (("loot", ore),), "b", "ore-of-a", "ore", lots)
    pick = stage.turn("b", "pickup_item", event, needs=(ev.Need("b", 0, 0, 2),))
    stage.bags["b"] = {"ore": ((ore, pick, 1),)}
    made = stage.craft("b", "bar", ore=1)
    assert stage.trace(made).edges == (Edge(ore, pick, "loot"), Edge(pick, made, "loot"))


@pytest.mark.parametrize("returns", [1, 2, 5, 20])
def test_handing_units_back_and_giving_them_again_makes_nothing_more_contribute(returns: int) -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    gift = stage.give("a", "b", "ore")
    for _ in range(returns):
        stage.give("b", "a", "ore")
        stage.give("a", "b", "ore")
    made = stage.craft("b", "bar", ore=1)
    assert stage.trace(made).edges == (Edge(ore, gift, "material"), Edge(gift, made, "delivery"))


def test_a_detour_over_a_third_holder_is_cut_out_of_a_route() -> None:
    stage = Stage(a=(0, 0), b=(1, 0), c=(2, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    stage.give("a", "b", "ore")
    stage.give("b", "a", "ore")
    gift = stage.give("a", "c", "ore")
    made = stage.craft("c", "bar", ore=1)
    assert stage.trace(made).contributing == (ore, gift, made)


def test_passing_like_units_round_in_a_ring_makes_nothing_contribute() -> None:
    stage = Stage(a=(0, 0), b=(1, 0), c=(2, 0))
    own = [stage.harvest(name, "ore", *stage.at[name]) for name in ("a", "b", "c")]
    stage.give("a", "b", "ore")
    stage.give("b", "c", "ore")
    stage.give("c", "a", "ore")
    made = [stage.craft(name, "bar", ore=1) for name in ("a", "b", "c")]
    assert stage.trace(*made).contributing == (*own, *made)


def test_giving_back_what_one_could_not_have_kept_counts() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    first = stage.harvest("a", "ore", 0, 0)
    gift = stage.give("a", "b", "ore")
    bar = stage.craft("b", "bar", ore=1)  # the very unit is used up
    second = stage.harvest("b", "ore", 1, 0)
    back = stage.give("b", "a", "ore")
    ring = stage.craft("a", "ring", ore=1)
    assert stage.trace(bar, ring).contributing == (first, gift, bar, second, back, ring)


def test_of_hand_overs_to_and_fro_those_are_left_that_rest_on_fewer_walks() -> None:
    def played(lend_first: bool) -> int:
        stage = Stage(a=(0, 0), b=(1, 0))
        stage.harvest("a", "ore", 0, 0)
        if not lend_first:
            stage.give("a", "b", "ore")
        stage.move("a", 100, 0)
        stage.move("b", 101, 0)
        if lend_first:
            stage.give("a", "b", "ore")
            stage.give("b", "a", "ore")
        else:
            stage.give("b", "a", "ore")
            stage.give("a", "b", "ore")
        stage.move("a", 0, 0)
        stage.move("b", 1, 0)
        if lend_first:
            stage.give("a", "b", "ore")
        return len(stage.trace(stage.craft("b", "bar", ore=1)).contributing)

    # Digging, one gift where they stood at first, and forging; nobody had to walk.
    assert (played(True), played(False)) == (3, 3)


def test_a_success_action_keeps_what_it_rests_on_though_its_units_were_handed_back() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    delivered = stage.give("a", "b", "ore")
    stage.give("b", "a", "ore")
    assert stage.trace(delivered).contributing == (ore, delivered)


def test_nothing_contributes_without_success_actions() -> None:
    stage = Stage(a=(0, 0))
    stage.harvest("a", "ore", 5, 0)
    trace = stage.trace()
    assert (trace.success, trace.contributing, trace.edges) == ((), (), ())


def test_lines_that_do_not_start_the_episode_are_refused() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    stage.sleep("a")
    with pytest.raises(EpisodeFileError, match="turn line 0 bears action number 1"):
        ActionGraph(stage.lines[1:], land=Plain())


def test_a_success_action_that_does_not_exist_is_refused() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    with pytest.raises(ValueError, match="do not all exist"):
        stage.trace(1)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match=r"events, events\+chat"):
        ActionGraph([], method="guess")  # type: ignore[arg-type]
