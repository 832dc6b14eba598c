"""What the executors have in common: how a share of a run's episodes is played, and how its news are heard.

A share tells its news as plain tuples, of which the first part says what and the second which share:

- ``("usage", k, label, reply)``: a model has answered; the reply holds its tokens only.
- ``("episode", k, won, failure, why)``: an episode was played, or why it was not.
- ``("pulse", k, in_flight, retrying)``: about once a second.
- ``("end", k)`` or ``("error", k, text)``: the share is over.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.cast import Company
from agentworld_env.evaluate.folder import Failure
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.runner import Job, Limits, RunState, Watch, jobs_of, play_jobs
from agentworld_env.evaluate.who import Owns
from agentworld_env.models import BudgetSpentError, Meter, Reply

TICK = 1.0
"""Seconds between two looks at where a run stands."""

News = tuple[Any, ...]
Send = Callable[[News], None]
Report = Callable[[bool, Failure | None, str], None]
"""Told what became of an episode: success, failure of infrastructure, or why the whole run has to stop."""


def shares_of(manifest: Manifest, limits: Limits, most: int) -> list[list[Job]]:
    """Returns who plays which episodes.

    Args:
        manifest: The run.
        limits: How to go about it.
        most: Greatest number of shares.

    Returns:
        One list of episodes per share, none of them empty. Where somebody may have to be waited for, there are no more
        shares than episodes may be played at once, because each share plays at least one at a time.
    """
    jobs = jobs_of(manifest)
    count = min(most, len(jobs), limits.concurrency if manifest.cast.waits else most)
    return [jobs[k::count] for k in range(count)]


def company_of(
    manifest: Manifest, limits: Limits, meter: Meter, shares: int = 1, owns: Owns | None = None
) -> Company:
    """Returns the models of a share, with its part of the episodes and calls that may be in flight."""
    most = max(1, limits.concurrency // shares)
    return Company(
        manifest.cast,
        most=most,
        timeout=limits.call_seconds,
        retries=limits.retries,
        longest_pause=limits.turn_seconds / 2,  # beyond its deadline a turn would be lost by waiting alone
        meter=meter,
        owns=owns,
    )


async def play_share(
    number: int,
    shares: int,
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    jobs: Sequence[Job],
    send: Send,
    stopped: Callable[[], bool],
) -> None:
    """Plays one share, away from the ledger and the display.

    Args:
        number: Which share.
        shares: So many there are.
        manifest: The run.
        folder: Where records go.
        limits: How to go about it.
        jobs: The episodes.
        send: Takes news.
        stopped: Whether no further call may be made.
    """
    try:
        company = company_of(manifest, limits, _FarMeter(number, send, stopped), shares)
        async with every_second(lambda: send(("pulse", number, company.in_flight, company.retrying))):
            await play_jobs(
                jobs,
                manifest.load_tasks(),
                company,
                manifest,
                folder,
                limits,
                lambda _, won, failure, why: send(("episode", number, won, failure, why)),
            )
    except AgentWorldError as error:
        send(("error", number, str(error)))
    else:
        send(("end", number))


class _FarMeter:
    """The ledger of the process that leads the run, seen from a share."""

    def __init__(self, number: int, send: Send, stopped: Callable[[], bool]) -> None:
        self._number = number
        self._send = send
        self._stopped = stopped

    def allow(self) -> None:
        if self._stopped():
            raise BudgetSpentError("the run was stopped")

    def count(self, label: str, reply: Reply) -> None:
        counted = Reply(
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cached_tokens=reply.cached_tokens,
        )
        self._send(("usage", self._number, label, counted))


class Hearing:
    """Hears the news of all shares.

    Args:
        shares: So many there are.
        state: Where the run stands; kept up to date.
        ledger: Told of usage.
        report: Told of episodes.
        watch: Told about once a second where the run stands.
        stop: Called when no share may make another call.

    Attributes:
        running: Shares that are not over.
    """

    def __init__(
        self,
        shares: int,
        state: RunState,
        ledger: Ledger,
        report: Report,
        watch: Watch | None,
        stop: Callable[[], None],
    ) -> None:
        self.running = set(range(shares))
        self._state = state
        self._ledger = ledger
        self._report = report
        self._watch = watch
        self._stop = stop
        self._pulses: dict[int, tuple[int, dict[str, int]]] = {}

    def hear(self, news: News) -> None:
        """Takes note of a piece of news.

        Raises:
            AgentWorldError: A share could not go on.
        """
        kind, number, *said = news
        if kind == "usage":
            self._ledger.count(*said)
            try:
                self._ledger.allow()
            except BudgetSpentError as error:
                self._state.stopped = self._state.stopped or str(error)
                self._stop()
        elif kind == "episode":
            self._report(*said)
            if said[2]:
                self._stop()
        elif kind == "pulse":
            self._pulses[number] = (said[0], said[1])
            self._merge()
            if self._watch is not None:
                self._watch(self._state)
        else:
            self.running.discard(number)
            self._pulses.pop(number, None)
            if kind == "error":
                raise AgentWorldError(said[0])

    def _merge(self) -> None:
        self._state.in_flight = sum(count for count, _ in self._pulses.values())
        self._state.retrying = {}
        for _, reasons in self._pulses.values():
            for reason, count in reasons.items():
                self._state.retrying[reason] = self._state.retrying.get(reason, 0) + count


@contextlib.asynccontextmanager
async def every_second(look: Callable[[], None]) -> AsyncIterator[None]:
    """Calls ``look`` about once a second for as long as the context lasts."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            look()

    ticker = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticker.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticker
