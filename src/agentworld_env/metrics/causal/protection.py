"""Protection edges: who drew or wore down the mob that was after a team-mate."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Struck


class Protection:
    """Draws the protection edges of an episode.

    Damage to a mob that was after a team-mate leads to that mate's next contributing action.

    Args:
        log: The episode.
    """

    def __init__(self, log: Log) -> None:
        self._blows = [
            (event.action, event.guarded)
            for _, event in log.events
            if isinstance(event, Struck) and event.guarded and event.damage
        ]

    def edges(self, chosen: dict[str, list[int]]) -> Iterator[Edge]:
        """Yields the protection edges.

        Args:
            chosen: Agent -> its contributing actions, ascending.
        """
        for blow, mate in self._blows:
            acts = chosen.get(mate, [])
            at = bisect_right(acts, blow)
            if at < len(acts):
                yield Edge(blow, acts[at], "protection")
