"""A process of a vector environment whose parent is killed ends without a word: nobody has asked for a traceback."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import agentworld_env
from agentworld_env.learning import worker


class _Group:
    def step(self) -> None:
        """Plays nothing."""

    reset = step


def test_a_reply_that_nobody_waits_for_any_more_is_no_failure_to_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "_open", lambda order: _Group())
    commands = io.BytesIO()
    for message in ({}, ("step", None)):
        worker.send(commands, message)
    commands.seek(0)
    told: list[Any] = []

    def send(stream: Any, message: Any) -> None:
        told.append(message)
        if len(told) == 2:
            raise BrokenPipeError

    monkeypatch.setattr(worker, "send", send)
    with pytest.raises(BrokenPipeError):
        worker._serve(commands, io.BytesIO())
    assert told == [None, None]


def test_a_process_whose_parent_is_gone_ends_silently() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from agentworld_env.learning.worker import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(agentworld_env.__file__).parents[1])},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    worker.send(
        process.stdin, {"path": "nowhere"}
    )  # is answered with a failure, for which the pipe is closed
    assert process.stderr.read() == b""
    assert process.wait(30) == 0
    process.stdin.close()
    process.stderr.close()
