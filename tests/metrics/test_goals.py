from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.metrics.causal import Holding, Stay, goals_of
from agentworld_env.sim.events import Need
from agentworld_env.verifiers import CheckpointStatus, Verdict

AREA = {"at": [10, 20], "within": 5, "place": None}


def _verdict(*statuses: CheckpointStatus) -> Verdict:
    return Verdict(True, 1.0, 1.0, statuses, (), False)


def _acts(rounds: int) -> Stage:
    stage = Stage(a=(0, 0), b=(1, 0))
    for _ in range(rounds):
        stage.sleep("a")
        stage.sleep("b")
        stage.world()
    return stage


def test_all_producers_of_what_a_checkpoint_counted_are_success_actions() -> None:
    found = goals_of(
        _verdict(
            CheckpointStatus("gathered", "Logs", 2, 2, True, 1, (0, 3)),
            CheckpointStatus("crafted", "Bars", 1, 1, True, 2, (3, 5)),
        ),
        {"checkpoints": [{"kind": "gathered"}, {"kind": "crafted"}]},
        _acts(3).graph().log,
        ("a", "b"),
    )
    assert found == ((0, 3, 5), (), ())


def test_of_an_unreached_checkpoint_the_actions_behind_what_it_has_counted_are_success_actions() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    cut = stage.harvest("a", "logs", 0, 0, tool=False)
    stage.harvest("b", "logs", 1, 0, tool=False)
    stage.harvest("a", "ore", 0, 0, tool=False)
    made = stage.craft("a", "bar", ore=1)
    gift = stage.give("a", "b", "logs")
    stage.give("b", "a", "logs")
    stage.give("a", "b", "logs")  # the same unit once more
    verdict = _verdict(
        CheckpointStatus("gathered", "Logs", 1, 2, False, 0, ()),
        CheckpointStatus("crafted", "Bars", 1, 2, False, 0, ()),
        CheckpointStatus("delivered", "Given", 1, 2, False, 0, ()),
        CheckpointStatus("crafted", "Rings", 0, 1, False, 0, ()),
    )
    specs = [
        {"kind": "gathered", "item": "logs", "by": ["a"]},
        {"kind": "crafted", "item": "bar", "by": []},
        {"kind": "delivered", "item": "logs", "to": "b", "origin": "made"},
        {"kind": "crafted", "item": "ring", "by": []},
    ]
    assert goals_of(verdict, {"checkpoints": specs}, stage.graph().log, ("a", "b")).actions == (
        cut,
        made,
        gift,
    )


def test_of_several_items_only_what_counts_of_each_is_a_success_action() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    cut = stage.harvest("a", "logs", 0, 0, tool=False)
    stage.harvest("a", "logs", 0, 0, tool=False)  # a second log counts for nothing
    dug = stage.harvest("b", "ore", 1, 0, tool=False)
    items = (("logs", 1, 1), ("ore", 1, 2), ("coal", 0, 1))
    verdict = _verdict(CheckpointStatus("gathered", "Goods", 2, 4, False, 0, (), items))
    specs = [{"kind": "gathered", "item": "", "items": {"logs": 1, "ore": 2, "coal": 1}, "by": []}]
    assert goals_of(verdict, {"checkpoints": specs}, stage.graph().log, ("a", "b")).actions == (cut, dug)


def test_several_things_held_are_as_many_holdings() -> None:
    items = (("logs", 2, 2), ("ore", 1, 1))
    verdict = _verdict(CheckpointStatus("held", "Kept", 3, 3, True, 1, (), items))
    specs = [{"kind": "held", "items": {"logs": 2, "ore": 1}, "by": "b"}]
    found = goals_of(verdict, {"checkpoints": specs}, _acts(1).graph().log, ("a", "b")).holdings
    assert found == (Holding(("b",), "logs", 2), Holding(("b",), "ore", 1))


def test_standing_together_is_asked_of_each_named_agent_at_the_end_of_its_round() -> None:
    status = CheckpointStatus("present_together", "Met", 1, 1, True, 2, (1,))
    spec = {"kind": "present_together", "area": AREA, "by": ["b"]}
    found = goals_of(_verdict(status), {"checkpoints": [spec]}, _acts(3).graph().log, ("a", "b"))
    # Two turns a round: the first action after round 2 bears number 4.
    assert found == ((), (Stay("b", 4, Need("b", 10, 20, 5)),), ())


