"""An episode is a value: it can be put aside, brought back, copied and sent elsewhere."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, crew, fresh, play, random_calls

from agentworld_env.env import AgentWorldEnv, EnvSnapshot

SEEDS = st.integers(0, 2**32)
TASKS = st.sampled_from((crew(), boss_crew()))
FEW = settings(max_examples=20, deadline=None)


def midway(task: object, seed: int, steps: int) -> AgentWorldEnv:
    """Returns an episode after so many random calls."""
    env = fresh(task, seed)  # type: ignore[arg-type]
    for _ in random_calls(env, seed, steps):
        pass
    return env


def future(env: AgentWorldEnv, seed: int) -> tuple[object, ...]:
    """Plays on at random and returns everything that can be seen of it."""
    seen: list[object] = []
    for call in random_calls(env, seed, 30):
        agent = env.agent_selection
        seen.append((agent, call, env.rewards.get(agent), env.observe(agent), env.state_hash()))
    return (*seen, env.agents[:], env.team_return, [repr(event) for event in env.sim.state.events])


@FEW
@given(task=TASKS, seed=SEEDS, steps=st.integers(0, 90))
def test_restoring_a_snapshot_of_any_turn_gives_back_the_state_and_its_future(
    task: object, seed: int, steps: int
) -> None:
    env = midway(task, seed, steps)
    aside = env.snapshot()
    hash_then, text_then = env.state_hash(), env.observe(env.possible_agents[0])
    first = future(env, seed + 1)
    env.restore(aside)
    assert env.state_hash() == hash_then
    assert env.observe(env.possible_agents[0]) == text_then
    assert future(env, seed + 1) == first


@FEW
@given(seed=SEEDS, steps=st.integers(0, 60))
def test_two_restores_of_one_snapshot_are_independent(seed: int, steps: int) -> None:
    env = midway(crew(), seed, steps)
    aside = env.snapshot()
    one, two = AgentWorldEnv(crew()), AgentWorldEnv(crew())
    one.restore(aside)
    two.restore(aside)
    before = two.state_hash()
    future(one, seed + 2)
    assert two.state_hash() == before
    assert future(two, seed + 3) == future(env, seed + 3)


@FEW
@given(task=TASKS, seed=SEEDS, steps=st.integers(0, 60))
def test_a_deep_copy_is_equal_and_independent(task: object, seed: int, steps: int) -> None:
    env = midway(task, seed, steps)
    twin = copy.deepcopy(env)
    assert twin.state_hash() == env.state_hash()
    before = env.state_hash()
    theirs = future(twin, seed + 1)
    assert env.state_hash() == before
    assert future(env, seed + 1) == theirs


@FEW
@given(task=TASKS, seed=SEEDS, steps=st.integers(0, 60))
def test_a_pickled_episode_goes_on_as_the_original_does(task: object, seed: int, steps: int) -> None:
    env = midway(task, seed, steps)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.state_hash() == env.state_hash()
    assert future(twin, seed + 1) == future(env, seed + 1)


def test_a_snapshot_can_be_pickled_and_copied() -> None:
    env = midway(crew(), 5, 40)
    aside = env.snapshot()
    there = pickle.loads(pickle.dumps(aside))
    copied = copy.deepcopy(aside)
    now = env.state_hash()
    for other in (there, copied):
        twin = AgentWorldEnv(crew())
        twin.restore(other)
        assert twin.state_hash() == now


def test_an_environment_before_its_reset_can_be_copied() -> None:
    twin = copy.deepcopy(AgentWorldEnv(crew()))
    twin.reset(seed=4)
    assert twin.state_hash() == fresh(crew(), 4).state_hash()


def test_a_copied_environment_samples_as_the_original_would() -> None:
    env = fresh()
    env.action_space("miner").seed(9)
    twin = copy.deepcopy(env)
    assert [env.action_space("miner").sample() for _ in range(5)] == [
        twin.action_space("miner").sample() for _ in range(5)
    ]


def test_a_snapshot_of_another_task_is_refused() -> None:
    with pytest.raises(ValueError, match="boss_crew"):
        fresh(crew()).restore(fresh(boss_crew()).snapshot())


@pytest.mark.parametrize(
    "options", [{"reward": "sparse"}, {"setting": "no_communication"}, {"setting": "local_talk"}]
)
def test_a_snapshot_of_another_reward_or_setting_is_refused_and_changes_nothing(
    options: dict[str, str],
) -> None:
    env = fresh(crew())
    before = env.state_hash()
    value = next(iter(options.values()))
    with pytest.raises(ValueError, match=f"with {next(iter(options))} '{value}'"):
        env.restore(midway_of(options))
    assert env.state_hash() == before
    twin = AgentWorldEnv(crew(), **options)  # type: ignore[arg-type]
    twin.restore(pickle.loads(pickle.dumps(midway_of(options))))
    assert (twin.round, twin.setting.name, twin.reward) == (
        2,
        options.get("setting", "default"),
        options.get("reward", "progress"),
    )


def midway_of(options: dict[str, str]) -> EnvSnapshot:
    env = fresh(crew(), **options)
    for _ in range(4):
        env.step({"tool": "sleep", "arguments": {}})
    return env.snapshot()


@pytest.mark.parametrize("thing", ["x", None, 7])
def test_what_is_no_snapshot_is_not_restored(thing: object) -> None:
    env = fresh()
    with pytest.raises(TypeError, match=r"restore\(\) takes what snapshot\(\) returned"):
        env.restore(thing)  # type: ignore[arg-type]


def test_an_episode_with_sparse_rewards_is_put_aside_copied_and_sent_like_any_other() -> None:
    env = fresh(crew(), reward="sparse")
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (twin.reward, twin.state_hash()) == ("sparse", env.state_hash())


@FEW
@given(seed=SEEDS)
def test_the_same_seed_and_calls_give_the_same_hashes_and_another_seed_does_not(seed: int) -> None:
    calls = list(random_calls(fresh(crew(), seed), seed, 40))
    assert play(fresh(crew(), seed), calls) == play(fresh(crew(), seed), calls)
    assert play(fresh(crew(), seed), calls) != play(fresh(crew(), seed + 1), calls)


def test_episodes_that_differ_only_in_a_message_have_different_hashes() -> None:
    hashes = []
    for words in ("one", "two"):
        env = fresh()
        env.step({"tool": "chat", "arguments": {"message": words}})
        env.step({"tool": "sleep", "arguments": {}})
        env.step({"tool": "sleep", "arguments": {}})
        env.step({"tool": "sleep", "arguments": {}})
        hashes.append(env.state_hash())
    assert hashes[0] != hashes[1]


SCRIPT = """
from tests.env.teams import boss_crew, crew, fresh, random_calls
for task in (crew(), boss_crew()):
    env = fresh(task, 11)
    for _ in random_calls(env, 11, 100):
        print(env.state_hash(), env.observe(env.agent_selection), list(env.legal(env.agent_selection)))
    print(env.state_hash())
"""


def test_hashes_and_texts_are_the_same_in_processes_with_different_hash_seeds() -> None:
    outputs = []
    for hash_seed in ("1", "77"):
        environment = dict(
            os.environ, PYTHONHASHSEED=hash_seed, PYTHONPATH=os.pathsep.join(p for p in sys.path if p)
        )
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=True
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) > 100
