"""Causal collaboration effectiveness: which share of a team's turns led to the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from agentworld_env.metrics.causal.goals import goals_of
from agentworld_env.metrics.causal.graph import ActionGraph, Trace
from agentworld_env.verifiers import Verdict


class Effectiveness(msgspec.Struct, frozen=True, kw_only=True):
    """The collaboration figures of one episode.

    Attributes:
        method: How the edges were drawn.
        cce: Contributing actions per turn that living, present agents had; 0 for a failed episode.
        cce_active: Contributing actions that are no sleep, per call that is no sleep; 0 for a failed episode.
        pac: Agent -> its contributing actions per turn it had; 0 for a failed episode.
        skew: Gini coefficient of PAC over the team: 0 if all contribute alike, towards 1 if one does all.
        partial: What CCE would be with the success actions of the checkpoints that were reached, however it ended.
        success_actions: Number of success actions.
        trace: The contributing actions and the edges among them, however it ended.
    """

    method: str
    cce: float
    cce_active: float
    pac: dict[str, float]
    skew: float
    partial: float
    success_actions: int
    trace: Trace


def effectiveness(
    graph: ActionGraph,
    verdict: Verdict,
    turns: Mapping[str, int],
    checkpoints: Sequence[Mapping[str, Any]],
) -> Effectiveness:
    """Computes CCE and what goes with it.

    Args:
        graph: The action graph of the episode.
        verdict: The verdict on it.
        turns: Agent -> turns it had, slept ones included.
        checkpoints: The checkpoints of the task file as plain data, in the order of the verdict.
    """
    trace = graph.trace(*goals_of(verdict, checkpoints, graph.acts, tuple(turns)))
    total = sum(turns.values())
    counts = dict.fromkeys(turns, 0)
    for number in trace.contributing:
        counts[graph.acts[number].agent] += 1
    active = {act.number for act in graph.acts if act.tool != "sleep"}
    useful = len(active.intersection(trace.contributing))
    won = verdict.success
    pac = {agent: _share(counts[agent], turns[agent]) if won else 0.0 for agent in turns}
    partial = _share(len(trace.contributing), total)
    return Effectiveness(
        method=graph.method,
        cce=partial if won else 0.0,
        cce_active=_share(useful, len(active)) if won else 0.0,
        pac=pac,
        skew=gini(pac.values()),
        partial=partial,
        success_actions=len(trace.success),
        trace=trace,
    )


def gini(values: Iterable[float]) -> float:
    """Returns the Gini coefficient of values that are not negative: 0 for equal ones, and for none at all."""
    ordered = sorted(values)
    total = sum(ordered)
    if not total:
        return 0.0
    ranked = sum(rank * value for rank, value in enumerate(ordered, start=1))
    count = len(ordered)
    return max(0.0, 2 * ranked / (count * total) - (count + 1) / count)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
