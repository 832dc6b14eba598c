from __future__ import annotations

from tests.sim.worlds import agent, do, full_bag, of_type, start

from agentworld_env.sim.events import Bartered, Built, Transferred
from agentworld_env.world.catalogue import Npc, Offer


def test_a_transfer_moves_the_whole_count_with_its_origin() -> None:
    sim = start(agent("a", bag={"logs": 5}), agent("b", 104, 104))
    assert do(sim, "a", "transfer_items", to="b", item="logs", count=3).ok
    assert sim.state.agents[0].bag == {"logs": ((-1, -1, 2),)}
    assert sim.state.agents[1].bag == {"logs": ((-1, 0, 3),)}
    assert of_type(sim, Transferred)[0].lots == ((-1, -1, 3),)


def test_a_count_above_what_is_carried_moves_nothing() -> None:
    sim = start(agent("a", bag={"logs": 5}), agent("b"))
    assert do(sim, "a", "transfer_items", to="b", item="logs", count=6).code == "not_carried"
    assert (sim.state.agents[0].count("logs"), sim.state.agents[1].bag) == (5, {})


def test_items_change_hands_within_eight_tiles_and_not_at_nine() -> None:
    near = start(agent("a", bag={"logs": 1}), agent("b", 104, 104))
    far = start(agent("a", bag={"logs": 1}), agent("b", 104, 105))
    assert do(near, "a", "transfer_items", to="b", item="logs").ok
    assert do(far, "a", "transfer_items", to="b", item="logs").code == "out_of_reach"
    assert far.state.agents[0].count("logs") == 1


def test_where_a_mate_is_stays_hidden_beyond_sight() -> None:
    sim = start(agent("a", bag={"logs": 1}), agent("b", 600, 600))
    result = do(sim, "a", "transfer_items", to="b", item="logs")
    assert result.code == "out_of_sight"
    assert "600" not in result.reason + result.hint


def test_a_mate_out_of_sight_is_refused_alike_whether_it_plays_or_has_left() -> None:
    results = []
    for leaves in (False, True):
        sim = start(agent("a", bag={"logs": 1}), agent("b", 600, 600))
        do(sim, "b", "complete", response="bye") if leaves else do(sim, "b", "sleep", rounds=3)
        results.append(do(sim, "a", "transfer_items", to="b", item="logs"))
    assert results[0] == results[1]
    assert results[0].code == "out_of_sight"


def test_a_mate_in_sight_that_has_left_is_said_to_be_gone_even_out_of_reach() -> None:
    sim = start(agent("a", bag={"logs": 1}), agent("b", 110, 100))
    do(sim, "b", "complete", response="bye")
    assert do(sim, "a", "transfer_items", to="b", item="logs").code == "receiver"


def test_worn_things_must_be_taken_off_first() -> None:
    sim = start(agent("a", worn=("axe",)), agent("b"))
    result = do(sim, "a", "transfer_items", to="b", item="axe")
    assert (result.code, "equip_item" in result.hint) == ("not_carried", True)


def test_a_sleeper_can_receive_but_who_has_left_cannot() -> None:
    sim = start(agent("a", bag={"logs": 2}), agent("b"))
    do(sim, "b", "sleep", rounds=3)
    assert do(sim, "a", "transfer_items", to="b", item="logs").ok
    do(sim, "b", "complete", response="bye")
    assert do(sim, "a", "transfer_items", to="b", item="logs").code == "receiver"
    assert sim.state.agents[0].count("logs") == 1


def test_a_full_bag_refuses_a_new_kind_and_the_giver_keeps_it() -> None:
    sim = start(agent("a", bag={"logs": 1}), agent("b", bag=full_bag()))
    assert do(sim, "a", "transfer_items", to="b", item="logs").code == "bag_full"
    assert sim.state.agents[0].count("logs") == 1


