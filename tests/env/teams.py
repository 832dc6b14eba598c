"""Small tasks in the package's own world, and episodes of random legal calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.sim import ACTIVE
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.world import load_world

Call = dict[str, Any]

MINE = (230, 40)
"""The published place of the mountain mine, where ore, coal and trees stand close together."""


def role(x: int = MINE[0], y: int = MINE[1], **fields: Any) -> dict[str, Any]:
    """Returns the fields of one role."""
    return {"group": "hands", "about": "A hand of the team.", "start": (x, y), **fields}


@cache
def crew(rounds: int = 40) -> Task:
    """Returns a task of three who gather, make and fight, with a survival rule that a death breaks."""
    return Task(
        TaskSpec.model_validate(
            {
                "id": "crew",
                "title": "Crew",
                "category": "crafting",
                "max_rounds": rounds,
                "objective": "Dig iron and forge an axe.",
                "team": {
                    "miner": role(
                        skills={"mining": 40, "health": 30, "strength": 20},
                        worn=("pickaxe",),
                        inventory={"apple": 3, "axe": 1, "coal": 10, "gold": 60},
                        guide={"places": ("mountain-mine",)}
                        if "mountain-mine" in load_world().places
                        else {},
                    ),
                    "smith": role(
                        232,
                        41,
                        skills={"smithing": 40, "smelting": 40, "fletching": 20, "health": 30},
                        inventory={"logs": 9, "ironore": 12, "coal": 12},
                    ),
                    "guard": role(
                        229,
                        42,
                        skills={"strength": 30, "accuracy": 30, "health": 30, "lumberjacking": 10},
                        worn=("axe", "leatherarmor"),
                        inventory={"flask": 4, "apple": 9},
                    ),
                },
                "checkpoints": [
                    {"kind": "gathered", "item": "ironore", "count": 2, "label": "Iron dug"},
                    {"kind": "crafted", "item": "axe", "count": 50, "label": "Axes forged"},
                    {"kind": "held", "item": "logs", "count": 12, "by": "smith", "label": "Logs held"},
                ],
            }
        )
    )


@cache
def boss_crew() -> Task:
    """Returns the same team before the Iron Ogre, where things die."""
    ogre = load_world().named_spawns["iron-ogre-1"]
    plain = crew().spec.model_dump()
    plain["id"] = "boss_crew"
    plain["spawns"] = ("iron-ogre-1",)
    for k, fields in enumerate(plain["team"].values()):
        fields["start"] = _free_tile(ogre.x + k, ogre.y + 2)
        fields["skills"]["health"] = 2
    plain["checkpoints"] = [{"kind": "killed", "mob": "iron-ogre-1", "label": "Ogre felled"}]
    return Task(TaskSpec.model_validate(plain))


@cache
def hunters() -> Task:
    """Returns six hunters among many weak mobs, none of whom needs another."""
    team = {
        f"hunter{k}": role(
            *_free_tile(46 + 4 * (k % 3), 53 + 6 * (k // 3)),
            skills={"strength": 12, "accuracy": 12, "health": 9, "foraging": 20},
            inventory={"apple": 3, "logs": 2},
        )
        for k in range(6)
    }
    return Task(
        TaskSpec.model_validate(
            {
                "id": "hunters",
                "title": "Hunters",
                "category": "combat",
                "max_rounds": 60,
                "objective": "Hunt goblins.",
                "team": team,
                "checkpoints": [{"kind": "killed", "mob": "goblin", "count": 500, "label": "Goblins felled"}],
            }
        )
    )


def _free_tile(x: int, y: int) -> tuple[int, int]:
    world = load_world()
    return min(
        ((x + dx, y + dy) for dx in range(-4, 5) for dy in range(-4, 5) if world.is_walkable(x + dx, y + dy)),
        key=lambda tile: abs(tile[0] - x) + abs(tile[1] - y),
    )


def fresh(task: Task | None = None, seed: int = 1, **options: Any) -> AgentWorldEnv:
    """Returns an environment after its reset."""
    env = AgentWorldEnv(task or crew(), **options)
    env.reset(seed=seed)
    return env


def chance(seed: int) -> Callable[[int], int]:
    """Returns a function that draws uniform numbers in 0..n-1 for n, from a generator of its own."""
    rng = np.random.default_rng(seed)
    return lambda limit: int(rng.integers(limit))


def random_calls(env: AgentWorldEnv, seed: int, steps: int) -> Iterator[Call]:
    """Plays random legal calls, the tool drawn before its arguments, and yields each before it is played."""
    below = chance(seed)
    for _ in range(steps):
        if not env.agents:
            return
        if not playable(env):
            env.step(None)
            continue
        call = sample_legal(env.infos[env.agent_selection]["legal"], below)
        yield call
        env.step(call)


def playable(env: AgentWorldEnv) -> bool:
    """Returns whether the selected agent can make a call."""
    agent = env.agent_selection
    return not (env.terminations[agent] or env.truncations[agent])


def active(env: AgentWorldEnv) -> list[str]:
    """Returns the agents that are alive and have not left."""
    states = env.sim.state.agents
    return [name for i, name in enumerate(env.sim.names) if states[i].status == ACTIVE]


def play(env: AgentWorldEnv, calls: list[Call]) -> list[str]:
    """Plays calls literally and returns the state hash after each."""
    hashes = []
    for call in calls:
        while env.agents and not playable(env):
            env.step(None)
        if not env.agents:
            break
        env.step(call)
        hashes.append(env.state_hash())
    return hashes
