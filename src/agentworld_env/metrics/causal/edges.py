"""Edges of the action graph, and those that the event log states outright."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Equipped, Looted, PickedUp, Transferred

EdgeKind = Literal[
    "material",
    "damage",
    "loot",
    "equipment",
    "movement",
    "delivery",
    "protection",
    "sustenance",
    "information",
]


class Edge(msgspec.Struct, frozen=True, gc=False, array_like=True, order=True):
    """``source`` helped ``target`` to happen; both are action numbers, and ``source`` is the smaller."""

    source: int
    target: int
    kind: EdgeKind


def stated_edges(log: Log) -> Iterator[Edge]:
    """Yields the edges that follow from the causes of single events.

    Units are told apart by how they last reached their holder: handed over by a team-mate (``delivery``), taken from
    a fallen mob or from the ground (``loot``), or made by the holder itself (``material``). What was put on, and when,
    is the business of ``gear``.
    """
    agents = {act.agent for act in log.acts}
    brought: dict[int, EdgeKind] = {}
    put_on: set[int] = set()
    for _, event in log.events:
        if isinstance(event, Transferred) and event.to in agents:
            brought[event.action] = "delivery"
        elif isinstance(event, Looted | PickedUp):
            brought[event.action] = "loot"
        elif isinstance(event, Equipped):
            put_on.add(event.action)
    for _, event in log.events:
        if event.action < 0:
            continue
        for kind, source in event.causes:
            if source == event.action or (kind == "equipment" and source in put_on):
                continue
            if kind == "material":
                yield Edge(source, event.action, brought.get(source, "material"))
            elif kind in ("damage", "loot", "equipment", "delivery", "protection"):
                yield Edge(source, event.action, kind)  # type: ignore[arg-type]
            else:
                raise ValueError(f"event log knows no cause of kind {kind!r}")
