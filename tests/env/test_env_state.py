"""The state that learners trained together share: all agents' features as one array."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test.state_test import test_parallel_env as check_parallel
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from tests.env.teams import crew, fresh

from agentworld_env.env import LearningEnv, ParallelAgentWorldEnv

WAIT = {"tool": "sleep", "arguments": {"rounds": 1}}


def begun(kind: Any, **options: Any) -> Any:
    env = kind(crew(), **{"observation": "features", "action": "tool"} | options)
    env.reset(seed=1)
    return env


@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_own_test_of_states_passes() -> None:
    turns, rounds = begun(LearningEnv, action="discrete"), begun(ParallelAgentWorldEnv, action="discrete")
    check_state_space(turns)
    check_state(turns, 10)
    check_parallel(rounds)


@pytest.mark.parametrize("kind", [LearningEnv, ParallelAgentWorldEnv])
def test_a_row_is_what_its_agent_sees_field_by_field(kind: Any) -> None:
    env = begun(kind)
    if kind is ParallelAgentWorldEnv:
        observations = env.step(dict.fromkeys(env.agents, WAIT))[0]
    else:
        for _ in range(3):
            env.step(WAIT)
        observations = {name: env.observe(name) for name in env.possible_agents}
    state = env.state()
    assert state.dtype == np.float32
    assert state.shape == env.state_space.shape
    space = env.observation_space("miner")
    assert state.shape == (3, sum(int(np.prod(box.shape)) for box in space.values()))
    for row, name in zip(state, env.possible_agents, strict=True):
        start = 0
        for field, box in space.items():
            end = start + int(np.prod(box.shape))
            assert (row[start:end].reshape(box.shape) == observations[name][field]).all(), (name, field)
            assert (env.state_space.low[0, start:end] == box.low.ravel()).all(), field
            assert (env.state_space.high[0, start:end] == box.high.ravel()).all(), field
            start = end
        assert (row == gymnasium.spaces.flatten(space, observations[name])).all()
        again = gymnasium.spaces.unflatten(space, row)
        assert all((again[field] == observations[name][field]).all() for field in space)


def test_an_agent_that_has_left_keeps_its_row() -> None:
    env = begun(LearningEnv)
    shape = env.state().shape
    env.step({"tool": "complete", "arguments": {"response": "Done."}})
    env.step(None)
    assert "miner" not in env.agents
    assert env.state().shape == shape
    assert env.state_space.contains(env.state())


def test_what_is_told_in_texts_has_no_state() -> None:
    for env in (
        begun(LearningEnv, observation="text", action="discrete"),
        begun(ParallelAgentWorldEnv, observation="text"),
    ):
        assert not hasattr(env, "state_space")
        with pytest.raises(NotImplementedError, match="observation='features'"):
            env.state()
    with pytest.raises(NotImplementedError):
        fresh().state()
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        LearningEnv(crew()).state()
    assert isinstance(LearningEnv(crew()).state_space, gymnasium.spaces.Box)
