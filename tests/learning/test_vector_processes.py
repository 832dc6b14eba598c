"""Processes of vector environments: none is left behind, whatever ends them, and what goes wrong in one is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from tests.env.teams import crew
from tests.learning.vectors import idle, trace

import agentworld_env
from agentworld_env.learning.vector import TeamVectorEnv
from agentworld_env.tasks import get_task


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_closing_leaves_no_process_and_no_file() -> None:
    env = TeamVectorEnv([crew()], 3, processes=2)
    assert env._crew is not None
    pids = [process.pid for process in env._crew.processes]
    env.reset(seed=1)
    assert all(map(alive, pids))
    for folder in (Path("/dev/shm"), Path(tempfile.gettempdir())):
        assert not list(folder.glob(f"agentworld-env-{os.getpid()}-*"))
    env.close()
    env.close()
    assert not any(map(alive, pids))


def test_a_forgotten_vector_environment_leaves_no_process() -> None:
    env = TeamVectorEnv([crew()], 2, processes=1)
    assert env._crew is not None
    pid = env._crew.processes[0].pid
    del env
    import gc

    gc.collect()
    assert not alive(pid)


def explode(env: Any) -> float:
    """A potential that fails in the second round."""
    if env.round == 2:
        raise ZeroDivisionError("boom in round 2")
    return 0.0


def test_an_exception_in_a_process_comes_out_with_its_place_and_the_rest_can_be_closed() -> None:
    from agentworld_env.env import Shaping

    env = TeamVectorEnv([get_task("t01_magic_staff")], 2, processes=2, shaping=Shaping(explode))
    env.reset(seed=1)
    with pytest.raises(ZeroDivisionError, match="boom in round 2") as caught:
        env.step(idle(env))
    assert "in explode" in "".join(caught.value.__notes__)
    with pytest.raises(RuntimeError, match="a process has failed; close"):
        env.step(idle(env))
    env.close()


def test_a_process_that_dies_is_noticed() -> None:
    env = TeamVectorEnv([crew()], 2, processes=2)
    assert env._crew is not None
    env.reset(seed=1)
    os.kill(env._crew.processes[1].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=r"process 2 of 2 .* died \(exit code -9\)"):
        env.step(idle(env))
    env.close()


_SCRIPT = """
import sys, numpy as np, agentworld_env
env = agentworld_env.vector("t01_magic_staff", 4, processes=2)
env.reset(seed=0)
print(*[process.pid for process in env._crew.processes], flush=True)
while True:
    env.step(np.zeros(env.num_envs, dtype=int))
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_a_script_without_a_guard_ends_its_processes_end_too(sign: int, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(_SCRIPT, encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(agentworld_env.__file__).parents[1])},
        text=True,
    )
    assert running.stdout is not None
    pids = [int(pid) for pid in running.stdout.readline().split()]
    assert len(pids) == 2
    running.send_signal(sign)
    _, errors = running.communicate(timeout=30)
    for _ in range(100):
        if not any(map(alive, pids)):
            break
        time.sleep(0.1)
    assert not any(map(alive, pids))
    assert ("KeyboardInterrupt" in errors) == (sign == signal.SIGINT)


_KILLED = """
import os, signal, agentworld_env
from agentworld_env.learning import crew
start = crew._start
def started(*arguments):
    process = start(*arguments)
    print(os.getpid(), process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
crew._start = started
agentworld_env.vector("t01_magic_staff", 4, processes=2)
"""


def test_what_is_killed_while_its_processes_start_leaves_no_file_in_memory_and_no_process(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KILLED],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(agentworld_env.__file__).parents[1]),
            "TMPDIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    parent, child = map(int, done.stdout.split())
    for _ in range(100):
        if not alive(child):
            break
        time.sleep(0.1)
    assert not alive(child)
    assert not list(Path("/dev/shm").glob(f"*{parent}*"))
    assert list(tmp_path.iterdir()) == []


def test_without_files_in_memory_one_that_has_no_name_is_shared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    here, there = TeamVectorEnv([crew()], 2), TeamVectorEnv([crew()], 2, processes=1)
    try:
        assert list(tmp_path.iterdir()) == []
        assert trace(here, 3, 5) == trace(there, 3, 5)
    finally:
        there.close()
