"""Keeping a plan's jobs in step with what has really happened, from the event log."""

from __future__ import annotations

from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Kill, Plan, Visit, Wear
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.world.geometry import manhattan


class PlanProgress:
    """Reads events and ticks jobs off.

    Args:
        sim: The simulation.
        plan: The plan whose jobs are updated.
    """

    def __init__(self, sim: Simulation, plan: Plan) -> None:
        self.sim = sim
        self.plan = plan
        self._cursor = len(sim.state.events)
        self._open_visits = [job for job in plan.jobs if isinstance(job, Visit)]

    def catch_up(self) -> None:
        """Reads the events since the last call."""
        events = self.sim.state.events
        for event in events[self._cursor :]:
            self._read(event)
        self._cursor = len(events)
        self._visits()

    def _read(self, event: ev.Event) -> None:
        match event:
            case ev.Harvested():
                for job in self.plan.jobs:
                    if (
                        isinstance(job, Gather)
                        and self._is(job.agent, event.agent)
                        and job.item == event.item
                    ):
                        job.left -= event.count
            case ev.Crafted():
                for job in self.plan.jobs:
                    if isinstance(job, Craft) and self._is(job.agent, event.agent) and job.item == event.item:
                        job.left -= event.times
            case ev.Transferred():
                self._handed_over(event)
            case ev.Killed():
                for job in self.plan.jobs:
                    if isinstance(job, Kill) and job.mob in (event.mob, event.kind):
                        shares = {self.sim.index[name] for name, _ in event.by}
                        job.left -= not job.by or bool(shares & set(job.by))
            case ev.Equipped():
                for job in self.plan.jobs:
                    if isinstance(job, Wear) and self._is(job.agent, event.agent) and job.item == event.item:
                        job.done = True
            case _:
                pass

    def _handed_over(self, event: ev.Transferred) -> None:
        for job in self.plan.jobs:
            match job:
                case Give() if (
                    self._is(job.agent, event.agent) and job.to == event.to and job.item == event.item
                ):
                    job.left -= event.count
                case Barter() if (
                    self._is(job.agent, event.agent) and job.npc == event.to and job.take == event.item
                ):
                    job.left -= event.count // job.take_count
                case _:
                    pass

    def _visits(self) -> None:
        for job in self._open_visits:
            if not job.done:
                me = self.sim.state.agents[job.agent]
                job.done = manhattan(me.x, me.y, *job.site) <= job.within

    def _is(self, agent: int, name: str) -> bool:
        return self.sim.names[agent] == name
