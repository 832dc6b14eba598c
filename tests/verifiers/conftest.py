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
        self._brought: dict[tuple[str, int], int] = {}

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

    def full(self, agent: str, lots: tuple[tuple[int, int], ...]) -> tuple[ev.Lot, ...]:
        """Returns lots of pairs (origin, count) as a holder of one lot of each origin has them."""
        return tuple((o, self._brought.get((agent, o), max(o, -1)), units) for o, units in lots)

    def give(self, agent: str, to: str, item: str, *lots: tuple[int, int]) -> int:
        """Hands over units, given as pairs (origin, count)."""
        action = self.hand(agent, to, item, self.full(agent, lots))
        self._brought.update({(to, origin): action for origin, _ in lots})
        return action

    def hand(self, agent: str, to: str, item: str, lots: tuple[ev.Lot, ...]) -> int:
        """Hands over lots just as they are given."""
        action = self.act()
        count = sum(lot[2] for lot in lots)
        self.sim.log(ev.Transferred(action, self.now, (), agent, to, item, count, lots))
        return action

    def drop(self, source: str, item: str, *lots: tuple[int, int]) -> str:
        """Lets units fall from a mob or a dead agent; those of a mob are of the present action."""
        action = self.act()
        mine = self.full(source, lots) if source in self.sim.index else ((action, action, lots[0][1]),)
        self.sim.log(ev.Dropped(action, self.now, (), source, f"{item}-{action}", item, mine, 388, 10))
        return f"{item}-{action}"

    def pick_up(self, agent: str, ground: str) -> int:
        action = self.act()
        fallen = next(e for e in self.sim.state.events if isinstance(e, ev.Dropped) and e.ground == ground)
        self.sim.log(ev.PickedUp(action, self.now, (), agent, ground, fallen.item, fallen.lots))
        self._brought.update({(agent, lot[0]): action for lot in fallen.lots})
        return action

    def put_on(self, agent: str, item: str, origin: int) -> int:
        action = self.act()
        self.sim.log(ev.Equipped(action, self.now, (), agent, "boots", item, origin))
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
