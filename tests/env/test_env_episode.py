from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.env.teams import Call, crew, fresh, playable, role

from agentworld_env._version import RULES_VERSION
from agentworld_env.env import AgentWorldEnv, LearningEnv, ParallelAgentWorldEnv
from agentworld_env.errors import UnknownNameError
from agentworld_env.learning.gym_env import GymAgentWorldEnv
from agentworld_env.learning.registration import register
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim.events import Died
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

SLEEP: Call = {"tool": "sleep", "arguments": {}}
DONE: Call = {"tool": "complete", "arguments": {"response": "done"}}
STICKS: Call = {"tool": "craft_item", "arguments": {"skill": "fletching", "item": "stick"}}


@cache
def pair(
    rounds: int = 6, checkpoints: tuple[str, ...] = ("stick",), never: str = "", held: bool = False
) -> Task:
    """Returns a task of two who can make sticks from the start."""
    made: list[dict[str, Any]] = [
        {"kind": "crafted", "item": item, "count": 1, "label": f"{item} made"} for item in checkpoints
    ]
    if held:
        made.append({"kind": "held", "item": "stick", "count": 4, "by": "one", "label": "Sticks held"})
    hand = role(skills={"fletching": 20}, inventory={"logs": 5, "apple": 2})
    return Task(
        TaskSpec.model_validate(
            {
                "id": "pair",
                "title": "Pair",
                "category": "crafting",
                "max_rounds": rounds,
                "objective": "Make sticks.",
                "team": {"one": hand, "two": hand},
                "checkpoints": made,
                "constraints": [{"kind": "never_crafted", "item": never}] if never else [],
            }
        )
    )


def finish(env: AgentWorldEnv) -> None:
    """Takes the empty last steps."""
    while env.agents:
        env.step(None)


def test_success_ends_the_episode_at_once_for_everybody_without_the_worlds_turn() -> None:
    env = fresh(pair())
    env.step(STICKS)
    assert env.verdict().success
    assert env.terminations == {"one": True, "two": True}
    assert env.truncations == {"one": False, "two": False}
    assert env.round == 1
    assert env.rewards == {"one": 1.0, "two": 1.0}
    finish(env)
    assert env.agents == []


def test_the_budget_truncates_whoever_is_left() -> None:
    env = fresh(pair(rounds=2))
    for _ in range(4):
        assert playable(env)
        env.step(SLEEP)
    assert env.truncations == {"one": True, "two": True}
    assert env.terminations == {"one": False, "two": False}


def test_a_broken_constraint_ends_the_episode_as_a_failure() -> None:
    env = fresh(pair(checkpoints=("axe",), never="stick"))
    env.step(STICKS)
    assert env.terminations == {"one": True, "two": True}
    assert not env.verdict().success
    assert env.verdict().impossible


def test_completing_leaves_the_rest_to_play_on_and_the_last_ends_the_episode() -> None:
    env = fresh(pair(checkpoints=("axe",)))
    env.step(DONE)
    assert env.agent_selection == "one"
    env.step(None)
    assert env.agents == ["two"]
    assert env.agent_selection == "two"
    env.step(SLEEP)
    assert (env.agent_selection, env.round) == ("two", 2)
    env.step(DONE)
    finish(env)
    assert env.agents == []


