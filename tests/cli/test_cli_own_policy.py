"""Code of a user's own never ends the command as if all were well, and a run finds it again from anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentworld_env.cli.main import run_command

TASK = "p01_corn_and_shrimp"
OWN = """
import sys

class Good:
    name = "good"
    def act(self, turn):
        return {"tool": "sleep", "arguments": {"rounds": 1}}

class Made(Good):
    def __init__(self):
        sys.exit(0)

class Begun(Good):
    def begin(self, briefs, seed):
        sys.exit()

class Asked(Good):
    def act(self, turn):
        if turn.round > 1:
            sys.exit(0)
        return super().act(turn)

class Awaited(Good):
    async def act(self, turn):
        sys.exit("no more")
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path / "own.py"


@pytest.mark.parametrize("verb", ["run", "evaluate"])
@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("Made", 11, "sys.exit(0)"),
        ("Begun", 15, "sys.exit()"),
        ("Asked", 20, "sys.exit(0)"),
        ("Awaited", 25, "sys.exit('no more')"),
    ],
)
def test_a_policy_that_ends_the_program_is_one_line_and_code_2(
    own: Path, capsys: pytest.CaptureFixture[str], verb: str, name: str, line: int, said: str
) -> None:
    what = [TASK] if verb == "run" else ["--tasks", TASK, "--out", "out"]
    assert run_command([verb, *what, "--policy", f"python:own.py:{name}", "--quiet"]) == 2
    shown = capsys.readouterr()
    assert "Success" not in shown.out
    assert shown.err.startswith("error: ")
    assert shown.err.endswith(f"(at own.py, line {line}) cannot be used: it ends the program by {said}\n")
    assert shown.err.count("\n") == 1


def test_a_file_that_ends_the_program_is_one_line_and_code_2_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "quits.py").write_text("import sys\nsys.exit()\n")
    command = [sys.executable, "-m", "agentworld_env.cli", "run", TASK, "--policy", "python:quits.py:x"]
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": source}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "error: quits.py (at quits.py, line 2) cannot be used: it ends the program by sys.exit()\n"
    )


def test_a_run_with_a_policy_of_ones_own_goes_on_from_another_directory(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started = ["evaluate", "--policy", "python:own.py:Good", "--tasks", TASK, "--out", "run", "--quiet"]
    assert run_command(started) == 0
    record = next(own.parent.glob("run/*.jsonl"))
    whole = record.read_bytes()
    elsewhere = own.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "own.py").write_text("raise ValueError('another file')\n")
    monkeypatch.chdir(elsewhere)
    record.unlink()
    assert run_command(["evaluate", "--resume", "../run", "--quiet"]) == 0
    assert record.read_bytes() == whole
    capsys.readouterr()
    record.unlink()
    own.rename(own.with_name("owned.py"))
    sys.modules.pop(f"agentworld_env_own:{own}")
    assert run_command(["evaluate", "--resume", "../run", "--quiet"]) == 2
    assert capsys.readouterr().err == f"error: {own}: there is no such file; did you mean owned.py?\n"