def test_holding_an_area_is_asked_at_the_end_of_each_of_its_rounds() -> None:
    status = CheckpointStatus("held_for_rounds", "Held", 2, 2, True, 3, ())
    spec = {"kind": "held_for_rounds", "area": AREA, "by": []}
    found = goals_of(_verdict(status), {"checkpoints": [spec]}, _acts(3).graph().log, ("a", "b"))
    assert [(stay.agent, stay.number) for stay in found.stays] == [("a", 4), ("a", 6), ("b", 4), ("b", 6)]


def test_a_hold_rests_on_the_blows_that_felled_the_raiders_that_would_have_spoilt_it() -> None:
    # The area lies within 5 tiles of (10, 20); the second wave is 1 tile too far away to seek anybody there.
    waves = [
        {"mob": "rat", "count": 2, "at": [10, 40], "appears": 2, "seeks": 15},
        {"mob": "rat", "at": [10, 41], "appears": 2, "seeks": 15},
    ]
    stage = Stage(a=(10, 20), b=(11, 20))
    blow = stage.strike("a", "rat-wave1-1", 3)
    fell = stage.strike("b", "rat-wave1-1", 3, kills=(blow,))
    stage.strike("a", "rat-wave2-1", 9, kills=())
    stage.strike("b", "rat-0001", 9, kills=())
    stage.world()
    stage.sleep("a")
    stage.sleep("b")
    stage.world()
    late = stage.strike("a", "rat-wave1-2", 9, kills=())
    status = CheckpointStatus("held_for_rounds", "Held", 1, 1, True, 2, ())
    spec = {"kind": "held_for_rounds", "area": AREA, "by": []}
    goals = goals_of(_verdict(status), {"checkpoints": [spec], "waves": waves}, stage.graph().log, ("a", "b"))
    assert goals.actions == (fell,)
    assert late not in goals.actions
    assert stage.graph().trace(*goals).contributing == (blow, fell)


def test_what_had_to_be_held_rests_on_what_brought_it_and_not_on_handing_it_to_and_fro() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    gift = stage.give("a", "b", "ore")
    stage.give("b", "a", "ore")
    last = stage.give("a", "b", "ore")
    status = CheckpointStatus("held", "Held", 1, 1, True, 1, (last,))
    spec = {"kind": "held", "item": "ore", "by": "b"}
    goals = goals_of(_verdict(status), {"checkpoints": [spec]}, stage.graph().log, ("a", "b"))
    assert goals == ((), (), (Holding(("b",), "ore", 1),))
    assert stage.graph().trace(*goals).contributing == (ore, gift)


def test_of_an_area_not_yet_full_those_who_stand_there_at_the_end_had_to_come() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    came = stage.move("a", 10, 20)
    stage.move("b", 90, 0)
    status = CheckpointStatus("present_together", "Met", 1, 2, False, 0, ())
    goals = goals_of(
        _verdict(status),
        {"checkpoints": [{"kind": "present_together", "area": AREA, "by": []}]},
        stage.graph().log,
        ("a", "b"),
    )
    assert stage.graph().trace(*goals).contributing == (came,)


def test_survival_rests_on_the_checkpoint_it_follows() -> None:
    status = CheckpointStatus("survived_until", "Lived", 1, 1, True, 3, (0, 1))
    assert goals_of(
        _verdict(status), {"checkpoints": [{"kind": "survived_until"}]}, _acts(1).graph().log, ("a",)
    ) == (
        (),
        (),
        (),
    )


@given(st.integers(1, 6))
def test_leaving_a_meeting_place_and_coming_back_adds_no_success_action(trips: int) -> None:
    stage = Stage(a=(0, 0))
    there = stage.move("a", 100, 0)
    for _ in range(trips):
        stage.move("a", 150, 0)
        stage.move("a", 100, 0)
    trace = stage.graph().trace((), [Stay("a", stage.next, Need("a", 100, 0, 8))])
    assert trace.contributing == (there,)
