"""What the tracing starts from: the success actions, where checkpoints wanted agents to stand, and what to hold."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import (
    Crafted,
    Harvested,
    Killed,
    Looted,
    Moved,
    Need,
    Transferred,
    Travelled,
)
from agentworld_env.tasks.schema import Wave
from agentworld_env.tasks.waves import raiders_of
from agentworld_env.verifiers import CheckpointStatus, Verdict


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


class Holding(NamedTuple):
    """Agents had to hold, or wear, so many units of an item at the end."""

    agents: tuple[str, ...]
    item: str
    units: int


class Goals(NamedTuple):
    """Success actions, and what makes further actions success actions: stays and holdings."""

    actions: tuple[int, ...]
    stays: tuple[Stay, ...]
    holdings: tuple[Holding, ...] = ()


def goals_of(
    verdict: Verdict,
    task: Mapping[str, Any],
    log: Log,
    team: Sequence[str],
) -> Goals:
    """Returns what the tracing starts from.

    A checkpoint that counts names its success actions itself once it is reached; before, they are told from the events.
    For one that wants agents in an area, the verifier names whatever each of them did last to get about; here it is a
    stay instead, so that strolling about inside the area, or leaving it and coming back, is no success action. A place
    with a raider in it is not held: the blows that felled raiders which were after whoever stood there are success
    actions, too.

    Args:
        verdict: The verdict.
        task: The task as played, as plain data; its checkpoints stand in the order of the verdict.
        log: The episode.
        team: The agents.
    """
    sources: Collection[str] = task.get("sources", ())
    waves: Sequence[Mapping[str, Any]] = task.get("waves", ())
    actions: set[int] = set()
    stays: list[Stay] = []
    holdings: list[Holding] = []
    rounds = [act.round for act in log.acts]
    for status, spec in zip(verdict.checkpoints, task["checkpoints"], strict=True):
        if status.kind == "survived_until" or not status.have:
            # To have survived rests on the checkpoint that it follows, which names its own success actions.
            continue
        if status.kind in ("present_together", "held_for_rounds"):
            last = status.round if status.reached else rounds[-1]
            first = last - (min(status.have, status.need) - 1 if status.kind == "held_for_rounds" else 0)
            if status.kind == "held_for_rounds":
                actions.update(_repulses(_where(spec["area"], ""), waves, log, last))
            ends = [bisect_right(rounds, ended) for ended in range(first, last + 1)]
            where = {agent: _where(spec["area"], agent) for agent in spec["by"] or team}
            stays += [
                Stay(agent, number, area)
                for agent, area in where.items()
                if status.reached or _stood(log, agent, area)
                for number in ends
            ]
        elif status.kind == "held":
            holders = (spec["by"],) if spec["by"] else tuple(team)
            wanted = [(part["item"], need) for part, need in _parts(status, spec)]
            holdings += [Holding(holders, item, units) for item, units in wanted]
        elif status.reached:
            actions.update(status.actions)
        else:
            for part, need in _parts(status, spec):
                actions.update(_first(_so_far(status.kind, part, log, team, sources), need))
    ordered = tuple(sorted(set(stays), key=lambda stay: stay[:2]))
    return Goals(tuple(sorted(actions)), ordered, tuple(holdings))


def _parts(status: CheckpointStatus, spec: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yields a checkpoint, or one for each item of one that counts several, with how much of it must be done."""
    if not status.items:
        yield spec, status.need
    for item, _, need in status.items:
        yield {**spec, "item": item}, need


def _first(found: Iterable[tuple[int, int]], need: int) -> Iterator[int]:
    """Yields actions until what they added makes up a number: the rest is not counted."""
    for action, units in found:
        if need > 0:
            yield action
        need -= units


def _repulses(area: Need | Box, waves: Sequence[Mapping[str, Any]], log: Log, last: int) -> Iterator[int]:
    """Yields the blows that felled raiders whose reach the area lies in, up to the end of a round."""
    raiders = {
        raider.id
        for place, wave in enumerate(waves)
        for raider in raiders_of(place, Wave.model_validate(wave))
        if _apart(area, raider.x, raider.y) <= raider.seeks
    }
    for _, event in log.events:
        if isinstance(event, Killed) and event.mob in raiders and event.round <= last:
            yield event.action


