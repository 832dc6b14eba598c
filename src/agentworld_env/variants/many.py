"""Many variants: over tasks and seeds, in several processes, without two alike."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import Task
from agentworld_env.variants.generator import Search, Variant, find_variant

DUPLICATE = "like another variant"


class Harvest(msgspec.Struct, kw_only=True):
    """Figures of a generation.

    Attributes:
        variants: Variants made.
        candidates: Candidates that were examined.
        rejected: Why candidates failed, in words -> how many.
        given_up: Seeds, as (source, seed), for which no candidate passed; the next seeds take their places.
    """

    variants: int = 0
    candidates: int = 0
    rejected: Counter[str] = msgspec.field(default_factory=Counter)
    given_up: list[tuple[str, int]] = msgspec.field(default_factory=list)


def make_variants(
    sources: Sequence[Task],
    seed: int,
    count: int,
    *,
    harder: float = 0.0,
    jobs: int | None = None,
    harvest: Harvest | None = None,
) -> Iterator[Variant]:
    """Yields variants, the sources taking turns: seed ``seed`` of each, then the next seed of each, and so on.

    A variant that plays like an earlier one, and a seed for which no candidate passes, are passed over; the source's
    next seed takes the place. Which variants there are depends on the arguments alone, not on the number of processes.

    Args:
        sources: The tasks to vary.
        seed: First seed.
        count: How many variants.
        harder: As for ``find_variant``.
        jobs: Processes; as many as processors if None, and none besides this one if 1.
        harvest: Filled with the figures.

    Raises:
        AgentWorldError: A seed lies in no split, or a source gives too few variants.
    """
    figures = Harvest() if harvest is None else harvest
    quotas = [count // len(sources) + (number < count % len(sources)) for number in range(len(sources))]
    jobs = min(jobs or os.cpu_count() or 1, count)
    if jobs <= 1:
        yield from _gathered(sources, quotas, seed, harder, None, figures, 1)
        return
    import multiprocessing

    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_quiet)
    try:
        yield from _gathered(sources, quotas, seed, harder, pool, figures, jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _quiet() -> None:
    """Lets Ctrl-C end a worker without a word; the parent speaks for all."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _gathered(
    sources: Sequence[Task],
    quotas: list[int],
    seed: int,
    harder: float,
    pool: Executor | None,
    figures: Harvest,
    jobs: int,
) -> Iterator[Variant]:
    """Yields variants in the order of the rounds of seeds, whatever the order in which they are found."""
    order = _Order(len(sources), quotas, seed)
    taken: set[str] = set()
    ready: dict[tuple[int, int], Search] = {}
    running: dict[Future[Search], tuple[int, int]] = {}
    for number, at in order:
        key = (number, at)
        ahead = order.ahead(key, 4 * jobs) if pool is not None else [key]
        for other in ahead:
            if other in ready or other in running.values():
                continue
            if pool is None:
                ready[other] = find_variant(sources[number], at, harder=harder)
            else:
                running[pool.submit(find_variant, sources[other[0]], other[1], harder=harder)] = other
        while key not in ready:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                ready[running.pop(future)] = future.result()
        search = ready.pop(key)
        figures.candidates += search.candidates
        figures.rejected.update(search.rejected)
        if search.variant is None:
            figures.given_up.append((search.source, search.seed))
            order.again(number, sources[number].id)
        elif search.variant.fingerprint in taken:
            figures.rejected[DUPLICATE] += 1
            order.again(number, sources[number].id)
        else:
            taken.add(search.variant.fingerprint)
            figures.variants += 1
            yield search.variant


class _Order:
    """Which seed of which source comes next; sources that came to nothing get another seed at the end."""

    def __init__(self, sources: int, quotas: list[int], seed: int) -> None:
        self._queue = [
            (number, seed + turn)
            for turn in range(max(quotas, default=0))
            for number in range(sources)
            if turn < quotas[number]
        ]
        self._next = {number: seed + quotas[number] for number in range(sources)}
        self._extra: Counter[int] = Counter()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while self._queue:
            yield self._queue.pop(0)

    def ahead(self, key: tuple[int, int], count: int) -> list[tuple[int, int]]:
        """Returns what comes now and next."""
        return [key, *self._queue[:count]]

    def again(self, number: int, source: str) -> None:
        """Puts a source's next seed at the end."""
        self._extra[number] += 1
        if self._extra[number] > 20 + self._next[number]:
            raise AgentWorldError(f"{source} gives no more variants of this kind")
        self._queue.append((number, self._next[number]))
        self._next[number] += 1
