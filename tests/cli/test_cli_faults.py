"""What ends the command: faults of a policy's own code show themselves, Ctrl-C is one line, a reader may go away."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TASK = "t01_magic_staff"

POLICY = """
import sys

class Faulty:
    name = "faulty"

    def begin(self, briefs, seed):
        self.turns = 0

    def act(self, turn):
        self.turns += 1
        if self.turns == 5:
            {fault}
        return {{"tool": "sleep", "arguments": {{"rounds": 1}}}}
"""

FAULTS = {
    "raise BrokenPipeError": "BrokenPipeError",
    "open('missing.txt')": "FileNotFoundError: [Errno 2] No such file or directory: 'missing.txt'",
    "open('out/missing.txt')": "FileNotFoundError: [Errno 2] No such file or directory: 'out/missing.txt'",
    "raise EOFError": "EOFError",
    "raise TimeoutError('mine')": "TimeoutError: mine",
    "raise ValueError('mine')": "ValueError: mine",
}


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "agentworld_env.cli", *arguments]


VERBS = {
    "run": ("run", TASK),
    "evaluate": ("evaluate", "--tasks", TASK, "-q"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_policys_own_code_shows_itself_and_is_no_success(
    verb: str, fault: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(POLICY.format(fault=fault), encoding="utf-8")
    arguments = [*VERBS[verb], "--policy", "python:mine.py:Faulty", "--out", "out"]
    done = subprocess.run(
        command(*arguments), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert 'mine.py", line 13, in act' in done.stderr
    assert done.stderr.rstrip().endswith(FAULTS[fault])


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("code", [0, 3])
def test_a_policy_that_ends_the_program_is_told_of_in_one_line(verb: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(POLICY.format(fault=f"sys.exit({code})"), encoding="utf-8")
    arguments = [*VERBS[verb], "--policy", "python:mine.py:Faulty", "--out", "out"]
    done = subprocess.run(
        command(*arguments), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error: the code of a policy (at mine.py, line 13) cannot be used: "
        f"it ends the program by sys.exit({code})\n"
    )


def test_a_policy_that_ends_a_process_of_several_shows_where(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(POLICY.format(fault="sys.exit(0)"), encoding="utf-8")
    arguments = [*VERBS["evaluate"], "--trials", "2", "--processes", "2"]
    done = subprocess.run(
        command(*arguments, "--policy", "python:mine.py:Faulty", "--out", "out"),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error: the code of a policy (at mine.py, line 13) cannot be used: it ends the program by sys.exit(0)\n"
    )


def test_a_file_that_the_command_line_names_is_one_line(tmp_path: Path) -> None:
    name = "x" * 300
    done = subprocess.run(
        command("score", name), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "File name too long" in done.stderr


@pytest.mark.parametrize("arguments", [("tasks",), ("--help",), ("run", TASK, "--policy", "random")])
def test_a_reader_that_goes_away_ends_the_command_quietly(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command(*arguments), stdout=writing, stderr=subprocess.PIPE, env=environment(), timeout=60
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


# Stands for any verb at work: says that it has begun, and waits.
WAITING = """
import sys, time
from agentworld_env.{module} import {name}
import agentworld_env.{module} as module

def wait(*args, **kwargs):
    print("working", flush=True)
    time.sleep(60)

module.{name} = wait
from agentworld_env.cli.entry import main
main()
"""

WORK = {
    "score": ("evaluate", "records_in", ("score", ".")),
    "show": ("variants", "resolve", ("show", TASK)),
    "tasks": ("tasks", "list_tasks", ("tasks",)),
    "report": ("evaluate.results", "load_run", ("report", "run")),
    "compare": ("evaluate.results", "load_run", ("compare", "run", "other")),
    "cce": ("evaluate", "sort_out", ("cce", "./a")),
    "cce agree": (
        "evaluate",
        "sort_out",
        ("cce", "agree", "a", "--between", "events", "--between", "events+chat"),
    ),
    "cce ranks": ("evaluate", "sort_out", ("cce", "ranks", "a", "--between", "events")),
    "cce graph": ("report.graphs", "write_graph", ("cce", "graph", "a", "--out", "a.svg")),
    "doctor": ("evaluate.checkup", "examine", ("doctor", "--model", "local:http://127.0.0.1:9/v1#m")),
    "replay": ("report.replay", "replay", ("replay", "a.jsonl", "--out", "page.html")),
    "certify": ("variants", "resolve", ("certify", TASK)),
    "new-task": ("tasks", "load_task", ("new-task", "mine")),
    "world list": ("world", "load_world", ("world", "list", "items")),
    "world check": ("world.check", "check_package", ("world", "check")),
    "run": ("variants", "resolve", ("run", TASK, "--policy", "idle")),
    "evaluate": (
        "evaluate.evaluation",
        "play_run",
        ("evaluate", "--policy", "idle", "--tasks", TASK, "--out", "run", "-q"),
    ),
}


@pytest.mark.parametrize("verb", WORK)
def test_ctrl_c_at_a_terminal_ends_every_verb_with_one_line(verb: str, tmp_path: Path) -> None:
    module, name, arguments = WORK[verb]
    script = tmp_path / "waiting.py"
    script.write_text(WAITING.format(module=module, name=name), encoding="utf-8")
    pid, terminal = pty.fork()
    if pid == 0:  # the child, at a terminal of its own
        os.chdir(tmp_path)
        os.execve(sys.executable, [sys.executable, str(script), *arguments], environment())
    said = b""
    try:
        while b"working" not in said:
            said += os.read(terminal, 1024)
        said = b""
        os.write(terminal, b"\x03")  # Ctrl-C as the terminal knows it
        while True:
            try:
                part = os.read(terminal, 1024)
            except OSError:  # the terminal has no reader left on the other side
                break
            if not part:
                break
            said += part
    finally:
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
    lines = [line for line in said.decode().replace("^C", "").splitlines() if line.strip()]
    assert os.waitstatus_to_exitcode(status) == 130
    assert len(lines) == 1
    assert lines[0].startswith("interrupted")
