"""The action graph: who helped whom, from the event log alone, and what of it led to success."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from agentworld_env.errors import InvalidValueError
from agentworld_env.metrics.causal.briefing import Briefing
from agentworld_env.metrics.causal.edges import Edge, stated_edges
from agentworld_env.metrics.causal.enmity import fights
from agentworld_env.metrics.causal.gear import Gear, without_idle_wear
from agentworld_env.metrics.causal.goals import Holding, Stay
from agentworld_env.metrics.causal.information import information_edges
from agentworld_env.metrics.causal.ledger import LotLedger
from agentworld_env.metrics.causal.log import Act, Land, Log
from agentworld_env.metrics.causal.loops import Cut
from agentworld_env.metrics.causal.mana import Mana
from agentworld_env.metrics.causal.movement import Movement
from agentworld_env.metrics.causal.protection import Protection
from agentworld_env.metrics.causal.sustenance import Sustenance
from agentworld_env.metrics.causal.wilds import Wilds

if TYPE_CHECKING:
    from agentworld_env.episodes.record import TurnLine
    from agentworld_env.world.catalogue import Item

Method = Literal["events", "events+chat"]
_OTHER_CUTS: tuple[Cut, ...] = ("earlier", "none")
_CUTS: tuple[Cut, ...] = ("later", *_OTHER_CUTS)
_Aims = tuple[set[int], tuple[Stay, ...], tuple[Holding, ...]]
METHODS: tuple[str, ...] = ("events", "events+chat")
"""Ways to draw the edges from the event log; the first is the default and draws none for messages."""


class Trace(msgspec.Struct, frozen=True):
    """What led to some success actions.

    Attributes:
        success: The success actions, ascending.
        contributing: The success actions and all their ancestors, ascending.
        edges: The edges among them, sorted.
        undone: (action, units) of hand-overs that were for nothing, wholly or in part, since the units came back.
    """

    success: tuple[int, ...]
    contributing: tuple[int, ...]
    edges: tuple[Edge, ...]
    undone: tuple[tuple[int, int], ...] = ()


class ActionGraph:
    """The action graph of one episode: a node per call, edges from causes to effects, never backwards in time.

    Some edges depend on what contributes: a walk matters for where a contributing action needed its agent, a guard for
    the next contributing action of the one it guarded. Therefore the graph is drawn while it is traced back.

    Where things went to and fro, the graph is drawn once without the later and once without the earlier of the
    hand-overs that were for nothing, and once with all; then the same for every such item apart. Each explains the
    outcome by itself; the one of the fewest actions is taken.

    Args:
        lines: The turn lines, complete from the first on, or the log made of them.
        method: ``events``, or ``events+chat``, which adds edges for messages.
        land: What was walked on; the package's own world if None.
        wilds: The mobs that noticed agents from their homes; if None, nothing is known of mobs that nobody met.
        team: Agent -> its role in the task file as plain data. Without it, nothing is known of what agents had at the
            start but what they must have had, and drinks are no causes.
        briefing: What agents are told at the start, which no message can tell them any more; if None, nothing is known
            of it. Only ``events+chat`` asks for it.
        resumed: The first action that was played on after the end of the record; None if there is none. From it on,
            actions rest on no message, since whoever made them had not read any, and everybody is there again.

    Attributes:
        acts: The actions by number.
        log: The episode, sorted.

    Raises:
        ValueError: If ``method`` is none of these.
        EpisodeFileError: If the lines are not those of one episode from its start.
    """

    __slots__ = (
        "_fighting",
        "_gear",
        "_movement",
        "_start",
        "_told",
        "acts",
        "log",
        "method",
    )

    def __init__(
        self,
        lines: Iterable[TurnLine] | Log,
        *,
        method: Method = "events",
        land: Land | None = None,
        wilds: Wilds | None = None,
        team: Mapping[str, Mapping[str, Any]] | None = None,
        briefing: Briefing | None = None,
        resumed: int | None = None,
    ) -> None:
        if method not in METHODS:
            raise InvalidValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
        log = lines if isinstance(lines, Log) else Log(lines)
        log = self.log = log if wilds is None else wilds.told(log, resumed)
        self.method = method
        self.acts: tuple[Act, ...] = log.acts
        ground: Callable[[], Land] = _own_land if land is None else lambda: land
        told = information_edges(log, briefing) if method == "events+chat" else ()
        self._told = tuple(edge for edge in told if resumed is None or edge.target < resumed)
        self._start = {
            (agent, item): count
            for agent, role in (team or {}).items()
            for item, count in role["inventory"].items()
        }
        self._movement = Movement(log, ground, wilds)
        self._gear = Gear(log)
        brawls = tuple(fights(log))
        self._fighting = (
            Protection(log, brawls),
            Sustenance(log, brawls, _own_heals),
            Mana(log, brawls, team or {}, _own_items),
        )

    def stated(self) -> tuple[Edge, ...]:
        """Returns the edges that hold whatever contributes, sorted: those of single events, and of messages."""
        return tuple(sorted({*stated_edges(self.log, LotLedger(self.log, self._start)), *self._told}))

    def trace(
        self, success: Iterable[int], stays: Iterable[Stay] = (), holdings: Iterable[Holding] = ()
    ) -> Trace:
        """Returns everything that led to some actions.

        Args:
            success: Numbers of the success actions.
            stays: Where checkpoints wanted agents to stand; the moves that brought them there are success actions, too.
            holdings: What checkpoints wanted agents to hold; what brought it to them are success actions, too.

        Raises:
            ValueError: If the episode has no action of such a number.
        """
        goals = set(success)
        if goals and not 0 <= min(goals) <= max(goals) < len(self.acts):
            raise ValueError(f"success actions {sorted(goals)} do not all exist among {len(self.acts)}")
        aims = goals, tuple(stays), tuple(holdings)
        best, circling = self._explained({}, "later", aims)
        if not circling:
            return best
        cuts: dict[str, Cut] = dict.fromkeys(circling, "later")
        for cut in _OTHER_CUTS:
            found, _ = self._explained({}, cut, aims)
            if len(found.contributing) < len(best.contributing):
                best, cuts = found, dict.fromkeys(circling, cut)
        # What is right for one item need not be so for another.
        for item in circling if len(circling) > 1 else ():
            for cut in _CUTS:
                found, _ = self._explained({**cuts, item: cut}, "later", aims)
                if len(found.contributing) < len(best.contributing):
                    best, cuts = found, {**cuts, item: cut}
        return best

    def _explained(self, cuts: Mapping[str, Cut], cut: Cut, aims: _Aims) -> tuple[Trace, tuple[str, ...]]:
        """Returns what led to some aims if circles are cut in one way, and of which items there were any.

        Args:
            cuts: Item -> how its circles are cut.
            cut: How those of all other items are cut.
            aims: The success actions, and what checkpoints wanted of agents besides.
        """
        goals, stays, holdings = aims

        def traced() -> Trace:
            stated = _by_target((*stated_edges(self.log, ledger), *self._told))
            brought = {action for thing in holdings for action in ledger.held(*thing)}
            trace = self._trace(tuple(sorted(goals | brought)), stays, stated)
            return msgspec.structs.replace(trace, undone=tuple(sorted(ledger.useless.items())))

        log = self.log
        ledger = LotLedger(log, self._start, goals, cut=cut, but=cuts)
        trace = traced()
        while (less := without_idle_wear(log, frozenset(trace.contributing))) is not log:
            # What was worn for nothing closes circles, so that more may turn out to have been for nothing.
            log, before = less, ledger
            ledger = LotLedger(log, self._start, goals, cut=cut, but=cuts)
            if ledger.useless == before.useless:
                break
            trace = traced()
        return trace, ledger.circling

    def _trace(self, goals: tuple[int, ...], stays: tuple[Stay, ...], stated: _Edges) -> Trace:
        pinned = frozenset(_close(goals, (), stated, {})[0])
        while True:
            into, arrivals = self._edges_among(pinned, stays)
            reached, moved_only = _close(goals, arrivals, stated, into)
            grown = pinned | (reached - moved_only)
            if grown == pinned:
                break
            # What contributes only makes more contribute, so this ends.
            pinned = grown
        edges = {edge for target in reached for edge in (*stated.get(target, ()), *into.get(target, ()))}
        return Trace(tuple(sorted({*goals, *arrivals})), tuple(sorted(reached)), tuple(sorted(edges)))

    def _edges_among(self, pinned: frozenset[int], stays: tuple[Stay, ...]) -> tuple[_Edges, list[int]]:
        """Returns target -> edges that depend on what contributes, and the moves that the stays rest on."""
        drawn, arrivals = self._movement.moves(pinned, stays)
        chosen = pinned.union(arrivals, (edge.source for edge in drawn))
        by_agent: dict[str, list[int]] = {}
        for number in sorted(chosen):
            by_agent.setdefault(self.acts[number].agent, []).append(number)
        drawn += self._gear.edges(chosen)
        for rule in self._fighting:
            drawn += rule.edges(by_agent, chosen)
        return _by_target(drawn), arrivals


_Edges = dict[int, list[Edge]]
"""Target -> the edges that lead there."""


def _by_target(edges: Iterable[Edge]) -> _Edges:
    into: _Edges = {}
    for edge in edges:
        into.setdefault(edge.target, []).append(edge)
    return into


def _close(
    goals: Iterable[int], arrivals: Iterable[int], stated: _Edges, into: _Edges
) -> tuple[set[int], set[int]]:
    """Returns goals and arrivals with all their ancestors, and those that count for their movement only."""
    reached = {*goals, *arrivals}
    otherwise = set(goals)
    frontier = list(reached)
    while frontier:
        target = frontier.pop()
        for edge in (*stated.get(target, ()), *into.get(target, ())):
            if edge.kind != "movement":
                otherwise.add(edge.source)
            if edge.source not in reached:
                reached.add(edge.source)
                frontier.append(edge.source)
    return reached, reached - otherwise


def _own_land() -> Land:
    from agentworld_env.world import load_world

    return load_world().paths


def _own_items() -> Mapping[str, Item]:
    from agentworld_env.world import load_world

    return load_world().items


@cache
def _own_heals() -> Mapping[str, int]:
    return {key: item.heal_hp for key, item in _own_items().items() if item.heal_hp}
