"""What a budget must hold, told from the task alone."""

from __future__ import annotations

import pytest

from agentworld_env.certify import certify_task
from agentworld_env.certify.difficulty import count_messages, needed_transfers
from agentworld_env.certify.play import Tape, play_planner
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.variants.rounds import handed, too_long


def floor(task: Task) -> int:
    sim = Simulation(task.world, task.setup())
    sim.reset(0)
    return handed(task, sim)


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        # Logs to the woodworker and shafts to the wizard.
        ("t01_magic_staff", 2),
        # Gold, ore, coal and hilts to the forger, who lacks logs for the pickaxe too; logs, strings, swords and axes to
        # the weaponsmith, who could make the bars that its weapons take.
        ("t62_weaponsmith_consortium", 9),
        # Nothing changes hands.
        ("t35_combat_training", 0),
    ],
)
def test_messages_are_counted_once_for_each_item_and_receiver(name: str, pairs: int) -> None:
    assert floor(get_task(name)) == pairs


@pytest.mark.parametrize("name", [info.id for info in list_tasks("main")[2::14]])
def test_a_plan_takes_no_fewer_messages_than_the_task_alone_tells(name: str) -> None:
    task = get_task(name)
    calls = play_planner(task, 0).calls
    assert floor(task) <= count_messages(needed_transfers(Tape(task, 0, calls)))


def test_what_leaves_no_time_for_its_messages_would_fail() -> None:
    """A round more, and it is a candidate."""
    source = get_task("t01_magic_staff")
    least = certify_task(source, (0,), quick=True).bounds[0] + 2
    for rounds in (least - 1, least):
        task = Task(source.spec.model_copy(update={"max_rounds": rounds}), source.world)
        assert too_long(task, 0) == (rounds < least)
    assert not certify_task(
        Task(source.spec.model_copy(update={"max_rounds": least - 1}), source.world), (0,), quick=True
    ).ok
