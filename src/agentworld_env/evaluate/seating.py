"""How a policy sits at an environment, wherever it plays: whether it can, what it is told, what a turn shows it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.telling import result_text
from agentworld_env.evaluate.keeping import Keeper
from agentworld_env.policies.protocol import Assignment, Brief, Policy, Turn, check_policy, sees_state
from agentworld_env.tools import Tool, openai_tools


def briefs_of(env: AgentWorldEnv) -> dict[str, Brief]:
    """Returns what each agent is told before its first turn, in turn order."""
    task, team = env.task, tuple(env.possible_agents)
    return {
        agent: Brief(
            agent=agent,
            title=task.spec.title,
            objective=task.objective,
            role=task.role_text(agent),
            guide=env.guide(agent),
            team=team,
            max_rounds=env.max_rounds,
            tools=tuple(env.action_space(agent).openai_tools()),
            facts=task.guide_facts(agent),
        )
        for agent in team
    }


def admit_policy(
    policy: Policy, env: AgentWorldEnv, agents: Collection[str] | None = None
) -> dict[str, Brief]:
    """Makes sure that a policy can play in an environment, which it is shown if it needs the state.

    Begins nothing and asks no model, so that it can be done long before an episode.

    Args:
        policy: Who is to play.
        env: Where; it need not have been reset.
        agents: The agents that it is to play; all if None.

    Returns:
        What each of them is told, in turn order, for ``policy.begin``.

    Raises:
        AgentWorldError: The policy cannot play the environment's task under its setting.
    """
    if sees_state(policy):
        policy.attach(env)
    briefs = {name: brief for name, brief in briefs_of(env).items() if agents is None or name in agents}
    source = env.source
    check_policy(
        policy,
        Assignment(task=source.id, setting=env.setting.name, team=tuple(source.spec.team), briefs=briefs),
    )
    return briefs


def turn_of(env: AgentWorldEnv, policy: Policy, kept: Keeper | None = None) -> Turn:
    """Returns what a policy is shown of the turn that it is to play.

    Args:
        env: The environment, in which it is an agent's turn.
        policy: Who plays that agent.
        kept: Knows what the turn was answered before, and keeps what it is answered now; None if nothing is kept.
    """
    agent = env.agent_selection
    last = env.sim.state.agents[env.sim.index[agent]].last
    told = None
    if last is not None:
        text = result_text(env.sim, agent, last)
        # The state holds the call's arguments, and no policy may change that.
        arguments = msgspec.to_builtins(last.arguments)
        told = {"tool": last.tool, "arguments": arguments, "ok": last.result.ok, "text": text}
    observation = env.observe(agent) if policy.wants_text else ""
    return _ShownTurn(
        agent=agent,
        round=env.round,
        observation=observation,
        info=env.infos[agent],
        last=told,
        present=tuple(env.present_tools.values()),
        asked=() if kept is None else kept.asked,
        note=None if kept is None else kept.note,
    )


class _ShownTurn(Turn, kw_only=True):
    """A turn whose tools are spelled out when the policy asks for them, which most never do.

    They are the turn's own: what a policy makes of them, such as other names, no other turn sees.

    Attributes:
        present: The tools that exist in the turn.
        spelled: Those tools in OpenAI function-calling form, once they were asked for.
    """

    present: tuple[Tool, ...]
    spelled: tuple[dict[str, Any], ...] | None = None

    @property  # type: ignore[misc]  # a field of the turn, read-only here
    def tools(self) -> tuple[dict[str, Any], ...]:  # type: ignore[override]
        if self.spelled is None:
            self.spelled = tuple(openai_tools(self.present))
        return self.spelled
