"""Whether a budget can suffice at all, told from the task alone: what surely fails need not be played."""

from __future__ import annotations

from agentworld_env.certify.bound import lower_bound
from agentworld_env.certify.reach import Reach
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import Crafted, Delivered, Held, Worn
from agentworld_env.variants.edit import units
from agentworld_env.variants.needs import Needs


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
    return least + handed(task, sim) > task.spec.max_rounds


def handed(task: Task, sim: Simulation) -> int:
    """Returns how many messages hand-overs take at the least: one for each item and receiver.

    Counted are what checkpoints ask to be handed to somebody, what a crafter needs and cannot come by alone, and what
    somebody has to hold or wear and cannot come by alone.

    Args:
        task: The task.
        sim: A simulation of its set-up; its state is not read.
    """
    spec = task.spec
    needs = Needs(spec, task.world)
    found: list[tuple[str, frozenset[str]]] = []  # item, of whom somebody must receive it
    alone: dict[frozenset[str], set[str]] = {}

    def receives(item: str, team: frozenset[str]) -> None:
        """Notes that one of some roles must receive an item, unless that may be one who is known to."""
        if not any(item == other and team & receivers for other, receivers in found):
            found.append((item, team))

    def lacks(item: str, team: frozenset[str]) -> bool:
        """Returns whether some roles cannot come by an item unless it is handed to one of them."""
        if not team or team & {*needs.crafters(item)}:
            return False  # they may be handed what it is made from
        if team not in alone:
            alone[team] = Reach(spec, sim, tuple(sim.index[name] for name in team)).items
        return item not in alone[team]

    for point in spec.checkpoints:
        if isinstance(point, Delivered) and point.to in spec.team:
            for item in units(point):
                receives(item, frozenset({point.to}))
        elif isinstance(point, Held | Worn) and point.by:
            for item in units(point):
                if lacks(item, frozenset({point.by})):
                    receives(item, frozenset({point.by}))
    for point in spec.checkpoints:
        if isinstance(point, Crafted):
            for product in units(point):
                crafters = frozenset(point.by or needs.crafters(product))
                for part in task.world.recipe_of[product].inputs:
                    if lacks(part, crafters):
                        receives(part, crafters)
    return len(found)
