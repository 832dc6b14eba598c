"""What the tracing starts from: the success actions, and the places where a checkpoint wanted agents to stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agentworld_env.metrics.causal.log import Act
from agentworld_env.sim.events import Need
from agentworld_env.verifiers import Verdict


class Box(NamedTuple):
    """A rectangle of tiles, inclusive."""

    x0: int
    y0: int
    x1: int
    y1: int


class Stay(NamedTuple):
    """An agent had to stand somewhere just before the action of a number was made, or at the end of the episode."""

    agent: str
    number: int
    where: Need | Box


class Goals(NamedTuple):
    """Success actions, and stays whose walks are success actions."""

    actions: tuple[int, ...]
    stays: tuple[Stay, ...]


def goals_of(
    verdict: Verdict, checkpoints: Sequence[Mapping[str, Any]], acts: Sequence[Act], team: Sequence[str]
) -> Goals:
    """Returns what the tracing starts from.

    A checkpoint that counts names its success actions itself. For one that wants agents in an area, the verifier names
    whatever each of them did last to get about; here it is a stay instead, so that strolling about inside the area, or
    leaving it and coming back, is no success action.

    Args:
        verdict: The verdict.
        checkpoints: The checkpoints of the task file as plain data, in the order of the verdict.
        acts: The actions by number.
        team: The agents.
    """
    actions: set[int] = set()
    stays: list[Stay] = []
    rounds = [act.round for act in acts]
    for status, spec in zip(verdict.checkpoints, checkpoints, strict=True):
        if not status.reached or status.kind == "survived_until":
            # To have survived rests on the checkpoint that it follows, which names its own success actions.
            continue
        if status.kind not in ("present_together", "held_for_rounds"):
            actions.update(status.actions)
            continue
        first = status.round - (status.need - 1 if status.kind == "held_for_rounds" else 0)
        ends = [bisect_right(rounds, ended) for ended in range(first, status.round + 1)]
        for agent in spec["by"] or team:
            stays += [Stay(agent, number, _where(spec["area"], agent)) for number in ends]
    return Goals(tuple(sorted(actions)), tuple(sorted(set(stays), key=lambda stay: stay[:2])))


def _where(area: Mapping[str, Any], agent: str) -> Need | Box:
    if area["at"] is not None:
        return Need(agent, area["at"][0], area["at"][1], area["within"])
    from agentworld_env.world import load_world

    place = load_world().places[area["place"]]
    return Box(place.x0, place.y0, place.x1, place.y1)
