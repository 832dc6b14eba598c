"""The order in which a plan's jobs can be carried out: what is needed is made, handed over or won before it is used."""

from __future__ import annotations

from collections.abc import Sequence

from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Job, Kill, Stay, Visit, Wear
from agentworld_env.world import World

Stock = tuple[str, str]
"""Who has, and the item."""


def in_order(jobs: Sequence[Job], names: Sequence[str], world: World) -> list[Job]:
    """Returns a plan's jobs so that each comes after all those that provide for it.

    Args:
        jobs: The jobs, products before what they are made from.
        names: Agent ids by index.
        world: Where recipes and drops are known from.
    """
    # Where nothing decides: work on things first, then going and fighting, and staying when all else is done.
    left = [job for rank in range(4) for job in (reversed(jobs) if rank < 2 else jobs) if _rank(job) == rank]
    gives = [_yields(job, names, world) for job in left]
    waits = [
        {j for j, given in enumerate(gives) if j != i and given & _needs(job, names, world)}
        for i, job in enumerate(left)
    ]
    found: list[int] = []
    open_ = list(range(len(left)))
    while open_:
        ready = (i for i in open_ if not waits[i] - set(found))
        # In a circle, as when two hand each other the same thing, no order is right; the plain one is kept.
        chosen = next(ready, open_[0])
        open_.remove(chosen)
        found.append(chosen)
    return [left[i] for i in found]


def _rank(job: Job) -> int:
    match job:
        case Wear():
            return 1
        case Visit() | Kill():
            return 2
        case Stay():
            return 3
    return 0


def _needs(job: Job, names: Sequence[str], world: World) -> set[Stock]:
    match job:
        case Craft():
            recipe = world.recipe_of.get(job.item)
            return {(names[job.agent], item) for item in (recipe.inputs if recipe is not None else ())}
        case Give() | Wear():
            return {(names[job.agent], job.item)}
        case Barter():
            return {(names[job.agent], job.take)}
    return set()


def _yields(job: Job, names: Sequence[str], world: World) -> set[Stock]:
    match job:
        case Gather() | Craft():
            return {(names[job.agent], job.item)}
        case Give():
            return {(job.to, job.item)}
        case Barter():
            return {(names[job.agent], job.give)}
        case Kill():
            spawn = world.named_spawns.get(job.mob)
            kind = world.mob_kinds.get(job.mob if spawn is None else spawn.kind)
            drops = kind.drops if kind is not None else ()
            return {(names[agent], drop.item) for agent in job.agents for drop in drops}
    return set()
