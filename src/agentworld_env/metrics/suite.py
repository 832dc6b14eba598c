"""The figures of many episodes together: means, and intervals that respect tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from agentworld_env.metrics.statistics import LEVEL, SAMPLES, Interval, clustered_mean

Subset = Literal["all", "successes", "failures"]

FIGURES: dict[str, tuple[str, Subset]] = {
    "sr": ("success", "all"),
    "psr": ("psr", "all"),
    "progress": ("progress", "all"),
    # Over all episodes CCE mostly repeats the success rate, so the mean over successes comes first.
    "cce_of_successes": ("cce", "successes"),
    "cce_active_of_successes": ("cce_active", "successes"),
    "skew_of_successes": ("skew", "successes"),
    "cce": ("cce", "all"),
    "rounds": ("rounds", "all"),
    "actions": ("actions", "all"),
    "turns": ("turns", "all"),
    "failed_calls": ("failed_calls", "all"),
    "idle_share": ("idle_share", "all"),
    "handovers": ("handovers", "all"),
    "chats": ("chats", "all"),
    "chat_share": ("chat_share", "all"),
    "chat_share_of_failures": ("chat_share", "failures"),
    "first_chat_round": ("first_chat_round", "all"),
    "redundant_messages": ("redundant_messages", "all"),
    "unheeded_messages": ("unheeded_messages", "all"),
}
"""Figure of a suite -> (figure of an episode that it is the mean of, over which episodes)."""


def mean_metrics(episodes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the means over episodes of what ``episode_metrics`` gave for each, and their number.

    ``sr`` is the share of successes. ``cce_of_successes`` is the mean CCE over successful episodes: over all episodes
    (``cce``) the figure mostly repeats the success rate. A figure that no episode has is None.

    Args:
        episodes: The figures of the episodes, at least one.

    Raises:
        ValueError: If there is no episode.
    """
    rows = list(episodes)
    if not rows:
        raise ValueError("means need at least one episode")
    means: dict[str, Any] = {"episodes": len(rows)}
    for name, (figure, subset) in FIGURES.items():
        values = [value for value in _values(rows, figure, subset) if value is not None]
        means[name] = sum(values) / len(values) if values else None
    return means


def suite_metrics(
    episodes: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> dict[str, Interval | None]:
    """Returns the means over episodes with intervals by resampling whole tasks.

    Args:
        episodes: Task id and what ``episode_metrics`` gave, for each episode.
        samples: So many resamples are drawn.
        level: Share of the resamples that an interval covers.
        seed: Seed of the draws.
    """
    tasks = [task for task, _ in episodes]
    rows = [row for _, row in episodes]
    return {
        name: clustered_mean(_values(rows, figure, subset), tasks, samples=samples, level=level, seed=seed)
        for name, (figure, subset) in FIGURES.items()
    }


def _values(rows: Sequence[Mapping[str, Any]], figure: str, subset: Subset) -> list[float | None]:
    found: list[float | None] = []
    for row in rows:
        counts = subset == "all" or row["success"] == (subset == "successes")
        value = row[figure] if counts else None
        found.append(None if value is None else float(value))
    return found
