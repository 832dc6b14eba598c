"""Plain figures: success, partial success, rounds, actions, messages, failures, idleness; and their means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from agentworld_env.episodes.record import TurnLine
from agentworld_env.metrics.causal.log import tool_of
from agentworld_env.sim.events import Said
from agentworld_env.verifiers import Verdict


class Basics(msgspec.Struct, frozen=True, kw_only=True):
    """The plain figures of one episode.

    Attributes:
        success: Whether the verdict is a success; its mean over episodes is the success rate (SR).
        psr: Fraction of checkpoints reached, each all or nothing.
        progress: Mean of the checkpoints' graded shares.
        rounds: Rounds played.
        actions: Calls made.
        turns: Turns that living, present agents had, slept ones included.
        chats: Messages sent, to the team or aloud.
        failed_calls: Calls that did not do what they were for.
        idle_share: Share of the turns that were slept.
    """

    success: bool
    psr: float
    progress: float
    rounds: int
    actions: int
    turns: int
    chats: int
    failed_calls: int
    idle_share: float


def basics(lines: Sequence[TurnLine], verdict: Verdict, turns: Mapping[str, int], rounds: int) -> Basics:
    """Computes the plain figures of an episode.

    Args:
        lines: Its turn lines.
        verdict: The verdict on it.
        turns: Agent -> turns it had, slept ones included.
        rounds: Rounds played.
    """
    total = sum(turns.values())
    awake = sum(1 for line in lines if tool_of(line.call) != "sleep" or not line.result.ok)
    return Basics(
        success=verdict.success,
        psr=verdict.psr,
        progress=verdict.progress,
        rounds=rounds,
        actions=len(lines),
        turns=total,
        chats=sum(isinstance(event, Said) for line in lines for event in line.events),
        failed_calls=sum(not line.result.ok for line in lines),
        idle_share=(total - awake) / total if total else 0.0,
    )


_MEANS = ("psr", "progress", "rounds", "actions", "turns", "chats", "failed_calls", "idle_share")


def mean_metrics(episodes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the means over episodes of what ``episode_metrics`` gave for each.

    ``sr`` is the share of successes. ``cce_of_successes`` is the mean CCE over successful episodes, or None without
    any: over all episodes (``cce``) the figure mostly repeats the success rate.

    Args:
        episodes: The figures of the episodes, at least one.

    Raises:
        ValueError: If there is no episode.
    """
    rows = list(episodes)
    if not rows:
        raise ValueError("means need at least one episode")
    won = [row for row in rows if row["success"]]
    means: dict[str, Any] = {"episodes": len(rows), "sr": len(won) / len(rows)}
    means["cce_of_successes"] = _mean([row["cce"] for row in won]) if won else None
    means["cce_active_of_successes"] = _mean([row["cce_active"] for row in won]) if won else None
    means["cce"] = _mean([row["cce"] for row in rows])
    for key in _MEANS:
        means[key] = _mean([row[key] for row in rows])
    return means


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
