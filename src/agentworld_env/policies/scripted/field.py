"""Steps away from the workshop: hunting, standing guard, joint fights, searching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentworld_env.policies.protocol import Call
from agentworld_env.policies.scripted import talk
from agentworld_env.policies.scripted.memory import Spot
from agentworld_env.policies.scripted.seat import Seat, wait

_OPENING = 12
"""So near (tiles) a squad stands before it opens a fight."""

_STRIDE = 50
"""Tiles between two looks while searching, less than things are seen from."""

_AT_POST = 4
"""So near (tiles) an agent comes to a place that it guards."""

_NEED = 4
"""An agent eats out of turn below one part in so many of its hit points."""

_BAND = 10
"""Half the width (columns) of what counts as straight north."""


def hunt(seat: Seat, mob: str, count: int) -> Call | None:
    """Hunts creatures of a kind until the team has killed so many, reporting every kill."""
    mine = seat.since("Killed", mob)
    if seat.scratch.get("reported", 0) < mine:
        seat.scratch["reported"] = mine
        report = seat.say(talk.killed(mob))
        if report is not None:
            return report
    if mine + seat.memory.kills[mob] >= count:
        return None
    found = [
        (seen["hp"] == seen["max_hp"], seen["distance"], seen["id"])
        for seen in seat.view["mobs"]
        if seen["id"].rsplit("-", 1)[0] == mob
    ]
    if found:
        return _attack(min(found)[2])
    place = next(iter(seat.facts["places"]), None)
    return (place and seat.approach(place, _OPENING)) or wait()


def guard(seat: Seat, at: str) -> Call | None:
    """Stays at a place to the end, and strikes at the nearest creature in sight that is after anybody of the team."""
    after = [(seen["distance"], seen["id"]) for seen in seat.view["mobs"] if seen["target"]]
    if after:
        return _attack(min(after)[1])
    return seat.approach(at, _AT_POST) or wait()


def boss(seat: Seat, mob: str, leader: str, squad: Sequence[str]) -> Call | None:
    """Fights a named creature together: all say that they are ready, the leader names a round, all strike from then on.

    In every round another member may eat; the others strike.
    """
    memory, me, round_ = seat.memory, seat.brief.agent, seat.view["round"]
    seen = next((each for each in seat.view["mobs"] if each["id"] == mob), None)
    start = memory.strikes.get(mob)
    if start is None:
        near = seat.approach(mob, _OPENING)
        if near is not None:
            return near
        if me != leader:
            return seat.once(talk.ready(mob)) or wait()
        if not memory.ready.get(mob, set()).issuperset(squad):
            return wait()
        memory.strikes[mob] = round_ + 1
        return seat.say(talk.strike(mob, round_ + 1)) or wait()
    if round_ < start:
        return wait()
    if seen is None:
        return None
    crew = [agent for agent in seat.brief.team if agent == me or agent in squad]
    if crew.index(me) == round_ % len(crew):
        return seat.meal() or _attack(mob)
    # Nobody can bring the dead back: in need one eats out of turn.
    return seat.meal(_NEED) or _attack(mob)


def hint(
    seat: Seat,
    place: str | None = None,
    columns: tuple[float, float] = (0, 1),
    rows: tuple[float, float] = (0, 1),
    north_of: str | None = None,
) -> Call | None:
    """Says where to search: a part of a place of the guide, or the map's edge straight north of somebody in sight."""
    if "told" in seat.scratch:
        return None
    seat.scratch["told"] = True
    if north_of is not None:
        x = seat.memory.spots[north_of][0]
        box = ((x - _BAND, x + _BAND), (0, seat.facts["reach"]["sight_resources"]))
    else:
        fact = seat.facts["places"][place]
        box = (_part(fact["columns"], columns), _part(fact["rows"], rows))
    seat.memory.search = box
    return seat.say(talk.search(*box))


def seek(seat: Seat, target: str, within: int, lane: tuple[str, float, float] | None = None) -> Call | None:
    """Searches the box that a team-mate has named until something is seen or told, and walks up to it.

    Args:
        seat: The seat.
        target: Person or site by id, or a kind of resource that surrounds what is sought.
        within: How near to come (tiles).
        lane: The agent's own strip: a place of its guide, and from which to which part of its columns.
    """
    box = seat.memory.search
    spot = seat.memory.spots.get(target) or (box and _middle(seat, target, box))
    if spot is not None:
        return seat.walk(spot, within)
    if box is None:
        return wait()
    if "looks" not in seat.scratch:
        seat.scratch["looks"] = _looks(seat, box, lane)
    looks: list[Spot] = seat.scratch["looks"]
    while looks:
        call = seat.walk(looks[0], 0)
        if call is not None:
            return call
        looks.pop(0)
    return wait()


def _looks(seat: Seat, box: tuple[Spot, Spot], lane: tuple[str, float, float] | None) -> list[Spot]:
    """Returns the tiles from which to look: down the middle of the box or of the own strip of it, near end first."""
    columns, (top, bottom) = box
    if lane is not None:
        own = _part(seat.facts["places"][lane[0]]["columns"], lane[1:])
        columns = (max(columns[0], own[0]), min(columns[1], own[1]))
    looks = [(sum(columns) // 2, y) for y in range(top, bottom + 1, _STRIDE)]
    if abs(seat.view["y"] - bottom) < abs(seat.view["y"] - top):
        looks.reverse()
    return looks


def report(seat: Seat, target: str) -> Call | None:
    """Says where something is that the agent has seen."""
    if "told" in seat.scratch or target not in seat.memory.spots:
        return None
    seat.scratch["told"] = True
    return seat.tell(target, seat.memory.spots[target])


def _middle(seat: Seat, kind: str, box: tuple[Spot, Spot]) -> Spot | None:
    """Returns the middle of the nodes of a kind that are seen in a box, or None."""
    (x0, x1), (y0, y1) = box
    nodes = [
        (node["x"], node["y"])
        for seen in seat.view["nodes"]
        if seen["kind"] == kind
        for node in seen["nearest"]
        if x0 <= node["x"] <= x1 and y0 <= node["y"] <= y1
    ]
    if not nodes:
        return None
    return sum(x for x, _ in nodes) // len(nodes), sum(y for _, y in nodes) // len(nodes)


def _part(ends: Sequence[int], part: Sequence[float]) -> Spot:
    size = ends[1] - ends[0]
    return ends[0] + round(size * part[0]), ends[0] + round(size * part[1])


def _attack(target: str) -> Call:
    return {"tool": "attack_entity", "arguments": {"target": target}}


VERBS: dict[str, Any] = {
    "hunt": hunt,
    "guard": guard,
    "boss": boss,
    "hint": hint,
    "seek": seek,
    "report": report,
}
"""Name of a step -> what plays it."""
