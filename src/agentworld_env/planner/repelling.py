"""Repelling raiders: whoever sees one fights it, for it comes in any case."""

from __future__ import annotations

from agentworld_env.calls import Call
from agentworld_env.planner.fighting import Fighter, call
from agentworld_env.planner.jobs import Plan
from agentworld_env.planner.team import Team, apart


class Defender(Fighter):
    """The part of a driver that meets waves.

    Args:
        team: The members that take part.
        plan: Their plan.
        caution: Percent of hit points below which an agent eats.
    """

    def __init__(self, team: Team, plan: Plan, caution: int) -> None:
        super().__init__(team, plan, caution)
        self._barred: dict[tuple[int, str], int] = {}

    def barred(self, agent: int, wanted: Call) -> bool:
        """Returns whether a call has lately failed too often to be made again now."""
        return self._barred.get((agent, repr(wanted)), 0) > self.sim.state.round

    def repel(self, agent: int) -> Call | None:
        """Strikes at a raider in sight; eats first if what all of them can do in a round might be the end.

        Those that are after somebody come first, then the most wounded, then the nearest.
        """
        raiders = self._in_sight(agent)
        if not raiders:
            return None
        sim, me = self.sim, self.sim.state.agents[agent]
        harms = [self._harm(agent, sim.spec(number)) for number in raiders]
        # One answers all exchanges of a call, the others strike in the world's turn.
        share = sim.rules.mob_strikes / sim.rules.exchanges
        if me.hp < 2 * (harms[0] + share * sum(harms[1:])):
            meal = self._meal(agent)
            if meal is not None:
                return meal
        if me.hp <= harms[0]:
            return None
        for number in raiders:
            strike = call("attack_entity", target=sim.spec(number).id)
            if not self.barred(agent, strike):
                return self.arm(agent) or strike
        return None

    def _in_sight(self, agent: int) -> list[int]:
        """Returns the raiders that an agent sees, the one to strike at first."""
        sim, here = self.sim, self.team.at(agent)
        found: list[tuple[bool, int, int, int]] = []
        for number in sim.raiders:
            where, mob = sim.where(number), sim.state.mobs.get(number)
            if where is None or apart(here, where) > sim.rules.sight_mobs:
                continue
            hp = sim.spec(number).hp if mob is None else mob.hp
            found.append((mob is None or mob.target < 0, hp, apart(here, where), number))
        return [number for _, _, _, number in sorted(found)]
