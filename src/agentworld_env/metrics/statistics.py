"""Means with intervals, where episodes of one task are no independent draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLES = 2000
"""So many resamples are drawn."""

LEVEL = 0.95
"""Share of the resamples that an interval covers."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A mean and its interval.

    Attributes:
        mean: The mean over episodes.
        low: Lower end, or None if there are too few clusters for an interval.
        high: Upper end, or None likewise.
        episodes: So many episodes have the figure.
        clusters: So many groups of episodes are taken as independent, such as their tasks.
    """

    mean: float
    low: float | None
    high: float | None
    episodes: int
    clusters: int


def clustered_mean(
    values: Sequence[float | None],
    clusters: Sequence[str],
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval | None:
    """Returns the mean with an interval by resampling whole clusters.

    Args:
        values: One per episode; None where an episode does not have the figure.
        clusters: The cluster of each, such as its task.
        samples: So many resamples are drawn.
        level: Share of the resamples that the interval covers.
        seed: Seed of the draws, which hang on nothing else.

    Returns:
        The interval, or None if no episode has the figure.
    """
    sums: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        if value is not None:
            held = sums.setdefault(cluster, [0.0, 0.0])
            held[0] += value
            held[1] += 1
    if not sums:
        return None
    total, count = (sum(held[k] for held in sums.values()) for k in (0, 1))
    mean = total / count
    low = high = None
    if len(sums) > 1:
        import numpy as np

        parts = resampled(np.array([sums[key] for key in sorted(sums)]), samples, seed)
        low, high = percentiles(parts[:, 0] / parts[:, 1], level)
    return Interval(mean=mean, low=low, high=high, episodes=int(count), clusters=len(sums))


def resampled(rows: NDArray[Any], samples: int, seed: int) -> NDArray[Any]:
    """Returns the sums of rows over resamples with replacement, each of as many rows as there are.

    Args:
        rows: One row per cluster.
        samples: So many resamples are drawn.
        seed: Seed of the draws.
    """
    import numpy as np

    return np.asarray(_weights(len(rows), samples, seed) @ rows)


@lru_cache(maxsize=8)
def _weights(count: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Returns how often each row is drawn in each resample; all figures of a suite share these draws."""
    import numpy as np

    # The product fits into 64 bits.
    picks = (random_bits(samples * count, seed) * np.uint64(count) >> np.uint64(32)).astype(np.int64)
    taken = picks.reshape(samples, count) + np.arange(samples)[:, None] * count
    weights = np.bincount(taken.ravel(), minlength=samples * count).reshape(samples, count).astype(float)
    weights.flags.writeable = False
    return weights


def random_bits(size: int, seed: int) -> NDArray[np.uint64]:
    """Returns numbers of 32 random bits that depend on the seed and their position only."""
    import numpy as np

    # The raw bits of a counter-based generator: unlike NumPy's distributions they are the same in every version.
    return np.random.Philox(key=seed).random_raw(size) >> np.uint64(32)


def percentiles(values: NDArray[Any], level: float) -> tuple[float, float]:
    """Returns the interval that covers the middle ``level`` of some values."""
    import numpy as np

    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
