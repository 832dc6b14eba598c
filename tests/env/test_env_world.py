"""A task is played in its own world; what can only be of the package's world refuses any other."""

from __future__ import annotations

import copy
import pickle

import pytest
from tests.certify.brute import tiny_task
from tests.sim.worlds import small_world

import agentworld_env
from agentworld_env.env import AgentWorldEnv, LearningEnv, ParallelAgentWorldEnv
from agentworld_env.errors import InvalidValueError
from agentworld_env.tasks.task import Task
from agentworld_env.world import load_world

TASK = tiny_task(
    {"a": {"skills": {"lumberjacking": 10}, "worn": ("axe",)}, "b": {"start": (102, 100)}},
    {"kind": "gathered", "item": "logs", "count": 1},
)


def test_agents_see_and_harvest_what_stands_in_the_tasks_world() -> None:
    for env in (AgentWorldEnv(TASK), AgentWorldEnv(TASK, setting="no_communication")):
        env.reset(seed=1)
        assert env.sim.world is small_world()
        assert {(105, 100), (107, 100)} <= {
            tuple(env.sim.world.node_tiles[n]) for n in env.view("a").nodes_near.members
        }
        assert env.state_hash() == copy.deepcopy(env).state_hash()
    turns = ParallelAgentWorldEnv(TASK).turns
    assert turns.sim.world is small_world()


def test_tasks_that_say_the_same_in_different_worlds_are_different_tasks() -> None:
    assert Task(TASK.spec) != TASK
    assert Task(TASK.spec, load_world()) == Task(TASK.spec)
    env, other = LearningEnv(Task(TASK.spec, small_world())), AgentWorldEnv(TASK)
    env.reset(seed=1)
    other.reset(seed=1)
    env.restore(other.snapshot())


def test_no_record_and_no_pickle_takes_an_episode_into_the_packages_world() -> None:
    with pytest.raises(InvalidValueError, match="tiny plays in a world of its own"):
        agentworld_env.run_episode(TASK, "idle", seed=0)
    with pytest.raises(TypeError, match="only the package's own world can be pickled"):
        pickle.dumps(TASK)
