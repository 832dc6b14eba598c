"""Edges of the action graph, and those that the event log states outright."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from agentworld_env.metrics.causal.ledger import LotLedger
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Looted, PickedUp, Transferred

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


def stated_edges(log: Log, ledger: LotLedger) -> Iterator[Edge]:
    """Yields the edges that follow from single events, and from the routes of the units they used.

    Units are told apart by how they reached their holder: handed over by a team-mate (``delivery``), taken from
    a fallen mob or from the ground (``loot``), or made by the holder itself (``material``). What was put on, and when,
    is the business of ``gear``.

    Args:
        log: The episode.
        ledger: Its ledger of units.
    """
    agents = {act.agent for act in log.acts}
    brought: dict[int, EdgeKind] = {}
    for _, event in log.events:
        if isinstance(event, Transferred) and event.to in agents:
            brought[event.action] = "delivery"
        elif isinstance(event, Looted | PickedUp):
            brought[event.action] = "loot"
    for source, target, kind in ledger.uses:
        if source != target:
            yield Edge(source, target, brought.get(source, "material") if kind == "material" else kind)
    for _, event in log.events:
        if event.action < 0:
            continue
        for cause, source in event.causes:
            if cause in ("damage", "delivery", "protection"):
                if source != event.action:
                    yield Edge(source, event.action, cause)  # type: ignore[arg-type]
            elif cause not in ("material", "loot", "equipment"):
                raise ValueError(f"event log knows no cause of kind {cause!r}")
