"""All figures of one episode, as plain values for its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agentworld_env.env.aec import AgentWorldEnv
from agentworld_env.episodes.ending import rounds_played
from agentworld_env.episodes.opening import played_spec
from agentworld_env.episodes.record import Episode
from agentworld_env.metrics.basic import basics
from agentworld_env.metrics.behaviour import behaviour
from agentworld_env.metrics.causal import Briefing, Log, Method, effectiveness, effectiveness_of
from agentworld_env.metrics.finding import Finding, events_finding, graph_of
from agentworld_env.verifiers import Verdict

_CAUSAL = (
    "cce",
    "cce_active",
    "pac",
    "skew",
    "partial",
    "pac_partial",
    "pac_active",
    "wasted",
    "aimless",
    "success_actions",
)


def episode_metrics(
    episode: Episode,
    outcome: AgentWorldEnv | Verdict | None = None,
    turns: Mapping[str, int] | None = None,
    *,
    method: Method = "events",
    finding: Finding | None = None,
    allow_python: bool = False,
) -> dict[str, Any]:
    """Returns the figures of an episode as plain JSON values, unrounded.

    Args:
        episode: The episode with all its turns; its footer is needed only if the other arguments are left out.
        outcome: The environment at its end. If None, the verdict is the footer's, and an episode that failed is
            re-simulated. A verdict will do for events that no environment has produced; of one that failed,
            ``partial`` and what goes with it then hold only what checkpoints have counted.
        turns: Agent -> turns it had, slept ones included; the environment's or the footer's if None.
        method: How the action graph is drawn.
        finding: What another method found to contribute; CCE and PAC then follow from it, and ``method`` is not read.
        allow_python: Whether to accept, if the episode is re-simulated, a task of unknown origin whose checkpoints run
            installed code.

    Raises:
        ValueError: If verdict or turns are neither given nor in a footer.
        EpisodeFileError: It had to be re-simulated and does not come out as recorded.
    """
    footer = episode.footer
    if isinstance(outcome, AgentWorldEnv):
        state = outcome.sim.state
        if turns is None:
            turns = {name: agent.turns for name, agent in zip(outcome.sim.names, state.agents, strict=True)}
        verdict, rounds = outcome.verdict(), rounds_played(outcome)
    else:
        verdict = episode.verdict if outcome is None else outcome
        last = episode.lines[-1].round if episode.lines else 0
        rounds = last if footer is None else footer.rounds
    if turns is None:
        if footer is None:
            raise ValueError("turns are needed for an episode without a footer")
        turns = footer.turns
    figures: dict[str, Any] = msgspec.structs.asdict(basics(episode.lines, verdict, turns, rounds))
    log = Log(episode.lines)
    figures |= msgspec.structs.asdict(behaviour(episode.lines, episode.team, log, Briefing(episode.header)))
    if finding is None and not isinstance(outcome, Verdict):
        finding = events_finding(episode, method, outcome, log, allow_python=allow_python)
    if finding is None:
        graph = graph_of(episode, method, log=log)
        found = effectiveness(graph, verdict, turns, played_spec(episode.header))
    else:
        found = effectiveness_of(finding.method, finding.trace, log.acts, verdict, turns)
    figures["cce_method"] = found.method
    for name in _CAUSAL:
        figures[name] = getattr(found, name)
    figures["contributing"] = len(found.trace.contributing)
    return figures