def test_a_round_is_a_turn_of_everybody_in_the_tasks_order() -> None:
    env = fresh(crew())
    order = []
    for _ in range(7):
        order.append((env.round, env.agent_selection))
        env.step(SLEEP)
    names = ["miner", "smith", "guard"]
    assert order == [(1 + k // 3, names[k % 3]) for k in range(7)]


def test_sleepers_are_passed_over_and_a_team_asleep_sleeps_through_the_rounds() -> None:
    env = fresh(crew())
    env.step({"tool": "sleep", "arguments": {"rounds": 3}})
    env.step(SLEEP)
    env.step(SLEEP)
    assert (env.round, env.agent_selection) == (2, "smith")
    whole = fresh(crew())
    for _ in range(3):
        whole.step({"tool": "sleep", "arguments": {"rounds": 5}})
    assert (whole.round, whole.agent_selection) == (6, "miner")


def test_a_team_that_sleeps_over_the_end_is_truncated() -> None:
    env = fresh(pair(rounds=3, checkpoints=("axe",)))
    env.step({"tool": "sleep", "arguments": {"rounds": 5}})
    env.step({"tool": "sleep", "arguments": {"rounds": 5}})
    assert env.truncations == {"one": True, "two": True}


def test_a_lost_checkpoint_takes_its_reward_back() -> None:
    env = fresh(pair(checkpoints=("axe",), held=True))
    env.step(STICKS)
    assert env.rewards["one"] == 0.5
    env.step(SLEEP)
    assert env.rewards["one"] == 0.0
    env.step({"tool": "transfer_items", "arguments": {"to": "two", "item": "stick", "count": 1}})
    assert env.rewards == {"one": -0.5, "two": -0.5}
    assert env.team_return == env.verdict().psr == 0.0


def test_the_sparse_reward_is_one_on_success_and_nothing_before() -> None:
    env = fresh(pair(checkpoints=("stick", "bowlsmall")), reward="sparse")
    env.step(STICKS)
    assert env.rewards["one"] == 0.0
    env.step(SLEEP)
    env.step({"tool": "craft_item", "arguments": {"skill": "fletching", "item": "bowlsmall"}})
    assert env.verdict().success
    assert env.rewards == {"one": 1.0, "two": 1.0}


def test_an_idle_team_earns_nothing() -> None:
    env = fresh(crew(rounds=8))
    while env.agents:
        env.step(SLEEP if playable(env) else None)
    assert env.verdict().psr == 0.0


def test_death_terminates_only_the_dead_and_their_last_step_comes_first() -> None:
    env = fresh(crew())
    env.sim.state.agents[2].hp = 1
    wolf = next(s.id for s in env.sim.world.mob_spawns if env.sim.world.mob_kinds[s.kind].attack > 30)
    number = env.sim.mob_number(wolf)
    assert number is not None
    guard = env.sim.state.agents[2]
    guard.x, guard.y = env.sim.home(number)
    env.step(SLEEP)
    env.step(SLEEP)
    for _ in range(9):
        env.step({"tool": "attack_entity", "arguments": {"target": wolf}})
        if any(isinstance(event, Died) for event in env.sim.state.events):
            break
        env.step(SLEEP)
        env.step(SLEEP)
    assert env.terminations == {"miner": False, "smith": False, "guard": True}
    assert env.agent_selection == "guard"
    env.step(None)
    assert (env.agents, env.agent_selection) == (["miner", "smith"], "miner")


@pytest.mark.parametrize("action", [None, 7, "chat", ["chat"]])
def test_an_action_that_is_no_mapping_is_a_programming_error_and_changes_nothing(action: Any) -> None:
    env = fresh()
    before = env.state_hash()
    with pytest.raises(TypeError):
        env.step(action)
    assert env.state_hash() == before


def test_who_has_left_can_only_be_stepped_with_none() -> None:
    env = fresh()
    env.step(DONE)
    with pytest.raises(ValueError, match="None"):
        env.step(SLEEP)


def test_no_seed_draws_a_fresh_one_and_tells_it() -> None:
    env = AgentWorldEnv(crew())
    env.reset()
    first = (env.episode_seed, env.state_hash())
    env.reset()
    assert env.episode_seed != first[0]
    env.reset(seed=first[0])
    assert env.state_hash() == first[1]


def test_the_least_and_the_greatest_seed_work_and_differ() -> None:
    hashes = {fresh(seed=seed).state_hash() for seed in (0, 1, 2**63 - 1)}
    assert len(hashes) == 3
    assert fresh(seed=np.int64(1)).state_hash() == fresh(seed=1).state_hash()  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [True, 1.0, "1", -1, 2**63, np.float64(2), b"1", (1,)])
def test_a_seed_that_is_no_whole_number_in_range_is_refused_and_changes_nothing(seed: Any) -> None:
    env = fresh()
    before = env.state_hash()
    with pytest.raises(ValueError, match="a seed is a whole number from 0 to 9223372036854775807"):
        env.reset(seed=seed)
    assert env.state_hash() == before


BEFORE_RESET = {
    "step": lambda env: env.step(SLEEP),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("miner"),
    "render": lambda env: env.render(),
    "snapshot": lambda env: env.snapshot(),
    "state_hash": lambda env: env.state_hash(),
    "view": lambda env: env.view("miner"),
    "legal": lambda env: env.legal("miner"),
    "verdict": lambda env: env.verdict(),
    "episode_seed": lambda env: env.episode_seed,
    "round": lambda env: env.round,
    "is_over": lambda env: env.is_over,
    "team_return": lambda env: env.team_return,
}


@pytest.mark.parametrize("render_mode", [None, "ansi"])
@pytest.mark.parametrize("name", BEFORE_RESET)
def test_whatever_needs_an_episode_asks_for_a_reset(name: str, render_mode: str | None) -> None:
    with pytest.raises(RuntimeError, match=r"^call reset\(\) first$"):
        BEFORE_RESET[name](AgentWorldEnv(crew(), render_mode=render_mode))


def test_once_nobody_is_left_steps_are_refused_and_the_outcome_can_still_be_read() -> None:
    env = fresh(pair())
    env.step(STICKS)
    finish(env)
    for call in (lambda: env.step(None), lambda: env.step(SLEEP), env.last):
        with pytest.raises(RuntimeError, match="the episode is over"):
            call()
    assert env.verdict().success
    assert (env.is_over, env.team_return) == (True, 1.0)
    assert env.observe("one")


def test_wrong_options_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="progress, sparse"):
        AgentWorldEnv(crew(), reward="dense")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ansi, human"):
        AgentWorldEnv(crew(), render_mode="rgb")
    with pytest.raises(UnknownNameError, match="no_communication"):
        AgentWorldEnv(crew(), setting="no_comunication")
    with pytest.raises(RuntimeError, match="reset"):
        AgentWorldEnv(crew()).verdict()


