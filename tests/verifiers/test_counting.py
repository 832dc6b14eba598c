"""Checkpoints that count what happened."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.sim import bag as bags
from agentworld_env.sim import events as ev

LOGS = {"kind": "gathered", "item": "logs", "count": 3}
HANDED = {"kind": "delivered", "item": "logs", "count": 3, "to": "c"}


def test_gathered_one_short_fails_and_exact_passes(stage: Any) -> None:
    s = stage([LOGS])
    actions = [s.harvest("a"), s.harvest("b")]
    assert (s.check().have, s.check().reached) == (2, False)
    actions.append(s.harvest("a"))
    status = s.check()
    assert (status.have, status.reached, status.round, status.actions) == (3, True, 1, tuple(actions))


def test_gathered_text_reads_have_of_need(stage: Any) -> None:
    s = stage([{**LOGS, "label": "Logs cut"}])
    s.harvest("a")
    assert s.check().text == "Logs cut 1/3"


def test_items_held_at_the_start_never_count_as_gathered_or_crafted(stage: Any) -> None:
    s = stage([LOGS, {"kind": "crafted", "item": "axe", "count": 1}])
    assert s.sim.state.agents[0].count("logs") == 20
    s.give("a", "b", "logs", (-1, 20))
    assert (s.check(0).have, s.check(1).have) == (0, 0)


def test_gathered_ignores_other_items_and_unnamed_roles(stage: Any) -> None:
    s = stage([{**LOGS, "by": ["a"]}])
    s.harvest("b")
    s.harvest("a", "icelogs")
    assert s.check().have == 0
    s.harvest("a")
    assert s.check().have == 1


def test_loot_counts_as_gathered_only_where_the_task_lists_the_source(stage: Any) -> None:
    goal = {"kind": "gathered", "item": "feather", "count": 1}
    plain, listed = stage([goal]), stage([goal], sources=["feather"])
    for s in (plain, listed):
        s.loot("a", "feather", 2)
    assert (plain.check().have, listed.check().have) == (0, 2)


def test_gathered_latches_and_keeps_the_producers_that_were_counted(stage: Any) -> None:
    s = stage([LOGS])
    first = tuple(s.harvest("a") for _ in range(3))
    s.check()
    s.harvest("a")
    assert (s.check().have, s.check().actions) == (3, first)


def test_surplus_in_one_update_is_no_producer(stage: Any) -> None:
    s = stage([LOGS])
    first = tuple(s.harvest("a") for _ in range(3))
    s.harvest("a")
    assert s.check().actions == first


def test_crafted_counts_units_not_crafts(stage: Any) -> None:
    s = stage([{"kind": "crafted", "item": "stick", "count": 8}])
    s.craft("a", "stick", 4)
    assert (s.check().have, s.check().reached) == (4, False)
    s.craft("b", "stick", 4)
    assert s.check().reached


def test_crafted_by_counts_only_the_named_roles(stage: Any) -> None:
    s = stage([{"kind": "crafted", "item": "stick", "count": 4, "by": ["b"]}])
    s.craft("a", "stick", 4)
    assert not s.check().reached
    s.craft("b", "stick", 4)
    assert s.check().reached


def test_killed_counts_the_kind_and_takes_all_blows_as_producers(stage: Any) -> None:
    s = stage([{"kind": "killed", "mob": "rat", "count": 2}])
    s.kill("goblin-0001", "goblin", "a")
    first = s.kill("rat-0001", "rat", "a", "b", blows=(0, 0))
    assert (s.check().have, s.check().reached) == (1, False)
    second = s.kill("rat-0001", "rat", "c")
    assert (s.check().reached, s.check().actions) == (True, (0, first, second))


def test_killed_of_a_named_spawn_ignores_its_kind(stage: Any) -> None:
    s = stage([{"kind": "killed", "mob": "ice-guardian-1"}])
    s.kill("icegolem-0001", "icegolem", "a")
    assert not s.check().reached
    s.kill("ice-guardian-1", "icegolem", "a")
    assert s.check().reached


def test_killed_by_needs_a_named_role_among_those_who_share_the_credit(stage: Any) -> None:
    s = stage([{"kind": "killed", "mob": "rat", "by": ["a"]}])
    s.kill("rat-0001", "rat", "b", "c")
    assert not s.check().reached
    s.kill("rat-0001", "rat", "a", "c")
    assert s.check().reached


def test_delivered_one_short_fails_and_exact_passes(stage: Any) -> None:
    s = stage([HANDED])
    cut = [s.harvest("a") for _ in range(3)]
    first = s.give("a", "c", "logs", (cut[0], 1), (cut[1], 1))
    assert (s.check().have, s.check().reached) == (2, False)
    second = s.give("a", "c", "logs", (cut[2], 1))
    assert (s.check().reached, s.check().actions) == (True, (first, second))


def test_units_handed_to_and_fro_count_once(stage: Any) -> None:
    s = stage([HANDED])
    cut = s.harvest("a")
    for _ in range(5):
        s.give("a", "c", "logs", (cut, 1))
        s.give("c", "a", "logs", (cut, 1))
    assert s.check().have == 1


def test_units_never_count_for_their_own_maker(stage: Any) -> None:
    s = stage([HANDED])
    cut = s.harvest("c")
    s.give("c", "a", "logs", (cut, 1))
    s.give("a", "c", "logs", (cut, 1))
    assert s.check().have == 0


def test_units_that_pass_through_a_carrier_count(stage: Any) -> None:
    s = stage([HANDED])
    cut = s.harvest("a")
    s.give("a", "b", "logs", (cut, 1))
    assert s.check().have == 0
    s.give("b", "c", "logs", (cut, 1))
    assert s.check().have == 1


@pytest.mark.parametrize(("origin", "have"), [("made", 0), ("any", 2)])
def test_start_goods_of_others_count_only_with_any_origin(stage: Any, origin: str, have: int) -> None:
    s = stage([{**HANDED, "origin": origin}])
    s.give("a", "c", "logs", (-1, 2))
    # The receiver's own start goods come back: agent number 2 has origin -3.
    s.give("c", "a", "logs", (-3, 2))
    s.give("a", "c", "logs", (-3, 2))
    assert s.check().have == have


def test_bartered_goods_are_not_made(stage: Any) -> None:
    s = stage([HANDED])
    action = s.act()
    s.sim.log(ev.Bartered(action, 1, (), "a", "orla", "logs", 3))
    s.give("a", "c", "logs", (action, 3))
    assert s.check().have == 0


def test_delivered_to_a_site_counts(stage: Any) -> None:
    sites = {"fort": {"name": "Fort", "at": [388, 10], "wants": {"logs": 3}}}
    s = stage([{**HANDED, "to": "fort"}], sites=sites)
    cut = s.harvest("a")
    s.give("a", "fort", "logs", (cut, 1))
    assert s.check().have == 1


MOVES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(1, 3), st.booleans()), max_size=40
)


@settings(max_examples=60, deadline=None)
@given(moves=MOVES)
def test_delivered_is_the_most_that_the_receiver_ever_held_of_each_origin(
    stage: Any, moves: list[tuple[str, str, int, bool]]
) -> None:
    """Random cutting and handing over; an oracle follows the bags. The receiver's own logs do not count."""
    s = stage([{**HANDED, "count": 1000}])
    held: dict[str, dict[str, Any]] = {name: {} for name in "abc"}
    makers: dict[int, str] = {}
    most: Counter[int] = Counter()
    for giver, taker, units, harvest in moves:
        if harvest:
            action = s.harvest(giver, count=units)
            makers[action] = giver
            bags.put(held[giver], "logs", ((action, action, units),))
        elif giver != taker and bags.count(held[giver].get("logs", ())) >= units:
            lots = bags.take(held[giver], "logs", units)
            action = s.give(giver, taker, "logs", *((origin, n) for origin, _, n in lots))
            bags.put(held[taker], "logs", bags.carried_by(lots, action))
        now: Counter[int] = Counter()
        for origin, _, n in held["c"].get("logs", ()):
            now[origin] += n
        most |= now
    assert s.check().have == sum(n for origin, n in most.items() if makers[origin] != "c")


def test_worn_at_the_start_does_not_count_as_put_on(stage: Any) -> None:
    s = stage([{"kind": "worn", "item": "leatherboots", "by": "a"}])
    assert not s.check().reached
    s.sim.log(ev.Equipped(s.act(), 1, (), "b", "boots", "leatherboots"))
    assert not s.check().reached
    action = s.act()
    s.sim.log(ev.Equipped(action, 1, (), "a", "boots", "leatherboots"))
    assert s.check().actions == (action,)


def test_built_needs_the_whole_list(stage: Any) -> None:
    sites = {"fort": {"name": "Fort", "at": [388, 10], "wants": {"logs": 2, "coal": 1}}}
    s = stage([{"kind": "built", "site": "fort"}], sites=sites)
    first = s.give("a", "fort", "logs", (-1, 2))
    assert (s.check().have, s.check().need, s.check().reached) == (2, 3, False)
    second = s.give("b", "fort", "coal", (-2, 1))
    assert (s.check().reached, s.check().actions) == (True, (first, second))
