"""A user's mistake is found before a run begins: one line, exit code 2, and no folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import types
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from tests.policies.loopback import Answer, Loopback, calls

from agentworld_env.cli.main import run_command
from agentworld_env.evaluate.manifest import MAX_EPISODES, read_manifest

T01, T02 = "t01_magic_staff", "t02_arrow_production"
LOCAL = "local:http://127.0.0.1:9/v1#m"
Out = pytest.CaptureFixture[str]


def templates(folder: Path, system: str = "", turn: str = "") -> str:
    folder.mkdir()
    for name, more in (("system.j2", system), ("turn.j2", turn)):
        own = (resources.files("agentworld_env.policies") / "templates" / name).read_text("utf-8")
        (folder / name).write_text(f"{own}\n{more}", "utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--team", "w*=idle", "--tasks", T01], "nobody plays 'lumberjack'"),
        (
            ["--team", "w*=idle", "--team", "lumber=idle", "--team", "*=idle", "--tasks", T01],
            "the pattern 'lumber' of the team plays nobody",
        ),
        (
            ["--team", "*=idle", "--team", "wizard=planner", "--tasks", T01],
            "the pattern 'wizard' of the team plays nobody",
        ),
        (["--policy", "scripted", "--tasks", f"{T01},t03_silver_ring"], "no script"),
        (["--model", "opnai:gpt-5-mini", "--tasks", T01], "did you mean openai"),
        (["--policy", "planer", "--tasks", T01], "did you mean planner"),
        (["--policy", "idle", "--tasks", T01, "--trials", "99999999999"], f"at most {MAX_EPISODES:,}"),
    ],
)
def test_who_plays_is_checked_against_all_tasks(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["evaluate", *arguments, "--out", "run"]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("settings", ["{'at': pathlib.Path('x')}", "[1]"])
def test_a_policy_whose_settings_no_manifest_can_hold_is_refused(
    settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    own = tmp_path / "own.py"
    own.write_text(
        f"import pathlib\nclass Odd:\n    name = 'odd'\n    act = print\n"
        f"    def config(self): return {settings}\n"
    )
    out = tmp_path / "run"
    assert run_command(["evaluate", "--policy", f"python:{own}:Odd", "--tasks", T01, "--out", str(out)]) == 2
    shown = capsys.readouterr()
    assert "config() of the policy odd must return" in shown.err
    assert shown.err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    "refusal",
    [
        "def check(self, assignment): refuse(assignment.briefs)",
        "def begin(self, briefs, seed): refuse(briefs)",
    ],
)
def test_a_policy_of_ones_own_that_cannot_play_a_task_says_so_before_the_run(
    refusal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    own = tmp_path / "own.py"
    own.write_text(
        "from agentworld_env.errors import AgentWorldError\n"
        "def refuse(briefs):\n"
        "    title = next(iter(briefs.values())).title\n"
        "    if title != 'Magic Staff': raise AgentWorldError(f'no idea of {title}')\n"
        f"class Picky:\n    name = 'picky'\n    act = print\n    {refusal}\n"
    )
    out = tmp_path / "run"
    for team in (["--policy", f"python:{own}:Picky"], ["--team", f"*=python:{own}:Picky"]):
        assert run_command(["evaluate", *team, "--tasks", f"{T01},{T02}", "--out", str(out)]) == 2
        assert capsys.readouterr().err == "error: no idea of Arrow Production\n"
        assert not out.exists()


@pytest.mark.parametrize(
    "spoil",
    [
        {"system": "{{ agnet }}"},
        {"turn": "{{ observtion }}"},
        {"turn": "{% if problem %}{{ rounds_left }}{% endif %}"},
        {"turn": "{% for past in memory %}{{ past.rund }}{% endfor %}"},
        {"turn": "{{ 1 // 0 }}"},
        {"turn": "{{ round + observation }}"},
    ],
    ids=str,
)
def test_a_template_that_some_turn_could_not_be_rendered_with_is_refused(
    spoil: dict[str, str], tmp_path: Path, capsys: Out
) -> None:
    folder = templates(tmp_path / "own", **spoil)
    out = tmp_path / "run"
    arguments = ["--model", LOCAL, "--tasks", T01, "--templates", folder, "--out", str(out)]
    assert run_command(["evaluate", *arguments]) == 2
    shown = capsys.readouterr()
    assert f"prompt template {next(iter(spoil))}.j2" in shown.err
    assert folder in shown.err
    assert shown.err.count("\n") == 1
    assert not out.exists()


def test_a_ray_cluster_that_does_not_answer_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    # The address is tried before anything of Ray's is used.
    monkeypatch.setitem(sys.modules, "ray", types.ModuleType("ray"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("RAY_ADDRESS", address)
    out = tmp_path / "run"
    arguments = ["--policy", "idle", "--tasks", T01, "--executor", "ray", "--out", str(out)]
    assert run_command(["evaluate", *arguments]) == 2
    assert f"RAY_ADDRESS={address} cannot be reached" in capsys.readouterr().err
    assert not out.exists()


def test_a_run_that_fails_before_its_first_record_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    from agentworld_env.errors import AgentWorldError

    def fail(*_: Any) -> None:
        raise AgentWorldError("no such luck")

    monkeypatch.setattr("agentworld_env.evaluate.evaluation.play_run", fail)
    out = tmp_path / "run"
    assert run_command(["evaluate", "--policy", "idle", "--tasks", T01, "--out", str(out), "-q"]) == 2
    assert "no such luck" in capsys.readouterr().err
    assert not out.exists()
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    assert run_command(["evaluate", "--policy", "idle", "--tasks", T01, "--out", str(out), "-q"]) == 2
    assert [path.name for path in out.iterdir()] == ["notes.txt"]


class _Point:
    name, value = "acme", "acme.agent:make"

    class dist:  # noqa: N801 - stands for a distribution
        name = "acme-agents"

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def load(self) -> Any:
        if isinstance(self.thing, Exception):
            raise self.thing
        return self.thing


@pytest.mark.parametrize("group", ["agentworld_env.models", "agentworld_env.policies"])
@pytest.mark.parametrize(
    "error",
    [
        ImportError("no module named acme_core"),
        AttributeError("module has no attribute 'make'"),
        RuntimeError("two\nlines"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_broken_plug_in_is_one_line_that_names_it_and_its_package(
    group: str, error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    def entry_points(group: str, name: str) -> list[_Point]:
        return [_Point(error)] if (group, name) == (wanted, "acme") else []

    wanted = group
    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    monkeypatch.setattr("agentworld_env.evaluate.named.entry_points", entry_points)
    out = tmp_path / "run"
    assert run_command(["evaluate", "--policy", "acme:large", "--tasks", T01, "--out", str(out)]) == 2
    shown = capsys.readouterr()
    for part in ("'acme'", "acme-agents", "acme.agent:make", type(error).__name__):
        assert part in shown.err
    assert shown.err.count("\n") == 1
    assert not out.exists()


def test_a_plug_in_whose_policy_cannot_be_made_is_named_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    def make(rest: str) -> Any:
        raise KeyError(rest)

    def entry_points(group: str, name: str) -> list[_Point]:
        return [_Point(make)] if (group, name) == ("agentworld_env.policies", "acme") else []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    monkeypatch.setattr("agentworld_env.evaluate.named.entry_points", entry_points)
    assert (
        run_command(["evaluate", "--policy", "acme:large", "--tasks", T01, "--out", str(tmp_path / "run")])
        == 2
    )
    assert "acme-agents" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "--policy", "idle", "--tasks", T01, "--out", ""],
        ["evaluate", "--policy", "idle", "--tasks", T01, "--resume", ""],
        ["report", "run", "--out", " "],
        ["run", T01, "--policy", "idle", "--out", ""],
        ["certify", T01, "--quick", "--out", ""],
        ["variants", T01, "--out", ""],
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)
def test_an_empty_folder_name_is_refused(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(arguments) == 2
    assert "expected the name of a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_could_not_be_written_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: Out
) -> None:
    run, file = tmp_path / "run", tmp_path / "file"
    assert run_command(["evaluate", "--policy", "idle", "--tasks", T01, "--out", str(run), "-q"]) == 0
    file.write_text("mine")
    capsys.readouterr()
    for out in (file, file / "below"):
        assert run_command(["report", str(run), "--out", str(out)]) == 2
        shown = capsys.readouterr()
        assert not shown.out
        assert str(file) in shown.err
    assert file.read_text() == "mine"


def test_a_terminated_run_says_how_to_go_on(tmp_path: Path) -> None:
    with Loopback(Answer(calls(("sleep", {"rounds": 1})).body, delay=0.05)) as server:
        command = ["evaluate", "--model", server.model, "--tasks", T01, "--out", str(tmp_path), "-q"]
        process = subprocess.Popen(
            [sys.executable, "-m", "agentworld_env.cli", *command],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ},
        )
        while not server.received and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 143
    assert said == f"terminated; go on with: agentworld-env evaluate --resume {tmp_path}\n"


def test_tasks_are_named_with_commas_or_one_by_one_and_a_path_may_hold_a_comma(tmp_path: Path) -> None:
    mine = tmp_path / "a,b" / "mine.yaml"
    mine.parent.mkdir()
    shipped = resources.files("agentworld_env.tasks") / "practice" / "p01_corn_and_shrimp.yaml"
    mine.write_bytes(shipped.read_bytes())
    out = tmp_path / "run"
    named = ["--tasks", f"{T01}, {T02}", "--tasks", str(mine)]
    assert run_command(["evaluate", "--policy", "idle", *named, "--out", str(out), "-q"]) == 0
    assert [entry.source for entry in read_manifest(out).tasks] == [T01, T02, str(mine)]
    assert run_command(["evaluate", "--resume", str(out), "-q"]) == 0


@pytest.mark.parametrize("verb", ["certify", "variants", "evaluate", "cce figures", "cce ranks", "cce agree"])
def test_the_number_of_processes_has_one_name_in_all_commands(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run_command([*verb.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--processes" in shown
    assert "--jobs" not in shown
    assert "--workers" not in shown
