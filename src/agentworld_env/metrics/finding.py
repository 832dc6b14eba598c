"""What a method found to contribute, in the same form for all methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode
from agentworld_env.episodes.opening import played_spec
from agentworld_env.metrics.causal import ActionGraph, Briefing, Homes, Log, Method, Trace, goals_of, homes_of


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What a method found in one episode.

    Attributes:
        method: Name of the method.
        trace: Success actions, contributing actions and, if the method draws any, edges.
        decided: The actions that the method decided about; None means all of them.
        notes: Further plain figures of the method's own, such as what it skipped and what it cost.
    """

    method: str
    trace: Trace
    decided: frozenset[int] | None = None
    notes: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def decisions(self, actions: int) -> dict[int, bool]:
        """Returns action -> whether it contributes, for all actions that the method decided about.

        Args:
            actions: Number of actions of the episode.
        """
        chosen = set(self.trace.contributing)
        decided = range(actions) if self.decided is None else sorted(self.decided)
        return {number: number in chosen for number in decided}


def events_finding(episode: Episode, method: Method = "events") -> Finding:
    """Returns what the action graph of a complete episode finds.

    Args:
        episode: The episode.
        method: How the graph is drawn.

    Raises:
        ValueError: The episode is not over.
    """
    graph = graph_of(episode, method)
    goals = goals_of(episode.verdict, played_spec(episode.header), graph.log, episode.team)
    return Finding(method=method, trace=graph.trace(*goals))


def graph_of(
    episode: Episode, method: Method = "events", env: AgentWorldEnv | None = None, log: Log | None = None
) -> ActionGraph:
    """Returns the action graph of an episode, complete or not.

    Args:
        episode: The episode.
        method: How the graph is drawn.
        env: The environment in which the episode was played or re-simulated, if there is one: it knows where mobs stand
            at home, which otherwise is computed from the header when it is needed.
        log: The episode's events, if they have been read already.
    """
    header = episode.header
    homes = homes_of(header.spec, header.setting, header.seed) if env is None else Homes(lambda: env.sim)
    lines = episode.lines if log is None else log
    return ActionGraph(
        lines, method=method, team=played_spec(header)["team"], wilds=homes, briefing=Briefing(header)
    )
