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
from agentworld_env.metrics.causal import ActionGraph, Method, effectiveness
from agentworld_env.verifiers import Verdict


def episode_metrics(
    episode: Episode,
    outcome: AgentWorldEnv | Verdict | None = None,
    turns: Mapping[str, int] | None = None,
    *,
    method: Method = "events",
) -> dict[str, Any]:
    """Returns the figures of an episode as plain JSON values, unrounded.

    Args:
        episode: The episode with all its turns; its footer is needed only if the other arguments are left out.
        outcome: The environment it was played in, or the verdict; the footer's verdict if None.
        turns: Agent -> turns it had, slept ones included; the environment's or the footer's if None.
        method: How the action graph is drawn.

    Raises:
        ValueError: If verdict or turns are neither given nor in a footer.
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
    points = played_spec(episode.header)["checkpoints"]
    found = effectiveness(ActionGraph(episode.lines, method=method), verdict, turns, points)
    figures["cce_method"] = found.method
    for name in ("cce", "cce_active", "pac", "skew", "partial", "success_actions"):
        figures[name] = getattr(found, name)
    figures["contributing"] = len(found.trace.contributing)
    return figures
