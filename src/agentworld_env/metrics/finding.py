"""What a method found to contribute, in the same form for all methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode
from agentworld_env.episodes.opening import played_spec
from agentworld_env.episodes.resim import resimulate
from agentworld_env.metrics.causal import ActionGraph, Briefing, Homes, Log, Method, Trace, goals_of, homes_of

if TYPE_CHECKING:
    from agentworld_env.metrics.continuation import Continuation


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


def events_finding(
    episode: Episode,
    method: Method = "events",
    env: AgentWorldEnv | None = None,
    log: Log | None = None,
    *,
    allow_python: bool = False,
) -> Finding:
    """Returns what the action graph of an episode finds.

    Args:
        episode: The episode, complete unless the environment is given.
        method: How the graph is drawn.
        env: The environment after its turns, if there is one. Without it an episode that failed is re-simulated,
            because what contributed to it follows from how it would have gone on.
        log: The episode's events, if they have been read already.
        allow_python: Whether to accept, when it is re-simulated, a task of unknown origin whose checkpoints run
            installed code.

    Raises:
        ValueError: The episode is not over, and there is no environment.
        EpisodeFileError: It had to be re-simulated and does not come out as recorded.
    """
    verdict = episode.verdict if env is None else env.verdict()
    if verdict.success:
        graph = graph_of(episode, method, env, log)
        goals = goals_of(verdict, played_spec(episode.header), graph.log, episode.team)
        return Finding(method=method, trace=graph.trace(*goals))
    if env is None:
        env = resimulate(episode, allow_python=allow_python)
    return Finding(method=method, trace=partial_trace(episode, env, method))


def partial_trace(episode: Episode, env: AgentWorldEnv, method: Method = "events") -> Trace:
    """Returns what contributed to all that a team without success had come to or was on the way to.

    Of what ``continued_trace`` returns, these are the actions of the episode itself, and the edges among them.

    Args:
        episode: The episode with all its turns.
        env: The environment after them; it is left as it is.
        method: How the graph is drawn.
    """
    _, trace = continued_trace(episode, env, method)
    end = len(episode.lines)
    return Trace(
        tuple(number for number in trace.success if number < end),
        tuple(number for number in trace.contributing if number < end),
        tuple(edge for edge in trace.edges if edge.target < end),
        tuple((number, units) for number, units in trace.undone if number < end),
    )


def continued_trace(
    episode: Episode, env: AgentWorldEnv, method: Method = "events"
) -> tuple[Continuation, Trace]:
    """Plays an episode on, see ``continuation``, and returns what led to what checkpoints have counted by then.

    Actions played on rest on no message, since whoever made them had not read any.

    Args:
        episode: The episode with all its turns.
        env: The environment after them; it is left as it is.
        method: How the graph is drawn.

    Returns:
        What was played on, and the trace over the episode's actions and those; they are numbered through.
    """
    # The planner is only needed for failures.
    from agentworld_env.metrics.continuation import played_on

    onward = played_on(env)
    log = Log((*episode.lines, *onward.lines))
    graph = graph_of(episode, method, env, log, resumed=len(episode.lines))
    return onward, graph.trace(
        *goals_of(onward.verdict, played_spec(episode.header), graph.log, episode.team)
    )


def graph_of(
    episode: Episode,
    method: Method = "events",
    env: AgentWorldEnv | None = None,
    log: Log | None = None,
    *,
    resumed: int | None = None,
) -> ActionGraph:
    """Returns the action graph of an episode, complete or not.

    Args:
        episode: The episode.
        method: How the graph is drawn.
        env: The environment in which the episode was played or re-simulated, if there is one: it knows where mobs stand
            at home, which otherwise is computed from the header when it is needed.
        log: The episode's events, if they have been read already.
        resumed: As for ``ActionGraph``.
    """
    header = episode.header
    homes = homes_of(header) if env is None else Homes(lambda: env.sim)
    lines = episode.lines if log is None else log
    return ActionGraph(
        lines,
        method=method,
        team=played_spec(header)["team"],
        wilds=homes,
        briefing=Briefing(header),
        resumed=resumed,
    )
