"""The action graph: who helped whom, from the event log alone, and what of it led to success."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from agentworld_env.metrics.causal.edges import Edge, stated_edges
from agentworld_env.metrics.causal.gear import Gear
from agentworld_env.metrics.causal.goals import Stay
from agentworld_env.metrics.causal.information import information_edges
from agentworld_env.metrics.causal.log import Act, Land, Log
from agentworld_env.metrics.causal.movement import Movement
from agentworld_env.metrics.causal.protection import Protection
from agentworld_env.metrics.causal.sustenance import Sustenance

if TYPE_CHECKING:
    from agentworld_env.episodes.record import TurnLine

Method = Literal["events", "events+chat"]
METHODS: tuple[str, ...] = ("events", "events+chat")
"""Ways to draw the edges from the event log; the first is the default and draws none for messages."""


class Trace(msgspec.Struct, frozen=True):
    """What led to some success actions.

    Attributes:
        success: The success actions, ascending.
        contributing: The success actions and all their ancestors, ascending.
        edges: The edges among them, sorted.
    """

    success: tuple[int, ...]
    contributing: tuple[int, ...]
    edges: tuple[Edge, ...]


class ActionGraph:
    """The action graph of one episode: a node per call, edges from causes to effects, never backwards in time.

    Some edges depend on what contributes: a walk matters for where a contributing action needed its agent, a guard for
    the next contributing action of the one it guarded. Therefore the graph is drawn while it is traced back.

    Args:
        lines: The turn lines, complete from the first on, or the log made of them.
        method: ``events``, or ``events+chat``, which adds edges for messages.
        land: What was walked on; the package's own world if None.

    Attributes:
        acts: The actions by number.

    Raises:
        ValueError: If ``method`` is none of these.
        EpisodeFileError: If the lines are not those of one episode from its start.
    """

    __slots__ = ("_gear", "_log", "_movement", "_protection", "_stated", "_sustenance", "acts", "method")

    def __init__(
        self, lines: Iterable[TurnLine] | Log, *, method: Method = "events", land: Land | None = None
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
        log = self._log = lines if isinstance(lines, Log) else Log(lines)
        self.method = method
        self.acts: tuple[Act, ...] = log.acts
        ground: Callable[[], Land] = _own_land if land is None else lambda: land
        self._stated: dict[int, list[Edge]] = {}
        for edge in stated_edges(log):
            self._stated.setdefault(edge.target, []).append(edge)
        if method == "events+chat":
            for edge in information_edges(log):
                self._stated.setdefault(edge.target, []).append(edge)
        self._movement = Movement(log, ground)
        self._gear = Gear(log)
        self._protection = Protection(log)
        self._sustenance = Sustenance(log, _own_heals)

    def stated(self) -> tuple[Edge, ...]:
        """Returns the edges that hold whatever contributes, sorted: those of single events, and of messages."""
        return tuple(sorted({edge for into in self._stated.values() for edge in into}))

    def trace(self, success: Iterable[int], stays: Iterable[Stay] = ()) -> Trace:
        """Returns everything that led to some actions.

        Args:
            success: Numbers of the success actions.
            stays: Where checkpoints wanted agents to stand; the moves that brought them there are success actions, too.

        Raises:
            ValueError: If the episode has no action of such a number.
        """
        goals = tuple(sorted(set(success)))
        if goals and not 0 <= goals[0] <= goals[-1] < len(self.acts):
            raise ValueError(f"success actions {goals} do not all exist among {len(self.acts)}")
        wanted = tuple(stays)
        pinned = frozenset(self._close(goals, (), {})[0])
        while True:
            into, arrivals = self._edges_among(pinned, wanted)
            reached, moved_only = self._close(goals, arrivals, into)
            grown = pinned | (reached - moved_only)
            if grown == pinned:
                break
            # What contributes only makes more contribute, so this ends.
            pinned = grown
        edges = {
            edge for target in reached for edge in (*self._stated.get(target, ()), *into.get(target, ()))
        }
        return Trace(tuple(sorted({*goals, *arrivals})), tuple(sorted(reached)), tuple(sorted(edges)))

    def _edges_among(
        self, pinned: frozenset[int], stays: tuple[Stay, ...]
    ) -> tuple[dict[int, list[Edge]], list[int]]:
        """Returns target -> edges that depend on what contributes, and the moves that the stays rest on."""
        drawn, arrivals = self._movement.moves(pinned, stays)
        chosen = pinned.union(arrivals, (edge.source for edge in drawn))
        by_agent: dict[str, list[int]] = {}
        for number in sorted(chosen):
            by_agent.setdefault(self.acts[number].agent, []).append(number)
        drawn += self._gear.edges(chosen)
        drawn += self._protection.edges(by_agent)
        drawn += self._sustenance.edges(by_agent)
        into: dict[int, list[Edge]] = {}
        for edge in drawn:
            into.setdefault(edge.target, []).append(edge)
        return into, arrivals

    def _close(
        self, goals: Iterable[int], arrivals: Iterable[int], into: Mapping[int, list[Edge]]
    ) -> tuple[set[int], set[int]]:
        """Returns goals and arrivals with all their ancestors, and those that count for their movement only."""
        reached = {*goals, *arrivals}
        otherwise = set(goals)
        frontier = list(reached)
        while frontier:
            target = frontier.pop()
            for edge in (*self._stated.get(target, ()), *into.get(target, ())):
                if edge.kind != "movement":
                    otherwise.add(edge.source)
                if edge.source not in reached:
                    reached.add(edge.source)
                    frontier.append(edge.source)
        return reached, reached - otherwise


def _own_land() -> Land:
    from agentworld_env.world import load_world

    return load_world().paths


@cache
def _own_heals() -> Mapping[str, int]:
    from agentworld_env.world import load_world

    return {key: item.heal_hp for key, item in load_world().items.items() if item.heal_hp}
