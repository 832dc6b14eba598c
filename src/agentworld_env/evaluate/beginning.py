"""What comes before a policy's first turn, wherever it plays: what it is told, and whether it can play at all."""

from __future__ import annotations

from agentworld_env.env import AgentWorldEnv
from agentworld_env.policies.protocol import Assignment, Brief, Policy, check_policy


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


def admit_policy(policy: Policy, env: AgentWorldEnv) -> dict[str, Brief]:
    """Makes sure that a policy can play in an environment, which it is shown if it needs the state.

    Begins nothing and asks no model, so that it can be done long before an episode.

    Args:
        policy: Who is to play all agents.
        env: Where; it need not have been reset.

    Returns:
        What each agent is told, for ``policy.begin``.

    Raises:
        AgentWorldError: The policy cannot play the environment's task under its setting.
    """
    if getattr(policy, "needs_state", False):
        policy.attach(env)  # type: ignore[attr-defined]
    briefs = briefs_of(env)
    source = env.source
    check_policy(
        policy,
        Assignment(task=source.id, setting=env.setting.name, team=tuple(source.spec.team), briefs=briefs),
    )
    return briefs
