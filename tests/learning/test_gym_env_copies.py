"""A copied or pickled environment with one learner is an equal one with an episode and team-mates of its own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import crew

import agentworld_env
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.idle import IdlePolicy
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.policies.scripted import ScriptedPolicy


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}


class Sampler:
    """Draws legal indices from random numbers of its own."""

    def begin(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, observation: dict[str, Any]) -> int:
        mask = observation["action_mask"]
        return int((self.rng.random(mask.shape) * mask).argmax())


def net(api: Any = "parallel") -> agentworld_env.DiscretePolicy:
    sampler = Sampler()
    return agentworld_env.DiscretePolicy(sampler, api=api, begin=sampler.begin)


class Counting:
    """Has a name and act only, and remembers how often it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.turns = 0

    def act(self, turn: Any) -> dict[str, Any]:
        self.turns += 1
        calls = [call for call in turn.info["legal"].calls() if call["tool"] != "complete"]
        return dict(calls[7 * self.turns % len(calls)])


class Watching(Counting):
    """Holds on to the environment, to what is in it, and to its last turn, and acts by all three."""

    name = "watching"
    needs_state = True

    def attach(self, env: Any) -> None:
        self.env, self.sim = env, env.sim

    def begin(self, briefs: Mapping[str, Any], seed: int) -> None:
        self.last = self.env.view(self.env.agent_selection)

    def recall(self, turn: Any, decision: Any) -> None:
        raise AssertionError

    def act(self, turn: Any) -> dict[str, Any]:
        assert self.env.sim is self.sim
        assert self.env.round == self.sim.state.round == turn.round
        self.turns += self.sim.state.actions
        self.last = turn.info["view"]
        return super().act(turn)


MATES: dict[str, Any] = {
    "planner": lambda: PlannerPolicy(rehearsals=False),
    "scripted": ScriptedPolicy,
    "random": RandomPolicy,
    "idle": IdlePolicy,
    "net": net,
    "net in turn": lambda: net("aec"),
    "bare": Counting,
    "watching": Watching,
    "mixed": lambda: agentworld_env.MixedPolicy([("lumber*", net()), ("*", Counting())]),
}


def plain(observation: Any) -> Any:
    return {name: field.tobytes() for name, field in observation.items()}


def play(env: Any, actions: list[int]) -> list[Any]:
    """Returns everything that is seen while actions are played."""
    seen: list[Any] = [env.turns.state_hash(), env.action_masks().tobytes()]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [plain(observation), reward, terminated, truncated, info["action_mask"].tobytes()]
        seen += [env.turns.state_hash(), env.verdict(), env.turns.infos.keys()]
        if terminated or truncated:
            break
    return seen


@pytest.mark.parametrize("mates", MATES)
@settings(max_examples=6, deadline=None)
@given(way=st.sampled_from(list(WAYS)), seed=st.integers(0, 2**32), before=st.integers(0, 12))
def test_a_copy_goes_on_as_an_environment_that_was_never_copied_and_so_does_the_original(
    mates: str, way: str, seed: int, before: int
) -> None:
    def environment() -> Any:
        env = agentworld_env.gym_env("t01_magic_staff", learner="wizard", mates=MATES[mates]())
        env.reset(seed=seed)
        return env

    whole = environment()
    rng, actions = np.random.default_rng(seed), []
    for _ in range(before + 6):
        actions.append(int(rng.choice(np.flatnonzero(whole.action_masks()))))
        if any(whole.step(actions[-1])[2:4]):
            break
    untouched, env = environment(), environment()
    play(untouched, actions[:before])
    play(env, actions[:before])
    expected = play(untouched, actions[before:]) if before < len(actions) else []
    if not expected:
        return
    twin = WAYS[way](env)
    assert twin.mates is not env.mates
    assert play(twin, actions[before:]) == expected
    assert play(env, actions[before:]) == expected
    assert plain(twin.reset(seed=seed + 1)[0]) == plain(env.reset(seed=seed + 1)[0])
    assert twin.reset()[1].keys() == env.reset()[1].keys()
    assert twin.turns.episode_seed == env.turns.episode_seed  # it follows from the last one given in both


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("task", ["p03_small_bowl", "p01_corn_and_shrimp"])
def test_a_copy_before_the_first_reset_and_after_the_end_is_equal_too(way: str, task: str) -> None:
    env = agentworld_env.gym_env(task, mates="idle")
    twin = WAYS[way](env)
    assert plain(twin.reset(seed=2)[0]) == plain(env.reset(seed=2)[0])
    while not any(env.step(0)[2:4]):
        pass
    late = WAYS[way](env)
    assert late.verdict() == env.verdict()
    with pytest.raises(RuntimeError, match="the episode is over"):
        late.step(0)


@pytest.mark.parametrize("way", WAYS)
def test_texts_views_and_tool_calls_are_copied_too(way: str) -> None:
    env = agentworld_env.gym_env(crew(), mates="idle", observation="text", action="tool")
    env.reset(seed=1)
    twin = WAYS[way](env)
    calls = [{"tool": "sleep", "arguments": {"rounds": 1}}, {"tool": "chat", "arguments": {"message": "hi"}}]
    assert [twin.step(call) for call in calls] == [env.step(call) for call in calls]


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_registered_environment_is_copied_together_with_its_wrappers(way: str) -> None:
    agentworld_env.register()
    env = gymnasium.make("agentworld/p03_small_bowl-v1", mates="random")
    env.reset(seed=4)
    twin = WAYS[way](env)
    assert twin.unwrapped.turns is not env.unwrapped.turns  # type: ignore[attr-defined]
    assert play(twin.unwrapped, [0, 0, 0]) == play(env.unwrapped, [0, 0, 0])


@pytest.mark.parametrize("way", WAYS)
def test_awaited_mates_are_refused_while_their_loop_is_open_and_copied_before_and_after(way: str) -> None:
    env = agentworld_env.gym_env(crew(), learner="smith", mates=Patient())
    WAYS[way](env)
    env.reset(seed=1)
    with pytest.raises(TypeError, match=r"its mates, patient, are awaited .*close\(\) it first") as said:
        WAYS[way](env)
    assert "\n" not in str(said.value)
    env.close()
    twin = WAYS[way](env)
    twin.reset(seed=2)
    twin.close()


class Patient:
    name = "patient"

    async def act(self, turn: Any) -> dict[str, Any]:
        return {"tool": "sleep", "arguments": {"rounds": 1}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("processes", [0, 1])
def test_a_vector_environment_is_no_value_and_says_so(way: str, processes: int) -> None:
    env = agentworld_env.vector("p03_small_bowl", 2, processes=processes)
    try:
        with pytest.raises(TypeError, match="a vector environment cannot be copied or pickled"):
            WAYS[way](env)
    finally:
        env.close()


def test_a_shallow_copy_of_an_environment_draws_from_random_numbers_of_its_own() -> None:
    env: Any = agentworld_env.make("p03_small_bowl", observation="features", action="discrete")
    env.reset(seed=1)
    agent = env.agent_selection
    env.action_space(agent).seed(1)
    twin = copy.copy(env)
    drawn = [twin.action_space(agent).sample() for _ in range(5)]
    assert [env.action_space(agent).sample() for _ in range(5)] == drawn


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_view_that_is_copied_shows_the_same_moment_for_ever(way: str) -> None:
    env = agentworld_env.make(crew())
    env.reset(seed=1)
    env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    shown = env.view("smith").to_dict()
    kept = WAYS[way](env.view("smith"))
    for _ in range(5):
        env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    assert kept.to_dict() == shown
