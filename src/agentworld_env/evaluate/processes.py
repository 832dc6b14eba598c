"""Several processes on this machine that share the episodes of a run."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.runner import Job, Limits, RunState, Watch
from agentworld_env.evaluate.share import TICK, Hearing, Report, play_share, shares_of
from agentworld_env.workers import deaf, die_with, heard_once, ignore_ctrl_c


def play_in_processes(
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    ledger: Ledger,
    state: RunState,
    report: Report,
    watch: Watch | None,
) -> None:
    """Plays what is left of a run in ``limits.processes`` processes.

    Args:
        manifest: The run.
        folder: Where records go.
        limits: How to go about it.
        ledger: Counts what is used.
        state: Where the run stands; kept up to date.
        report: Told of every episode.
        watch: Told about once a second where the run stands.

    Raises:
        AgentWorldError: A task, policy or record cannot be used, or a process died.
    """
    context = get_context("spawn")
    news: Any = context.Queue()
    stop = context.Event()
    shares = shares_of(manifest, limits, limits.processes or 1)
    hearing = Hearing(len(shares), state, ledger, report, watch, stop.set)
    lifelines, workers = [], []
    with heard_once():
        try:
            for k, jobs in enumerate(shares):
                ours, theirs = context.Pipe()
                lifelines.append(ours)
                worker = context.Process(
                    target=_work,
                    args=(k, len(shares), manifest, str(folder), limits, jobs, news, stop, theirs),
                    daemon=True,
                )
                with deaf():
                    worker.start()
                theirs.close()
                workers.append(worker)
            while hearing.running:
                try:
                    heard = news.get(timeout=TICK)
                except Empty:
                    dead = [k for k in hearing.running if not workers[k].is_alive()]
                    if dead:
                        raise AgentWorldError(
                            f"a process of the run died (exit code {workers[dead[0]].exitcode}); "
                            "what it recorded can be resumed"
                        ) from None
                    continue
                hearing.hear(heard)
            for worker in workers:
                worker.join()
        finally:
            for lifeline in lifelines:
                lifeline.close()
            for worker in workers:
                if worker.is_alive():
                    worker.terminate()
                worker.join()


def _work(
    number: int,
    shares: int,
    manifest: Manifest,
    folder: str,
    limits: Limits,
    jobs: Sequence[Job],
    news: Any,
    stop: Any,
    lifeline: Connection,
) -> None:
    """Plays one process's share."""
    ignore_ctrl_c()  # it reaches all; the first process ends the others
    die_with(lifeline)  # at once, so that none writes unwatched
    try:
        asyncio.run(
            play_share(number, shares, manifest, Path(folder), limits, jobs, news.put, stop.is_set),
        )
    except SystemExit:  # asked for by a policy's own code; it would be silent
        traceback.print_exc()
        raise SystemExit(1) from None
