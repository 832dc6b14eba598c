"""A snapshot of one interface is restored in every other, and the episode goes on there by the same rules."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, crew, fresh, playable, random_calls

from agentworld_env.env import AgentWorldEnv, EnvSnapshot, LearningEnv, ParallelAgentWorldEnv, Shaping
from agentworld_env.learning.gym_env import GymAgentWorldEnv
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.tasks import Task

WAIT = {"tool": "sleep", "arguments": {"rounds": 1}}


def height(env: AgentWorldEnv) -> float:
    return float(sum(agent.x for agent in env.sim.state.agents)) / 10_000


def in_gym(task: Task) -> Any:
    return GymAgentWorldEnv(task, mates=RandomPolicy()).turns


INTERFACES: dict[str, Callable[[Task], Any]] = {
    "aec": AgentWorldEnv,
    "aec, numbers": lambda task: LearningEnv(task),
    "aec, shaped": lambda task: LearningEnv(task, observation="text", action="tool", shaping=Shaping(height)),
    "parallel": ParallelAgentWorldEnv,
    "parallel, shaped": lambda task: ParallelAgentWorldEnv(task, shaping=Shaping(height)),
    "parallel, numbers": lambda task: ParallelAgentWorldEnv(task, observation="features", action="discrete"),
    "gym": in_gym,
}


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1_000),
    steps=st.integers(0, 40),
    through=st.lists(st.sampled_from(sorted(INTERFACES)), min_size=1, max_size=4),
    task=st.sampled_from([crew(), boss_crew()]),
)
def test_a_moment_stays_the_same_through_whatever_interfaces_it_is_handed(
    seed: int, steps: int, through: list[str], task: Task
) -> None:
    env = fresh(task, seed)
    list(random_calls(env, seed, steps))
    aside = env.snapshot()
    for name in through:
        other = INTERFACES[name](task)
        other.restore(aside)
        assert other.state_hash() == env.state_hash()
        assert (other.round, other.episode_seed) == (env.round, seed)
        aside = pickle.loads(pickle.dumps(other.snapshot()))
        assert type(aside) is EnvSnapshot
    env.restore(aside)
    assert env.state_hash() == other.state_hash()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1_000), steps=st.integers(0, 30), task=st.sampled_from([crew(), boss_crew()]))
def test_an_episode_begun_by_turns_goes_on_by_rounds_as_the_same_calls_have_it(
    seed: int, steps: int, task: Task
) -> None:
    turns = fresh(task, seed)
    list(random_calls(turns, seed, steps))
    rounds = ParallelAgentWorldEnv(task)
    rounds.restore(turns.snapshot())
    calls: dict[int, dict[str, Any]] = {}
    for call in random_calls(turns, seed + 1, 12):
        calls.setdefault(turns.round, {})[turns.agent_selection] = call
    # The last round is played to its end, as rounds are.
    while turns.agents and calls and turns.round == max(calls):
        if playable(turns):
            calls[turns.round][turns.agent_selection] = WAIT
        turns.step(WAIT if playable(turns) else None)
    for number, played in calls.items():
        assert rounds.round == number
        rounds.step({name: played.get(name, WAIT) for name in rounds.agents})
    assert rounds.state_hash() == turns.state_hash()


def test_agents_that_have_only_their_last_empty_step_to_take_are_not_asked_for_an_action() -> None:
    env = fresh()
    env.step({"tool": "complete", "arguments": {"response": "Done."}})
    assert env.terminations["miner"]
    rounds = ParallelAgentWorldEnv(crew())
    rounds.restore(env.snapshot())
    assert rounds.agents == ["smith", "guard"]
    observations, rewards, terminations, *_ = rounds.step({"smith": WAIT, "guard": WAIT})
    assert set(observations) == set(rewards) == set(terminations) == {"smith", "guard"}


def test_what_shaping_has_paid_for_crosses_from_turns_to_rounds() -> None:
    one = LearningEnv(crew(), observation="text", action="tool", shaping=Shaping(height, 0.9))
    one.reset(seed=2)
    for _ in range(6):
        one.step({"tool": "move_character", "arguments": {"x": 300, "y": 60}})
    other = ParallelAgentWorldEnv(crew(), shaping=Shaping(height, 0.9))
    other.restore(one.snapshot())
    assert one.shaping is not None
    assert other.shaping is not None
    assert other.shaping.save() == one.shaping.save()


@pytest.mark.parametrize("thing", [None, {}, (1, 2)])
def test_what_is_no_snapshot_is_refused_by_rounds_as_by_turns(thing: Any) -> None:
    for env in (fresh(), ParallelAgentWorldEnv(crew())):
        with pytest.raises(TypeError, match=r"restore\(\) takes what snapshot\(\) returned, not"):
            env.restore(thing)
