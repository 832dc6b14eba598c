"""The certificate of a task: solvable, collaborative, honest, true, with the figures behind it."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any

import msgspec

from agentworld_env.certify.honesty import idle_problems, near_misses
from agentworld_env.certify.play import Played, play_planner, replay
from agentworld_env.certify.proofs import GroupNeed, SoloProof, group_needs, solo_proofs
from agentworld_env.certify.truth import guide_problems
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """What was found out about a task.

    Attributes:
        task: Task id.
        content_hash: Content hash of the task it holds for.
        max_rounds: Round budget.
        rounds: Seed -> rounds the planner needed; 0 where it failed.
        handovers: Hand-overs of items without which the planner's episode fails.
        joint: Joint acts in the planner's episode: kills that take several attackers, presence together.
        solo: One proof per agent that it cannot succeed alone.
        groups: For each role group, whether the rest can do without it.
        near_misses: How many near misses were tried; all failed if there are no problems.
        problems: Everything that is wrong, in words; empty for a certified task.
        proof: The planner's calls for the first seed.
    """

    task: str
    content_hash: str
    max_rounds: int
    rounds: dict[int, int]
    handovers: int
    joint: int
    solo: tuple[SoloProof, ...]
    groups: tuple[GroupNeed, ...]
    near_misses: int
    problems: tuple[str, ...]
    proof: tuple[dict[str, Any], ...]

    @property
    def ok(self) -> bool:
        """Whether the task is certified."""
        return not self.problems

    @property
    def slack(self) -> float:
        """Fraction of the budget that the planner leaves, in the median over seeds."""
        return 1 - median(self.rounds.values()) / self.max_rounds

    def row(self) -> dict[str, Any]:
        """Returns the figures of a table row."""
        necessary = [need.group for need in self.groups if need.necessary]
        kinds = sorted({proof.kind or "none" for proof in self.solo})
        return {
            "task": self.task,
            "ok": self.ok,
            "solved": f"{sum(1 for rounds in self.rounds.values() if rounds)}/{len(self.rounds)}",
            "rounds": median(self.rounds.values()),
            "budget": self.max_rounds,
            "slack": round(self.slack, 2),
            "handovers": self.handovers,
            "joint": self.joint,
            "groups": f"{len(necessary)}/{len(self.groups)}",
            "solo": ", ".join(kinds),
            "near_misses": self.near_misses,
        }


def certify_task(task: Task, seeds: Iterable[int] = (0, 1, 2)) -> Certificate:
    """Examines a task.

    Args:
        task: The task.
        seeds: Seeds on which the planner must solve it; the first is examined closely.

    Returns:
        The certificate, with ``problems`` if the task is not sound.

    Raises:
        ValueError: If there are no seeds.
    """
    seeds = tuple(seeds)
    if not seeds:
        raise ValueError("a certificate needs at least one seed")
    sim = Simulation(task.world, task.setup())
    problems: list[str] = []
    rounds: dict[int, int] = {}
    first: Played | None = None
    for seed in seeds:
        played = play_planner(task, seed)
        first = first or played
        rounds[seed] = played.rounds if played.verdict.success else 0
        if not played.verdict.success:
            problems.append(_unsolved(seed, played))
        problems.extend(idle_problems(task, seed))
    assert first is not None
    solo = solo_proofs(task, sim)
    problems.extend(f"{proof.agent} {proof.why}" for proof in solo if not proof.kind)
    groups = group_needs(task, sim, seeds[0])
    if sum(need.necessary for need in groups) < 2:
        problems.append("fewer than two role groups are necessary")
    tried = handovers = joint = 0
    if first.verdict.success:
        handovers = _handovers(task, seeds[0], first)
        joint = _joint_acts(task, first)
        if not handovers and not joint:
            problems.append("nothing passes between agents and nothing is done together")
        if first.rounds + handovers > task.spec.max_rounds:
            problems.append("with one message per hand-over the plan exceeds the budget")
        tried, passed = near_misses(task, seeds[0], first)
        problems.extend(passed)
        problems.extend(guide_problems(task, sim, first))
    return Certificate(
        task=task.id,
        content_hash=task.content_hash,
        max_rounds=task.spec.max_rounds,
        rounds=rounds,
        handovers=handovers,
        joint=joint,
        solo=solo,
        groups=groups,
        near_misses=tried,
        problems=tuple(dict.fromkeys(problems)),
        proof=tuple(first.calls),
    )


def _unsolved(seed: int, played: Played) -> str:
    if played.gaps:
        return f"seed {seed}: {played.gaps[0]}"
    missing = [point.text for point in played.verdict.checkpoints if not point.reached]
    broken = [rule.label for rule in played.verdict.constraints if not rule.held]
    return f"seed {seed}: the planner does not get there: {', '.join(missing + broken)}"


def _handovers(task: Task, seed: int, played: Played) -> int:
    """Counts the transfers without which the recorded episode does not succeed."""
    count = 0
    for event in played.env.sim.state.events:
        if isinstance(event, ev.Transferred):
            env = replay(task, seed, played.calls, without=event.action)
            count += not env.verdict().success
    return count


def _joint_acts(task: Task, played: Played) -> int:
    sim = played.env.sim
    kills = 0
    for event in sim.state.events:
        if isinstance(event, ev.Killed):
            number = sim.mob_number(event.mob)
            kills += number is not None and sim.spec(number).team > 1
    together = sum(point.kind in ("present_together", "held_for_rounds") for point in task.spec.checkpoints)
    return kills + together