def test_a_tool_that_the_setting_removes_fails_like_one_that_never_was() -> None:
    env = fresh(setting="local_talk")
    env.step({"tool": "chat", "arguments": {"message": "hi"}})
    last = env.sim.state.agents[0].last
    assert last is not None
    assert last.result.code == "unknown_tool"
    assert "chat" not in env.action_space("miner").tools
    env.step({"tool": "send_chat_message", "arguments": {"message": "hi"}})
    last = env.sim.state.agents[1].last
    assert last is not None
    assert last.result.ok


def test_ansi_rendering_shows_agents_and_checkpoints() -> None:
    env = fresh(render_mode="ansi")
    env.step(SLEEP)
    picture = env.render()
    assert isinstance(picture, str)
    assert "> smith" in picture
    assert "miner (" in picture
    assert "[ ] Iron dug 0/2" in picture


@pytest.mark.parametrize("make", [fresh, lambda: fresh_rounds(), lambda: fresh_gym()])
def test_rendering_without_a_mode_shows_nothing_and_says_so(make: Callable[[], Any]) -> None:
    env = make()
    with pytest.warns(
        UserWarning, match=r"render\(\) shows nothing without a render mode.*render_mode='ansi'"
    ):
        assert env.render() is None


def test_the_version_in_the_environments_name_is_that_of_the_rules() -> None:
    for kind in (AgentWorldEnv, LearningEnv, ParallelAgentWorldEnv):
        assert kind.metadata["name"] == f"agentworld_v{RULES_VERSION}"
    assert set(register()) >= {f"agentworld/t01_magic_staff-v{RULES_VERSION}"}


def fresh_rounds() -> Any:
    env = ParallelAgentWorldEnv(crew())
    env.reset(seed=1)
    return env


def fresh_gym() -> Any:
    env = GymAgentWorldEnv(crew(), mates=RandomPolicy())
    env.reset(seed=1)
    return env
