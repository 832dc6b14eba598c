"""Where the episodes of a run are played: in this process, in several, or on a Ray cluster; the code path is one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agentworld_env.evaluate.belonging import records_of
from agentworld_env.evaluate.folder import Failure, RunFolder, is_complete
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.processes import play_in_processes
from agentworld_env.evaluate.ray_cluster import play_on_ray
from agentworld_env.evaluate.runner import Limits, RunState, Watch, jobs_of, play_jobs
from agentworld_env.evaluate.share import Report, company_of, every_second
from agentworld_env.evaluate.who import Owns


def play_run(
    manifest: Manifest,
    folder: RunFolder,
    limits: Limits,
    ledger: Ledger,
    watch: Watch | None = None,
    owns: Owns | None = None,
) -> RunState:
    """Plays what is left of a run and returns where it stands.

    Args:
        manifest: The run.
        folder: Its folder, locked.
        limits: How to go about it.
        ledger: Counts what is used, and stops the run at its limits.
        watch: Told about once a second where the run stands.
        owns: Members that a program has given other than by name; they can be played in this process only.

    Raises:
        AgentWorldError: A task, policy or record cannot be used, the folder holds records of other episodes, or a
            process died.
    """
    state, report = _begun(manifest, folder, ledger, watch)
    if limits.executor == "ray":
        play_on_ray(manifest, folder.path, limits, ledger, state, report, watch)
    elif limits.processes is not None and limits.processes > 1:
        play_in_processes(manifest, folder.path, limits, ledger, state, report, watch)
    else:
        asyncio.run(_play_here(manifest, folder.path, limits, ledger, state, report, watch, owns))
    state.in_flight, state.retrying = 0, {}
    return state


async def play_run_async(
    manifest: Manifest,
    folder: RunFolder,
    limits: Limits,
    ledger: Ledger,
    watch: Watch | None = None,
    owns: Owns | None = None,
) -> RunState:
    """Plays what is left of a run in this process and its running event loop; all else is as for ``play_run``."""
    state, report = _begun(manifest, folder, ledger, watch)
    await _play_here(manifest, folder.path, limits, ledger, state, report, watch, owns)
    state.in_flight, state.retrying = 0, {}
    return state


def _begun(
    manifest: Manifest, folder: RunFolder, ledger: Ledger, watch: Watch | None
) -> tuple[RunState, Report]:
    """Returns where a run stands before anything is played, and what keeps that up to date."""
    records = records_of(folder.path, manifest).values()
    ledger.open(records, manifest.cast)
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

    return state, report


async def _play_here(
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    ledger: Ledger,
    state: RunState,
    report: Report,
    watch: Watch | None,
    owns: Owns | None,
) -> None:
    company = company_of(manifest, limits, ledger, owns=owns)

    def look() -> None:
        state.in_flight, state.retrying = company.in_flight, company.retrying
        if watch is not None:
            watch(state)

    async with every_second(look):
        await play_jobs(
            jobs_of(manifest),
            manifest.load_tasks(),
            company,
            manifest,
            folder,
            limits,
            lambda _, won, failure, why: report(won, failure, why),
        )
