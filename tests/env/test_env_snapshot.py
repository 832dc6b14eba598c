"""A snapshot is restored only where it fits, and a refusal names what does not."""

from __future__ import annotations

import pytest

import agentworld_env

TASK, OTHER = "t01_magic_staff", "t02_arrow_production"


def taken(task: str = TASK, **options: str) -> object:
    env = agentworld_env.make(task, **options)
    env.reset(seed=1)
    return env.snapshot()


@pytest.mark.parametrize(
    ("theirs", "says"),
    [
        ({"setting": "no_communication"}, "setting 'no_communication'"),
        # This setting changes the task as well, which must not hide what differs.
        ({"setting": "single_agent"}, "setting 'single_agent'"),
        ({"setting": "random_spawn"}, "setting 'random_spawn'"),
        ({"reward": "sparse"}, "reward 'sparse'"),
        ({"task": OTHER}, f"a snapshot of {OTHER} cannot be restored in {TASK}"),
    ],
)
def test_a_snapshot_of_something_else_is_refused_by_what_differs(theirs: dict[str, str], says: str) -> None:
    env = agentworld_env.make(TASK)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="cannot be restored") as refusal:
        env.restore(taken(**theirs))
    assert says in str(refusal.value)


def test_what_is_no_snapshot_is_refused() -> None:
    env = agentworld_env.make(TASK)
    env.reset(seed=1)
    with pytest.raises(TypeError, match="not dict"):
        env.restore({})  # type: ignore[arg-type]
