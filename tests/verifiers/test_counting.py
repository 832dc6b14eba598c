"""Checkpoints that count what happened."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.env import AgentWorldEnv
from agentworld_env.sim import events as ev
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

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


class Pile:
    """Who holds which unit: lots (origin, via, ids of the units) per agent, first in, first out."""

    def __init__(self) -> None:
        self.held: dict[str, list[tuple[int, int, list[int]]]] = {name: [] for name in "abc"}
        self.arrived: set[int] = set()
        self.units = 0

    def make(self, agent: str, action: int, count: int) -> None:
        self.held[agent].append((action, action, list(range(self.units, self.units + count))))
        self.units += count

    def take(self, agent: str, count: int) -> list[tuple[int, int, list[int]]]:
        taken: list[tuple[int, int, list[int]]] = []
        while count:
            origin, via, ids = self.held[agent].pop(0)
            # Units of one lot are alike: those that have been with the receiver go first.
            ids.sort(key=lambda unit: unit not in self.arrived)
            taken.append((origin, via, ids[:count]))
            if ids[count:]:
                self.held[agent].insert(0, (origin, via, ids[count:]))
            count -= len(taken[-1][2])
        return taken

    def put(self, agent: str, action: int, lots: list[tuple[int, int, list[int]]]) -> None:
        for origin in dict.fromkeys(lot[0] for lot in lots):
            ids = [unit for lot in lots if lot[0] == origin for unit in lot[2]]
            self.held[agent].append((origin, action, ids))


@settings(max_examples=100, deadline=None)
@given(moves=MOVES)
def test_delivered_is_the_number_of_different_units_that_ever_reached_the_receiver(
    stage: Any, moves: list[tuple[str, str, int, bool]]
) -> None:
    """Random cutting and handing over; an oracle follows every unit. The receiver's own logs do not count."""
    s, pile = stage([{**HANDED, "count": 1000}]), Pile()
    own: set[int] = set()
    for giver, taker, units, harvest in moves:
        if harvest:
            action = s.harvest(giver, count=units)
            if giver == "c":
                own.update(range(pile.units, pile.units + units))
            pile.make(giver, action, units)
        elif giver != taker and sum(len(ids) for _, _, ids in pile.held[giver]) >= units:
            lots = pile.take(giver, units)
            action = s.hand(giver, taker, "logs", tuple((o, via, len(ids)) for o, via, ids in lots))
            pile.put(taker, action, lots)
            if taker == "c":
                pile.arrived.update(unit for _, _, ids in lots for unit in ids)
    assert s.check().have == len(pile.arrived - own)


def test_units_that_come_after_others_of_the_same_making_were_handed_on_count(stage: Any) -> None:
    s = stage([{**HANDED, "count": 5}])
    made = s.harvest("a", count=5)
    s.give("a", "c", "logs", (made, 3))
    s.give("c", "b", "logs", (made, 3))
    s.give("a", "c", "logs", (made, 2))
    assert (s.check().have, s.check().reached) == (5, True)


def test_units_that_come_back_by_a_third_hand_or_from_the_ground_count_once(stage: Any) -> None:
    s = stage([HANDED])
    made = s.harvest("a", count=2)
    s.give("a", "c", "logs", (made, 1))
    s.give("c", "b", "logs", (made, 1))
    s.give("b", "c", "logs", (made, 1))
    assert s.check().have == 1
    s.give("c", "b", "logs", (made, 1))
    s.pick_up("a", s.drop("b", "logs", (made, 1)))
    s.give("a", "c", "logs", (made, 1))
    assert s.check().have == 1


def test_what_a_receiver_hands_on_counts_for_the_next_one_too(stage: Any) -> None:
    s = stage([{**HANDED, "count": 1, "to": "b"}, {**HANDED, "count": 1}])
    cut = s.harvest("a")
    s.give("a", "b", "logs", (cut, 1))
    s.give("b", "c", "logs", (cut, 1))
    assert (s.check(0).reached, s.check(1).reached) == (True, True)


