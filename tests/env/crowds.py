"""A team too large to be looked at one by one, close together, where there is much to fight and to say."""

from __future__ import annotations

from functools import cache

from tests.env.teams import role

from agentworld_env.sim.crowd import FEW
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.world import load_world


@cache
def crowd(size: int = FEW + 8) -> Task:
    """Returns a task of so many hunters and gatherers in the goblins' fields, some of whom die."""
    world = load_world()
    tiles = (
        (x, y) for y in range(30, 110, 3) for x in range(30, 110, 7) if world.paths.connected(46, 53, x, y)
    )
    team = {
        f"hand{k}": role(
            *next(tiles),
            skills={"strength": 12, "accuracy": 12, "health": 2, "foraging": 20, "lumberjacking": 20},
            inventory={"apple": 3, "logs": 2},
            worn=("axe",) if k % 3 == 0 else (),
        )
        for k in range(size)
    }
    return Task(
        TaskSpec.model_validate(
            {
                "id": f"crowd-{size}",
                "title": "Crowd",
                "category": "combat",
                "max_rounds": 60,
                "objective": "Hunt goblins.",
                "team": team,
                "checkpoints": [{"kind": "killed", "mob": "goblin", "count": 500, "label": "Goblins felled"}],
            }
        )
    )
