"""What an agent has been rewarded since its last step can be asked for while it is another's turn."""

from __future__ import annotations

import pytest

import agentworld_env


def test_cumulative_rewards_are_what_last_says_when_the_turn_comes_round() -> None:
    env = agentworld_env.make("t01_magic_staff", observation="features")
    with pytest.raises(RuntimeError):
        env.cumulative_reward("wizard")
    env.reset(seed=0)
    planner = agentworld_env.run_episode("t01_magic_staff", "planner", seed=0)
    expected = dict.fromkeys(env.agents, 0.0)
    paid = 0.0
    for line in planner.lines:
        agent = env.agent_selection
        assert env.last(observe=False)[1] == env.cumulative_reward(agent) == expected[agent]
        expected[agent] = 0.0
        env.step(line.call)
        for name, reward in env.rewards.items():
            expected[name] += reward
            paid += reward
    assert paid > 0
