"""What is the user's mistake is one line; what is the program's own must not look like one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentworld_env.cli.main import _run
from agentworld_env.errors import AgentWorldError, InvalidValueError

START = ["evaluate", "--out", "run", "--policy"]

Out = pytest.CaptureFixture[str]


def test_a_fault_of_the_program_is_not_passed_off_as_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("list.remove(x): x not in list")

    monkeypatch.setattr("agentworld_env.tasks.list_tasks", broken)
    with pytest.raises(ValueError, match="x not in list"):
        _run(["tasks"])


def test_a_value_out_of_range_is_a_mistake_for_the_command_and_a_value_error_for_callers() -> None:
    assert issubclass(InvalidValueError, AgentWorldError)
    assert issubclass(InvalidValueError, ValueError)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "t01_magic_staff", "--policy", "idle", "--seed", str(2**63)], "a seed is a whole number"),
        (["world", "list", "items", "--near", "1,1"], "items have no place"),
        (["world", "list", "nodes", "--near", "here"], "expected X,Y"),
        (["world", "list", "nodes", "--near", f"{'9' * 5000},1"], "expected X,Y"),
        (["new-task", "Bad Name"], "is no id"),
        (
            [*START, "idle", "--tasks", "t02_arrow_production", "--suite", "main"],
            "names t02_arrow_production, which the suite main holds already",
        ),
        (
            [*START, "planner", "--tasks", "t01_magic_staff", "--memory", "3", "--reply-tokens", "9"],
            "--memory, --reply-tokens would change nothing",
        ),
        ([*START, "idle", "--tasks", "t01_magic_staff", "--setting", "discussion_rounds(0)"], "1 to 999"),
        ([*START, "idle", "--tasks", "t01_magic_staff", "--setting", "discussion_rounds(1000)"], "1 to 999"),
        ([*START, "idle", "--tasks", "t01_magic_staff", "--setting", "discussion_rounds()"], "1 to 999"),
        (["new-task", "t01_magic_staff"], "is a task of the package"),
        (["new-task", "mine", "--out", "mine.txt"], "ends in .yaml"),
    ],
)
def test_mistakes_of_all_verbs_are_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_no_manifest_can_hold_is_refused_before_a_run_is_begun(
    tmp_path: Path, capsys: Out
) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/t\xff.yaml")
    shipped = Path(__file__).parents[2] / "src/agentworld_env/tasks/main/t01_magic_staff.yaml"
    Path(odd).write_bytes(shipped.read_bytes())
    out = tmp_path / "run"
    assert _run(["evaluate", "--policy", "idle", "--tasks", odd, "--out", str(out)]) == 2
    shown = capsys.readouterr()
    assert "must be text in UTF-8" in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert not out.exists()
