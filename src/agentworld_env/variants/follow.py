"""Worker processes that end with the process that began them, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading


def follow() -> None:
    """Lets a worker end without a word at Ctrl-C, and as soon as its parent is gone; to be called in the worker.

    Workers of a pool wait for work on a pipe that each of them holds open itself, so that they would not notice the
    end of a parent that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
