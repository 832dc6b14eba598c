"""A main task played through with the real rules: what the rules log is what the verifier counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentworld_env.sim import READY, ROUND_OVER, Simulation
from agentworld_env.sim.crafting import craft, equip
from agentworld_env.sim.events import Result
from agentworld_env.sim.gathering import harvest
from agentworld_env.sim.trading import transfer
from agentworld_env.tasks import get_task
from agentworld_env.verifiers import Verifier

IDLE = Result(False, "idle")


class Play:
    """Plays one call a round, everybody else idle."""

    def __init__(self, task_id: str) -> None:
        task = get_task(task_id)
        self.sim = Simulation(task.world, task.setup())
        self.sim.reset(5)
        self.verifier = Verifier(task, self.sim)

    def call(self, agent: str, run: Callable[..., Result], *values: Any) -> int:
        """Plays the agent's call, ends the round, and returns the action's number."""
        number = self.sim.index[agent]
        action = -1
        for turn in range(len(self.sim.names)):
            if turn == number:
                action = self.sim.state.actions
                result = self.sim.perform(run.__name__, {}, run, *values)
                assert result.ok, result
                self.verifier.update()
            else:
                self.sim.perform("idle", {}, IDLE)
            while (state := self.sim.next_turn()) != READY:
                if state == ROUND_OVER:
                    self.verifier.round_end()
        return action

    def oak(self, agent: str) -> str:
        """Returns the nearest oak that gives now."""
        sim = self.sim
        me = sim.state.agents[sim.index[agent]]
        return next(
            sim.world.nodes[i].id
            for _, i in sim.world.nodes_near(me.x, me.y, sim.rules.sight_nodes)
            if sim.world.nodes[i].kind == "oak" and sim.node_ready(i) <= sim.state.round
        )


def test_the_magic_staff_is_made_worn_and_traced_to_its_producers() -> None:
    play = Play("t01_magic_staff")
    cuts = [play.call("lumberjack", harvest, play.oak("lumberjack")) for _ in range(2)]
    handed = play.call("lumberjack", transfer, "woodworker", "logs", 2)
    carved = [play.call("woodworker", craft, "fletching", "stick", 1) for _ in range(2)]
    passed = play.call("woodworker", transfer, "wizard", "stick", 4)
    assert [c.have for c in play.verifier.verdict().checkpoints] == [2, 2, 8, 4, 0, 0]
    passed_on = play.call("woodworker", transfer, "wizard", "stick", 1)
    made = play.call("wizard", craft, "crafting", "staff", 1)
    assert (play.verifier.success, play.verifier.psr) == (False, 5 / 6)
    worn = play.call("wizard", equip, "staff")
    verdict = play.verifier.verdict()
    assert (verdict.success, verdict.psr, verdict.progress) == (True, 1.0, 1.0)
    producers = [c.actions for c in verdict.checkpoints]
    assert producers == [tuple(cuts), (handed,), tuple(carved), (passed, passed_on), (made,), (worn,)]
    assert [c.round for c in verdict.checkpoints] == [2, 3, 5, 7, 8, 9]
