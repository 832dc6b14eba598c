"""Whether a budget can suffice at all, told from the task alone: what surely fails need not be played."""

from __future__ import annotations

from agentworld_env.certify.bound import lower_bound
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import Delivered, TaskSpec
from agentworld_env.variants.edit import units


def too_long(task: Task, seed: int) -> bool:
    """Returns whether no play of a task on a seed leaves time for a message about each hand-over.

    A certificate asks for one message for each item and receiver beside the planner's rounds, which are no fewer than
    the lower bound; so it fails wherever this holds.

    Args:
        task: The task.
        seed: The seed.
    """
    sim = Simulation(task.world, task.setup())
    sim.reset(seed)
    least = lower_bound(task.spec, sim, seed=seed).rounds
    return least + _handed(task.spec) > task.spec.max_rounds


def _handed(spec: TaskSpec) -> int:
    """Returns how many pairs of item and member of the team its checkpoints ask to be handed over."""
    return len(
        {
            (point.to, item)
            for point in spec.checkpoints
            if isinstance(point, Delivered) and point.to in spec.team
            for item in units(point)
        }
    )
