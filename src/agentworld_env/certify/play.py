"""Playing episodes for certificates: the planner's own, and replays with a call left out."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.protocol import Turn
from agentworld_env.tasks import Task
from agentworld_env.verifiers import Verdict

Call = dict[str, Any]
PASS: Call = {"tool": "sleep", "arguments": {"rounds": 1}}


class Played(NamedTuple):
    """An episode that the planner has played.

    Attributes:
        env: The environment, at the end.
        calls: All calls in order.
        verdict: The verdict.
        rounds: Rounds played.
        gaps: What the plan could not provide for.
    """

    env: AgentWorldEnv
    calls: list[Call]
    verdict: Verdict
    rounds: int
    gaps: list[str]


def play_planner(task: Task, seed: int, idle: tuple[str, ...] = ()) -> Played:
    """Lets the planner play a task.

    Args:
        task: The task.
        seed: Seed of the episode.
        idle: Agents that take no part.
    """
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    policy = PlannerPolicy(idle=idle)
    policy.attach(env)
    policy.begin({}, seed)
    calls: list[Call] = []
    while not env.is_over:
        call = policy.act(Turn(agent=env.agent_selection, round=env.round, observation="", info={}))
        calls.append(call)
        env.step(call)
    return Played(env, calls, env.verdict(), min(env.round, env.max_rounds), list(policy.plan.gaps))


def play_idle(task: Task, seed: int) -> Verdict:
    """Returns the verdict on a team that only sleeps."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    while not env.is_over:
        env.step({"tool": "sleep", "arguments": {"rounds": 5}})
    return env.verdict()


def replay(
    task: Task, seed: int, calls: list[Call], *, stop: int | None = None, without: int = -1
) -> AgentWorldEnv:
    """Plays recorded calls again.

    Args:
        task: The task.
        seed: Seed of the recorded episode.
        calls: Its calls.
        stop: Only so many calls are played.
        without: Number of a call in whose place the agent sleeps one round.

    Returns:
        The environment after the last call, or earlier if the episode was over.
    """
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    for number, call in enumerate(calls[:stop]):
        if env.is_over:
            break
        env.step(PASS if number == without else call)
    return env
