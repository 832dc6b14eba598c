"""Causal collaboration effectiveness: which share of a team's turns led to the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from agentworld_env.metrics.causal.goals import goals_of
from agentworld_env.metrics.causal.graph import ActionGraph, Trace
from agentworld_env.metrics.causal.log import Act
from agentworld_env.verifiers import Verdict

_WALKS = ("move_character", "enter_portal")


class Effectiveness(msgspec.Struct, frozen=True, kw_only=True):
    """The collaboration figures of one episode.

    Attributes:
        method: How it was decided what contributed.
        cce: Contributing actions per turn that living, present agents had; 0 for a failed episode.
        cce_active: Contributing actions that are no sleep, per call that is no sleep; 0 for a failed episode.
        pac: Agent -> its contributing actions per turn it had; 0 for a failed episode.
        skew: Gini coefficient of PAC over the team: 0 if all contribute alike, towards 1 if one does all.
        partial: The share of turns that contributed, however it ended; in a success this is CCE.
        pac_partial: The same for PAC.
        pac_active: Agent -> its contributing actions that are no sleep, per call of it that is no sleep, however it
            ended; None for an agent that did nothing but sleep.
        wasted: Agent -> its calls that are no sleep and did not contribute, however it ended.
        aimless: Agent -> those of its wasted calls that are no walk: who is let down by a mate mostly walks after it or
            waits, who acts at random talks, swaps gear, gathers and hands over what nobody needs.
        success_actions: Number of success actions.
        trace: The contributing actions and the edges among them, however it ended. Without success it depends on who
            computed it: ``effectiveness`` itself knows what checkpoints have counted, ``metrics.partial_trace`` also
            what was under way.
    """

    method: str
    cce: float
    cce_active: float
    pac: dict[str, float]
    skew: float
    partial: float
    pac_partial: dict[str, float]
    pac_active: dict[str, float | None]
    wasted: dict[str, int]
    aimless: dict[str, int]
    success_actions: int
    trace: Trace


def effectiveness(
    graph: ActionGraph,
    verdict: Verdict,
    turns: Mapping[str, int],
    task: Mapping[str, Any],
) -> Effectiveness:
    """Computes CCE and what goes with it from the action graph.

    Args:
        graph: The action graph of the episode.
        verdict: The verdict on it.
        turns: Agent -> turns it had, slept ones included.
        task: The task as played, as plain data; its checkpoints stand in the order of the verdict.
    """
    trace = graph.trace(*goals_of(verdict, task, graph.log, tuple(turns)))
    return effectiveness_of(graph.method, trace, graph.acts, verdict, turns)


def effectiveness_of(
    method: str, trace: Trace, acts: Sequence[Act], verdict: Verdict, turns: Mapping[str, int]
) -> Effectiveness:
    """Computes CCE and what goes with it from what some method found to contribute.

    Args:
        method: Name of the method.
        trace: What it found.
        acts: The actions by number.
        verdict: The verdict on the episode.
        turns: Agent -> turns it had, slept ones included.
    """
    total = sum(turns.values())
    counts = dict.fromkeys(turns, 0)
    for number in trace.contributing:
        counts[acts[number].agent] += 1
    awake = dict.fromkeys(turns, 0)
    useful = dict.fromkeys(turns, 0)
    chosen = set(trace.contributing)
    aimless = dict.fromkeys(turns, 0)
    for act in acts:
        if act.tool != "sleep":
            awake[act.agent] += 1
            useful[act.agent] += act.number in chosen
            aimless[act.agent] += act.number not in chosen and act.tool not in _WALKS
    won = verdict.success
    partial = _share(len(trace.contributing), total)
    pac_partial = {agent: _share(counts[agent], turns[agent]) for agent in turns}
    pac = pac_partial if won else dict.fromkeys(turns, 0.0)
    return Effectiveness(
        method=method,
        cce=partial if won else 0.0,
        cce_active=_share(sum(useful.values()), sum(awake.values())) if won else 0.0,
        pac=pac,
        skew=gini(pac.values()),
        partial=partial,
        pac_partial=pac_partial,
        pac_active={agent: useful[agent] / awake[agent] if awake[agent] else None for agent in turns},
        wasted={agent: awake[agent] - useful[agent] for agent in turns},
        aimless=aimless,
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
