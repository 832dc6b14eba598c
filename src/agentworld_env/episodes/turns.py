"""Playing one turn and recording it; live runs and re-simulation share this code, so that they cannot differ."""

from __future__ import annotations

from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.record import TurnLine


def skip_departed(env: AgentWorldEnv) -> bool:
    """Moves on to the next agent that can act.

    Returns:
        Whether there is one; if not, the episode is over.
    """
    while not env.is_over:
        agent = env.agent_selection
        if not (env.terminations[agent] or env.truncations[agent]):
            return True
        env.step(None)
    return False


def step_on(env: AgentWorldEnv, call: dict[str, Any]) -> None:
    """Plays the present agent's turn and moves on to the next agent that can act, past those that have died or left.

    Args:
        env: The environment, with an agent to act.
        call: Its call.
    """
    env.step(call)
    skip_departed(env)


def play_turn(env: AgentWorldEnv, call: dict[str, Any], replies: tuple[dict[str, Any], ...] = ()) -> TurnLine:
    """Plays the present agent's turn and returns its line of the record.

    Args:
        env: The environment, with an agent to act.
        call: A canonical call.
        replies: Raw replies of a model that led to it.
    """
    before = env.sim.state
    agent, action, round_, first = env.agent_selection, before.actions, before.round, len(before.events)
    env.step(call)
    after = env.sim.state
    last = after.agents[env.sim.index[agent]].last
    assert last is not None
    return TurnLine(
        action=action,
        round=round_,
        agent=agent,
        call=call,
        result=last.result,
        events=tuple(after.events[first:]),  # type: ignore[arg-type]
        replies=replies,
        hash=env.state_hash(),
    )
