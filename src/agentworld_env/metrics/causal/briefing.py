"""What agents know before anybody says a word: what their briefs name, what they carry, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from agentworld_env.episodes.opening import played_task
from agentworld_env.episodes.record import Header
from agentworld_env.sim import Simulation
from agentworld_env.sim.events import Mention
from agentworld_env.sim.mentions import named_in
from agentworld_env.tasks.task import Task

Bags = Mapping[tuple[str, str], int]
"""Agent and item -> units."""


class Briefing:
    """What the agents of an episode are told at its start, read only when it is asked for.

    The plan that the setting ``shared_plan`` gives is in no record, so what only it names is not known here.

    Args:
        header: The episode's header.
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self._named: dict[str, frozenset[Mention]] = {}

    def named(self, agent: str) -> frozenset[Mention]:
        """Returns what title, objective, role and guide of an agent name."""
        found = self._named.get(agent)
        if found is None:
            task = self._task
            own = f"{task.role_text(agent)}\n{task.guide(agent)}" if agent in task.team else ""
            found = self._named[agent] = self._shared | frozenset(
                named_in(own, task.world, self._sim.mentioned)
            )
        return found

    @cached_property
    def bags(self) -> Bags:
        """What agents carry at the start."""
        return {
            (agent, item): count
            for agent, role in self._task.spec.team.items()
            for item, count in role.inventory.items()
        }

    @cached_property
    def starts(self) -> Mapping[str, tuple[int, int]]:
        """Where agents stand at the start (tiles)."""
        sim = self._sim
        return {name: (agent.x, agent.y) for name, agent in zip(sim.names, sim.state.agents, strict=True)}

    @cached_property
    def _task(self) -> Task:
        return played_task(self._header)

    @cached_property
    def _sim(self) -> Simulation:
        """The simulation of the episode at its start."""
        sim = Simulation(self._task.world, self._task.setup())
        sim.reset(self._header.seed)
        return sim

    @cached_property
    def _shared(self) -> frozenset[Mention]:
        spec = self._task.spec
        return frozenset(named_in(f"{spec.title}\n{spec.objective}", self._task.world, self._sim.mentioned))