def _so_far(
    kind: str,
    spec: Mapping[str, Any],
    log: Log,
    team: Sequence[str],
    sources: Collection[str],
) -> Iterator[tuple[int, int]]:
    """Yields the actions behind what a checkpoint has counted that is not reached yet, with what each added."""
    by = spec.get("by") or team
    gains = _Received(spec, team) if kind == "delivered" else None
    for _, event in log.events:
        match kind, event:
            case "gathered", Harvested() | Looted():
                counts = isinstance(event, Harvested) or event.item in sources
                if counts and event.item == spec["item"] and event.agent in by:
                    yield event.action, event.count
            case "crafted", Crafted():
                if event.item == spec["item"] and event.agent in by:
                    yield event.action, event.count
            case "killed", Killed():
                if spec["mob"] in (event.kind, event.mob) and any(agent in by for agent, _ in event.by):
                    yield event.action, 1
            case "built", Transferred():
                if event.to == spec["site"]:
                    yield event.action, event.count
            case "visited", Moved() | Travelled():
                if event.agent in by and inside(_where(spec["area"], event.agent), event.x, event.y):
                    by = [agent for agent in by if agent != event.agent]
                    yield event.action, 1
        if gains is not None:
            gained = gains.from_(event)
            if gained and isinstance(event, Transferred):
                yield event.action, gained


class _Received:
    """Tells which transfers brought a receiver units that it had not made or held before, as the verifier does."""

    def __init__(self, spec: Mapping[str, Any], team: Sequence[str]) -> None:
        self._to, self._item, self._any = spec["to"], spec["item"], spec["origin"] == "any"
        self._own = -1 - team.index(self._to) if self._to in team else 0
        self._makers: dict[int, str] = {}
        self._net: dict[int, int] = {}
        self._best: dict[int, int] = {}

    def from_(self, event: object) -> int:
        """Reads an event; returns how many units it brought."""
        if isinstance(event, Harvested | Crafted | Looted) and event.item == self._item:
            self._makers[event.action] = event.agent
        if not isinstance(event, Transferred) or event.item != self._item:
            return 0
        sign = (event.to == self._to) - (event.agent == self._to)
        gained = 0
        for origin, _, units in event.lots:
            maker = self._makers.get(origin)
            if maker == self._to or (maker is None and not (self._any and origin != self._own)):
                continue
            net = self._net[origin] = self._net.get(origin, 0) + sign * units
            gained += max(0, net - self._best.get(origin, 0))
            self._best[origin] = max(net, self._best.get(origin, 0))
        return gained


def _stood(log: Log, agent: str, area: Need | Box) -> bool:
    """Returns whether an agent ended in an area; of one that never moved nobody asks."""
    steps = log.steps.get(agent)
    return steps is not None and inside(area, steps[-1].x, steps[-1].y)


def inside(area: Need | Box, x: int, y: int) -> bool:
    """Returns whether a tile meets a need or lies in a rectangle."""
    if isinstance(area, Need):
        return abs(x - area.x) + abs(y - area.y) <= area.within
    return area.x0 <= x <= area.x1 and area.y0 <= y <= area.y1


def _apart(area: Need | Box, x: int, y: int) -> int:
    """Returns how far a tile lies from an area (tiles)."""
    if isinstance(area, Need):
        return max(abs(x - area.x) + abs(y - area.y) - area.within, 0)
    return max(area.x0 - x, 0, x - area.x1) + max(area.y0 - y, 0, y - area.y1)


def _where(area: Mapping[str, Any], agent: str) -> Need | Box:
    if area["at"] is not None:
        return Need(agent, area["at"][0], area["at"][1], area["within"])
    from agentworld_env.world import load_world

    place = load_world().places[area["place"]]
    return Box(place.x0, place.y0, place.x1, place.y1)
