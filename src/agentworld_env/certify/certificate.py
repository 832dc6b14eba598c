"""The certificate of a task: solvable, collaborative, honest, true, with the figures behind it."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any

import msgspec

from agentworld_env.certify.bound import Bound, lower_bound
from agentworld_env.certify.danger import danger_problems
from agentworld_env.certify.difficulty import (
    Difficulty,
    count_joint_acts,
    count_messages,
    distance_walked,
    necessary_agents,
    needed_transfers,
    smallest_team,
)
from agentworld_env.certify.honesty import idle_problems, near_misses, start_problems
from agentworld_env.certify.mutants import survivors
from agentworld_env.certify.play import Played, Tape, play_planner
from agentworld_env.certify.problem import Path, Problem, goods_path, point_path
from agentworld_env.certify.proofs import GroupNeed, SoloProof, group_needs, solo_proofs
from agentworld_env.certify.truth import guide_notes, guide_problems
from agentworld_env.certify.wording import wording_problems
from agentworld_env.errors import InvalidValueError
from agentworld_env.planner.jobs import Gap
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import TaskSpec

_MEETINGS = ("present_together", "held_for_rounds", "survived_until", "visited")
"""Kinds of checkpoints for which agents need only be somewhere."""


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """What was found out about a task.

    Attributes:
        task: Task id.
        content_hash: Content hash of the task it holds for.
        max_rounds: Round budget.
        rounds: Seed -> rounds the planner needed; 0 where it failed.
        bound: Lower bound on the rounds of any success, on any seed.
        bounds: Seed -> lower bound on the rounds of any success on that seed; at least ``bound``.
        difficulty: Figures of difficulty; None if the planner fails or the examination was quick.
        handovers: Hand-overs of items without which the planner's episode fails.
        joint: Joint acts in the planner's episode: kills that take several attackers, presence together.
        solo: One proof per agent that it cannot succeed alone.
        groups: For each role group, whether the rest can do without it.
        near_misses: How many near misses were tried; all failed if there are no problems.
        mutants: How many slightly wrong copies of the task were tried; all were told apart if there are no problems.
        problems: Everything that is wrong; empty for a certified task.
        proof: The planner's calls for the first seed.
        notes: What is worth knowing and wrong in no way: who dies in the planner's episodes although it need not fail,
            which role groups are needed only because a checkpoint names them, that all guides are the same.
    """

    task: str
    content_hash: str
    max_rounds: int
    rounds: dict[int, int]
    bound: Bound
    difficulty: Difficulty | None
    handovers: int
    joint: int
    solo: tuple[SoloProof, ...]
    groups: tuple[GroupNeed, ...]
    near_misses: int
    mutants: int
    problems: tuple[Problem, ...]
    proof: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()
    bounds: dict[int, int] = {}

    @property
    def ok(self) -> bool:
        """Whether the task is certified."""
        return not self.problems

    @property
    def solved(self) -> bool:
        """Whether the planner solves the task on every seed."""
        return all(self.rounds.values())

    @property
    def slack(self) -> float | None:
        """Fraction of the budget that the planner leaves, in the median over seeds; None unless it solves them all."""
        return 1 - median(self.rounds.values()) / self.max_rounds if self.solved else None

    @property
    def ratio(self) -> float | None:
        """The planner's rounds as a multiple of the lower bound, in the median over seeds; None as ``slack``."""
        if not self.solved:
            return None
        return median(rounds / self.bounds[seed] for seed, rounds in self.rounds.items())

    def row(self) -> dict[str, Any]:
        """Returns the figures of a table row."""
        necessary = [need.group for need in self.groups if need.necessary]
        kinds = sorted({proof.kind or "none" for proof in self.solo})
        row: dict[str, Any] = {
            "task": self.task,
            "ok": self.ok,
            "solved": f"{sum(1 for rounds in self.rounds.values() if rounds)}/{len(self.rounds)}",
            "rounds": median(self.rounds.values()) if self.solved else None,
            "bound": median(self.bounds.values()),
            "rounds/bound": None if self.ratio is None else round(self.ratio, 2),
            "budget": self.max_rounds,
            "slack": None if self.slack is None else round(self.slack, 2),
            "handovers": self.handovers,
            "joint": self.joint,
            "groups": f"{len(necessary)}/{len(self.groups)}",
            "solo": ", ".join(kinds),
            "near_misses": self.near_misses,
            "mutants": self.mutants,
        }
        if self.difficulty is not None:
            row["necessary"] = len(self.difficulty.necessary_agents)
            row["smallest"] = len(self.difficulty.smallest_team)
            row["tiles"] = self.difficulty.distance
        return row


