"""Ctrl-C at commands that work in several processes: soon over, exit code 130, no traceback, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

COMMANDS = {
    "variants": ("variants", "main", "--seed", "100", "--count", "400", "--processes", "2"),
    "certify": ("certify", "--suite", "main", "--processes", "2"),
    "evaluate": ("evaluate", "--policy", "planner", "--suite", "main", "--trials", "50", "--processes", "2"),
}
SOON = 60
"""Seconds after which a command that does not end is taken to hang."""


def living(leader: int) -> list[int]:
    """Returns the processes of a session that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == leader and fields[0] not in "ZX":
            found.append(int(path.parent.name))
    return found


def interrupted(verb: str, out: Path, send: Callable[[int, int], None], pauses: list[float]) -> str:
    """Begins a command, interrupts it again and again once it begins workers, and returns what it says of that."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agentworld_env.cli", *COMMANDS[verb], "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        while len(living(process.pid)) < 3:  # itself, the tracker of resources, a worker
            assert process.poll() is None
            time.sleep(0.01)
        for pause in pauses:
            time.sleep(pause)
            if process.poll() is None:
                send(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=SOON)
        limit = time.monotonic() + SOON
        while living(process.pid) and time.monotonic() < limit:
            time.sleep(0.02)
        assert living(process.pid) == []
    finally:
        for left in living(process.pid):
            os.kill(left, signal.SIGKILL)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"interrupted" in err
    return err.decode()


@pytest.mark.parametrize("verb", COMMANDS)
def test_ctrl_c_again_and_again_while_workers_begin_ends_it_cleanly(verb: str, tmp_path: Path) -> None:
    said = interrupted(verb, tmp_path / "new", os.killpg, [0.05] * 8)
    if verb == "evaluate":
        assert "go on with" in said  # what was begun is kept
    else:
        assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("verb", COMMANDS)
def test_two_interrupts_of_the_first_process_alone_end_it_and_its_workers(verb: str, tmp_path: Path) -> None:
    interrupted(verb, tmp_path / "new", os.kill, [1.5, 0.5])
