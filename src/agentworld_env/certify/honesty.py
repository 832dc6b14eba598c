"""Checks that a task's checkpoints say what they should: nothing for free, nothing for nearly."""

from __future__ import annotations

from agentworld_env.certify.play import Played, play_idle, replay
from agentworld_env.sim.combat import die
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import AllAlive


def idle_problems(task: Task, seed: int) -> list[str]:
    """Returns what an idle team gets for nothing."""
    verdict = play_idle(task, seed)
    return [f"an idle team reaches {point.label!r}" for point in verdict.checkpoints if point.reached]


def near_misses(task: Task, seed: int, played: Played) -> tuple[int, list[str]]:
    """Tries the smallest steps short of success on the planner's episode.

    For each checkpoint: the episode up to the call before the one that reached it must not hold it. The last call left
    out must leave the task unsolved. For each survival constraint: the death of any of those named, just before the
    last call, must fail the task.

    Args:
        task: The task.
        seed: Seed of the planner's episode.
        played: The planner's episode.

    Returns:
        How many near misses were tried, and what passed that should not have.
    """
    problems: list[str] = []
    tried = 0
    latched = _latching_calls(task, seed, played)
    for label, number in latched.items():
        tried += 1
        env = replay(task, seed, played.calls, stop=number)
        point = next(point for point in env.verdict().checkpoints if point.label == label)
        if point.reached or point.have >= point.need:
            problems.append(f"{label!r} holds before the call that reaches it")
    tried += 1
    env = replay(task, seed, played.calls, stop=len(played.calls) - 1)
    if env.verdict().success:
        problems.append("the task is solved before its last call")
    for rule in task.spec.constraints:
        if isinstance(rule, AllAlive):
            for name in rule.by or task.team:
                tried += 1
                if _passes_with_death(task, seed, played, name):
                    problems.append(f"the task passes although {name} dies")
    return tried, problems


def _latching_calls(task: Task, seed: int, played: Played) -> dict[str, int]:
    """Returns checkpoint label -> number of the call after which it first held."""
    env = replay(task, seed, played.calls, stop=0)
    found: dict[str, int] = {}
    for number, call in enumerate(played.calls):
        env.step(call)
        for point in env.verdict().checkpoints:
            if point.reached:
                found.setdefault(point.label, number)
    return found


def _passes_with_death(task: Task, seed: int, played: Played, name: str) -> bool:
    env = replay(task, seed, played.calls, stop=len(played.calls) - 1)
    sim = env.sim
    # Any mob serves as the cause of death; only the event matters to the verdict.
    die(sim, sim.index[name], 0, -1)
    env.verifier.update()
    if not env.is_over:
        env.step(played.calls[-1])
    return env.verdict().success
