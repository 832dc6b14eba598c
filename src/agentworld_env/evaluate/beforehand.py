"""What can be found wrong before a run begins, so that a user's mistake leaves no folder behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.errors import AgentWorldError, nearest, quoted
from agentworld_env.evaluate.cast import Cast, Company
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.ray_cluster import check_cluster
from agentworld_env.evaluate.run import described
from agentworld_env.evaluate.runner import Limits
from agentworld_env.evaluate.seating import admit_policy
from agentworld_env.evaluate.waiting import close_now
from agentworld_env.evaluate.who import Owns
from agentworld_env.policies.mixed import member_of
from agentworld_env.policies.protocol import Policy, sees_state


def describe_cast(cast: Cast, owns: Owns | None = None) -> dict[str, Any]:
    """Returns name and settings of who plays, as they stand in headers and manifests.

    Args:
        cast: Who plays.
        owns: Members that a program has given other than by name.

    Raises:
        AgentWorldError: A model or policy cannot be used, or cannot be described.
    """
    policy = Company(cast, owns=owns).policy()
    try:
        return described(policy)
    finally:
        close_now(policy)


def check_beforehand(manifest: Manifest, limits: Limits, owns: Owns | None = None) -> None:
    """Makes sure that every task of a run can be begun by those who are to play it; writes nothing, asks no model.

    Args:
        manifest: The run.
        limits: How to go about it.
        owns: Members that a program has given other than by name.

    Raises:
        AgentWorldError: Somebody is played by nobody, a pattern plays nobody, a prompt template cannot be rendered, a
            policy cannot play one of the tasks, or the Ray cluster cannot be reached.
    """
    policy = Company(manifest.cast, owns=owns).policy()
    try:
        _check_tasks(manifest, policy)
    finally:
        close_now(policy)
    if limits.executor == "ray":
        check_cluster()


def _check_tasks(manifest: Manifest, policy: Policy) -> None:
    patterns = [pattern for pattern, _ in manifest.cast.members]
    agents: dict[str, None] = {}
    used: set[int] = set()
    for task in manifest.load_tasks():
        env = AgentWorldEnv(task, setting=manifest.setting)
        for agent in env.possible_agents:
            agents[agent] = None
            try:
                used.add(member_of(agent, patterns))
            except AgentWorldError as error:
                raise AgentWorldError(f"task {task.id}: {error}") from None
        briefs = admit_policy(policy, env)
        # A policy without check may refuse when it begins. The planner makes its plans there, which takes longer than
        # all the rest; what sees the state is asked by attach and check only.
        if not sees_state(policy):
            policy.begin(briefs, manifest.seed)
    _check_patterns(patterns, used, list(agents))


def _check_patterns(patterns: Sequence[str], used: set[int], agents: Sequence[str]) -> None:
    for i, pattern in enumerate(patterns):
        if i in used or pattern == "*":  # what is left over may be nobody
            continue
        near = nearest(pattern.strip("*?"), agents)
        offered = f"did you mean {' or '.join(near)}?" if near else f"agents are {', '.join(agents[:8])}"
        raise AgentWorldError(
            f"the pattern {quoted(pattern)} of the team plays nobody: no agent of these tasks matches it before "
            f"another pattern does; {offered}"
        )
