"""How soon a named mob can fall: never before the blows of the whole team can have used up its hit points.

Every roll of a fight is a function of the seed, the agent, the mob, the round and the exchange. For a given seed the
most damage that an agent can do in a round is therefore known, whatever has happened before; without a seed every blow
is taken to hit as hard as it can.
"""

from __future__ import annotations

from agentworld_env.certify.critical import NEVER, Critical
from agentworld_env.sim import randomness as rng
from agentworld_env.sim.combat import fighting_style, hit_chance
from agentworld_env.sim.crafting import unmet_needs
from agentworld_env.sim.rules import max_strike

_START, _HANDED, _FOUND = 1, 2, 3
"""Rounds from which a weapon can be used: worn at the start; in some bag then; got in the episode and put on."""


class Fights:
    """The most damage that a team can do to named mobs, round by round.

    Args:
        critical: Earliest times.
        obtainable: Items that the team may come to hold.
        seed: Seed of the episode, or None for the best luck of any seed.
    """

    def __init__(self, critical: Critical, obtainable: set[str], seed: int | None) -> None:
        self.critical = critical
        self.sources = critical.sources
        self.sim = critical.sources.sim
        self.seed = seed
        self._styles = {i: self._arms(i, obtainable) for i in self.sources.team}
        self._known: dict[tuple[int, int, int], int] = {}

    def _arms(self, agent: int, obtainable: set[str]) -> list[tuple[int, str, str, int]]:
        """Returns what an agent may strike with, as (first round, skill of the hit, skill of the damage, bonus)."""
        items, setups = self.sources.world.items, self.sim.setup.agents
        hit, harm, bonus, _ = fighting_style(None)
        found = [(_START, hit, harm, bonus)]
        for key in sorted(obtainable):
            if items[key].slot != "weapon" or unmet_needs(self.sim, agent, key):
                continue
            if key in setups[agent].worn:
                first = _START
            elif any(key in setup.bag or key in setup.worn for setup in setups):
                first = _HANDED
            else:
                first = _FOUND
            if first != _START and key in self.sources.relevant:
                soonest = self.critical.after(agent, self.critical.holds.get((key, agent), NEVER))
                first = max(first, min(NEVER, self.critical.round_of(soonest) + 1))
            hit, harm, bonus, _ = fighting_style(items[key])
            found.append((first, hit, harm, bonus))
        # Of two arms that use the same skills, only the stronger one, or the one at hand sooner, is of interest.
        return [
            arm
            for arm in found
            if not any(
                other != arm and other[1:3] == arm[1:3] and other[0] <= arm[0] and other[3] >= arm[3]
                for other in found
            )
        ]

    def damage(self, agent: int, mob: str, round_: int) -> int:
        """Returns the most damage that an agent can do to a named mob in one attack call.

        Args:
            agent: Its index.
            mob: Id of the spawn.
            round_: The round, from 1.
        """
        number = self.sim.named[mob]
        key = agent, number, round_
        if key not in self._known:
            arms = [arm[1:] for arm in self._styles[agent] if arm[0] <= round_]
            self._known[key] = max(self._blow(agent, number, round_, *arm) for arm in arms)
        return self._known[key]

    def _blow(self, agent: int, number: int, round_: int, hit: str, harm: str, bonus: int) -> int:
        skills, exchanges = self.sim.skills[agent], self.sim.rules.exchanges
        most = max_strike(bonus, skills.get(harm, 1))
        if self.seed is None:
            return most * exchanges
        chance = rng.mark(hit_chance(self.sim, skills.get(hit, 1), self.sim.spec(number).defence))
        lucky = rng.stem(self.seed, rng.HIT, agent, number, round_)
        hard = rng.stem(self.seed, rng.DAMAGE, agent, number, round_)
        return sum(
            rng.below(most + 1, rng.spin(hard, k)) for k in range(exchanges) if rng.spin(lucky, k) < chance
        )

    def falls(self, mob: str, heads: dict[int, int], last: int) -> int:
        """Returns the first round in which a named mob can fall; ``last + 1`` if it cannot by then.

        Args:
            mob: Id of the spawn.
            heads: Agent -> rounds that pass before it can strike the mob.
            last: The last round of interest.
        """
        left = self.sources.world.named_spawns[mob].hp
        for round_ in range(1, last + 1):
            left -= sum(self.damage(i, mob, round_) for i, head in heads.items() if head < round_)
            if left <= 0:
                return round_
        return last + 1

    def turns(self, mob: str, heads: dict[int, int], last: int) -> int:
        """Returns the fewest attack calls that can bring a named mob down by some round, whoever makes them.

        Args:
            mob: Id of the spawn.
            heads: Agent -> rounds that pass before it can strike the mob.
            last: The last round of interest.
        """
        left = self.sources.world.named_spawns[mob].hp
        blows = (
            self.damage(i, mob, round_) for i, head in heads.items() for round_ in range(head + 1, last + 1)
        )
        used = 0
        for blow in sorted(blows, reverse=True):
            if left <= 0:
                break
            left -= blow
            used += 1
        return used
