"""RLlib's wrapper of parallel PettingZoo environments takes features and masks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.optional import optional

import agentworld_env

optional("ray.rllib", "rllib")

pytestmark = pytest.mark.filterwarnings("ignore")


def team(_: Any = None) -> Any:
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv

    return ParallelPettingZooEnv(
        agentworld_env.make("p01_corn_and_shrimp", api="parallel", observation="features", action="discrete")
    )


def test_the_wrapper_hands_on_features_and_masks_of_all_agents() -> None:
    env = team()
    seen, _ = env.reset(seed=1)
    assert set(seen) == {"picker", "fisher"}
    assert seen["picker"] in env.observation_space["picker"]
    while True:
        actions = {name: env.action_space[name].sample(each["action_mask"]) for name, each in seen.items()}
        seen, rewards, terminated, truncated, _ = env.step(actions)
        if truncated["__all__"] or terminated["__all__"]:
            break
    assert set(rewards) == {"picker", "fisher"}


def test_the_wrapper_of_turns_plays_an_episode_by_the_mask() -> None:
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    game = agentworld_env.make("p01_corn_and_shrimp", observation="features", action="discrete")
    env = PettingZooEnv(game)
    seen, _ = env.reset(seed=1)
    for _ in range(16):
        name = game.agent_selection
        action = env.action_spaces[name].sample(seen[name]["action_mask"])
        seen, _, terminated, truncated, _ = env.step({name: action})
    assert truncated["__all__"]
    assert not terminated["__all__"]


def test_default_models_take_neither_texts_nor_nested_features() -> None:
    """The docs say so, with the reason."""
    from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog

    for observation in ("text", "features"):
        env = agentworld_env.make("p01_corn_and_shrimp", observation=observation, action="discrete")  # type: ignore[arg-type]
        agent = env.possible_agents[0]
        with pytest.raises(ValueError, match="No default encoder config"):
            PPOCatalog(env.observation_space(agent), env.action_space(agent), {})


def test_ppo_trains_one_masked_module_for_the_whole_team() -> None:
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule

    class Masked(TorchRLModule, ValueFunctionAPI):
        def setup(self) -> None:
            self.choice = torch.nn.Linear(20, self.action_space.n)
            self.value = torch.nn.Linear(20, 1)

        def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            seen = batch[Columns.OBS]
            logits = self.choice(seen["observation"]["status"])
            return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, -1e9)}

        def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
            return self.value(batch[Columns.OBS]["observation"]["status"]).squeeze(-1)

    from ray.tune.registry import register_env

    register_env("agentworld", team)
    config = (
        PPOConfig()
        .environment("agentworld")
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"team"}, policy_mapping_fn=lambda agent, episode, **_: "team")
        .training(train_batch_size=64, minibatch_size=32, num_epochs=1)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(rl_module_specs={"team": RLModuleSpec(module_class=Masked)})
        )
        .debugging(seed=0)
    )
    ray.init(num_cpus=1, include_dashboard=False, configure_logging=False, log_to_driver=False)
    try:
        learner = config.build_algo()
        before = learner.get_module("team").choice.weight.detach().clone()
        result = learner.train()
        assert result["env_runners"]["num_env_steps_sampled_lifetime"] >= 32
        assert not torch.equal(before, learner.get_module("team").choice.weight)
        learner.stop()
    finally:
        ray.shutdown()
