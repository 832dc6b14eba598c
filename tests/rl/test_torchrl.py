"""TorchRL's PettingZoo wrapper takes features and masks, of rounds and of turns; texts it cannot take."""

from __future__ import annotations

import pytest
from tests.optional import optional

import agentworld_env

torch = optional("torch", "torchrl")
envs = optional("torchrl.envs", "torchrl")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def team(api: str) -> object:
    return agentworld_env.make("p01_corn_and_shrimp", observation="features", action="discrete", api=api)  # type: ignore[call-overload]


def test_a_masked_policy_shared_by_the_team_is_trained_for_an_update() -> None:
    from tensordict.nn import TensorDictModule
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    env = envs.PettingZooWrapper(team("parallel"), group_map={"team": ["picker", "fisher"]}, use_mask=True)
    menu = env.full_action_spec["team", "action"].space.n
    net = torch.nn.Linear(20, menu)
    actor = ProbabilisticActor(
        TensorDictModule(net, [("team", "observation", "observation", "status")], [("team", "logits")]),
        in_keys={"logits": ("team", "logits"), "mask": ("team", "action_mask")},
        out_keys=[("team", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("team", "log_prob"),
    )
    env.set_seed(1)
    played = env.rollout(8, actor, break_when_any_done=True)
    chosen = played["team", "action_mask"].gather(-1, played["team", "action"].unsqueeze(-1))
    assert chosen.all()
    before = net.weight.detach().clone()
    # REINFORCE on what was played; the constant keeps the gradient from being 0 where nothing was gained.
    gain = played["next", "team", "reward"].sum(0) + 1.0
    loss = -(actor.get_dist(played).log_prob(played["team", "action"]) * gain.squeeze(-1)).mean()
    loss.backward()
    torch.optim.SGD(net.parameters(), 1.0).step()
    assert not torch.equal(before, net.weight)


@pytest.mark.parametrize("api", ["parallel", "aec"])
def test_random_play_by_the_mask_reaches_the_end_of_an_episode(api: str) -> None:
    env = envs.PettingZooWrapper(team(api), use_mask=True)
    played = env.rollout(100, break_when_any_done=True)
    assert played["next", "done"][-1].all()
    # Random play may succeed before the eight rounds are over, on this smallest of tasks.
    assert 0 < len(played) <= (8 if api == "parallel" else 16)


def test_one_learner_is_taken_by_the_gymnasium_wrapper() -> None:
    env = envs.GymWrapper(agentworld_env.gym_env("p01_corn_and_shrimp"))
    played = env.rollout(4)
    assert played["status"].shape == (4, 20)
    assert played["next", "reward"].shape == (4, 1)


def test_one_learner_plays_by_its_mask_with_a_reader_of_infos() -> None:
    from torchrl.data import Binary
    from torchrl.envs.gym_like import default_info_dict_reader

    env = envs.GymWrapper(agentworld_env.gym_env("p01_corn_and_shrimp"), categorical_action_encoding=True)
    mask = Binary(env.action_spec.space.n, dtype=torch.bool)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], {"action_mask": mask}))
    played = envs.TransformedEnv(env, envs.ActionMask()).rollout(50, break_when_any_done=True)
    assert 0 < len(played) <= 8  # it may succeed before the eight rounds are over
    assert played["next", "done"][-1].all()
    assert played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all()


def test_tool_calls_and_texts_are_not_taken() -> None:
    """The docs say so, with the reason."""
    with pytest.raises(KeyError, match="No conversion tool could be found with the gym space"):
        envs.PettingZooWrapper(agentworld_env.make("p01_corn_and_shrimp", api="parallel"), use_mask=True)
    texts = agentworld_env.make("p01_corn_and_shrimp", api="parallel", action="discrete")
    with pytest.raises(RuntimeError, match="Could not infer dtype of View"):
        envs.PettingZooWrapper(texts, use_mask=True)


def test_turns_need_the_agent_mask() -> None:
    with pytest.raises(ValueError, match="use_mask=True"):
        envs.PettingZooWrapper(team("aec"))
