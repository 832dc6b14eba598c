"""Wilson intervals, pass^k, and the paired comparison of runs. No global randomness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, isclose, sqrt
from statistics import NormalDist, fmean, stdev

import msgspec
import numpy as np

from agentworld_env.errors import InvalidValueError
from agentworld_env.markup import html_block, html_table
from agentworld_env.metrics.statistics import SAMPLES, Interval, clustered_mean, random_bits

Z = NormalDist().inv_cdf(0.975)
"""Standard normal quantile of two-sided 95 % intervals."""

_EXACT = 14
"""Up to so many tasks every assignment of signs is tried."""


def wilson(successes: int, trials: int) -> Interval:
    """Returns a success rate with its Wilson score interval.

    Episodes are taken as independent; trials of one task are not quite, which makes it a little too narrow.

    Args:
        successes: Number of successes.
        trials: Number of episodes, at least 1.

    Raises:
        ValueError: Counts that cannot be.
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} successes of {trials} episodes cannot be")
    rate, square = successes / trials, Z * Z
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    half = Z / (1 + square / trials) * sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    # At the ends rounding could leave 0 and 1 a hair outside.
    return Interval(
        mean=rate,
        low=0.0 if successes == 0 else middle - half,
        high=1.0 if successes == trials else middle + half,
        episodes=trials,
        clusters=trials,
    )


def pass_hat(successes: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """Returns pass^k: the chance that k episodes of a task all succeed, averaged over tasks; unbiased.

    Args:
        successes: Task -> success of each episode.
        k: Number of episodes, at least 1.

    Returns:
        None if a task has fewer than k episodes.
    """
    tries = [(len(won), sum(won)) for won in successes.values()]
    if k < 1 or not tries or min(n for n, _ in tries) < k:
        return None
    return fmean(comb(c, k) / comb(n, k) for n, c in tries)


def spread(values: Sequence[float]) -> float | None:
    """Returns the sample standard deviation (denominator n - 1), or None of fewer than two values."""
    return stdev(values) if len(values) > 1 else None


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison of two runs on the tasks both have.

    Attributes:
        tasks: Number of tasks.
        difference: Mean over tasks of B minus A.
        low: Lower end of its 95 % interval, tasks being resampled; None for a single task.
        high: Upper end, or None likewise.
        p: Two-sided p value of the sign-flip test over tasks.
        effect: Mean difference in standard deviations of the tasks' differences (Cohen's d for pairs), or None
            if they do not vary.
        better: Tasks on which B is better.
        worse: Tasks on which A is better.
        detectable: Difference that a comparison of this size finds in four of five cases, or None if nothing varies.
    """

    tasks: int
    difference: float
    low: float | None
    high: float | None
    p: float
    effect: float | None
    better: int
    worse: int
    detectable: float | None

    def _repr_html_(self) -> str:
        interval = "-" if self.low is None else f"{self.low:z.3f} to {self.high:z.3f}"
        rows = [
            ("B minus A, mean over tasks", f"{self.difference:z.3f}"),
            ("95 % interval", interval),
            ("p, two-sided", f"{self.p:.3g}"),
            ("effect (Cohen's d for pairs)", "-" if self.effect is None else f"{self.effect:z.2f}"),
            (
                "B better, A better, equal",
                f"{self.better}, {self.worse}, {self.tasks - self.better - self.worse}",
            ),
            (
                "detectable in four of five cases",
                "-" if self.detectable is None else f"{self.detectable:.3f}",
            ),
        ]
        table = html_table(("figure", "value"), rows, right=(1,))
        return html_block(f"Comparison of B with A on {self.tasks} tasks", body=table)


def paired(a: Mapping[str, Sequence[float]], b: Mapping[str, Sequence[float]], seed: int = 0) -> Paired:
    """Compares two runs task by task, so that easy and hard tasks do not blur the difference.

    Args:
        a: Task -> the figure in each episode of A.
        b: The same for B.
        seed: Seed of resampling and sign flips.

    Raises:
        ValueError: They have no task in common.
    """
    shared = sorted(name for name in a if len(a[name]) and len(b.get(name, ())))
    if not shared:
        raise InvalidValueError("the runs have no task in common")
    differences = [fmean(b[name]) - fmean(a[name]) for name in shared]
    interval = clustered_mean(differences, shared, seed=seed)
    assert interval is not None  # there is a task
    deviation = spread(differences)
    varies = deviation is not None and not isclose(deviation, 0.0, abs_tol=1e-12)
    # 80 % power at the 5 % level.
    reach = Z + NormalDist().inv_cdf(0.8)
    return Paired(
        tasks=len(shared),
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        p=_sign_flips(differences, seed),
        effect=interval.mean / deviation if varies and deviation else None,
        better=sum(d > 0 for d in differences),
        worse=sum(d < 0 for d in differences),
        detectable=reach * deviation / sqrt(len(shared)) if varies and deviation else None,
    )


def _sign_flips(differences: Sequence[float], seed: int) -> float:
    """Returns how often random signs give a mean difference at least as large; exact for few tasks."""
    moved = np.array([d for d in differences if d])
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum())) - 1e-12
    if len(moved) <= _EXACT:
        signs = 1 - 2 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
        return float(np.mean(np.abs(signs @ moved) >= observed))
    flips = (random_bits(SAMPLES * len(moved), seed) & np.uint64(1)).astype(np.int64)
    signs = 1 - 2 * flips.reshape(SAMPLES, len(moved))
    # The observed assignment counts as one of them, so that p is never 0.
    return float((np.sum(np.abs(signs @ moved) >= observed) + 1) / (SAMPLES + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p values corrected for several comparisons by Holm's step-down method, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    greatest = 0.0
    for rank, i in enumerate(order):
        greatest = max(greatest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = greatest
    return corrected
