"""Where the episodes of a run are played: in this process, or in several that share them. The code path is the same."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.cast import Company
from agentworld_env.evaluate.folder import Failure, RunFolder, is_complete
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.runner import Job, Limits, RunState, Watch, jobs_of, play_jobs
from agentworld_env.models import BudgetSpentError, Reply

_TICK = 1.0


def play_run(
    manifest: Manifest, folder: RunFolder, limits: Limits, ledger: Ledger, watch: Watch | None = None
) -> RunState:
    """Plays what is left of a run and returns where it stands.

    Args:
        manifest: The run.
        folder: Its folder, locked.
        limits: How to go about it.
        ledger: Counts what is used, and stops the run at its limits.
        watch: Told about once a second where the run stands.

    Raises:
        AgentWorldError: A task, policy or record cannot be used, or a process died.
    """
    records = [p for p in folder.path.glob("*.jsonl") if not p.name.endswith(".usage.jsonl")]
    ledger.open(sorted(records), manifest.cast)
    state = RunState(manifest.episodes, ledger.spent)
    state.complete_before = sum(map(is_complete, records))

    def report(won: bool, failure: Failure | None, why: str) -> None:
        if failure is not None:
            state.failures.append(failure)
            folder.note(failure)
        elif why:
            state.stopped = state.stopped or why
        else:
            state.done += 1
            state.won += won
        if watch is not None:
            watch(state)

    if limits.processes > 1:
        _play_in_processes(manifest, folder.path, limits, ledger, state, report, watch)
    else:
        asyncio.run(_play_here(manifest, folder.path, limits, ledger, state, report, watch))
    state.in_flight, state.retrying = 0, {}
    return state


async def _play_here(
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    ledger: Ledger,
    state: RunState,
    report: Any,
    watch: Watch | None,
) -> None:
    company = _company(manifest, limits, ledger)

    def look() -> None:
        state.in_flight, state.retrying = company.in_flight, company.retrying
        if watch is not None:
            watch(state)

    async with _every_second(look):
        await play_jobs(
            jobs_of(manifest),
            manifest.load_tasks(),
            company,
            manifest,
            folder,
            limits,
            lambda _, won, failure, why: report(won, failure, why),
        )


def _company(manifest: Manifest, limits: Limits, meter: Any) -> Company:
    most = max(1, limits.concurrency // limits.processes)
    return Company(manifest.cast, most=most, timeout=limits.call_seconds, retries=limits.retries, meter=meter)


@contextlib.asynccontextmanager
async def _every_second(look: Any) -> AsyncIterator[None]:
    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK)
            look()

    ticker = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticker.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticker


# -- several processes -------------------------------------------------------------------------------------------------


def _play_in_processes(
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    ledger: Ledger,
    state: RunState,
    report: Any,
    watch: Watch | None,
) -> None:
    context = get_context("spawn")
    news: Any = context.Queue()
    stop = context.Event()
    jobs = jobs_of(manifest)
    count = min(limits.processes, len(jobs))
    lifelines, workers = [], []
    pulses: dict[int, tuple[int, dict[str, int]]] = {}
    try:
        for k in range(count):
            ours, theirs = context.Pipe()
            lifelines.append(ours)
            worker = context.Process(
                target=_work,
                args=(k, manifest, str(folder), limits, jobs[k::count], news, stop, theirs),
                daemon=True,
            )
            worker.start()
            theirs.close()
            workers.append(worker)
        running = set(range(count))
        while running:
            try:
                kind, k, *said = news.get(timeout=_TICK)
            except Empty:
                dead = [k for k in running if not workers[k].is_alive()]
                if dead:
                    raise AgentWorldError(
                        f"a process of the run died (exit code {workers[dead[0]].exitcode}); "
                        "what it recorded can be resumed"
                    ) from None
                continue
            if kind == "usage":
                ledger.count(*said)
                try:
                    ledger.allow()
                except BudgetSpentError as error:
                    state.stopped = state.stopped or str(error)
                    stop.set()
            elif kind == "episode":
                report(*said)
                if said[2]:
                    stop.set()
            elif kind == "pulse":
                pulses[k] = (said[0], said[1])
                _merge(state, pulses)
                if watch is not None:
                    watch(state)
            else:
                running.discard(k)
                if kind == "error":
                    raise AgentWorldError(said[0])
        for worker in workers:
            worker.join()
    finally:
        for lifeline in lifelines:
            lifeline.close()
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
            worker.join()


def _merge(state: RunState, pulses: dict[int, tuple[int, dict[str, int]]]) -> None:
    state.in_flight = sum(count for count, _ in pulses.values())
    state.retrying = {}
    for _, reasons in pulses.values():
        for reason, count in reasons.items():
            state.retrying[reason] = state.retrying.get(reason, 0) + count


class _FarMeter:
    """The ledger of the first process, seen from another."""

    def __init__(self, number: int, news: Any, stop: Any) -> None:
        self._number = number
        self._news = news
        self._stop = stop

    def allow(self) -> None:
        if self._stop.is_set():
            raise BudgetSpentError("the run was stopped")

    def count(self, label: str, reply: Reply) -> None:
        counted = Reply(
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cached_tokens=reply.cached_tokens,
        )
        self._news.put(("usage", self._number, label, counted))


def _work(
    number: int,
    manifest: Manifest,
    folder: str,
    limits: Limits,
    jobs: Sequence[Job],
    news: Any,
    stop: Any,
    lifeline: Connection,
) -> None:
    """Plays one process's share."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the first process ends the others
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()
    try:
        asyncio.run(_share(number, manifest, Path(folder), limits, jobs, news, stop))
    except AgentWorldError as error:
        news.put(("error", number, str(error)))
    else:
        news.put(("end", number))


def _die_with(lifeline: Connection) -> None:
    """Ends this process at once when the first one is gone, however it went, so that none writes unwatched."""
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(1)


async def _share(
    number: int,
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    jobs: Sequence[Job],
    news: Any,
    stop: Any,
) -> None:
    company = _company(manifest, limits, _FarMeter(number, news, stop))
    async with _every_second(lambda: news.put(("pulse", number, company.in_flight, company.retrying))):
        await play_jobs(
            jobs,
            manifest.load_tasks(),
            company,
            manifest,
            folder,
            limits,
            lambda _, won, failure, why: news.put(("episode", number, won, failure, why)),
        )
