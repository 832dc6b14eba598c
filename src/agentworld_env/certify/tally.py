"""Counts what a task file asks for from an episode's events and state, without asking the verifier.

The verifier follows events as they come, in ways that are quick and can be put aside; this counts once, at one moment,
in the plainest way, against the numbers of the task file. Where the two disagree, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import (
    Built,
    Checkpoint,
    Crafted,
    Delivered,
    Gathered,
    Held,
    Killed,
    parts_of,
)


class Tally(NamedTuple):
    """How far a checkpoint has come.

    Attributes:
        have: Units or kills counted, of each item at most what is asked for.
        need: Units or kills that the task file asks for.
    """

    have: int
    need: int


def tally(task: Task, sim: Simulation, point: Checkpoint) -> Tally | None:
    """Returns how far a checkpoint has come at this moment; None if its kind counts nothing, or passing to and fro.

    Args:
        task: The task.
        sim: The simulation of its episode.
        point: One of its checkpoints.
    """
    counts: list[tuple[int, int]] = []
    if isinstance(point, Built):
        got = sim.state.sites.get(point.site, {})
        counts.extend((got.get(item, 0), n) for item, n in task.spec.sites[point.site].wants.items())
    else:
        for part in parts_of((point,)):
            found = _count(task, sim, part)
            if found is None:
                return None
            counts.append(found)
    return Tally(sum(min(have, need) for have, need in counts), sum(need for _, need in counts))


def _count(task: Task, sim: Simulation, part: Checkpoint) -> tuple[int, int] | None:
    events = sim.state.events
    match part:
        case Gathered():
            return _gathered(task, sim, part), part.count
        case Crafted():
            made = (e for e in events if isinstance(e, ev.Crafted) and e.item == part.item)
            return sum(e.count for e in made if not part.by or e.agent in part.by), part.count
        case Killed():
            kills = (e for e in events if isinstance(e, ev.Killed) and part.mob in (e.mob, e.kind))
            shared = [e for e in kills if not part.by or {name for name, _ in e.by} & set(part.by)]
            return len(shared), part.count
        case Held():
            agents = [a for a, n in zip(sim.state.agents, sim.names, strict=True) if part.by in (None, n)]
            worn = sum(piece[0] == part.item for a in agents for piece in a.worn.values())
            return sum(a.count(part.item) for a in agents) + worn, part.count
        case Delivered():
            arrived = _delivered(sim, part)
            return None if arrived is None else (arrived, part.count)
        case _:
            return None


def _gathered(task: Task, sim: Simulation, part: Gathered) -> int:
    events = sim.state.events
    units = 0
    loot = part.item in task.spec.sources
    fallen = {e.ground for e in events if isinstance(e, ev.Dropped) and e.source not in sim.index}
    for event in events:
        if not isinstance(event, ev.Harvested | ev.Looted | ev.PickedUp) or event.item != part.item:
            continue
        if part.by and event.agent not in part.by:
            continue
        if isinstance(event, ev.PickedUp):
            units += _units(event.lots) if loot and event.ground in fallen else 0
        elif loot or isinstance(event, ev.Harvested):
            units += event.count
    return units


def _delivered(sim: Simulation, part: Delivered) -> int | None:
    """Returns the units that have reached a receiver who never gave any away; None if it did, or dropped some."""
    events = [e for e in sim.state.events if getattr(e, "item", None) == part.item]
    if any(isinstance(e, ev.Transferred) and e.agent == part.to for e in events):
        return None
    if any(isinstance(e, ev.Dropped) and e.source in sim.index for e in events):
        return None
    makers = {e.action: e.agent for e in events if isinstance(e, ev.Harvested | ev.Crafted | ev.Looted)}
    fallen = {e.ground for e in events if isinstance(e, ev.Dropped)}
    for event in events:
        if isinstance(event, ev.PickedUp) and event.ground in fallen:
            makers.update({origin: event.agent for origin, _, _ in event.lots})
    units = 0
    for event in events:
        if not isinstance(event, ev.Transferred) or event.to != part.to:
            continue
        for origin, _, count in event.lots:
            if origin in makers:
                units += count if makers[origin] != part.to else 0
            elif part.origin == "any":
                own = origin < 0 and sim.names[-1 - origin] == part.to
                units += 0 if own else count
    return units


def _units(lots: Iterable[ev.Lot]) -> int:
    return sum(count for _, _, count in lots)
