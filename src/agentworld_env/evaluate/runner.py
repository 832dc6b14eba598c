"""Playing all episodes of a run: concurrent episodes, each in turn order, with deadlines, retries and budgets."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from agentworld_env.errors import AgentWorldError, ModelError, RecordWarning
from agentworld_env.evaluate.blame import blamed_on
from agentworld_env.evaluate.cast import Company
from agentworld_env.evaluate.folder import Failure
from agentworld_env.evaluate.ledger import Spent
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.refusals import Refusals
from agentworld_env.evaluate.run import run_episode_async
from agentworld_env.models import BudgetSpentError, ServiceError
from agentworld_env.models.client import CALL_SECONDS, RETRIES
from agentworld_env.policies.protocol import close_policy
from agentworld_env.tasks import Task

_BETWEEN_ATTEMPTS = 2.0


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is carried out; nothing of it decides results.

    Attributes:
        concurrency: Episodes, and calls to one endpoint, at once. Policies that answer at once play one after another.
        call_seconds: Longest wait for one reply (seconds).
        turn_seconds: Longest wait for one turn, retries included (seconds). Only what is waited for can be given up:
            a policy whose ``act`` is not asynchronous keeps this and the next deadline itself.
        episode_seconds: Longest time for an episode in one go (seconds); None for any.
        retries: Attempts after a call without a reply.
        attempts: Times an episode is taken up again after a turn could not be had.
        executor: ``local`` for this machine, ``ray`` for a Ray cluster.
        processes: Processes that share the episodes; None for one here, and for one per processor of a cluster.
    """

    concurrency: int = 64
    call_seconds: float = CALL_SECONDS
    turn_seconds: float = 900.0
    episode_seconds: float | None = None
    retries: int = RETRIES
    attempts: int = 3
    executor: Literal["local", "ray"] = "local"
    processes: int | None = None


class Job(NamedTuple):
    """One episode to play: index of its task, and seed."""

    task: int
    seed: int


class RunState:
    """Where a run stands.

    Args:
        total: Episodes of the run.
        spent: What it has used; changes as it goes on.
    """

    def __init__(self, total: int, spent: Spent) -> None:
        self.total = total
        self.spent = spent
        self.done = 0
        self.won = 0
        self.complete_before = 0
        self.failures: list[Failure] = []
        self.stopped = ""
        self.in_flight = 0
        self.retrying: dict[str, int] = {}
        self.begun = time.monotonic()

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the time left (seconds), or None before the first episode has ended."""
        left = self.total - self.done - len(self.failures)
        played = self.done - self.complete_before
        return (time.monotonic() - self.begun) / played * left if played > 0 else None


Watch = Callable[[RunState], None]
"""Told about once a second, and after each episode, where a run stands."""


def jobs_of(manifest: Manifest) -> list[Job]:
    """Returns the episodes of a run: all tasks once, then all again with the next seed."""
    return [
        Job(task, manifest.seed + trial)
        for trial in range(manifest.trials)
        for task in range(len(manifest.tasks))
    ]


async def play_jobs(
    jobs: Iterable[Job],
    tasks: Sequence[Task],
    company: Company,
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    report: Callable[[Job, bool, Failure | None, str], None],
) -> None:
    """Plays episodes in this process.

    Args:
        jobs: The episodes.
        tasks: The run's tasks.
        company: The models; makes a policy for each episode, which is closed after it.
        manifest: The run.
        folder: Where records go.
        limits: How to go about it.
        report: Told what became of each episode: whether it was a success, the failure of infrastructure that kept it
            from ending, or why the whole run has to stop.
    """
    queue = deque(jobs)
    stop = False
    whole = asyncio.current_task()
    assert whole is not None

    async def work() -> None:
        nonlocal stop
        # Ctrl-C cancels the whole; hands that are never waited for must not play on before it comes to its turn.
        while queue and not stop and not whole.cancelling():
            job = queue.popleft()
            won, failure, why = await _play_job(
                job, tasks[job.task], company, manifest, folder, limits, refusals
            )
            stop = stop or bool(why)
            report(job, won, failure, why)
            await asyncio.sleep(0)  # policies that never wait must let the others and the display go on

    # Episodes that are never waited for do not interleave: a hand plays one from start to end before the next begins.
    hands = min(company.hands, len(queue))
    refusals = Refusals(folder, hands)
    with warnings.catch_warnings():
        # Going on from records is what a run that is resumed is asked to do.
        warnings.simplefilter("ignore", RecordWarning)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(hands):
                    group.create_task(work())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            await company.close()


async def _play_job(
    job: Job,
    task: Task,
    company: Company,
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    refusals: Refusals,
) -> tuple[bool, Failure | None, str]:
    reason = ""
    for attempt in range(1, limits.attempts + 1):
        policy = company.policy()
        try:
            async with asyncio.timeout(limits.episode_seconds) as clock:
                # What is recorded is not asked for again, so that a later attempt goes on at the very turn.
                episode = await run_episode_async(
                    task,
                    policy,
                    seed=job.seed,
                    setting=manifest.setting,
                    out=folder,
                    turn_seconds=limits.turn_seconds,
                )
            return episode.verdict.success, None, ""
        except SystemExit as error:
            place, said = blamed_on(error)
            raise AgentWorldError(f"the code of a policy{place} cannot be used: {said}") from error
        except BudgetSpentError as error:
            return False, None, str(error)
        except ServiceError as error:
            if refusals.end_the_run(error):
                return False, None, str(error)
            reason = str(error)
            if not error.transient:
                break
        except ModelError as error:
            reason = str(error)
            break
        except TimeoutError:
            if not clock.expired():
                raise  # the policy's own
            reason = f"not over within {limits.episode_seconds:g} s"
            break
        finally:
            pending = close_policy(policy)
            if pending is not None:
                await pending
        if attempt < limits.attempts:
            await asyncio.sleep(_BETWEEN_ATTEMPTS * attempt)
    return False, Failure(task=task.id, seed=job.seed, reason=reason), ""
