"""Near misses are counted from the task file: a verifier that is content with one unit less does not get through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentworld_env.certify.honesty import near_misses
from agentworld_env.certify.play import PASS, Tape, play_planner
from agentworld_env.certify.tally import tally
from agentworld_env.tasks import Task, get_task
from agentworld_env.verifiers import counting, standing
from agentworld_env.verifiers.tracker import Tracker

Make = Callable[..., Task]

KINDS: dict[str, tuple[type[Tracker], str]] = {
    "gathered": (counting.Gathered, "t20_orchard_protection"),
    "crafted": (counting.Crafted, "t86_forge_vanguard"),
    "delivered": (counting.Delivered, "t01_magic_staff"),
    "killed": (counting.Killed, "t20_orchard_protection"),
    "built": (counting.Built, "t20_orchard_protection"),
    "held": (standing.Held, "t40_healing_supplies"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_is_content_with_one_unit_less_is_found(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker, task_id = KINDS[kind]
    make = tracker.__init__

    def lenient(self: Any, spec: Any, scene: Any) -> None:
        make(self, spec, scene)
        self.need = max(1, self.need - 1)

    monkeypatch.setattr(tracker, "__init__", lenient)
    task = get_task(task_id)
    _, problems = near_misses(Tape(task, 0, play_planner(task, 0, rehearsals=False).calls))
    asked = {point.label for point in task.spec.checkpoints if point.kind == kind}
    assert any(
        " holds with " in each.text and any(label in each.text for label in asked) for each in problems
    )
    assert {each.path[0] for each in problems} == {"checkpoints"}


def test_the_count_does_not_lean_on_the_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    task = get_task("t01_magic_staff")
    calls = play_planner(task, 0, rehearsals=False).calls
    make = counting.Gathered.__init__

    def strict(self: Any, spec: Any, scene: Any) -> None:
        make(self, spec, scene)
        self.need += 1

    monkeypatch.setattr(counting.Gathered, "__init__", strict)
    env = Tape(task, 0, calls).before(len(calls) - 1)
    assert tally(task, env.sim, task.spec.checkpoints[0]) == (2, 2)
    assert not env.verdict().checkpoints[0].reached


@pytest.mark.parametrize(
    "task_id", ["t01_magic_staff", "t18_coastal_harvest", "t57_grand_jewelry_expedition"]
)
def test_count_and_verifier_agree_after_every_call(task_id: str) -> None:
    task = get_task(task_id)
    tape = Tape(task, 0, play_planner(task, 0, rehearsals=False).calls)
    for number in range(len(tape.calls)):
        env = tape.before(number)
        for point, status in zip(task.spec.checkpoints, env.verdict().checkpoints, strict=True):
            found = tally(task, env.sim, point)
            if found is not None:
                assert found == (min(status.have, status.need), status.need)


def test_units_that_come_back_are_not_counted_anew(doctored: Make) -> None:
    task = doctored()
    tape = Tape(task, 0, play_planner(task, 0, rehearsals=False).calls)
    env = tape.before(len(tape.calls) - 1)
    while env.agent_selection != "keeper":
        env.step(PASS)
    env.step({"tool": "transfer_items", "arguments": {"to": "carver", "item": "stick", "count": 1}})
    assert tally(task, env.sim, task.spec.checkpoints[1]) is None
