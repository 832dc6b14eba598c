from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, chance, crew

import agentworld_env
from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.parallel import ParallelAgentWorldEnv
from agentworld_env.env.shaping import Shaping
from agentworld_env.planner.potential import plan_potential

TASKS = st.sampled_from((crew(rounds=12), boss_crew()))


def height(env: AgentWorldEnv) -> float:
    """A potential that changes in every round."""
    return sum(agent.x % 7 + agent.hp / 100 for agent in env.sim.state.agents)


@settings(max_examples=30, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32), discount=st.sampled_from((1.0, 0.99, 0.5)))
def test_shaping_telescopes_to_the_potentials_of_start_and_end(task: Any, seed: int, discount: float) -> None:
    """For every agent: the discounted sum of what shaping adds is discount**T * end - start, and 0 at a termination."""
    below = chance(seed)
    shaped = ParallelAgentWorldEnv(task, shaping=Shaping(height, discount))
    plain = ParallelAgentWorldEnv(task)
    shaped.reset(seed=seed)
    plain.reset(seed=seed)
    start = height(shaped.turns)
    added = dict.fromkeys(shaped.agents, 0.0)
    at = 0
    while shaped.agents:
        calls = {name: sample_legal(shaped.legal(name), below) for name in shaped.agents}
        _, more, terminations, truncations, _ = shaped.step(calls)
        _, less, _, _, _ = plain.step(calls)
        for name in more:
            added[name] += discount**at * (more[name] - less[name])
        at += 1
        for name in more:
            if terminations[name]:
                assert added[name] == pytest.approx(-start, abs=1e-9)
            elif truncations[name]:
                assert added[name] == pytest.approx(discount**at * height(shaped.turns) - start, abs=1e-9)


def drowsy(legal: Any, below: Any) -> dict[str, Any]:
    """Returns a random legal call; every other time it is a sleep of up to five rounds."""
    if below(2):
        return {"tool": "sleep", "arguments": {"rounds": 1 + below(5)}}
    return sample_legal(legal, below)


DISCOUNTS = st.sampled_from((1.0, 0.9, 0.5))


@settings(max_examples=30, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32), discount=DISCOUNTS)
def test_shaping_telescopes_over_each_agents_own_turns_however_long_it_sleeps(
    task: Any, seed: int, discount: float
) -> None:
    """A turn-based learner discounts once per turn of its own, whether that lasts one round or five."""
    below = chance(seed)
    shaped = LearningEnv(task, observation="text", action="tool", shaping=Shaping(height, discount))
    plain = AgentWorldEnv(task)
    shaped.reset(seed=seed)
    plain.reset(seed=seed)
    start = height(shaped)
    added, turns = dict.fromkeys(shaped.agents, 0.0), dict.fromkeys(shaped.agents, 0)
    while shaped.agents:
        name = shaped.agent_selection
        _, more, terminated, truncated, _ = shaped.last(observe=False)
        less = plain.last(observe=False)[1]
        if turns[name]:
            added[name] += discount ** (turns[name] - 1) * (more - less)
        if terminated or truncated:
            if turns[name]:
                end = 0.0 if terminated else height(shaped)
                assert added[name] == pytest.approx(discount ** turns[name] * end - start, abs=1e-9)
            shaped.step(None)
            plain.step(None)
            continue
        call = drowsy(shaped.legal(name), below)
        shaped.step(call)
        plain.step(call)
        turns[name] += 1


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), discount=DISCOUNTS)
def test_shaping_telescopes_over_rounds_that_pass_within_one_step(seed: int, discount: float) -> None:
    """In the parallel environment a round in which everybody sleeps is no step of its own."""
    below = chance(seed)
    env = ParallelAgentWorldEnv(crew(rounds=12), shaping=Shaping(height, discount))
    plain = ParallelAgentWorldEnv(crew(rounds=12))
    env.reset(seed=seed)
    plain.reset(seed=seed)
    start, added, steps = height(env.turns), 0.0, 0
    while env.agents:
        call = {"tool": "sleep", "arguments": {"rounds": 1 + below(5)}}
        calls = dict.fromkeys(env.agents, call)
        more, less = env.step(calls)[1], plain.step(calls)[1]
        added += discount**steps * (more["miner"] - less["miner"])
        steps += 1
    assert added == pytest.approx(discount**steps * height(env.turns) - start, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), discount=DISCOUNTS)
def test_shaping_telescopes_over_the_turns_of_a_single_learner(seed: int, discount: float) -> None:
    from agentworld_env.learning.gym_env import GymAgentWorldEnv
    from agentworld_env.policies.idle import IdlePolicy

    below = chance(seed)
    options: dict[str, Any] = {
        "mates": IdlePolicy(),
        "learner": "miner",
        "observation": "text",
        "action": "tool",
    }
    env = GymAgentWorldEnv(crew(rounds=12), shaping=Shaping(height, discount), **options)
    plain = GymAgentWorldEnv(crew(rounds=12), **options)
    env.reset(seed=seed)
    plain.reset(seed=seed)
    start, added, steps, done = height(env.turns), 0.0, 0, False
    while not done:
        call = drowsy(env.turns.legal("miner"), below)
        _, more, terminated, truncated, _ = env.step(call)
        added += discount**steps * (more - plain.step(call)[1])
        steps += 1
        done = terminated or truncated
    end = 0.0 if terminated else height(env.turns)
    assert added == pytest.approx(discount**steps * end - start, abs=1e-9)


