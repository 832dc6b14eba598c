"""Proofs that a task needs its team: no single agent suffices, and which role groups are necessary."""

from __future__ import annotations

import msgspec

from agentworld_env.certify.bound import lower_bound
from agentworld_env.certify.play import attempt
from agentworld_env.certify.reach import Reach
from agentworld_env.certify.scarcity import shortage
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task


class SoloProof(msgspec.Struct, frozen=True, kw_only=True):
    """Why one agent alone cannot succeed.

    Attributes:
        agent: Its id.
        kind: ``capability`` (out of reach even if nothing were used up), ``joint`` (several must act at once, or
            somebody else by definition), ``named`` (a checkpoint counts only others), ``budget`` (a lower bound on its
            turns exceeds the round budget), or empty: not proven.
        why: In words.
    """

    agent: str
    kind: str
    why: str


class GroupNeed(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a role group is necessary.

    Attributes:
        group: Its name.
        necessary: Whether the rest cannot succeed without it.
        how: ``capability`` or ``joint`` (proven), ``scarcity`` (proven: the rest has too little of what nobody can make
            or get), ``named`` (only since a checkpoint counts nobody but the group, whatever the rest can do),
            ``planner`` (the planner, planning freely with the rest, fails), or empty if the rest can.
        why: In words.
    """

    group: str
    necessary: bool
    how: str
    why: str


def solo_proofs(task: Task, sim: Simulation) -> tuple[SoloProof, ...]:
    """Returns one proof per agent.

    Args:
        task: The task.
        sim: A simulation of its set-up.
    """
    proofs = []
    for i, name in enumerate(sim.names):
        obstacle = Reach(task.spec, sim, (i,)).first_obstacle()
        if obstacle is not None:
            proofs.append(SoloProof(agent=name, kind=obstacle[0], why=obstacle[1]))
            continue
        least = lower_bound(task.spec, sim, (i,))
        if least.rounds > task.spec.max_rounds:
            why = f"needs at least {least.rounds} rounds of {task.spec.max_rounds}: {least.why}"
            proofs.append(SoloProof(agent=name, kind="budget", why=why))
        else:
            proofs.append(SoloProof(agent=name, kind="", why="could do everything alone"))
    return tuple(proofs)


def group_needs(task: Task, sim: Simulation, seed: int) -> tuple[GroupNeed, ...]:
    """Returns for each role group whether the task can be done without it.

    Args:
        task: The task.
        sim: A simulation of its set-up.
        seed: Seed of the planner's attempts without the group.
    """
    needs = []
    for group, names in task.groups.items():
        rest = tuple(i for i, name in enumerate(sim.names) if name not in names)
        obstacle = Reach(task.spec, sim, rest).first_obstacle() if rest else ("joint", "nobody is left")
        if obstacle is None or obstacle[0] == "named":
            short = shortage(task.spec, sim, rest)
            # Goods that are not there say more than a name in the file.
            obstacle = obstacle if short is None else ("scarcity", short)
        if obstacle is not None:
            needs.append(GroupNeed(group=group, necessary=True, how=obstacle[0], why=obstacle[1]))
            continue
        tried = attempt(task, seed, names)
        how = "" if tried.success else "planner"
        needs.append(GroupNeed(group=group, necessary=not tried.success, how=how, why=tried.why))
    return tuple(needs)
