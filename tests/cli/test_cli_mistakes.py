"""What is the user's mistake is one line; what is the program's own must not look like one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentworld_env.cli import output
from agentworld_env.cli.main import run_command
from agentworld_env.errors import AgentWorldError, InvalidValueError

START = ["evaluate", "--out", "run", "--policy"]

Out = pytest.CaptureFixture[str]


def test_a_fault_of_the_program_is_not_passed_off_as_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("list.remove(x): x not in list")

    monkeypatch.setattr("agentworld_env.tasks.list_tasks", broken)
    with pytest.raises(ValueError, match="x not in list"):
        run_command(["tasks"])


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
    assert run_command(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


LONG = "x" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ["cce", LONG],
        ["cce", "x y " * 1200],
        ["cce", "none", "--method", LONG],
        ["cce", "none", "--method", f"judge:local:http://h/v1#{LONG}", "--processes", "1"],
        ["cce", "none", "--method", "judge:openai:m", "--prices", LONG],
        ["cce", "none", f"--{LONG}"],
        ["cce", "graph", "none", "--out", f"{LONG}.svg"],
        ["cce", "label", "none", "--labeller", f"{LONG}\x1b"],
        ["cce", "label", "none", "--out", LONG],
        [LONG],
        ["run", "t01_magic_staff", "--policy", "idle", "--seed", "9" * 400],
        ["run", LONG, "--policy", "idle"],
        ["run", "t01_magic_staff", "--policy", LONG],
        ["run", "t01_magic_staff", "--policy", "idle", "--setting", LONG],
        ["run", f"t01_magic_staff~seed={'9' * 400}", "--policy", "idle"],
        [*START, LONG, "--tasks", "t01_magic_staff"],
        [*START, "idle", "--tasks", LONG],
        [*START, f"python:{LONG}", "--tasks", "t01_magic_staff"],
        [*START, f"python:{LONG}.py:f", "--tasks", "t01_magic_staff"],
        ["evaluate", "--out", "run", "--team", LONG, "--tasks", "t01_magic_staff"],
        ["evaluate", "--out", LONG, "--policy", "idle", "--tasks", "t01_magic_staff"],
        ["show", LONG],
        ["score", LONG],
        ["report", LONG],
        ["certify", LONG],
        ["new-task", LONG],
        ["tasks", "--suite", LONG],
        ["world", "list", LONG],
        ["world", "list", "nodes", "--near", LONG],
        ["doctor", "--model", LONG],
    ],
)
def test_an_error_does_not_repeat_at_length_what_was_given(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(arguments) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert len(shown.err) <= (600 if " " not in max(arguments, key=len) else 2010)
    assert list(tmp_path.iterdir()) == []


def test_an_error_keeps_both_ends_of_a_long_path(capsys: Out) -> None:
    output.error(f"cannot write /home/{'x' * 400}/labels.jsonl: no room")
    shown = capsys.readouterr().err
    assert shown.startswith("error: cannot write /home/xxx")
    assert "xxx..." in shown
    assert shown.endswith("xxx/labels.jsonl: no room\n")


def test_a_path_that_no_manifest_can_hold_is_refused_before_a_run_is_begun(
    tmp_path: Path, capsys: Out
) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/t\xff.yaml")
    shipped = Path(__file__).parents[2] / "src/agentworld_env/tasks/main/t01_magic_staff.yaml"
    Path(odd).write_bytes(shipped.read_bytes())
    out = tmp_path / "run"
    assert run_command(["evaluate", "--policy", "idle", "--tasks", odd, "--out", str(out)]) == 2
    shown = capsys.readouterr()
    assert "must be text in UTF-8" in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert not out.exists()
