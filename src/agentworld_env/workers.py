"""Worker processes: Ctrl-C is their first process's business alone, and they are gone with it, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import FrameType, TracebackType
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Done = TypeVar("_Done")


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Puts off Ctrl-C; processes that are begun meanwhile never hear it, not even while they load Python.

    Otherwise a process that is interrupted before its first line, or whose first process is while it hands over the
    work, says so in a traceback.
    """
    if threading.current_thread() is not threading.main_thread() or not _heeded():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = signal.signal(signal.SIGINT, note)
    # The mask is what new processes inherit; other threads may take the signal all the same, hence the handler.
    masks = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else set()
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def heard_once() -> Iterator[None]:
    """Lets Ctrl-C interrupt once and no more, so that what ends processes and writes what is done is not cut short."""
    if threading.current_thread() is not threading.main_thread() or not _heeded():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    came: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1 and callable(before):
            before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _heeded() -> bool:
    """Returns whether Ctrl-C does anything: what a shell without job control starts in the background ignores it."""
    return callable(signal.getsignal(signal.SIGINT))


def ignore_ctrl_c() -> None:
    """Lets a worker ignore Ctrl-C; to be called first in it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def die_with(lifeline: Connection) -> None:
    """Ends this process at once when nobody holds the other end of a pipe any more; returns before.

    Workers of a pool wait for work on a pipe that each of them holds open itself, so that they would not notice the end
    of a first process that was killed.

    Args:
        lifeline: Nothing is ever sent through it.
    """
    threading.Thread(target=_wait, args=(lifeline,), daemon=True).start()


def _wait(lifeline: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(1)


def _follow(lifeline: Connection) -> None:
    ignore_ctrl_c()
    die_with(lifeline)


class WorkerPool(ProcessPoolExecutor):
    """Processes that share work; as a context it waits for them, but ends them at once where an exception leaves it.

    They are spawned, not forked: the same on every system, and safe beside threads.

    Args:
        count: So many processes at the most.
    """

    def __init__(self, count: int) -> None:
        spawn = get_context("spawn")
        self._theirs, self._lifeline = spawn.Pipe(duplex=False)
        super().__init__(count, mp_context=spawn, initializer=_follow, initargs=(self._theirs,))

    def submit(
        self, fn: Callable[_Given, _Done], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> Future[_Done]:
        """Has a function of a module called in one of the processes, and returns what will come of it."""
        with deaf():
            return super().submit(fn, *args, **kwargs)

    def end(self) -> None:
        """Ends the processes at once, whatever they are at."""
        with deaf():
            self._lifeline.close()
            self.shutdown(cancel_futures=True)
            self._theirs.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Waits for what is being done if all is well."""
        try:
            if kind is None:
                self.shutdown()
        finally:
            self.end()
        return None
