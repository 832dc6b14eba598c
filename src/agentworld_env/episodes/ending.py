"""The footer of a record: made from the environment at the end of its episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.record import Footer


def make_footer(env: AgentWorldEnv, metrics: Mapping[str, Any]) -> Footer:
    """Returns the footer of an episode that is over.

    Args:
        env: The environment at the end of the episode.
        metrics: Figures to record, as plain data.
    """
    state = env.sim.state
    return Footer(
        verdict=env.verdict(),
        rounds=rounds_played(env),
        actions=state.actions,
        turns={name: state.agents[i].turns for i, name in enumerate(env.sim.names)},
        chats=len(state.said),
        # Through JSON and back, so that a footer in memory equals the one that is read from its file.
        metrics=msgspec.json.decode(msgspec.json.encode(metrics)),
        hash=env.state_hash(),
    )


def rounds_played(env: AgentWorldEnv) -> int:
    """Returns the number of rounds that have been played, the present one included if anybody acted in it."""
    state = env.sim.state
    # Right after the world's turn the simulation counts the next round already, with nobody's turn yet.
    return state.round - 1 if state.turn < 0 else state.round