def certify_task(task: Task, seeds: Iterable[int] = (0, 1, 2), *, quick: bool = False) -> Certificate:
    """Examines a task.

    Args:
        task: The task.
        seeds: Seeds on which the planner must solve it; the first is examined closely.
        quick: Whether to look at the first seed and at role groups only: no single agents, near misses or mutants.

    Returns:
        The certificate, with ``problems`` if the task is not sound.

    Raises:
        ValueError: If there are no seeds.
    """
    seeds = tuple(seeds)[: 1 if quick else None]
    if not seeds:
        raise InvalidValueError("a certificate needs at least one seed")
    sim = Simulation(task.world, task.setup())
    sim.reset(seeds[0])
    bound = lower_bound(task.spec, sim)
    if bound.rounds > task.spec.max_rounds:
        return _hopeless(task, seeds, bound)
    problems: list[Problem] = []
    notes: list[str] = []
    rounds: dict[int, int] = {}
    first: Played | None = None
    failures: dict[Problem, list[int]] = {}
    for seed in seeds:
        played = play_planner(task, seed)
        first = first or played
        rounds[seed] = played.rounds if played.verdict.success else 0
        if not played.verdict.success:
            failures.setdefault(_unsolved(played), []).append(seed)
        elif deaths(played):
            notes.append(f"seed {seed}: solved, although {deaths(played)}")
        problems += start_problems(task, seed)
        problems += idle_problems(task, seed)
    assert first is not None
    problems = [
        Problem(why.kind, _on(failed, seeds) + why.text, why.path) for why, failed in failures.items()
    ] + problems
    solo = solo_proofs(task, sim)
    problems += [
        Problem("alone", f"{proof.agent} {proof.why}", ("team", proof.agent))
        for proof in solo
        if not proof.kind
    ]
    groups = group_needs(task, sim, seeds[0])
    necessary = sum(need.necessary for need in groups)
    named = [need.group for need in groups if need.how == "named"]
    if named:
        notes.append(f"needed only because a checkpoint names them (by): {', '.join(named)}")
    notes.extend(guide_notes(task))
    if necessary < 2:
        problems.append(Problem("groups", "fewer than two role groups are necessary", ("team",)))
    if all(point.kind in _MEETINGS for point in task.spec.checkpoints):
        problems.append(
            Problem(
                "meeting",
                "all that is asked for is to meet: nothing is made, handed over, killed or found",
                ("checkpoints",),
            )
        )
    problems += wording_problems(task)
    bounds = {seed: lower_bound(task.spec, sim, seed=seed) for seed in seeds}
    for seed, least in bounds.items():
        if 0 < rounds[seed] < least.rounds:
            needed_rounds = f"the planner needs {rounds[seed]} rounds, the lower bound says {least.rounds}"
            problems.append(Problem("bound", f"seed {seed}: {needed_rounds}: {least.why}", ("max_rounds",)))
    tried = handovers = joint = copies = 0
    difficulty: Difficulty | None = None
    if first.verdict.success:
        tape = Tape(task, seeds[0], first.calls)
        transfers = needed_transfers(tape)
        handovers = len(transfers)
        joint = count_joint_acts(task, first)
        if not handovers and not joint:
            problems.append(
                Problem(
                    "nothing_shared",
                    "nothing passes between agents and nothing is done together",
                    ("checkpoints",),
                )
            )
        if first.rounds + count_messages(transfers) > task.spec.max_rounds:
            problems.append(
                Problem(
                    "messages",
                    "with one message per item and receiver the plan exceeds the budget",
                    ("max_rounds",),
                )
            )
        problems += guide_problems(task, sim, first)
        problems += danger_problems(task, seeds[0], first.style)
        if not quick:
            tried, passed = near_misses(tape)
            problems += passed
            copies, alive = survivors(tape)
            problems += alive
            needed = necessary_agents(task, sim, seeds[0])
            difficulty = Difficulty(
                use=round(median(rounds.values()) / task.spec.max_rounds, 4),
                handovers=handovers,
                joint=joint,
                information=handovers + joint,
                distance=distance_walked(first),
                necessary_groups=necessary,
                necessary_agents=needed,
                smallest_team=smallest_team(task, seeds[0], needed),
            )
    return Certificate(
        task=task.id,
        content_hash=task.content_hash,
        max_rounds=task.spec.max_rounds,
        rounds=rounds,
        bound=bound,
        difficulty=difficulty,
        handovers=handovers,
        joint=joint,
        solo=solo,
        groups=groups,
        near_misses=tried,
        mutants=copies,
        problems=tuple(dict.fromkeys(problems)),
        proof=tuple(first.calls),
        notes=tuple(notes),
        bounds={seed: least.rounds for seed, least in bounds.items()},
    )