@pytest.mark.parametrize("discount", [np.float32(0.5), np.float64(0.5), 1, 0])
def test_a_discount_is_a_number_of_any_type(discount: Any) -> None:
    assert Shaping(height, discount).discount == float(discount)


@pytest.mark.parametrize("discount", [True, "0.9", None, [0.9]])
def test_a_discount_that_is_no_number_is_refused(discount: Any) -> None:
    with pytest.raises(TypeError, match="discount must be a number from 0 to 1, not "):
        Shaping(height, discount)


@settings(max_examples=20, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32))
def test_turn_by_turn_each_agent_is_paid_the_same_shaping_as_round_by_round(task: Any, seed: int) -> None:
    below = chance(seed)
    env = LearningEnv(task, observation="text", action="tool", shaping=Shaping(height))
    rounds = ParallelAgentWorldEnv(task, shaping=Shaping(height))
    env.reset(seed=seed)
    rounds.reset(seed=seed)
    paid, due = dict.fromkeys(env.agents, 0.0), dict.fromkeys(env.agents, 0.0)
    while rounds.agents:
        calls = {name: sample_legal(rounds.legal(name), below) for name in rounds.agents}
        round_ = env.round
        while env.agents and (env.round == round_ or env.terminations[env.agent_selection]):
            _, reward, terminated, truncated, _ = env.last(observe=False)
            name = env.agent_selection
            paid[name] += reward
            env.step(None if terminated or truncated else calls[name])
        for name, reward in rounds.step(calls)[1].items():
            due[name] += reward
    while env.agents:
        paid[env.agent_selection] += env.last(observe=False)[1]
        env.step(None)
    assert paid == pytest.approx(due)


def test_the_plans_potential_rises_as_the_plan_is_carried_out() -> None:
    from agentworld_env.planner import PlannerPolicy
    from agentworld_env.policies.protocol import Turn

    env = agentworld_env.make("t01_magic_staff", reward="shaped")
    env.reset(seed=0)
    planner = PlannerPolicy(rehearsals=False)
    planner.attach(env)
    planner.begin({}, 0)
    start = plan_potential(env)
    assert -1 < start < 0
    values = []
    while env.agents and not env.is_over:
        name = env.agent_selection
        values.append(plan_potential(env))
        env.step(planner.act(Turn(agent=name, round=env.round, observation="", info=env.infos[name])))
    assert env.verdict().success
    assert values[-1] > start / 4
    assert sum(later >= earlier for earlier, later in pairwise(values)) >= len(values) * 0.8
    # The whole of it: PSR, and what the start was short of.
    assert env.last(observe=False)[1] <= 1 - start + 1e-9


def test_an_idle_teams_potential_stays_where_it_is() -> None:
    env = agentworld_env.make("t86_forge_vanguard", api="parallel", reward="shaped")
    env.reset(seed=0)
    wait = {"tool": "sleep", "arguments": {"rounds": 1}}
    for _ in range(4):
        _, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, wait))
        assert all(abs(reward) < 0.01 for reward in rewards.values())


@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_copies_and_snapshots_go_on_with_what_has_been_paid(kind: str) -> None:
    env = agentworld_env.make("t01_magic_staff", api=kind, reward="shaped", discount=0.9)  # type: ignore[call-overload]
    env.reset(seed=3)
    below = chance(4)

    def play(env: Any, below: Any) -> list[Any]:
        paid = []
        for _ in range(6):
            if kind == "parallel":
                paid.append(env.step({a: sample_legal(env.legal(a), below) for a in env.agents})[1])
            else:
                env.step(sample_legal(env.legal(env.agent_selection), below))
                paid.append(dict(env.rewards))
        return paid

    play(env, below)
    twin, aside = copy.deepcopy(env), env.snapshot()
    first = play(env, chance(8))
    assert play(twin, chance(8)) == first
    env.restore(aside)
    assert play(env, chance(8)) == first


def test_a_discount_out_of_range_or_without_shaping_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0 to 1, not 1\.5"):
        Shaping(height, 1.5)
    with pytest.raises(ValueError, match="discount goes with reward='shaped', not with 'progress'"):
        agentworld_env.make("t01_magic_staff", discount=0.9)
    with pytest.raises(ValueError, match="reward must be 'progress' or 'sparse' or 'shaped', not 'dense'"):
        agentworld_env.make("t01_magic_staff", reward="dense")  # type: ignore[call-overload]