def test_loot_picked_up_from_the_ground_counts_as_looted_once_and_has_its_maker(stage: Any) -> None:
    goals = [
        {"kind": "gathered", "item": "feather", "count": 9},
        {"kind": "gathered", "item": "feather", "count": 9, "by": ["b"]},
        {"kind": "delivered", "item": "feather", "count": 9, "to": "c"},
    ]
    s = stage(goals, sources=["feather"])
    fallen = s.drop("rat-0001", "feather", (0, 2))
    assert s.check(0).have == 0
    s.pick_up("a", fallen)
    assert (s.check(0).have, s.check(1).have) == (2, 0)
    origin = int(fallen.rpartition("-")[2])
    s.pick_up("b", s.drop("a", "feather", (origin, 2)))
    assert (s.check(0).have, s.check(1).have) == (2, 0)
    s.give("b", "c", "feather", (origin, 2))
    assert s.check(2).have == 2


def test_loot_from_the_ground_is_not_gathered_where_the_task_lists_no_source(stage: Any) -> None:
    s = stage([{"kind": "gathered", "item": "feather", "count": 1}])
    s.pick_up("a", s.drop("rat-0001", "feather", (0, 1)))
    assert s.check().have == 0


def test_worn_at_the_start_does_not_count_taken_off_and_put_on_again(stage: Any) -> None:
    s = stage([{"kind": "worn", "item": "leatherboots", "by": "a"}])
    assert not s.check().reached
    s.put_on("a", "leatherboots", -1)
    s.put_on("b", "leatherboots", -2)
    assert not s.check().reached
    action = s.put_on("a", "leatherboots", -2)
    assert s.check().actions == (action,)


def test_worn_of_made_origin_takes_an_item_that_was_made_in_the_episode(stage: Any) -> None:
    s = stage([{"kind": "worn", "item": "axe", "by": "a", "origin": "made"}])
    s.put_on("a", "axe", -1)
    s.put_on("a", "axe", -2)
    bartered = s.act()
    s.sim.log(ev.Bartered(bartered, 1, (), "a", "orla", "axe", 1))
    s.put_on("a", "axe", bartered)
    other = s.craft("b", "pickaxe", 1)
    s.put_on("a", "axe", other)
    assert not s.check().reached
    s.put_on("a", "axe", s.craft("b", "axe", 1))
    assert s.check().reached


def test_an_axe_worn_at_the_start_is_not_put_on_by_swapping_tools() -> None:
    spec = {
        "id": "swap",
        "title": "Swap",
        "category": "crafting",
        "max_rounds": 9,
        "objective": "Put an axe on.",
        "team": {
            "a": {
                "group": "g",
                "about": "A hand.",
                "start": [388, 10],
                "worn": ["axe"],
                "inventory": {"pickaxe": 1},
            }
        },
        "checkpoints": [
            {"kind": "worn", "label": "Axe", "item": "axe", "by": "a"},
            {"kind": "worn", "label": "Pickaxe", "item": "pickaxe", "by": "a"},
        ],
    }
    env = AgentWorldEnv(Task(TaskSpec.model_validate(spec)))
    env.reset(seed=1)
    for item in ("axe", "axe", "pickaxe", "axe"):
        env.step({"tool": "equip_item", "arguments": {"item": item}})
    assert [point.reached for point in env.verdict().checkpoints] == [False, True]


def test_built_needs_the_whole_list(stage: Any) -> None:
    sites = {"fort": {"name": "Fort", "at": [388, 10], "wants": {"logs": 2, "coal": 1}}}
    s = stage([{"kind": "built", "site": "fort"}], sites=sites)
    first = s.give("a", "fort", "logs", (-1, 2))
    assert (s.check().have, s.check().need, s.check().reached) == (2, 3, False)
    second = s.give("b", "fort", "coal", (-2, 1))
    assert (s.check().reached, s.check().actions) == (True, (first, second))
