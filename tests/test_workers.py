"""Workers never hear Ctrl-C and are gone with their first process; what ends them is not cut short."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from agentworld_env.workers import WorkerPool, deaf, heard_once

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")


@pytest.fixture(autouse=True)
def _heeded() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, however the tests are run."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_is_put_off_and_not_lost() -> None:
    done = []

    def work() -> None:
        with deaf():
            ctrl_c()
            ctrl_c()
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_what_is_begun_meanwhile_does_not_hear_ctrl_c() -> None:
    # Not even before the first line of the program, as the mask is inherited.
    code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    with deaf():
        said = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "True\n"


def test_ctrl_c_interrupts_once_and_no_more() -> None:
    done = []
    with heard_once():
        try:
            ctrl_c()
        except KeyboardInterrupt:
            ctrl_c()
            ctrl_c()
            done.append("all of it")
    assert done == ["all of it"]
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()


def test_ctrl_c_that_was_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with heard_once(), deaf():
        ctrl_c()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_pool_ends_at_once_whatever_its_workers_are_at() -> None:
    pool = WorkerPool(1)
    pid = pool.submit(os.getpid).result()
    asleep = pool.submit(time.sleep, 600)  # longer than any test may take
    pool.end()
    assert asleep.done()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_pool_waits_for_its_work_if_all_is_well() -> None:
    with WorkerPool(2) as pool:
        powers = [pool.submit(pow, 2, number) for number in range(8)]
    assert [future.result() for future in powers] == [1, 2, 4, 8, 16, 32, 64, 128]


def test_a_worker_ignores_ctrl_c() -> None:
    with WorkerPool(1) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGINT)
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
