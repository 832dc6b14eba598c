"""Fighting and staying alive: eating, arming, joint attacks, getting rid of whatever attacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentworld_env.calls import Call
from agentworld_env.planner.dodge import detour
from agentworld_env.planner.jobs import Craft, Give, Job, Kill, Plan, Stay, Tile, Visit, Wear
from agentworld_env.planner.style import CAUTION
from agentworld_env.planner.team import Team, apart
from agentworld_env.sim.combat import armour_of, fighting_style, hit_chance, weapon_of
from agentworld_env.sim.rules import max_strike, mob_max_strike
from agentworld_env.sim.simulation import MobSpec
from agentworld_env.sim.state import ACTIVE
from agentworld_env.world.catalogue import Item

_WEARY = 5
"""An attacker rests when possible once it could stand fewer than so many halves of what a call usually costs it."""
_SPENT = 3
"""An attacker rests in any case once it could stand fewer than so many halves."""
_WELL = 85
"""Percent of hit points below which attackers eat before they begin."""
_STAGE = 12
"""How near to a boss its attackers gather (tiles): out of its notice, within one walk."""
_PATIENCE = 10
"""Rounds that attackers wait for the last of them, or for their wounds to heal."""
_NUISANCE = 3
"""An attacking mob is fought if that takes at most so many calls."""


def call(tool: str, **arguments: Any) -> Call:
    """Returns a tool call."""
    return {"tool": tool, "arguments": arguments}


class Fighter:
    """The fighting part of a driver.

    Args:
        team: The members that take part.
        plan: Their plan.
        caution: Percent of hit points below which an agent eats; attackers of bosses rest the sooner, too.
    """

    def __init__(self, team: Team, plan: Plan, caution: int = CAUTION) -> None:
        self.caution = caution
        self._early = (caution - CAUTION) // 20
        self.team = team
        self.sim = team.sim
        self.plan = plan
        self._jobs: dict[tuple[int, type[Job]], list[Any]] = {}
        self._resting: set[int] = set()

    def jobs(self, agent: int, kind: type[Job]) -> list[Any]:
        """Returns an agent's jobs of a kind."""
        found = self._jobs.get((agent, kind))
        if found is None:
            # A plan's jobs are ticked off, but none is added or handed on.
            found = self._jobs[agent, kind] = [job for job in self.plan.of(agent) if isinstance(job, kind)]
        return found

    def forget_done(self) -> None:
        """Drops the jobs that are done, so that nobody looks at them again."""
        for key, jobs in self._jobs.items():
            if key[1] in (Visit, Wear):
                self._jobs[key] = [job for job in jobs if not job.done]
            elif key[1] is not Stay:
                self._jobs[key] = [job for job in jobs if job.left > 0]

    def near(self, agent: int, tile: Tile, within: int) -> bool:
        """Returns whether an agent stands near a tile."""
        return apart(self.team.at(agent), tile) <= within

    def walk_to(self, agent: int, tile: Tile) -> Call | None:
        """Returns the next walk towards a tile, through portals where nobody can walk, or None if it stands there."""
        here = self.team.at(agent)
        if here == tile:
            return None
        step = self.team.ways.towards(here, tile)
        if step.portal is not None and self._at_portal(here, step.portal.id):
            return call("enter_portal")
        if step.tile == here:
            return None
        x, y = detour(self.sim, agent, step.tile)
        return call("move_character", x=x, y=y)

    def _at_portal(self, here: Tile, portal: str) -> bool:
        """Whether entering a portal here means this one."""
        portals = self.sim.world.portals.values()
        nearest = min(portals, key=lambda mouth: (apart(here, (mouth.x, mouth.y)), mouth.id))
        return nearest.id == portal and apart(here, (nearest.x, nearest.y)) <= self.sim.rules.portal_reach

    # -- staying alive -----------------------------------------------------------------------------------------------

    def eat(self, agent: int) -> Call | None:
        """Eats when wounded; in a joint attack, when it is the agent's turn to rest."""
        me = self.sim.state.agents[agent]
        if any(job.left > 0 and job.go for job in self.jobs(agent, Kill)):
            if agent not in self._resting:
                return None
            return self._meal(agent) or call("sleep", rounds=1)
        return self._meal(agent) if 100 * me.hp < self.caution * self.sim.max_hp[agent] else None

    def _well(self, agent: int) -> bool:
        return 100 * self.sim.state.agents[agent].hp >= _WELL * self.sim.max_hp[agent]

    def _meal(self, agent: int) -> Call | None:
        me = self.sim.state.agents[agent]
        owed = self._owed(agent)
        foods = [item for item in me.bag if self.sim.world.items[item].heal_hp and item not in owed]
        if not foods or me.hp == self.sim.max_hp[agent]:
            return None
        return call("use_item", item=max(foods, key=lambda item: (self.sim.world.items[item].heal_hp, item)))

    def _owed(self, agent: int) -> set[str]:
        """Returns what an agent must keep: things to hand over, and materials."""
        owed = {job.item for job in self.jobs(agent, Give) if job.left > 0}
        for job in self.jobs(agent, Craft):
            if job.left > 0:
                owed.update(self.sim.world.recipe_of[job.item].inputs)
        return owed

    def _share_rests(self, job: Kill, near: Sequence[int]) -> None:
        """Settles which attackers eat in a round, so that enough go on striking if that can be."""
        number = self.sim.mob_number(job.mob)
        if number is None:
            return
        agents, figures = self.sim.state.agents, self.sim.spec(number)
        harm = {i: max(1, self._harm(i, figures)) for i in near}
        weary = sorted(
            (i for i in near if 2 * agents[i].hp < (_WEARY + self._early) * harm[i]),
            key=lambda i: (1000 * agents[i].hp // harm[i], i),
        )
        spare = max(0, len(near) - job.team)
        spent = [i for i in weary[spare:] if 2 * agents[i].hp < (_SPENT + self._early) * harm[i]]
        if not spent:
            self._resting.update(weary[:spare])
            return
        # Too few are left to strike: the boss recovers in any case, so the attack is broken off till all are well.
        job.go = 0
        job.since = self.sim.state.round

    def rescue(self, agent: int) -> Call | None:
        """Gets a badly wounded agent out of a fight; as long as it is well, work goes on and leads away."""
        me = self.sim.state.agents[agent]
        return self.defend(agent) if 2 * me.hp < self.sim.max_hp[agent] else None

    def defend(self, agent: int) -> Call | None:
        """Strikes back at a mob that is after the agent, if that is soon done, or else flees when wounded."""
        me = self.sim.state.agents[agent]
        for number in sorted(self.sim.state.mobs):
            mob, figures = self.sim.state.mobs[number], self.sim.spec(number)
            if mob.target != agent or mob.dead_until or figures.team > 1:
                continue
            if apart((me.x, me.y), (mob.x, mob.y)) > self.sim.rules.mob_chase + figures.reach:
                continue
            strikes = -(-mob.hp // max(1, self._damage(agent, figures)))
            if strikes <= _NUISANCE and strikes * self._harm(agent, figures) < me.hp:
                return self.arm(agent) or call("attack_entity", target=figures.id)
            if 100 * me.hp < self.caution * self.sim.max_hp[agent]:
                return self._flee(agent, number)
        return None

    def _flee(self, agent: int, number: int) -> Call | None:
        """Walks straight away from a mob's home, as far as one call leads."""
        x, y = self.team.at(agent)
        home = self.sim.home(number)
        dx, dy = (x >= home[0]) * 2 - 1, (y >= home[1]) * 2 - 1
        far = self.sim.rules.pursuit
        goals = [(x + dx * far, y), (x, y + dy * far), (x - dx * far, y), (x, y - dy * far)]
        world = self.sim.world
        for goal in goals:
            if world.is_walkable(*goal) and world.paths.connected(x, y, *goal):
                return call("move_character", x=goal[0], y=goal[1])
        return None

    def _damage(self, agent: int, figures: MobSpec, weapon: Item | None = None) -> int:
        """Returns the damage that an agent can be expected to deal in one call."""
        skill, strength, bonus, _ = fighting_style(weapon or weapon_of(self.sim, agent))
        skills = self.sim.skills[agent]
        chance = hit_chance(self.sim, skills.get(skill, 1), figures.defence)
        return self.sim.rules.exchanges * chance * max_strike(bonus, skills.get(strength, 1)) // 2000

    def _harm(self, agent: int, figures: MobSpec) -> int:
        """Returns the damage that a mob can be expected to deal to an agent in one of its calls."""
        chance = hit_chance(self.sim, figures.attack, armour_of(self.sim, agent))
        return self.sim.rules.exchanges * chance * mob_max_strike(figures.attack) // 2000

    # -- joint attacks -----------------------------------------------------------------------------------------------

    def give_signals(self) -> None:
        """At the start of a round: lets joint attacks begin once enough of those who take part stand ready."""
        self._resting.clear()
        for job in self.plan.jobs:
            if isinstance(job, Kill) and job.left > 0 and job.team > 1:
                self._signal(job)
                if job.go:
                    self._share_rests(job, self._ready(job)[1])

    def _ready(self, job: Kill) -> tuple[list[int], list[int]]:
        able = [i for i in job.agents if self.sim.state.agents[i].status == ACTIVE]
        return able, [i for i in able if self.near(i, job.site, self.sim.rules.sight_mobs - 10)]

    def _signal(self, job: Kill) -> None:
        able, near = self._ready(job)
        if len(near) < job.team:
            job.go = 0
            job.since = 0
            return
        round_ = self.sim.state.round
        job.since = job.since or round_
        if job.go:
            return
        fit = all(self._well(i) or self._meal(i) is None for i in near)
        if (
            (len(near) == len(able) and fit)
            or (fit and self._quick(job, near))
            or round_ - job.since > _PATIENCE
        ):
            job.go = round_

    def _quick(self, job: Kill, near: Sequence[int]) -> bool:
        """Whether those who are there can be expected to bring the boss down in two rounds."""
        number = self.sim.mob_number(job.mob)
        if number is None:
            return False
        figures = self.sim.spec(number)
        return 2 * sum(self._damage(i, figures) for i in near) >= figures.hp

    def fight(self, agent: int) -> Call | None:
        """Takes part in the first fight that is still to be won."""
        for job in self.jobs(agent, Kill):
            if job.left <= 0:
                continue
            if job.team > 1 and not job.go:
                return self._stage(agent, job)
            return self.arm(agent) or self._strike(agent, job)
        return None

    def arm(self, agent: int) -> Call | None:
        """Wears the best weapon that the agent can strike with and need not hand over; bare hands if it has none."""
        worn = weapon_of(self.sim, agent)
        owed = self._owed(agent)
        weapons = [item for item in self.team.weapons(agent) if item is worn or item.key not in owed]
        me = self.sim.state.agents[agent]
        if not weapons:
            # A weapon without mana or ammunition is worse than a fist.
            return call("equip_item", item=worn.key) if worn is not None else None
        best = weapons[0]
        if worn is None or (
            worn.key != best.key
            and (worn not in weapons or self.team.power_with(agent, best) > self.team.power_with(agent, worn))
        ):
            return call("equip_item", item=best.key)
        if me.mana < worn.mana_cost:
            drinks = [item for item in me.bag if self.sim.world.items[item].heal_mana]
            return call(
                "use_item", item=max(drinks, key=lambda key: (self.sim.world.items[key].heal_mana, key))
            )
        return None

    def _stage(self, agent: int, job: Kill) -> Call | None:
        if self.near(agent, job.site, self.sim.rules.sight_mobs - 10):
            meal = None if self._well(agent) else self._meal(agent)
            return meal or self.arm(agent) or call("sleep", rounds=1)
        x, y = self.team.at(agent)
        if not self.team.ways.walkable((x, y), job.site):
            return self.walk_to(agent, job.site)
        way = self.sim.world.paths.walk(x, y, *job.site, self.sim.rules.path_limit, _STAGE)
        if way is None or not way.length:
            return self.walk_to(agent, job.site)
        return self.walk_to(agent, way.at(way.length))

    def _strike(self, agent: int, job: Kill) -> Call | None:
        prey = self._prey(agent, job)
        if prey is None:
            return (
                self.walk_to(agent, job.site)
                if not self.near(agent, job.site, 8)
                else call("sleep", rounds=1)
            )
        number, where = prey
        if self.near(agent, where, self.sim.rules.sight_mobs):
            return call("attack_entity", target=self.sim.spec(number).id)
        return self.walk_to(agent, where)

    def _prey(self, agent: int, job: Kill) -> tuple[int, Tile] | None:
        """Returns the nearest living mob that a job is about; one that is hurt already counts as nearer."""
        number = self.sim.mob_number(job.mob)
        if number is not None:
            where = self.sim.where(number)
            return None if where is None else (number, where)
        here = self.team.at(agent)
        found: tuple[int, int, Tile] | None = None
        for candidate in self.team.mobs_of(job.mob):
            where = self.sim.where(candidate)
            if where is not None:
                distance = apart(here, where) - 20 * (candidate in self.sim.state.mobs)
                if found is None or (distance, candidate) < found[:2]:
                    found = (distance, candidate, where)
        return None if found is None else (found[1], found[2])
