"""The planner as a policy: it sees the whole state, makes one plan, and plays it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner.driver import Driver
from agentworld_env.planner.jobs import Craft, Gather, Give, Kill, Plan, Visit, Wear
from agentworld_env.planner.plan import make_plan
from agentworld_env.planner.progress import Progress
from agentworld_env.planner.team import Team
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn


class PlannerPolicy:
    """A centralised planner with full sight of the state. It is no blackbox policy: it shows what a team can reach.

    Args:
        idle: Ids of agents that take no part; they sleep, and the plan does without them.
    """

    name = "planner"
    wants_text = False
    needs_state = True

    def __init__(self, idle: tuple[str, ...] = ()) -> None:
        self.idle = idle
        self._env: AgentWorldEnv | None = None
        self._driver: Driver | None = None
        self._progress: Progress | None = None

    def attach(self, env: AgentWorldEnv) -> None:
        """Lets the planner see an environment's whole state; called before ``begin``."""
        self._env = env

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Makes the plan.

        Raises:
            RuntimeError: If no environment was attached.
        """
        if self._env is None:
            raise RuntimeError("the planner needs attach(env) before begin()")
        sim = self._env.sim
        members = tuple(i for i, name in enumerate(sim.names) if name not in self.idle)
        team = Team(sim, members)
        plan = make_plan(self._env.task.spec, team)
        self._driver = Driver(team, plan)
        self._progress = Progress(sim, plan)

    @property
    def plan(self) -> Plan:
        """The plan of the running episode, with what is still left of it."""
        return self._parts()[0].plan

    def _parts(self) -> tuple[Driver, Progress]:
        if self._driver is None or self._progress is None:
            raise RuntimeError("call begin() first")
        return self._driver, self._progress

    def act(self, turn: Turn) -> Call:
        """Returns the next call of an agent."""
        driver, progress = self._parts()
        progress.catch_up()
        if turn.agent in self.idle:
            return {"tool": "sleep", "arguments": {"rounds": 1}}
        return driver.next_call(driver.sim.index[turn.agent])

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Plays along with a recorded turn, so that joint attacks stay in step."""
        self.act(turn)

    def config(self) -> dict[str, Any]:
        """Returns its settings."""
        return {"idle": list(self.idle)}


def plan_text(plan: Plan, names: tuple[str, ...]) -> str:
    """Returns a plan in words, one line per job, for settings that show a shared plan.

    Args:
        plan: The plan.
        names: Agent ids by index.
    """
    lines = []
    for job in reversed(plan.jobs):
        match job:
            case Gather():
                lines.append(f"{names[job.agent]} gathers {job.left} {job.item} near {job.site}.")
            case Craft():
                lines.append(f"{names[job.agent]} makes {job.item}, {job.left} times.")
            case Give():
                lines.append(f"{names[job.agent]} hands {job.left} {job.item} to {job.to}.")
            case Kill():
                who = ", ".join(names[i] for i in job.agents)
                lines.append(
                    f"{who} bring down {job.left} {job.mob} near {job.site}, all in the same rounds."
                )
            case Visit():
                lines.append(f"{names[job.agent]} goes to {job.site}.")
            case Wear():
                lines.append(f"{names[job.agent]} puts on {job.item}.")
            case _:
                pass
    for agent, hub in sorted(plan.hubs.items()):
        lines.append(f"{names[agent]} takes deliveries at {hub}.")
    return "\n".join(lines)
