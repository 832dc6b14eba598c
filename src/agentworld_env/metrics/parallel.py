"""Doing the same to many things, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from agentworld_env.errors import InvalidValueError

Job = TypeVar("Job")
Done = TypeVar("Done")


def in_parallel(work: Callable[[Job], Done], jobs: Sequence[Job], processes: int) -> list[Done]:
    """Returns what comes of each job, in order.

    Args:
        work: A function of a module, which other processes can import.
        jobs: What it is called with; must be picklable if there are several processes.
        processes: Processes at most; 1 does everything in this one.

    Raises:
        ValueError: There is less than one process.
    """
    if processes < 1:
        raise InvalidValueError(f"work needs at least one process, not {processes}")
    processes = min(processes, len(jobs))
    if processes <= 1:
        return [work(job) for job in jobs]
    from agentworld_env.workers import WorkerPool, heard_once

    with heard_once(), WorkerPool(processes) as pool:
        return list(pool.map(work, jobs))
