from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.metrics.causal import Stay, goals_of
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
        [{"kind": "gathered"}, {"kind": "crafted"}],
        _acts(3).graph().acts,
        ("a", "b"),
    )
    assert found == ((0, 3, 5), ())


def test_an_unreached_checkpoint_has_no_success_actions() -> None:
    status = CheckpointStatus("gathered", "Logs", 1, 2, False, 0, ())
    assert goals_of(_verdict(status), [{"kind": "gathered"}], (), ("a",)) == ((), ())


def test_standing_together_is_asked_of_each_named_agent_at_the_end_of_its_round() -> None:
    status = CheckpointStatus("present_together", "Met", 1, 1, True, 2, (1,))
    spec = {"kind": "present_together", "area": AREA, "by": ["b"]}
    found = goals_of(_verdict(status), [spec], _acts(3).graph().acts, ("a", "b"))
    # Two turns a round: the first action after round 2 bears number 4.
    assert found == ((), (Stay("b", 4, Need("b", 10, 20, 5)),))


def test_holding_an_area_is_asked_at_the_end_of_each_of_its_rounds() -> None:
    status = CheckpointStatus("held_for_rounds", "Held", 2, 2, True, 3, ())
    spec = {"kind": "held_for_rounds", "area": AREA, "by": []}
    found = goals_of(_verdict(status), [spec], _acts(3).graph().acts, ("a", "b"))
    assert [(stay.agent, stay.number) for stay in found.stays] == [("a", 4), ("a", 6), ("b", 4), ("b", 6)]


def test_survival_rests_on_the_checkpoint_it_follows() -> None:
    status = CheckpointStatus("survived_until", "Lived", 1, 1, True, 3, (0, 1))
    assert goals_of(_verdict(status), [{"kind": "survived_until"}], (), ("a",)) == ((), ())


@given(st.integers(1, 6))
def test_leaving_a_meeting_place_and_coming_back_adds_no_success_action(trips: int) -> None:
    stage = Stage(a=(0, 0))
    there = stage.move("a", 100, 0)
    for _ in range(trips):
        stage.move("a", 150, 0)
        stage.move("a", 100, 0)
    trace = stage.graph().trace((), [Stay("a", stage.next, Need("a", 100, 0, 8))])
    assert trace.contributing == (there,)
