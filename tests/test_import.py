"""Importing the package costs next to nothing and still offers everything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
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
        ("action", "joystick"),
        ("api", "gym"),
        ("reward", "dense"),
        ("render_mode", "rgb"),
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


def test_the_help_of_the_command_loads_no_simulator() -> None:
    found = run(
        "import sys\nfrom agentworld_env.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('pettingzoo', 'numpy', 'openai', 'agentworld_env.sim') if m in sys.modules])"
    )
    assert found.rstrip().endswith("[]")


def test_an_episode_is_played_in_a_notebook_from_the_root_package() -> None:
    import asyncio

    async def cell() -> int:
        return len((await agentworld_env.run_episode_async("t01_magic_staff", "idle", seed=1)).lines)

    assert asyncio.run(cell()) == 75


@pytest.mark.parametrize("given", [5, None, ["t01_magic_staff"], b"t01_magic_staff"])
def test_what_names_no_task_is_a_clear_type_error(given: Any) -> None:
    for use in (agentworld_env.make, lambda task: agentworld_env.run_episode(task, "idle", seed=1)):
        with pytest.raises(TypeError, match="a task is an id, the path of a task file, or a Task, not "):
            use(given)


def test_an_id_given_for_a_path_is_answered_with_the_call_that_takes_ids() -> None:
    with pytest.raises(agentworld_env.AgentWorldError, match=r"make\('t01_magic_staff'\)"):
        agentworld_env.load_task("t01_magic_staff")
    with pytest.raises(agentworld_env.AgentWorldError) as caught:
        agentworld_env.load_task("t01_magic")
    assert "make" not in str(caught.value)


def test_an_empty_path_is_called_so() -> None:
    with pytest.raises(agentworld_env.AgentWorldError, match="got an empty one"):
        agentworld_env.load_task("")


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "./a\0b.yaml", "/" + "x" * 5000])
def test_a_name_that_can_be_no_file_is_one_clear_error(name: str) -> None:
    with pytest.raises(agentworld_env.AgentWorldError):
        agentworld_env.make(name)


def test_an_unknown_id_that_is_the_name_of_a_file_is_answered_with_how_to_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noext").write_text("id: x\n")
    with pytest.raises(agentworld_env.AgentWorldError, match=r"unknown task 'noext'; .* write \./noext"):
        agentworld_env.make("noext")
