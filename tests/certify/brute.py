"""The fewest rounds of a tiny task, found by trying every sensible call of every agent in the real rules."""

from __future__ import annotations

from typing import Any

from tests.sim.worlds import small_world

from agentworld_env.sim import READY, ROUND_OVER, Rules, Simulation
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.tools import TOOLS, execute
from agentworld_env.verifiers import Verifier

STILL = Rules(jitter=0, start_depleted=0, hit_floor=1000, hit_ceiling=1000)
"""Nothing is moved or depleted by the seed, and every blow lands."""

Call = dict[str, Any]


def tiny_task(team: dict[str, dict[str, Any]], *checkpoints: dict[str, Any], **fields: Any) -> Task:
    """Returns a task in the small world; ``start`` of a role is (100, 100) unless given."""
    roles = {
        name: {"group": name, "about": "A hand.", "start": (100, 100), **role} for name, role in team.items()
    }
    points = [{"label": f"Point {i}", **point} for i, point in enumerate(checkpoints)]
    spec = TaskSpec.model_validate(
        {
            "id": "tiny",
            "title": "Tiny",
            "category": "gathering",
            "max_rounds": 40,
            "objective": "Do it.",
            "team": roles,
            "checkpoints": points,
            "constraints": [{"kind": "all_alive"}],
            **fields,
        }
    )
    return Task(spec, small_world())


class Brute:
    """Breadth-first search over whole turns; states that differ in nothing that matters are visited once.

    Args:
        task: The task.
        places: Tiles worth walking to.
        items: Items worth handing over, crafting or wearing.
        nodes: Ids of the nodes worth harvesting.
        mobs: Ids of the mobs worth attacking.
    """

    def __init__(
        self,
        task: Task,
        places: tuple[tuple[int, int], ...] = (),
        items: tuple[str, ...] = (),
        nodes: tuple[str, ...] = (),
        mobs: tuple[str, ...] = (),
    ) -> None:
        self.task = task
        self.sim = Simulation(task.world, task.setup(), STILL)
        self.sim.reset(1)
        self.verifier = Verifier(task, self.sim)
        self.items = items
        self.fixed = [_call("move_character", x=x, y=y) for x, y in places]
        self.fixed += [_call("harvest_resource", target=node) for node in nodes]
        self.fixed += [_call("attack_entity", target=mob) for mob in mobs]
        self.fixed += [_call("enter_portal"), _call("sleep", rounds=1)]

    def fewest_rounds(self, limit: int) -> int:
        """Returns the round in which the task can be solved at the soonest; fails after ``limit`` rounds."""
        frontier = {self._key(()): (self.sim.snapshot(), self.verifier.snapshot(), ())}
        while frontier:
            found: dict[Any, Any] = {}
            for moment, saved, actors in frontier.values():
                self.sim.restore(moment)
                self.verifier.restore(saved)
                agent = self.sim.state.turn
                for call in self._options(agent):
                    self.sim.restore(moment)
                    self.verifier.restore(saved)
                    execute(self.sim, call, TOOLS)
                    self.verifier.update()
                    now = (*actors, agent)
                    if self._advance():
                        return max(point.round for point in self.verifier.verdict().checkpoints)
                    if self.sim.state.round <= limit and self.sim.active and not self.verifier.impossible:
                        key = self._key(now)
                        if key not in found:
                            found[key] = (self.sim.snapshot(), self.verifier.snapshot(), now)
            frontier = found
        raise AssertionError(f"not solved within {limit} rounds")

    def _advance(self) -> bool:
        """Moves on to the next turn; tells whether the task is solved."""
        while not self.verifier.success:
            outcome = self.sim.next_turn()
            if outcome == READY:
                return False
            if outcome == ROUND_OVER:
                self.verifier.round_end()
        return True

    def _options(self, agent: int) -> list[Call]:
        me = self.sim.state.agents[agent]
        calls = list(self.fixed)
        others = [name for i, name in enumerate(self.sim.names) if i != agent]
        for item in self.items:
            have = me.count(item)
            recipe = self.task.world.recipe_of.get(item)
            if recipe is not None:
                calls.append(_call("craft_item", skill=recipe.skill, item=item, count=1))
            if not have:
                continue
            if self.task.world.items[item].slot is not None:
                calls.append(_call("equip_item", item=item))
            receivers = [*others, *self.task.spec.sites, *self.task.world.npcs]
            for count in {1, have}:
                calls += [_call("transfer_items", to=to, item=item, count=count) for to in receivers]
        return calls

    def _key(self, actors: tuple[int, ...]) -> Any:
        """Returns everything that decides how an episode can go on."""
        state = self.sim.state

        def maker(origin: int) -> int:
            return origin if origin < 0 else actors[origin]

        agents = []
        for me in state.agents:
            bag = sorted((item, maker(o), n) for item, lots in me.bag.items() for o, _, n in lots)
            worn = sorted((slot, piece[0]) for slot, piece in me.worn.items())
            agents.append((me.x, me.y, me.hp, me.status, me.asleep, tuple(bag), tuple(worn)))
        mobs = tuple(
            (i, m.x, m.y, m.hp, m.target, m.dead_until, m.attackers) for i, m in sorted(state.mobs.items())
        )
        sites = tuple((key, tuple(sorted(got.items()))) for key, got in sorted(state.sites.items()))
        have = tuple((p.have, p.reached) for p in self.verifier.verdict().checkpoints)
        return state.round, state.turn, tuple(agents), mobs, tuple(sorted(state.nodes.items())), sites, have


def _call(tool: str, **arguments: Any) -> Call:
    return {"tool": tool, "arguments": arguments}
