"""A learned policy sees and does in recorded episodes what it does in the numeric environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, crew, hunters

import agentworld_env
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.parallel import ParallelAgentWorldEnv
from agentworld_env.episodes import read_episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task

TASKS = (crew(), boss_crew(), hunters(), get_task("t93_fortress_construction"))


class Sampler:
    """Draws legal indices, and keeps what it was shown: all of it, as bytes."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def begin(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, observation: dict[str, Any]) -> int:
        mask = observation["action_mask"]
        parts = [*observation["observation"].values(), mask]
        self.seen.append(b"".join(part.tobytes() for part in parts))
        return int((self.rng.random(mask.shape) * mask).argmax())


def learned(sampler: Any = None, **options: Any) -> agentworld_env.DiscretePolicy:
    sampler = sampler or Sampler()
    return agentworld_env.DiscretePolicy(sampler, begin=sampler.begin, **options)


@settings(max_examples=12, deadline=None)
@given(task=st.sampled_from(TASKS), seed=st.integers(0, 2**32))
def test_a_policy_sees_and_plays_in_a_record_what_it_does_in_the_parallel_environment(
    task: Any, seed: int
) -> None:
    there, here = Sampler(), Sampler()
    env = ParallelAgentWorldEnv(task, observation="features", action="discrete")
    observations, _ = env.reset(seed=seed)
    there.begin(seed)
    while env.agents:
        observations, *_ = env.step({agent: there(observations[agent]) for agent in env.agents})
    hashes: list[str] = []
    episode = agentworld_env.run_episode(
        task, learned(here), seed=seed, on_turn=lambda line, env: hashes.append(env.state_hash())
    )
    assert here.seen == there.seen
    assert hashes[-1] == env.state_hash()
    assert episode.verdict == env.verdict()


@settings(max_examples=6, deadline=None)
@given(task=st.sampled_from(TASKS), seed=st.integers(0, 2**32))
def test_turn_by_turn_it_sees_what_the_turn_based_environment_shows(task: Any, seed: int) -> None:
    there, here = Sampler(), Sampler()
    env = LearningEnv(task)
    env.reset(seed=seed)
    there.begin(seed)
    for agent in env.agent_iter():
        gone = env.terminations[agent] or env.truncations[agent]
        env.step(None if gone else there(env.observe(agent)))
    episode = agentworld_env.run_episode(task, learned(here, api="aec"), seed=seed)
    assert here.seen == there.seen
    assert episode.verdict == env.verdict()


@pytest.mark.parametrize("api", ["parallel", "aec"])
@pytest.mark.parametrize("kept", [1, 2, 8, 12])
def test_a_sampling_policy_is_resumed_to_the_uninterrupted_file(tmp_path: Path, api: Any, kept: int) -> None:
    path = tmp_path / "a.jsonl"
    agentworld_env.run_episode("t01_magic_staff", learned(api=api), seed=3, out=path)
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:kept]))
    agentworld_env.run_episode("t01_magic_staff", learned(api=api), seed=3, out=path)
    assert path.read_bytes() == whole


def test_a_record_names_the_policy_and_how_it_played_and_is_replayed(tmp_path: Path) -> None:
    policy = learned(name="ppo", settings={"steps": 4096})
    episode = agentworld_env.run_episode("p03_small_bowl", policy, seed=1, out=tmp_path)
    stored = read_episode(tmp_path / "p03_small_bowl-ppo-seed1.jsonl")
    assert stored.header.policy == {"name": "ppo", "settings": {"api": "parallel", "steps": 4096}}
    assert stored.footer == episode.footer
    assert "<html" in agentworld_env.replay(stored).html


