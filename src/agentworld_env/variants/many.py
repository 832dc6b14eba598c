"""Many variants: over tasks and seeds, in several processes, without two alike."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import Task
from agentworld_env.variants.generator import Search, Variant, find_variant, standard, use
from agentworld_env.variants.splits import check_seeds, last_of_split, only_for, split_of_seed
from agentworld_env.workers import WorkerPool

DUPLICATE = "like another variant"
MOST_IN_VAIN = 5
"""Seeds of a source in a row for which no candidate passes, before the source is given up."""
MOST_ALIKE = 40
"""Seeds of a source in a row that give no new variant, for whatever reason, before the source is given up."""


class Harvest(msgspec.Struct, kw_only=True):
    """Figures of a generation.

    Attributes:
        variants: Variants made.
        candidates: Candidates that were examined.
        rejected: Why candidates failed, in words -> how many.
        given_up: Seeds, as (source, seed), for which no candidate passed; the next seeds take their places.
        exhausted: Sources that were given up -> why, in words; the others give what is missing of their shares.
        filled: Variants that sources gave beyond their own shares, in place of those given up.
    """

    variants: int = 0
    candidates: int = 0
    rejected: Counter[str] = msgspec.field(default_factory=Counter)
    given_up: list[tuple[str, int]] = msgspec.field(default_factory=list)
    exhausted: dict[str, str] = msgspec.field(default_factory=dict)
    filled: int = 0


def _unheard(_: str) -> None:
    """Tells nobody."""


def make_variants(
    sources: Sequence[Task],
    seed: int,
    count: int,
    *,
    harder: float = 0.0,
    jobs: int | None = None,
    held: Mapping[str, str] | None = None,
    harvest: Harvest | None = None,
    tell: Callable[[str], None] = _unheard,
) -> Generator[Variant, None, None]:
    """Yields variants, the sources taking turns: seed ``seed`` of each, then the next seed of each, and so on.

    A variant that plays like an earlier one, and a seed for which no candidate passes, are passed over; the source's
    next seed of the same split takes the place. A source is given up at once if it has no errand for the split, else
    after ``MOST_IN_VAIN`` seeds in a row that came to nothing, or ``MOST_ALIKE`` without anything new, or at the end of
    its split; what is missing of its share is dealt
    out among the others that have a turn, in turn. Fewer variants than ``count`` are yielded only if all are given up.
    Which variants there are depends on the arguments alone, not on the number of processes. Arguments are checked at
    once, before anything is yielded. Whoever wants no more of them closes the generator, which ends the processes.

    Args:
        sources: The tasks to vary.
        seed: First seed.
        count: How many variants.
        harder: As for ``find_variant``, in whole hundredths, which the variants' ids name.
        jobs: Processes; as many as processors if None, and none besides this one if 1.
        held: Fingerprints of variants that are there already -> their ids. One that plays like them is passed over,
            except under the very same id.
        harvest: Filled with the figures.
        tell: Called with a line of text when a seed comes to nothing or a source is given up.

    Raises:
        AgentWorldError: Not all seeds lie in one split, or ``harder`` asks for more than the whole budget.
        BrokenProcessPool: One of the processes was killed.
    """
    figures = Harvest() if harvest is None else harvest
    quotas = [count // len(sources) + (number < count % len(sources)) for number in range(len(sources))]
    check_seeds(seed, max(quotas))
    jobs = min(jobs or os.cpu_count() or 1, max(count, len(sources) if harder else 1))
    pool = WorkerPool(jobs) if jobs > 1 else None
    try:
        aims = _aims(sources[:count], harder, pool) if harder > 0 else {}
    except BaseException:
        if pool is not None:
            pool.end()
        raise
    return _Gathering(sources, quotas, seed, harder, aims, held or {}, figures, tell).run(pool, jobs)


def _aims(sources: Sequence[Task], harder: float, pool: WorkerPool | None) -> dict[str, float]:
    """Returns which share of the budget a variant of each source must use at least.

    Raises:
        AgentWorldError: For some it is more than the whole, or ``harder`` is no whole number of hundredths.
    """
    if abs(100 * harder - round(100 * harder)) > 1e-9:
        raise AgentWorldError(f"expected harder in hundredths, such as 0.2 or 0.25, got {harder:g}")
    proofs = list((map if pool is None else pool.map)(standard, sources))
    uses = {source.id: use(proof) for source, proof in zip(sources, proofs, strict=True)}
    hardest = max(uses, key=lambda name: uses[name])
    aim = (1 + harder) * uses[hardest]
    if aim > 1:
        beyond = sum((1 + harder) * share > 1 for share in uses.values())
        others = f", and so for {beyond - 1} more of the tasks" if beyond > 1 else ""
        most = int(100 * (1 / uses[hardest] - 1) + 1e-9) / 100
        raise AgentWorldError(
            f"harder {harder:g} would take {aim:.0%} of the budget in {hardest}, where the planner uses "
            f"{uses[hardest]:.0%}{others}; expected at most {most:g}"
        )
    return {name: (1 + harder) * share for name, share in uses.items()}


class _Gathering:
    """Searches for variants in the order of the rounds of seeds, whatever the order in which they are found."""

    def __init__(
        self,
        sources: Sequence[Task],
        quotas: list[int],
        seed: int,
        harder: float,
        aims: Mapping[str, float],
        held: Mapping[str, str],
        figures: Harvest,
        tell: Callable[[str], None],
    ) -> None:
        self._sources = sources
        self._harder = harder
        self._aims = aims
        self._held = held
        self._figures = figures
        self._tell = tell
        self._order = _Order(len(sources), quotas, seed)
        self._taken: set[str] = set()
        self._vain: Counter[int] = Counter()
        self._alike: Counter[int] = Counter()
        self._best: dict[int, float] = {}
        self._quotas = quotas
        self._made: Counter[int] = Counter()
        self._split = split_of_seed(seed)

    def run(self, pool: WorkerPool | None, jobs: int) -> Generator[Variant, None, None]:
        """Yields the variants, and ends the processes in the end, whatever they are at."""
        ready: dict[tuple[int, int], Search] = {}
        running: dict[Future[Search], tuple[int, int]] = {}
        try:
            for key in self._order:
                if pool is None:
                    ready[key] = find_variant(self._sources[key[0]], key[1], harder=self._harder)
                else:
                    for other in [key, *self._order.ahead(4 * jobs)]:
                        if other not in ready and other not in running.values():
                            source = self._sources[other[0]]
                            future = pool.submit(find_variant, source, other[1], harder=self._harder)
                            running[future] = other
                while key not in ready:
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        ready[running.pop(future)] = future.result()
                variant = self._judged(key[0], ready.pop(key))
                if variant is not None:
                    yield variant
        finally:
            if pool is not None:
                pool.end()

    def _judged(self, number: int, search: Search) -> Variant | None:
        """Returns the variant that was found if it is new; otherwise another seed is to be tried, or none any more."""
        figures, variant = self._figures, search.variant
        figures.candidates += search.candidates
        figures.rejected.update(search.rejected)
        self._best[number] = max(self._best.get(number, 0.0), search.best)
        if variant is not None:
            twin = self._held.get(variant.fingerprint, variant.task.id)
            if variant.fingerprint not in self._taken and twin == variant.task.id:
                self._taken.add(variant.fingerprint)
                self._vain[number] = self._alike[number] = 0
                self._made[number] += 1
                figures.variants += 1
                figures.filled += self._made[number] > self._quotas[number]
                return variant
            figures.rejected[DUPLICATE] += 1
        else:
            figures.given_up.append((search.source, search.seed))
            self._vain[number] += 1
            if not search.elsewhere:
                self._tell(f"{search.source}: nothing passed for seed {search.seed}")
        self._alike[number] += 1
        self._next(number, search)
        return None

    def _next(self, number: int, search: Search) -> None:
        source = search.source
        if search.elsewhere:
            why = f"given up: {only_for(search.elsewhere)}"
        elif self._vain[number] >= MOST_IN_VAIN:
            why = f"given up after {MOST_IN_VAIN} seeds in a row{self._short_of(number, source)}"
        elif self._alike[number] >= MOST_ALIKE:
            why = f"given up after {MOST_ALIKE} seeds in a row without a new variant"
        elif self._order.again(number):
            return
        else:
            why = f"no seed is left in {self._split}"
        self._figures.exhausted[source] = why
        self._tell(f"{source}: {why}")
        self._order.leave(number)

    def _short_of(self, number: int, source: str) -> str:
        if source not in self._aims:
            return ""
        needed = f"{self._aims[source]:.0%} of the budget must be used"
        best = self._best[number]
        return f": {needed}, at most {best:.0%} were" if best else f": {needed}, no candidate passed the rest"


class _Order:
    """Which seed of which source comes next.

    Sources that came to nothing get another seed at the end; the turns of one that leaves go to the others.
    """

    def __init__(self, sources: int, quotas: list[int], seed: int) -> None:
        self._queue = [
            (number, seed + turn)
            for turn in range(max(quotas, default=0))
            for number in range(sources)
            if turn < quotas[number]
        ]
        self._next = {number: seed + quotas[number] for number in range(sources)}
        self._last = last_of_split(seed)
        self._staying = [number for number in range(sources) if quotas[number]]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while self._queue:
            yield self._queue.pop(0)

    def ahead(self, count: int) -> list[tuple[int, int]]:
        """Returns what comes next."""
        return self._queue[:count]

    def again(self, number: int) -> bool:
        """Puts a source's next seed at the end, and returns whether its split has one."""
        if self._next[number] > self._last:
            return False
        self._queue.append((number, self._next[number]))
        self._next[number] += 1
        return True

    def leave(self, number: int) -> None:
        """Deals out what is still to come of a source, the turn that has just failed included, among the others."""
        missing = 1 + sum(key[0] == number for key in self._queue)
        self._queue = [key for key in self._queue if key[0] != number]
        # The next in the order of sources come first, so that those at the front are not always the ones to fill in.
        place = self._staying.index(number)
        self._staying = [*self._staying[place + 1 :], *self._staying[:place]]
        while missing and self._staying:
            other = self._staying.pop(0)
            if self.again(other):
                missing -= 1
                self._staying.append(other)
