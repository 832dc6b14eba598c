"""Checks that what a task calls a siege, a watch or survival is dangerous: that somebody has to fight."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from agentworld_env.certify.gaps import Gaps, stretch
from agentworld_env.certify.problem import Problem, point_path, waves_path
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.turns import step_on
from agentworld_env.planner import Style
from agentworld_env.planner.rehearse import Performance
from agentworld_env.sim.events import Died
from agentworld_env.sim.rules import RULES
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import HeldForRounds, SurvivedUntil
from agentworld_env.world.geometry import manhattan


class Peaceful(NamedTuple):
    """What becomes of a team that strikes no blow.

    Attributes:
        success: Whether it solves the task.
        held: Labels of the checkpoints about holding or surviving that it reaches with nobody lost.
        died: Who dies, in order.
        round: Round in which the episode ended.
    """

    success: bool
    held: tuple[str, ...]
    died: tuple[str, ...]
    round: int


def asks_for_danger(task: Task) -> bool:
    """Returns whether a task is about holding or surviving, so that somebody must be in danger."""
    kinds = any(isinstance(point, HeldForRounds | SurvivedUntil) for point in task.spec.checkpoints)
    return kinds or task.spec.category == "survival"


def play_peaceful(task: Task, seed: int, style: Style, *, eats: bool) -> Peaceful:
    """Lets the planner's team do its work and go where it must, but strike no blow, and then stand there to the end.

    Args:
        task: The task.
        seed: Seed of the episode.
        style: How the team works otherwise.
        eats: Whether the wounded eat.
    """
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    members = tuple(range(len(env.sim.names)))
    performance = Performance(env, members, msgspec.structs.replace(style, strikes=False, eats=eats))
    while not env.is_over:
        step_on(env, performance.call(env.agent_selection))
    verdict = env.verdict()
    intact = all(rule.held for rule in verdict.constraints)
    held = (
        point.label
        for point in verdict.checkpoints
        if intact and point.reached and point.kind in ("held_for_rounds", "survived_until")
    )
    died = tuple(event.agent for event in env.sim.state.events if isinstance(event, Died))
    return Peaceful(verdict.success, tuple(held), died, env.round)


def _evaded(task: Task) -> list[Problem]:
    """Returns the holds that may be over before the first wave can have come.

    Of a hold that follows another checkpoint nothing is said.
    """
    spec, rules = task.spec, RULES
    gaps = Gaps(task.world, rules)
    problems = []
    for i, point in enumerate(spec.checkpoints):
        if not isinstance(point, HeldForRounds) or point.after is not None or not spec.waves:
            continue
        middle, within = stretch(task.world, point.area)
        starts = [spec.team[name].start for name in point.by or spec.team]
        # The seed moves starts and raiders by so many columns and rows.
        nearer = 2 * rules.jitter
        walks = max(int(gaps.moves(gaps.gap(start, middle) - nearer, within)) for start in starts)
        over = max(walks, 1) + point.rounds - 1
        comes = min(
            wave.appears + max(0, -(-(manhattan(*wave.at, *middle) + nearer - within) // rules.mob_chase) - 1)
            for wave in spec.waves
        )
        if over < comes:
            said = f"{point.label!r} may be reached in round {over}, before the first wave comes"
            problems.append(Problem("danger", said, ("checkpoints", i)))
    return problems


def danger_problems(task: Task, seed: int, style: Style) -> list[Problem]:
    """Returns what a team that does not fight gets away with, if the task is about surviving or holding.

    Args:
        task: The task.
        seed: Seed of the episodes.
        style: How the planner's team works on it.
    """
    if not asks_for_danger(task):
        return []
    fed = play_peaceful(task, seed, style, eats=True)
    problems = _evaded(task)
    problems += [
        Problem("danger", f"a team that strikes no blow reaches {label!r}", point_path(task.spec, label))
        for label in fed.held
    ]
    where = waves_path(task.spec)
    if fed.success and not problems:
        problems.append(Problem("danger", "a team that strikes no blow solves the task", where))
    if not play_peaceful(task, seed, style, eats=False).died:
        said = "nobody is in danger: a team that neither fights nor eats loses nobody by the end"
        problems.append(Problem("danger", said, where))
    return problems
