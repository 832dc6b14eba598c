"""Stable-Baselines3's contributed maskable PPO learns in the Gymnasium view as it is."""

from __future__ import annotations

import gymnasium
import pytest
from tests.optional import optional

import agentworld_env

sb3_contrib = optional("sb3_contrib", "sb3")


def test_maskable_ppo_learns_and_plays_by_the_mask() -> None:
    env = agentworld_env.gym_env("p01_corn_and_shrimp", learner="picker", mates="planner")
    model = sb3_contrib.MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, seed=0)
    model.learn(32)
    assert model.num_timesteps == 32
    observation, info = env.reset(seed=3)
    over = False
    while not over:
        action, _ = model.predict(observation, action_masks=env.action_masks())
        assert info["action_mask"][action]
        observation, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    assert 0.0 <= info["psr"] <= 1.0
    env.close()


def test_the_registered_view_is_found_by_its_id_and_keeps_its_mask() -> None:
    agentworld_env.register()
    env = gymnasium.make("agentworld/p01_corn_and_shrimp-v1", mates="idle")
    model = sb3_contrib.MaskablePPO("MultiInputPolicy", env, n_steps=8, batch_size=8, n_epochs=1, seed=0)
    model.learn(8)
    assert model.num_timesteps == 8
    env.close()


def test_it_takes_neither_teams_nor_texts() -> None:
    """The docs say so, with the reason."""
    team = agentworld_env.make("p01_corn_and_shrimp", observation="features", action="discrete")
    with pytest.raises(ValueError, match="not a Gymnasium environment"):
        sb3_contrib.MaskablePPO("MultiInputPolicy", team)
    texts = agentworld_env.gym_env("p01_corn_and_shrimp", mates="idle", observation="text")
    with pytest.raises(TypeError):
        sb3_contrib.MaskablePPO("MlpPolicy", texts)
