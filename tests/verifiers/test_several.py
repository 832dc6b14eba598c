"""Checkpoints that count several items: each unit counts, but none beyond its own item's number."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.tasks.schema import TaskSpec

RINGS = {"kind": "crafted", "label": "Rings made", "items": {"goldring": 2, "silverring": 1}}
ITEMS = ("logs", "coal", "ironore")


def test_surplus_of_one_item_never_makes_up_for_another(stage: Any) -> None:
    s = stage([RINGS])
    s.craft("a", "goldring", 5)
    assert (s.check().have, s.check().need, s.check().reached) == (2, 3, False)
    s.craft("b", "silverring", 1)
    assert (s.check().have, s.check().reached, s.check().round) == (3, True, 1)


def test_the_text_says_what_is_missing_of_which_item(stage: Any) -> None:
    s = stage([RINGS])
    s.craft("a", "goldring", 1)
    assert s.check().text == "Rings made 1/3: goldring 1/2, silverring 0/1"
    assert s.check().items == (("goldring", 1, 2), ("silverring", 0, 1))


def test_one_item_needs_no_list_of_items(stage: Any) -> None:
    status = stage([{"kind": "crafted", "label": "Ring", "item": "goldring", "count": 1}]).check()
    assert (status.items, status.text) == ((), "Ring 0/1")


def test_success_actions_are_those_of_the_units_that_counted(stage: Any) -> None:
    s = stage([RINGS])
    counted = [s.craft("a", "goldring", 1), s.craft("a", "goldring", 1)]
    s.craft("a", "goldring", 1)
    counted.append(s.craft("a", "silverring", 1))
    assert s.check().actions == tuple(counted)


def test_progress_is_graded_by_units(stage: Any) -> None:
    s = stage([RINGS])
    s.craft("a", "goldring", 2)
    s.check()
    assert (s.verifier.verdict().progress, s.verifier.verdict().psr) == (2 / 3, 0.0)


def test_each_delivered_item_counts_only_from_others(stage: Any) -> None:
    s = stage([{"kind": "delivered", "items": {"logs": 1, "coal": 1}, "to": "c"}])
    mine, theirs = s.harvest("c", "coal"), s.harvest("a", "logs")
    s.give("c", "a", "coal", (mine, 1))
    s.give("a", "c", "coal", (mine, 1))
    s.give("a", "c", "logs", (theirs, 1))
    assert s.check().items == (("logs", 1, 1), ("coal", 0, 1))


def test_what_must_be_held_can_be_lost_item_by_item(stage: Any) -> None:
    s = stage([{"kind": "held", "items": {"logs": 5, "leatherboots": 1}, "by": "a"}])
    assert s.check().reached
    state = s.sim.state.agents[0]
    bag = state.bag.pop("logs")
    s.give("a", "b", "logs", (-1, 20))
    assert (s.check().have, s.check().reached, s.check().round) == (1, False, 0)
    state.bag["logs"] = bag
    s.give("b", "a", "logs", (-1, 20))
    assert s.check().reached


@given(
    needs=st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 4), min_size=2),
    harvests=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(ITEMS), st.integers(1, 3)), max_size=14
    ),
    cut=st.integers(0, 14),
)
def test_it_says_what_one_checkpoint_for_each_item_would_say(
    stage: Any, needs: dict[str, int], harvests: list[tuple[str, str, int]], cut: int
) -> None:
    single = [{"kind": "gathered", "item": item, "count": n, "by": ["a", "b"]} for item, n in needs.items()]
    s = stage([{"kind": "gathered", "items": needs, "by": ["a", "b"]}, *single])
    counted = dict.fromkeys(needs, 0)
    saved = None
    for number, (agent, item, units) in enumerate(harvests):
        if number == cut:
            saved = s.verifier.snapshot(), s.sim.snapshot()
        s.harvest(agent, item, units)
        if item in counted and agent != "c":
            counted[item] += units
        s.verifier.update()
    both, *alone = s.verifier.verdict().checkpoints
    assert both.have == sum(min(counted[item], n) for item, n in needs.items())
    assert both.reached == all(point.reached for point in alone)
    assert both.items == tuple((item, min(counted[item], n), n) for item, n in needs.items())
    if both.reached:
        assert both.actions == tuple(sorted(action for point in alone for action in point.actions))
    if saved is not None:
        end = s.verifier.verdict()
        verifier, sim = saved
        rest = s.sim.state.events[:]
        s.sim.restore(sim)
        s.verifier.restore(verifier)
        for event in rest[len(s.sim.state.events) :]:
            s.sim.log(event)
        s.verifier.update()
        assert s.verifier.verdict() == end


def test_a_status_of_one_item_is_written_without_the_list(stage: Any) -> None:
    lone = stage([{"kind": "crafted", "label": "Ring", "item": "goldring", "count": 1}]).check()
    assert b"items" not in msgspec.json.encode(lone)
    assert b'"items":[["goldring",0,2],["silverring",0,1]]' in msgspec.json.encode(stage([RINGS]).check())


def test_a_specification_is_the_same_after_it_was_written_and_read(stage: Any) -> None:
    spec = stage([RINGS, {"kind": "held", "item": "logs", "count": 2}]).task.spec
    assert TaskSpec.model_validate(spec.model_dump(mode="json")) == spec
    assert TaskSpec.model_validate_json(spec.model_dump_json()) == spec
