"""Playing episodes for certificates: the planner's own, and recorded ones with something changed."""

from __future__ import annotations

from typing import NamedTuple

from agentworld_env.calls import Call
from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.snapshot import EnvSnapshot
from agentworld_env.episodes.turns import step_on
from agentworld_env.planner import PlannerPolicy, Style, Team, make_plan
from agentworld_env.planner.jobs import Gap
from agentworld_env.planner.known import known_to
from agentworld_env.planner.rehearse import best_style, rehearse
from agentworld_env.policies.protocol import Turn
from agentworld_env.tasks import Task
from agentworld_env.verifiers import Verdict

PASS: Call = {"tool": "sleep", "arguments": {"rounds": 1}}

Status = tuple[bool, bool, tuple[bool, ...]]
"""What a verdict comes to: success, beyond saving, and which checkpoints are reached."""


class Played(NamedTuple):
    """An episode that the planner has played.

    Attributes:
        env: The environment, at the end.
        calls: All calls in order.
        verdict: The verdict.
        rounds: Rounds played.
        gaps: What the plan could not provide for.
        style: How the team worked, after the last change of plan.
    """

    env: AgentWorldEnv
    calls: list[Call]
    verdict: Verdict
    rounds: int
    gaps: list[Gap]
    style: Style


def play_planner(task: Task, seed: int, idle: tuple[str, ...] = (), *, rehearsals: bool = True) -> Played:
    """Lets the planner play a task.

    Args:
        task: The task.
        seed: Seed of the episode.
        idle: Agents that take no part.
        rehearsals: Whether the planner plays ahead to find the best way of working.
    """
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    policy = PlannerPolicy(idle=idle, rehearsals=rehearsals)
    policy.attach(env)
    policy.begin({}, seed)
    gaps = list(policy.plan.gaps)
    calls: list[Call] = []
    while not env.is_over:
        call = policy.act(Turn(agent=env.agent_selection, round=env.round, observation="", info={}))
        calls.append(call)
        step_on(env, call)
    return Played(env, calls, env.verdict(), rounds_of(env), gaps, policy.style)


class Attempt(NamedTuple):
    """What came of a planner's attempt without some agents.

    Attributes:
        success: Whether it solved the task.
        why: How, or why not.
    """

    success: bool
    why: str


def attempt(task: Task, seed: int, idle: tuple[str, ...], *, rehearsals: bool = True) -> Attempt:
    """Lets the planner try a task without some agents, with rehearsals only if it fails without them.

    Args:
        task: The task.
        seed: Seed of the episode.
        idle: Agents that take no part.
        rehearsals: Whether to try other ways of working if the first fails.
    """
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    members = tuple(i for i, name in enumerate(env.sim.names) if name not in idle)
    gaps = make_plan(task.spec, Team(env.sim, members, known_to(task))).gaps
    if gaps:
        return Attempt(False, gaps[0].text)
    start = env.snapshot()
    score = rehearse(env, start, members, Style(), env.max_rounds)
    if score.failed and rehearsals:
        env.restore(start)
        style = best_style(env, members, any_success=True)
        score = rehearse(env, start, members, style, env.max_rounds)
    if score.failed:
        return Attempt(False, f"the planner reaches PSR {env.verdict().psr:.2f}")
    return Attempt(True, f"the rest needs {rounds_of(env)} rounds")


def rounds_of(env: AgentWorldEnv) -> int:
    """Returns the round in which an episode ended: that of the last checkpoint reached, for a success."""
    verdict = env.verdict()
    if verdict.success:
        return max(point.round for point in verdict.checkpoints)
    return min(env.round, env.max_rounds)


def play_idle(task: Task, seed: int) -> Verdict:
    """Returns the verdict on a team that only sleeps."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    while not env.is_over:
        step_on(env, {"tool": "sleep", "arguments": {"rounds": 5}})
    return env.verdict()


def status(env: AgentWorldEnv) -> Status:
    """Returns what the verdict of an environment comes to at this moment."""
    verdict = env.verdict()
    return verdict.success, verdict.impossible, tuple(point.reached for point in verdict.checkpoints)


class Tape:
    """A recorded episode that can be entered before any of its calls.

    Args:
        task: The task.
        seed: Seed of the recorded episode.
        calls: Its calls.

    Attributes:
        statuses: What the verdict came to after each call.
    """

    def __init__(self, task: Task, seed: int, calls: list[Call]) -> None:
        self.task = task
        self.seed = seed
        self.calls = calls
        self._env = AgentWorldEnv(task)
        self._env.reset(seed=seed)
        self._moments: list[EnvSnapshot] = []
        self._turns: dict[tuple[int, str], int] = {}
        self.statuses: list[Status] = []
        for number, call in enumerate(calls):
            self._moments.append(self._env.snapshot())
            self._turns[self._env.round, self._env.agent_selection] = number
            step_on(self._env, call)
            self.statuses.append(status(self._env))

    def before(self, number: int) -> AgentWorldEnv:
        """Returns an environment just before a call; the next use of the tape takes it back."""
        self._env.restore(self._moments[number])
        return self._env

    def changed(self, number: int, call: Call) -> AgentWorldEnv:
        """Returns an environment at the end of the episode with one call replaced, the rest as recorded.

        Every agent makes the calls it made in these rounds, even if others have died or sleep meanwhile.
        """
        env = self.before(number)
        step_on(env, call)
        last, _ = max(self._turns)
        while not env.is_over and env.round <= last:
            turn = self._turns.get((env.round, env.agent_selection))
            step_on(env, PASS if turn is None else self.calls[turn])
        return env

    def latching(self) -> dict[int, int]:
        """Returns index of a checkpoint -> number of the call after which it first held."""
        found: dict[int, int] = {}
        for number, (_, _, reached) in enumerate(self.statuses):
            for i, holds in enumerate(reached):
                if holds:
                    found.setdefault(i, number)
        return found
