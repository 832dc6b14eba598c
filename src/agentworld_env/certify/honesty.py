"""Checks that a task's checkpoints say what they should: nothing for free, nothing for nearly."""

from __future__ import annotations

from agentworld_env.calls import Call
from agentworld_env.certify.play import PASS, Tape, play_idle
from agentworld_env.certify.problem import Problem
from agentworld_env.certify.reach import Reach
from agentworld_env.certify.tally import tally
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.turns import step_on
from agentworld_env.sim.combat import die
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import AllAlive


def start_problems(task: Task, seed: int) -> list[Problem]:
    """Returns checkpoints that hold before anybody has done anything, on this seed or where another may put agents."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    problems = [
        Problem("start", f"{point.label!r} holds at the start", ("checkpoints", i))
        for i, point in enumerate(env.verdict().checkpoints)
        if point.reached
    ]
    reach = Reach(task.spec, env.sim, ())
    problems.extend(
        Problem(
            "start",
            f"{point.label!r} may hold at the start, since seeds move the start tiles",
            ("checkpoints", i),
        )
        for i, point in enumerate(task.spec.checkpoints)
        if reach.may_hold_at_start(point)
    )
    return problems


def idle_problems(task: Task, seed: int) -> list[Problem]:
    """Returns what an idle team gets for nothing."""
    verdict = play_idle(task, seed)
    return [
        Problem("idle", f"an idle team reaches {point.label!r}", ("checkpoints", i))
        for i, point in enumerate(verdict.checkpoints)
        if point.reached
    ]


def near_misses(tape: Tape) -> tuple[int, list[Problem]]:
    """Tries the smallest steps short of success on the planner's episode.

    For each checkpoint: the episode up to the call before the one that reached it must not hold it, nor may a call do
    that brings one unit less. What counts units or kills is counted anew, without the verifier: one less than the task
    file asks for must not be enough, and what it asks for must be. The last call left out must leave the task unsolved.
    For each survival constraint: the death of any of those named, just before the last call, must fail the task.

    Args:
        tape: The planner's episode.

    Returns:
        How many near misses were tried, and what passed that should not have.
    """
    problems: list[Problem] = []
    tried = 0
    for i, number in tape.latching().items():
        tried += 1
        point = tape.before(number).verdict().checkpoints[i]
        if point.reached or point.have >= point.need:
            said = f"{point.label!r} holds before the call that reaches it"
            problems.append(Problem("near_miss", said, ("checkpoints", i)))
        less, found = _recounted(tape, i, number)
        tried += less
        problems.extend(Problem("near_miss", said, ("checkpoints", i)) for said in found)
    tried += 1
    last = len(tape.calls) - 1
    if tape.before(last).verdict().success:
        problems.append(Problem("near_miss", "the task is solved before its last call", ("checkpoints",)))
    for i, rule in enumerate(tape.task.spec.constraints):
        if isinstance(rule, AllAlive):
            for name in rule.by or tape.task.team:
                tried += 1
                if _passes_with_death(tape, last, name):
                    said = f"the task passes although {name} dies"
                    problems.append(Problem("near_miss", said, ("constraints", i)))
    return tried, problems


def _recounted(tape: Tape, index: int, number: int) -> tuple[int, list[str]]:
    """Counts anew what a checkpoint asks for: at the call that reaches it, and with the same made in smaller steps.

    Returns:
        How many smaller steps were tried, and where the verifier disagrees.
    """
    spec, call = tape.task.spec.checkpoints[index], tape.calls[number]
    problems: list[str] = []

    def compare(env: AgentWorldEnv) -> None:
        found = tally(tape.task, env.sim, spec)
        if found is not None and (found.have >= found.need) != env.verdict().checkpoints[index].reached:
            share = f"{found.have} of {found.need}"
            short = found.have < found.need
            problems.append(
                f"{spec.label!r} holds with {share}"
                if short
                else f"{spec.label!r} does not hold with {share}"
            )

    env = tape.before(number)
    compare(env)
    step_on(env, call)
    compare(env)
    count = call["arguments"].get("count", 1)
    if call["tool"] not in ("craft_item", "transfer_items") or count < 2:
        return 0, problems
    if call["tool"] == "transfer_items":
        env = tape.before(number)
        step_on(env, _of(call, count - 1))
        compare(env)
        return 1, problems
    # Crafts come in lots of 1, 5 and 10: the same work unit by unit, while all others wait.
    env = tape.before(number)
    agent, left = env.agent_selection, count
    while left and not env.is_over:
        mine = env.agent_selection == agent
        step_on(env, _of(call, 1) if mine else PASS)
        left -= mine
        if mine:
            compare(env)
    return count, problems


def _of(call: Call, count: int) -> Call:
    """Returns a call with another count."""
    return {**call, "arguments": {**call["arguments"], "count": count}}


def kill(env: AgentWorldEnv, name: str) -> None:
    """Lets an agent die on the spot. Any mob serves as the cause; only the event matters to the verdict."""
    die(env.sim, env.sim.index[name], 0, -1)
    env.verifier.update()


def _passes_with_death(tape: Tape, last: int, name: str) -> bool:
    env = tape.before(last)
    kill(env, name)
    if not env.is_over and env.agent_selection != name:
        step_on(env, tape.calls[last])
    return env.verdict().success