def _hopeless(task: Task, seeds: tuple[int, ...], bound: Bound) -> Certificate:
    """Returns the certificate of a task that no team can do in time: the planner need not try."""
    most = task.spec.max_rounds
    least = f"more than {most}" if bound.rounds > 500 else f"at least {bound.rounds} of {most}"
    problem = f"nobody can do this in time: {least} rounds for {bound.why}"
    return Certificate(
        task=task.id,
        content_hash=task.content_hash,
        max_rounds=most,
        rounds=dict.fromkeys(seeds, 0),
        bound=bound,
        bounds=dict.fromkeys(seeds, bound.rounds),
        difficulty=None,
        handovers=0,
        joint=0,
        solo=(),
        groups=(),
        near_misses=0,
        mutants=0,
        problems=(
            *start_problems(task, seeds[0]),
            Problem(
                "hopeless", problem, point_path(task.spec, bound.label) if bound.label else ("max_rounds",)
            ),
            *wording_problems(task),
        ),
        proof=(),
    )


def _on(failed: list[int], seeds: tuple[int, ...]) -> str:
    """Returns what to put before a problem of some seeds: nothing if it is the same on all of several."""
    if len(seeds) > 1 and len(failed) == len(seeds):
        return ""
    return f"seed{'s' * (len(failed) > 1)} {', '.join(map(str, failed))}: "


def _unsolved(played: Played) -> Problem:
    """Returns why an episode of the planner failed."""
    if played.gaps:
        return Problem("unprovided", played.gaps[0].text, _gap_path(played.env.task.spec, played.gaps[0]))
    missing = {i: point.text for i, point in enumerate(played.verdict.checkpoints) if not point.reached}
    broken = {i: rule.label for i, rule in enumerate(played.verdict.constraints) if not rule.held}
    path: Path = ("checkpoints", next(iter(missing))) if missing else ("constraints", next(iter(broken)))
    died = f"; {deaths(played)}" if deaths(played) else ""
    said = ", ".join([*missing.values(), *broken.values()])
    return Problem("unsolved", f"the planner does not get there: {said}{died}", path)


def _gap_path(spec: TaskSpec, gap: Gap) -> Path:
    return point_path(spec, gap.label) if gap.label else goods_path(spec, gap.item)


def deaths(played: Played) -> str:
    """Returns in words who died in an episode, and when; empty if nobody did."""
    fallen = [event for event in played.env.sim.state.events if isinstance(event, ev.Died)]
    return ", ".join(f"{event.agent} dies in round {event.round}" for event in fallen)
