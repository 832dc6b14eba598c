"""What a user gives wrongly is refused alike everywhere: one line, by one of the package's errors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from tests.env.teams import crew, fresh

import agentworld_env
from agentworld_env.env import LearningEnv, ParallelAgentWorldEnv
from agentworld_env.errors import AgentWorldError, InvalidValueError, UnknownAgentError, UnknownNameError
from agentworld_env.learning.gym_env import GymAgentWorldEnv
from agentworld_env.policies.random_play import RandomPolicy

TASK = "t01_magic_staff"
WAIT = {"tool": "sleep", "arguments": {"rounds": 1}}

ASKED: dict[str, Callable[[Any], Any]] = {
    "observation_space": lambda env: env.observation_space("minor"),
    "action_space": lambda env: env.action_space("minor"),
    "view": lambda env: env.view("minor"),
    "legal": lambda env: env.legal("minor"),
    "guide": lambda env: env.guide("minor"),
}
BY_TURNS = {**ASKED, "observe": lambda env: env.observe("minor")}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "action_mask": lambda env: env.action_mask("minor"),
    "call_of": lambda env: env.call_of("minor", 0),
    "index_of": lambda env: env.index_of("minor", WAIT),
}


def begun(kind: str) -> Any:
    if kind == "aec":
        return fresh()
    if kind == "numbers":
        env: Any = LearningEnv(crew())
    else:
        env = ParallelAgentWorldEnv(crew(), observation="features", action="discrete")
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *[("aec", name) for name in BY_TURNS],
        *[("numbers", name) for name in (*BY_TURNS, *NUMBERS)],
        *[("parallel", name) for name in (*ASKED, *NUMBERS)],
    ],
)
def test_an_agent_that_is_not_of_the_team_is_refused_by_one_error_wherever_it_is_named(
    kind: str, name: str
) -> None:
    ask = {**BY_TURNS, **NUMBERS}[name]
    with pytest.raises(UnknownAgentError) as refusal:
        ask(begun(kind))
    assert str(refusal.value) == "unknown agent 'minor'; did you mean miner?"
    assert isinstance(refusal.value, KeyError)
    assert isinstance(refusal.value, AgentWorldError)


def test_a_learner_that_is_not_of_the_team_is_refused_by_the_same_error() -> None:
    with pytest.raises(UnknownAgentError, match=r"unknown agent 'minor'; did you mean miner\?"):
        GymAgentWorldEnv(crew(), mates=RandomPolicy(), learner="minor")


@pytest.mark.parametrize(
    "error", [UnknownNameError("task", "x", ["y"]), UnknownAgentError("agent", "x", ["y"])]
)
def test_an_unknown_name_is_the_same_after_it_has_crossed_to_another_process(error: UnknownNameError) -> None:
    other = pickle.loads(pickle.dumps(error))
    assert (type(other), str(other), other.name, other.nearest) == (
        type(error), str(error), error.name, error.nearest
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"api": "x"}, "api must be 'aec' or 'parallel', not 'x'"),
        ({"api": ["x"]}, r"api must be 'aec' or 'parallel', not \['x'\]"),
        ({"observation": None}, "observation must be 'text' or 'features', not None"),
        ({"reward": "dense"}, "reward must be 'progress' or 'sparse' or 'shaped', not 'dense'"),
        ({"render_mode": "gif"}, "render_mode must be one of ansi, human, rgb_array or None, not 'gif'"),
        ({"setting": 5}, "a setting is a name, or several joined by [+], not 5"),
        ({"setting": ["default"]}, r"a setting is a name, or several joined by [+], not \['default'\]"),
        ({"discount": 0.9}, "discount goes with reward='shaped', not with 'progress'"),
        ({"reward": "shaped", "discount": 2}, "discount must be 0 to 1, not 2"),
    ],
)
def test_an_argument_of_make_that_has_none_of_its_values_is_an_invalid_value(
    options: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidValueError, match=f"^{says}$"):
        agentworld_env.make(TASK, **options)


def test_arguments_of_a_vector_environment_are_refused_by_the_same_error() -> None:
    for options in (
        {"n": 0},
        {"n": 1, "processes": -1},
        {"n": 1, "autoreset": "never"},
        {"n": 1, "setting": 5},
    ):
        with pytest.raises(InvalidValueError):
            agentworld_env.vector(TASK, **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError):
        agentworld_env.vector([], 1)


def test_a_step_that_is_given_too_few_actions_or_an_index_outside_the_menu_is_an_invalid_value() -> None:
    env = begun("parallel")
    with pytest.raises(InvalidValueError, match="missing: smith, guard"):
        env.step({"miner": 0})
    with pytest.raises(InvalidValueError, match=r"a discrete action is 0\.\.1369, not 9999"):
        env.step(dict.fromkeys(env.agents, 9_999))
