"""A stage for verifier tests: a small team, and events written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.verifiers import CheckpointStatus, Verifier

START = (388, 10)


class Stage:
    """A task of the roles a, b and c, its simulation and its verifier."""

    def __init__(self, checkpoints: list[dict[str, Any]], **fields: Any) -> None:
        roles = {
            name: {
                "group": f"group_{name}",
                "about": "A hand of the team.",
                "start": START,
                "inventory": {"logs": 20},
                "worn": ["leatherboots"],
            }
            for name in ("a", "b", "c")
        }
        numbered = [{"label": f"Checkpoint {i}", **checkpoint} for i, checkpoint in enumerate(checkpoints)]
        spec = TaskSpec.model_validate(
            {
                "id": "stage",
                "title": "Stage",
                "category": "crafting",
                "max_rounds": 50,
                "objective": "Do it.",
                "team": roles,
                "checkpoints": numbered,
                **fields,
            }
        )
        self.task = Task(spec)
        self.sim = Simulation(self.task.world, self.task.setup())
        self.sim.reset(7)
        self.verifier = Verifier(self.task, self.sim)

    @property
    def now(self) -> int:
        return self.sim.state.round

    def act(self) -> int:
        """Returns the number of a new action."""
        self.sim.state.actions += 1
        return self.sim.state.actions - 1

    def harvest(self, agent: str, item: str = "logs", count: int = 1) -> int:
        action = self.act()
        self.sim.log(ev.Harvested(action, self.now, (), agent, "oak-0001", item, count, "lumberjacking", 10))
        return action

    def loot(self, agent: str, item: str, count: int = 1) -> int:
        action = self.act()
        self.sim.log(ev.Looted(action, self.now, (), agent, "rat-0001", item, count))
        return action

    def craft(self, agent: str, item: str, count: int) -> int:
        action = self.act()
        self.sim.log(ev.Crafted(action, self.now, (), agent, "fletching", item, count, 1, 10, ()))
        return action

    def give(self, agent: str, to: str, item: str, *lots: tuple[int, int]) -> int:
        """Hands over units, given as pairs (origin, count)."""
        action = self.act()
        full = tuple((origin, -1, units) for origin, units in lots)
        count = sum(units for _, units in lots)
        self.sim.log(ev.Transferred(action, self.now, (), agent, to, item, count, full))
        return action

    def kill(self, mob: str, kind: str, *by: str, blows: tuple[int, ...] = ()) -> int:
        action = self.act()
        causes = tuple(("damage", blow) for blow in blows)
        shares = tuple((agent, 10) for agent in by)
        self.sim.log(ev.Killed(action, self.now, causes, mob, kind, by[-1], shares))
        return action

    def move(self, agent: str, x: int, y: int) -> int:
        action = self.act()
        state = self.sim.state.agents[self.sim.index[agent]]
        self.sim.log(ev.Moved(action, self.now, (), agent, state.x, state.y, x, y, 1, ""))
        state.x, state.y = x, y
        return action

    def die(self, agent: str) -> None:
        self.sim.state.agents[self.sim.index[agent]].status = 2
        self.sim.log(ev.Died(-1, self.now, (), agent, "wolf-0001"))

    def end_round(self) -> None:
        """Ends the round as the simulation does after the world's turn."""
        self.sim.state.round += 1
        self.sim.state.turn = -1
        self.verifier.round_end()

    def check(self, number: int = 0) -> CheckpointStatus:
        self.verifier.update()
        return self.verifier.verdict().checkpoints[number]


@pytest.fixture(scope="session")
def stage() -> type[Stage]:
    return Stage
