"""The planner as a policy: it sees the whole state, rehearses plans, and plays the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Kill, Plan, Stay, Visit, Wear
from agentworld_env.planner.order import in_order
from agentworld_env.planner.rehearse import PASS, Performance, Pulse, best_style
from agentworld_env.planner.style import Style
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn
from agentworld_env.sim.state import ACTIVE
from agentworld_env.world import World

_NEW_PLANS = 4
"""Most new plans in an episode for want of progress."""


class PlannerPolicy:
    """A centralised planner with full sight of the state. It is no blackbox policy: it shows what a team can reach.

    Args:
        idle: Ids of agents that take no part; they sleep, and the plan does without them.
        rehearsals: Whether to play the episode ahead in several styles and keep the fastest.
    """

    name = "planner"
    wants_text = False
    needs_state = True

    def __init__(self, idle: tuple[str, ...] = (), *, rehearsals: bool = True) -> None:
        self.idle = idle
        self.rehearsals = rehearsals
        self._env: AgentWorldEnv | None = None
        self._performance: Performance | None = None
        self._pulse: Pulse | None = None
        self._new_plans = 0

    def attach(self, env: AgentWorldEnv) -> None:
        """Lets the planner see an environment's whole state; called before ``begin``."""
        self._env = env

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Makes the plan, from the environment's present moment on.

        Raises:
            RuntimeError: If no environment was attached.
        """
        self._new_plans = 0
        self._replan()

    def _replan(self) -> None:
        if self._env is None:
            raise RuntimeError("the planner needs attach(env) before begin()")
        sim = self._env.sim
        members = tuple(
            i
            for i, name in enumerate(sim.names)
            if name not in self.idle and sim.state.agents[i].status == ACTIVE
        )
        style = best_style(self._env, members) if self.rehearsals else Style()
        self._performance = Performance(self._env, members, style)
        self._pulse = Pulse(self._env)

    @property
    def plan(self) -> Plan:
        """The plan of the running episode, with what is still left of it."""
        return self._playing()[1].plan

    @property
    def style(self) -> Style:
        """How the team works in the running episode."""
        return self._playing()[1].style

    def _playing(self) -> tuple[AgentWorldEnv, Performance]:
        if self._env is None or self._performance is None:
            raise RuntimeError("call begin() first")
        return self._env, self._performance

    def act(self, turn: Turn) -> Call:
        """Returns the next call of an agent; makes a new plan first if somebody is lost or nothing moves."""
        env, performance = self._playing()
        if self._needs_new_plan(env, performance):
            self._replan()
            performance = self._playing()[1]
        return PASS if turn.agent in self.idle else performance.call(turn.agent)

    def _needs_new_plan(self, env: AgentWorldEnv, performance: Performance) -> bool:
        state = env.sim.state
        if any(state.agents[i].status != ACTIVE for i in performance.members):
            return any(agent.status == ACTIVE for agent in state.agents)
        if self._new_plans >= _NEW_PLANS or self._pulse is None or not self._pulse.stalled():
            return False
        self._new_plans += 1
        return True

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Plays along with a recorded turn, so that joint attacks stay in step."""
        self.act(turn)

    def config(self) -> dict[str, Any]:
        """Returns its settings."""
        return {"idle": list(self.idle), "rehearsals": self.rehearsals}


def plan_text(plan: Plan, names: tuple[str, ...], world: World) -> str:
    """Returns a plan in words, for settings that show a shared plan.

    First come the places where things are handed over, then the jobs, each after what provides for it.

    Args:
        plan: The plan.
        names: Agent ids by index.
        world: Where recipes and drops are known from.
    """
    lines = [f"{names[agent]} takes deliveries at {hub}." for agent, hub in sorted(plan.hubs.items())]
    lines += [_line(job, names) for job in in_order(plan.jobs, names, world)]
    return "\n".join(lines)


def _line(job: Gather | Craft | Give | Kill | Barter | Visit | Wear | Stay, names: tuple[str, ...]) -> str:
    match job:
        case Gather():
            return f"{names[job.agent]} gathers {job.left} {job.item} near {job.site}."
        case Craft():
            return f"{names[job.agent]} makes {job.item}, {job.left} times."
        case Give():
            return f"{names[job.agent]} hands {job.left} {job.item} to {job.to}."
        case Kill():
            who = ", ".join(names[i] for i in job.agents)
            return f"{who} bring down {job.left} {job.mob} near {job.site}, all in the same rounds."
        case Barter():
            paid = job.left * job.take_count
            return f"{names[job.agent]} takes {paid} {job.take} to {job.npc} for {job.give}."
        case Visit():
            return f"{names[job.agent]} goes to {job.site}."
        case Wear():
            return f"{names[job.agent]} puts on {job.item}."
        case Stay():
            who = ", ".join(names[i] for i in job.agents)
            return f"{who} stay at {job.site} once their other work is done."
