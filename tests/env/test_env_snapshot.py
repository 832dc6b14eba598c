"""A snapshot is restored only where it fits, and a refusal names what does not."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import agentworld_env
from agentworld_env.env import AgentWorldEnv

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


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"setting": "no_communication", "reward": "sparse"},
        {"setting": "shared_plan"},
        {"observation": "features", "action": "discrete", "reward": "shaped"},
    ],
)
def test_a_stage_takes_up_the_episode_and_leaves_it_as_it_is(options: dict[str, Any]) -> None:
    """What is tried on it follows the same rules, and is played in tool calls whatever the environment reads."""
    env = agentworld_env.make(TASK, **options)
    env.reset(seed=1)
    stage = env.stage()
    stage.restore(env.snapshot())
    assert type(stage) is AgentWorldEnv
    assert (stage.task, stage.setting, stage.plan) == (env.task, env.setting, env.plan)
    before = env.state_hash()
    assert stage.state_hash() == before
    call = {"tool": "sleep", "arguments": {"rounds": 1}}
    stage.step(call)
    assert env.state_hash() == before
    twin = copy.deepcopy(env)
    AgentWorldEnv.step(twin, call)
    assert twin.state_hash() == stage.state_hash() != before


@pytest.mark.parametrize("api", ["aec", "parallel"])
@pytest.mark.parametrize("mode", ["human", "ansi", None])
def test_a_copy_shows_itself_as_the_original_does(api: Any, mode: str | None) -> None:
    env = agentworld_env.make(TASK, api=api, render_mode=mode)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert type(other) is type(env)
        assert other.render_mode == mode
