"""Importing the package costs next to nothing and still offers everything."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest

import agentworld_env

HEAVY = "pettingzoo gymnasium numpy openai pydantic matplotlib scipy msgspec dataclasses typer rich yaml jinja2 PIL"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_importing_the_package_loads_no_library() -> None:
    found = run(
        "import sys; bare = set(sys.modules); import agentworld_env, json; "
        f"print(json.dumps([m for m in '{HEAVY}'.split() if m in sys.modules and m not in bare]))"
    )
    assert json.loads(found) == []


def test_importing_the_package_takes_no_more_than_50_ms() -> None:
    code = "import time; t = time.perf_counter(); import agentworld_env; print(time.perf_counter() - t)"
    assert min(float(run(code)) for _ in range(3)) < 0.05


def test_listing_tasks_loads_neither_simulator_nor_schema() -> None:
    found = run(
        "import sys, agentworld_env; agentworld_env.list_tasks(); "
        "print([m for m in ('pydantic', 'numpy', 'pettingzoo', 'agentworld_env.sim') if m in sys.modules])"
    )
    assert found.strip() == "[]"


def test_playing_a_scripted_episode_loads_no_model_sdk() -> None:
    found = run(
        "import sys, agentworld_env as a; from agentworld_env.evaluate import policy_by_name; "
        "a.run_episode('t01_magic_staff', policy_by_name('idle'), seed=1); "
        "print([m for m in ('openai', 'httpx', 'rich', 'typer', 'PIL') if m in sys.modules])"
    )
    assert found.strip() == "[]"


def test_everything_that_is_announced_is_there() -> None:
    for name in agentworld_env.__all__:
        assert getattr(agentworld_env, name) is not None
        assert name in dir(agentworld_env)
    assert agentworld_env.make.__name__ == "make"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = agentworld_env.nothing_here


@pytest.mark.parametrize("given", ["t01_magic_staff", None])
def test_an_environment_is_made_from_an_id_or_a_task(given: str | None) -> None:
    from agentworld_env.tasks import get_task

    env = agentworld_env.make(given or get_task("t01_magic_staff"))
    assert env.possible_agents == ["lumberjack", "woodworker", "wizard"]


def test_an_environment_is_made_from_a_file() -> None:
    from importlib import resources

    with resources.as_file(resources.files("agentworld_env.tasks") / "main" / "t01_magic_staff.yaml") as path:
        for each in (path, str(path)):
            assert agentworld_env.make(each).task.id == "t01_magic_staff"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("observation", "pixels"),
        ("action", "discrete"),
        ("api", "gym"),
        ("reward", "dense"),
        ("render_mode", "rgb_array"),
    ],
)
def test_a_value_that_make_does_not_take_is_refused_with_those_it_does(name: str, value: str) -> None:
    arguments: dict[str, Any] = {name: value}
    valid = {
        "observation": "text",
        "action": "tool",
        "api": "aec",
        "reward": "progress",
        "render_mode": "ansi",
    }
    with pytest.raises(ValueError, match=f"{name} must be .*{valid[name]}.* not '{value}'"):
        agentworld_env.make("t01_magic_staff", **arguments)


def test_a_mistyped_task_is_answered_with_the_nearest() -> None:
    with pytest.raises(agentworld_env.AgentWorldError, match="did you mean t01_magic_staff"):
        agentworld_env.make("t01_magic_staf")


def test_a_mistyped_setting_is_refused() -> None:
    with pytest.raises(agentworld_env.AgentWorldError, match="unknown setting"):
        agentworld_env.make("t01_magic_staff", setting="loud")


def test_the_help_of_the_command_appears_at_once() -> None:
    def timed() -> float:
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "agentworld_env.cli", "--help"], capture_output=True, check=True
        )
        return time.perf_counter() - start

    assert min(timed() for _ in range(3)) < 0.4
