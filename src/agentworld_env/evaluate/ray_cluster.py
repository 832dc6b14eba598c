"""A Ray cluster that shares the episodes of a run; every machine writes its records to one folder that all can see.

No key travels: a worker reads it from the environment of its own machine. Ray keeps the environment that a job asks for
in its store, logs and dashboard, so that nothing secret may be put there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from agentworld_env._version import RULES_VERSION, __version__
from agentworld_env.errors import AgentWorldError, needs
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import NAME, Manifest
from agentworld_env.evaluate.runner import Job, Limits, RunState, Watch
from agentworld_env.evaluate.share import TICK, Hearing, News, Report, play_share, shares_of

_VERSIONS = {"agentworld-env": __version__, "rules": str(RULES_VERSION), "msgspec": msgspec.__version__}
_PART_OF_A_MANIFEST = 1 << 22
_CONNECT_SECONDS = 10.0


def play_on_ray(
    manifest: Manifest,
    folder: Path,
    limits: Limits,
    ledger: Ledger,
    state: RunState,
    report: Report,
    watch: Watch | None,
) -> None:
    """Plays what is left of a run on the Ray cluster that ``RAY_ADDRESS`` or this machine names, or on a new local one.

    Args:
        manifest: The run.
        folder: Where records go; every machine of the cluster must see it under the same path.
        limits: How to go about it; ``processes`` is the number of workers, by default one per processor of the cluster.
        ledger: Counts what is used.
        state: Where the run stands; kept up to date.
        report: Told of every episode.
        watch: Told about once a second where the run stands.

    Raises:
        AgentWorldError: Ray is not installed, the cluster cannot be reached, a machine does not see the folder or lacks
            a key, a task, policy or record cannot be used, or a worker died.
    """
    ray = _ray()
    started_here = not ray.is_initialized()
    if started_here:
        _connect(ray)
    workers: list[Any] = []
    try:
        processors = int(ray.cluster_resources().get("CPU", 1))
        shares = shares_of(manifest, limits, limits.processes or max(1, processors))
        # One processor each, spread over the machines; a worker that dies is not started anew behind the run's back.
        remote = ray.remote(
            num_cpus=min(1, processors / len(shares)), max_restarts=0, scheduling_strategy="SPREAD"
        )(Worker)
        calls: dict[Any, int] = {}
        begun = (folder / NAME).read_bytes()
        for k, jobs in enumerate(shares):
            worker = remote.remote(
                k, len(shares), str(folder.resolve()), begun, msgspec.json.encode(limits), jobs
            )
            workers.append(worker)
            calls[worker.news.remote(_VERSIONS)] = k

        def stop() -> None:
            for worker in workers:
                worker.stop.remote()

        hearing = Hearing(len(shares), state, ledger, report, watch, stop)
        while hearing.running:
            ready, _ = ray.wait(list(calls), timeout=TICK)
            for call in ready:
                k = calls.pop(call)
                for heard in _fetch(ray, call):
                    hearing.hear(heard)
                if k in hearing.running:
                    calls[workers[k].news.remote(_VERSIONS)] = k
    finally:
        for worker in workers:
            with contextlib.suppress(Exception):  # it may be gone already, and the cluster with it
                ray.kill(worker)
        if started_here:
            ray.shutdown()


class Worker:
    """Plays one share of a run on a machine of the cluster. Ray makes an actor of it.

    Args:
        number: Which share.
        shares: So many there are.
        folder: Folder of the run.
        begun: The run's manifest, as its file holds it where the run was started.
        limits: How to go about it, as JSON.
        jobs: The episodes.
    """

    def __init__(
        self, number: int, shares: int, folder: str, begun: bytes, limits: bytes, jobs: Sequence[Job]
    ) -> None:
        self._number = number
        self._shares = shares
        self._folder = Path(folder)
        self._begun = begun
        self._limits = msgspec.json.decode(limits, type=Limits)
        self._jobs = [Job(*job) for job in jobs]
        self._news: asyncio.Queue[News] = asyncio.Queue()
        self._stopped = False
        self._playing: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Lets no further call be made."""
        self._stopped = True

    async def news(self, versions: dict[str, str]) -> list[News]:
        """Begins to play at the first call, and returns what has happened since the last one; waits for something.

        Args:
            versions: What the run is played with elsewhere.
        """
        if self._playing is None:
            self._playing = asyncio.create_task(self._play(versions))
        next_ = asyncio.ensure_future(self._news.get())
        await asyncio.wait({next_, self._playing}, return_when=asyncio.FIRST_COMPLETED)
        if not next_.done() and self._playing.exception() is not None:
            next_.cancel()
            await self._playing  # a mistake in the program, told where the run was started
        found = [await next_]
        while not self._news.empty():
            found.append(self._news.get_nowait())
        return found

    async def _play(self, versions: dict[str, str]) -> None:
        problem = self._problem(versions)
        if problem:
            self._tell(("error", self._number, problem))
            return
        manifest = msgspec.json.decode(self._begun, type=Manifest)
        await play_share(
            self._number,
            self._shares,
            manifest,
            self._folder,
            self._limits,
            self._jobs,
            self._tell,
            lambda: self._stopped,
        )

    def _problem(self, versions: dict[str, str]) -> str:
        differ = [f"{name} {_VERSIONS[name]}" for name in _VERSIONS if versions[name] != _VERSIONS[name]]
        if differ:
            wanted = ", ".join(f"{name} {versions[name]}" for name in versions)
            return f"it has {', '.join(differ)}, the run needs {wanted}"
        path = self._folder / NAME
        try:
            with path.open("rb") as file:
                same = file.read(_PART_OF_A_MANIFEST) == self._begun[:_PART_OF_A_MANIFEST]
        except OSError:
            same = False
        if not same:
            return (
                f"it does not see the run in {self._folder}: the folder must be one that all machines share"
            )
        return ""

    def _tell(self, news: News) -> None:
        if news[0] == "error":
            news = ("error", self._number, f"on {platform.node()}: {news[2]}")
        self._news.put_nowait(news)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise AgentWorldError(f"{needs('--executor ray', 'ray', 'ray')} ({error})") from None
    return ray


def check_cluster() -> None:
    """Makes sure, without joining it, that there is Ray and that the cluster that ``RAY_ADDRESS`` names answers.

    Raises:
        AgentWorldError: Ray is not installed, or nothing listens at the address.
    """
    _ray()
    _reach()


def _connect(ray: Any) -> None:
    _reach()
    # A cluster that is started here reports nothing to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray's default for workers on accelerators is about to change, and says so each time.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        raise AgentWorldError(f"the Ray cluster cannot be reached: {_first_line(error)}") from None


def _reach() -> None:
    # Ray itself would try for minutes.
    address = os.environ.get("RAY_ADDRESS", "").rpartition("//")[2]
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise AgentWorldError(
                f"the Ray cluster at RAY_ADDRESS={address} cannot be reached: {error}"
            ) from None


def _fetch(ray: Any, call: Any) -> list[News]:
    try:
        found: list[News] = ray.get(call)
    except ray.exceptions.RayActorError as error:
        raise AgentWorldError(
            f"a worker of the run died; what it recorded can be resumed ({_first_line(error)})"
        ) from None
    return found


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]