def test_it_plays_its_agents_of_a_mixed_team_and_is_shown_nobody_elses_observation() -> None:
    asked: list[int] = []

    def choose(observation: dict[str, Any]) -> int:
        asked.append(int(observation["observation"]["ids"][0]))  # the agent's place in turn order
        return 0

    class Bare:
        name = "bare"

        def act(self, turn: Any) -> Any:
            return {"tool": "chat", "arguments": {"message": turn.observation[:20]}}

    team = list(get_task("t01_magic_staff").spec.team)
    mixed = agentworld_env.MixedPolicy(
        [(team[1], agentworld_env.DiscretePolicy(choose, name="net")), ("*", Bare())]
    )
    episode = agentworld_env.run_episode("t01_magic_staff", mixed, seed=0)
    assert set(asked) == {2}
    calls = {line.call["tool"] for line in episode.lines if line.agent == team[1]}
    assert calls == {"sleep"}
    said = [line.call["arguments"]["message"] for line in episode.lines if line.agent == team[0]]
    assert said[0].startswith("Round 1 of 25")


def test_it_plays_the_mates_of_a_learner() -> None:
    env = agentworld_env.gym_env("t01_magic_staff", mates=learned())
    _, info = env.reset(seed=0)
    for _ in range(3):
        _, _, _, _, info = env.step(env.action_space.sample(info["action_mask"]))
    assert env.turns.round == 4


@pytest.mark.parametrize("index", [5000, -1, 1.0, None, True, "0", np.array([3])])
def test_what_is_no_index_ends_in_one_line_that_names_policy_agent_and_round(index: Any) -> None:
    policy = agentworld_env.DiscretePolicy(lambda observation: index, name="net")
    with pytest.raises(
        AgentWorldError, match=r"the policy net chose .* for .* in round 1; .* 0\.\.1369$"
    ) as said:
        agentworld_env.run_episode("t01_magic_staff", policy, seed=0)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("index", [np.int64(0), np.array(0), np.uint8(0)])
def test_an_integer_of_any_type_is_an_index(index: Any) -> None:
    episode = agentworld_env.run_episode(
        "t01_magic_staff", agentworld_env.DiscretePolicy(lambda observation: index), seed=0
    )
    assert {line.call["tool"] for line in episode.lines} == {"sleep"}


def test_an_index_outside_the_mask_is_a_failed_call_on_record() -> None:
    """Index 102 goes through the portal in reach; nobody of this team stands at one."""
    episode = agentworld_env.run_episode(
        "t01_magic_staff", agentworld_env.DiscretePolicy(lambda observation: 102), seed=0
    )
    assert {(line.call["tool"], line.result.ok) for line in episode.lines} == {("enter_portal", False)}


def test_wrong_arguments_are_refused_when_it_is_made() -> None:
    with pytest.raises(AgentWorldError, match="takes a function from an observation to an index"):
        agentworld_env.DiscretePolicy(3)  # type: ignore[arg-type]
    with pytest.raises(AgentWorldError, match="api must be 'parallel' or 'aec', not 'turns'"):
        agentworld_env.DiscretePolicy(lambda observation: 0, api="turns")  # type: ignore[arg-type]
    for wrong, said in (
        ({"begin": 5}, "begin must be a function that takes the seed of an episode, .*, not 5"),
        ({"settings": 5}, "settings must be a dict from names to plain JSON, .*, not 5"),
        ({"settings": {1: "a"}}, "settings must be a dict from names to plain JSON"),
        ({"settings": {"model": object()}}, "settings must be plain JSON"),
        ({"settings": {"api": "zz"}}, "settings cannot hold 'api' .'zz'.: .* pass api=... instead"),
        ({"settings": {"api": "parallel"}}, "settings cannot hold 'api'"),
        ({"name": 5}, "name must be a text, not 5"),
        ({"name": " "}, "name must be a text, not ' '"),
    ):
        with pytest.raises(AgentWorldError, match=said) as error:
            agentworld_env.DiscretePolicy(lambda observation: 0, **wrong)  # type: ignore[arg-type]
        assert "\n" not in str(error.value)


def test_a_setting_that_cannot_be_seen_as_numbers_is_refused_and_leaves_no_record(tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError, match="setting oracle_view is for texts"):
        agentworld_env.run_episode("t01_magic_staff", learned(), seed=0, setting="oracle_view", out=tmp_path)
    assert list(tmp_path.iterdir()) == []
