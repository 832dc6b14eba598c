"""What the guides of a task let its team know: a plan should use nothing else if it can."""

from __future__ import annotations

from functools import lru_cache

from agentworld_env.sim.rules import RULES
from agentworld_env.tasks import Task


class Known:
    """Resources that some guide names, and nodes that lie near something a guide names.

    Args:
        task: The task.

    Attributes:
        kinds: Kinds of nodes that some guide names.
        nodes: Indices of the nodes within sight of a start or a landmark, or inside a place that a guide names.
    """

    def __init__(self, task: Task) -> None:
        roles = task.spec.team
        world = task.world
        self.kinds = frozenset(kind for role in roles.values() for kind in role.guide.nodes)
        tiles = {role.start for role in roles.values()}
        tiles.update((x, y) for name in roles for _, x, y in task.landmarks(name))
        boxes = [
            world.places[key] for key in sorted({key for role in roles.values() for key in role.guide.places})
        ]
        found: set[int] = set()
        for x, y in tiles:
            found.update(number for _, number in world.nodes_near(x, y, RULES.sight_nodes))
        for number, node in enumerate(world.nodes):
            if any(box.x0 <= node.x <= box.x1 and box.y0 <= node.y <= box.y1 for box in boxes):
                found.add(number)
        self.nodes = frozenset(found)


@lru_cache(maxsize=256)
def known_to(task: Task) -> Known:
    """Returns what a task's guides let its team know."""
    return Known(task)
