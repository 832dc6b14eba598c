"""How much of the planner's plan is left, as a number: a potential for shaping rewards."""

from __future__ import annotations

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Job, Kill, Plan, Stay, Tile, Visit, Wear
from agentworld_env.planner.known import known_to
from agentworld_env.planner.plan import make_plan
from agentworld_env.planner.team import DETOUR, Team, apart, craft_calls
from agentworld_env.sim.state import ACTIVE

_BLOWS = 10
"""Exchanges of blows in one call."""
_MEAN_DAMAGE = 30
"""Percent of the greatest damage that a blow deals on average, misses included."""


def plan_potential(env: AgentWorldEnv) -> float:
    """Returns minus the turns that the team still needs, as a share of the turns that it has at the start.

    The plan is made anew from the present state, so that the potential is a function of the state alone. It is 0 where
    nothing is left to do, and falls to -1 where a plan would take the whole budget.

    Args:
        env: The environment.
    """
    sim = env.sim
    members = tuple([i for i, agent in enumerate(sim.state.agents) if agent.status == ACTIVE])
    if not members:
        return 0.0
    team = Team(sim, members, known_to(env.task))
    done = {point.label: point.have for point in env.verdict().checkpoints}
    left = turns_left(make_plan(env.task.spec, team, done=done), team)
    return -min(left / (len(sim.names) * env.max_rounds), 1.0)


def turns_left(plan: Plan, team: Team) -> float:
    """Returns the turns of all members that a plan still takes, ways included as fractions of a move.

    Args:
        plan: The plan.
        team: The members, at the present moment.
    """
    return sum([_turns(job, plan, team) for job in plan.jobs])


def _way(team: Team, agent: int, tile: Tile | None, reach: int = 0) -> float:
    """Returns the moves to a tile, as a fraction."""
    if tile is None:
        return 0.0
    return max(0, apart(team.at(agent), tile) - reach) * DETOUR / 100 / team.sim.rules.path_limit


def _turns(job: Job, plan: Plan, team: Team) -> float:
    sim = team.sim
    match job:
        case Gather():
            return job.left + _way(team, job.agent, job.site, sim.rules.gather_reach) if job.left > 0 else 0.0
        case Craft():
            return float(craft_calls(job.left)) if job.left > 0 else 0.0
        case Give():
            if job.left <= 0:
                return 0.0
            person = sim.people.get(job.to)
            to = (person.x, person.y) if person is not None else plan.hubs.get(sim.index.get(job.to, -1))
            return 1 + _way(team, job.agent, to, sim.rules.transfer_reach)
        case Barter():
            if job.left <= 0:
                return 0.0
            person = sim.people[job.npc]
            return 1 + _way(team, job.agent, (person.x, person.y), sim.rules.transfer_reach)
        case Kill():
            return _fight(job, team) if job.left > 0 else 0.0
        case Visit():
            return 0.0 if job.done else _way(team, job.agent, job.site, job.within)
        case Stay():
            return sum([_way(team, i, job.site, job.within) for i in job.agents])
        case Wear():
            return 0.0 if job.done else 1.0


def _fight(job: Kill, team: Team) -> float:
    """Returns the turns that it takes to bring down what a job names, all attackers together."""
    sim = team.sim
    number = sim.mob_number(job.mob)
    if number is None:
        whole = hp = team.world.mob_kinds[job.mob].hp
    else:
        mob = sim.state.mobs.get(number)
        whole = sim.spec(number).hp
        hp = whole if mob is None or mob.dead_until else mob.hp
    strikes = [team.power_with(i, weapons[0] if (weapons := team.weapons(i)) else None) for i in job.agents]
    dealt = max(strikes) * _BLOWS * _MEAN_DAMAGE / 100
    blows = (hp + (job.left - 1) * whole) / dealt
    return max(blows, float(job.team)) + sum([_way(team, i, job.site) for i in job.agents[: job.team]])
