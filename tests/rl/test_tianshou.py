"""Tianshou's PettingZoo wrapper takes turns, features and masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.optional import optional

import agentworld_env

optional("tianshou", "tianshou")

pytestmark = pytest.mark.filterwarnings("ignore")

TEAM = ("picker", "fisher")


def wrapped() -> Any:
    from tianshou.env import PettingZooEnv

    return PettingZooEnv(
        agentworld_env.make("p01_corn_and_shrimp", observation="features", action="discrete")
    )


def test_the_wrapper_hands_on_features_and_mask_of_whose_turn_it_is() -> None:
    env = wrapped()
    seen, _ = env.reset(seed=1)
    assert seen["agent_id"] == "picker"
    assert seen["obs"]["status"].shape == (20,)
    assert seen["mask"] == (env.env.action_mask("picker") == 1).tolist()
    seen, rewards, *_ = env.step(0)
    assert seen["agent_id"] == "fisher"
    assert rewards == [0.0, 0.0]


def test_its_own_way_of_seeding_and_a_seed_for_reset_both_name_the_episode() -> None:
    env = wrapped()
    env.seed(1)
    assert env.env.episode_seed == 1
    env.reset(seed=5)
    assert env.env.episode_seed == 5


def test_a_team_of_masked_q_learners_is_trained_for_an_update() -> None:
    import torch
    from tianshou.algorithm import DQN
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(20, 1370)

        def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
            return self.layer(torch.as_tensor(np.asarray(obs.status), dtype=torch.float32)), state

    env = wrapped()
    nets = [Net() for _ in TEAM]
    algorithm = MultiAgentOffPolicyAlgorithm(
        algorithms=[
            DQN(
                policy=DiscreteQLearningPolicy(
                    model=net,
                    action_space=env.action_space,
                    observation_space=env.observation_space,
                    eps_training=0.5,
                ),
                optim=AdamOptimizerFactory(lr=0.1),
            )
            for net in nets
        ],
        env=env,
    )
    games = DummyVectorEnv([wrapped])
    buffer = VectorReplayBuffer(100, 1)
    collector = Collector(algorithm, games, buffer, exploration_noise=True)
    collector.reset(gym_reset_kwargs={"seed": 1})
    collector.collect(n_step=24)
    assert len(buffer) == 24
    assert set(buffer.obs.agent_id[:24]) == set(TEAM)
    assert buffer.obs.mask[np.arange(24), buffer.act[:24]].all()
    before = [net.layer.weight.detach().clone() for net in nets]
    from tianshou.utils.torch_utils import policy_within_training_step

    with policy_within_training_step(algorithm.policy):
        algorithm.update(sample_size=24, buffer=buffer)
    assert all(not torch.equal(old, net.layer.weight) for old, net in zip(before, nets, strict=True))


def test_the_parallel_interface_is_not_taken_and_texts_come_without_a_mask() -> None:
    """The docs say so, with the reason."""
    from tianshou.env import PettingZooEnv

    with pytest.raises(AttributeError, match="last"):
        PettingZooEnv(
            agentworld_env.make(
                "p01_corn_and_shrimp", api="parallel", observation="features", action="discrete"
            )
        )
    seen, _ = PettingZooEnv(agentworld_env.make("p01_corn_and_shrimp")).reset(seed=1)
    assert set(seen) == {"agent_id", "obs"}
    assert seen["obs"].startswith("Round 1 of 8")