def test_nobody_gives_to_oneself_or_to_the_unknown() -> None:
    sim = start(agent("a", bag={"logs": 1}))
    assert do(sim, "a", "transfer_items", to="a", item="logs").code == "receiver"
    assert do(sim, "a", "transfer_items", to="zoe", item="logs").code == "unknown_receiver"


def test_a_merchant_takes_only_whole_deals_of_what_it_wants() -> None:
    sim = start(agent("a", 120, 118, bag={"logs": 5, "herb": 1}))
    assert do(sim, "a", "transfer_items", to="mira", item="herb").code == "not_wanted"
    assert do(sim, "a", "transfer_items", to="mira", item="logs", count=3).code == "count"
    assert do(sim, "a", "transfer_items", to="mira", item="logs", count=4).ok
    assert (sim.state.agents[0].count("logs"), sim.state.agents[0].count("apple")) == (1, 6)
    assert sim.state.agents[0].bag["apple"] == ((2, 2, 6),)
    assert of_type(sim, Bartered)[0].count == 6


def test_of_several_deals_for_an_item_the_count_decides_and_the_dearest_wins() -> None:
    shop = Npc(
        id="shop", name="Shop", role="merchant", x=100, y=101,
        offers=(
            Offer(take="logs", take_count=2, give="apple", give_count=1),
            Offer(take="logs", take_count=6, give="sword", give_count=1),
        ),
    )  # fmt: skip
    sim = start(agent("a", bag={"logs": 20}), sites=(shop,))
    for units in (4, 6, 8):
        assert do(sim, "a", "transfer_items", to="shop", item="logs", count=units).ok
    # 4 and 8 logs pay for two and four apples; 6 for a sword rather than for three apples.
    assert (sim.state.agents[0].count("apple"), sim.state.agents[0].count("sword")) == (6, 1)
    assert do(sim, "a", "transfer_items", to="shop", item="logs", count=1).code == "count"


def test_barter_without_room_for_the_return_changes_nothing() -> None:
    sim = start(agent("a", 120, 118, bag={**full_bag("logs"), "logs": 3}))
    assert do(sim, "a", "transfer_items", to="mira", item="logs", count=2).code == "bag_full"
    assert sim.state.agents[0].count("logs") == 3


def test_a_villager_takes_nothing() -> None:
    sim = start(agent("a", 120, 118, bag={"logs": 5}))
    assert do(sim, "a", "transfer_items", to="tom", item="logs").code == "receiver"


def test_a_collector_takes_no_more_than_it_still_wants() -> None:
    sim = start(agent("a", 130, 129, bag={"logs": 9}))
    assert do(sim, "a", "transfer_items", to="warden", item="logs", count=6).code == "not_wanted"
    assert sim.state.sites == {}
    assert do(sim, "a", "transfer_items", to="warden", item="logs", count=4).ok
    assert do(sim, "a", "transfer_items", to="warden", item="logs", count=2).code == "not_wanted"
    assert do(sim, "a", "transfer_items", to="warden", item="logs", count=1).ok
    assert sim.state.sites == {"warden": {"logs": 5}}


def test_a_site_is_built_once_its_list_is_complete() -> None:
    site = Npc(id="wall", name="Wall", role="site", x=100, y=101, wants={"logs": 2, "herb": 1})
    sim = start(agent("a", bag={"logs": 2}), agent("b", bag={"herb": 1}), sites=(site,))
    assert do(sim, "a", "transfer_items", to="wall", item="logs", count=2).ok
    assert not of_type(sim, Built)
    assert do(sim, "b", "transfer_items", to="wall", item="herb").ok
    assert [event.site for event in of_type(sim, Built)] == ["wall"]


def test_a_handover_states_where_both_had_to_stand() -> None:
    sim = start(agent("a", bag={"logs": 1}), agent("b", 104, 104))
    needs = do(sim, "a", "transfer_items", to="b", item="logs").needs
    assert [(n.agent, n.x, n.y, n.within) for n in needs] == [("a", 104, 104, 8), ("b", 100, 100, 8)]
