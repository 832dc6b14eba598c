"""Playing a plan: the next call of one agent, given the jobs and the present state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from agentworld_env.calls import Call
from agentworld_env.planner.fighting import call
from agentworld_env.planner.gathering import Gatherer
from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Job, Kill, Plan, Stay, Tile, Visit, Wear
from agentworld_env.planner.style import Style
from agentworld_env.planner.team import Team, apart
from agentworld_env.sim.crafting import CRAFT_COUNTS, missing_inputs

_TRIES = 2
"""So often a call may fail in a row before something else is tried."""
_CLOSE = 60
"""How near a receiver must work (tiles) for a part of what is due to be brought over."""
_BARRED = 6
"""Rounds for which such a call is not made again."""


class Driver(Gatherer):
    """Turns a plan into calls. It looks at the whole state at every turn, so that nothing that goes wrong stays wrong.

    Args:
        team: The members that take part.
        plan: Their plan; jobs are updated as they are done.
        style: How they work.
    """

    def __init__(self, team: Team, plan: Plan, style: Style) -> None:
        super().__init__(team, plan, style.caution)
        self.style = style
        self._round = 0
        self._failed: dict[tuple[int, str], int] = {}
        self._portions: dict[tuple[int, str, str], int] = {}
        self._bringing: dict[tuple[int, str], list[Gather | Craft | Give | Barter | Kill]] = {}
        self._due: dict[int, list[Give]] = {}
        options: tuple[tuple[Callable[[int], Call | None], bool], ...] = (
            (self.eat, style.eats),
            (self.repel, style.strikes),
            (self.rescue, style.strikes),
            (self._at_once, True),
            (self.needed_work, True),
            (self._early_carry, True),
            (self.work, True),
            (self._carry, True),
            (self.fight, style.strikes),
            (self._visit, True),
            (self.defend, style.strikes),
            (self._leftovers, True),
            (self._stay, True),
            (self._wait_at_hub, True),
        )
        self._options = tuple(option for option, wanted in options if wanted)

    def next_call(self, agent: int) -> Call:
        """Returns the call of an agent whose turn it is."""
        if self.sim.state.round != self._round:
            self._round = self.sim.state.round
            self.forget_done()
            self.give_signals()
        self._note_failure(agent)
        for option in self._options:
            found = option(agent)
            if found is not None and not self.barred(agent, found):
                return found
        return call("sleep", rounds=1)

    def _note_failure(self, agent: int) -> None:
        """Bars a call that has failed several times in a row, for some rounds."""
        last = self.sim.state.agents[agent].last
        if last is None:
            return
        key = (agent, repr({"tool": last.tool, "arguments": last.arguments}))
        if last.result.ok:
            self._failed.pop(key, None)
            return
        self._failed[key] = self._failed.get(key, 0) + 1
        if self._failed[key] >= _TRIES:
            del self._failed[key]
            self._barred[key] = self._round + _BARRED

    # -- things that need no walking ---------------------------------------------------------------------------------

    def _at_once(self, agent: int) -> Call | None:
        """Handing over to somebody in reach, crafting, wearing: whatever is possible right here."""
        me = self.sim.state.agents[agent]
        for job in self.jobs(agent, Wear):
            if not job.done and job.item in me.bag:
                return call("equip_item", item=job.item)
        for job in self.jobs(agent, Give):
            if self._ready_to_give(agent, job) and self._reaches(agent, job) and self._starts_work(job):
                return self._hand(agent, job)
        for job in self.jobs(agent, Craft):
            made = self._craft(agent, job, whole=True)
            if made:
                return made
        for job in self.jobs(agent, Give):
            if self._ready_to_give(agent, job) and self._reaches(agent, job):
                return self._hand(agent, job)
        for job in self.jobs(agent, Barter):
            deal = self._deal(agent, job)
            if deal:
                return deal
        return self._eagerly(agent)

    def _hand(self, agent: int, job: Give) -> Call:
        count = min(job.left, self.sim.state.agents[agent].count(job.item))
        return call("transfer_items", to=job.to, item=job.item, count=count)

    def _eagerly(self, agent: int) -> Call | None:
        """Hands over a part of what is due if its receiver waits for just that."""
        for job in self.jobs(agent, Give):
            held = self.sim.state.agents[agent].count(job.item)
            due = job.left > 0 and held and not self._refused(job)
            given = self._portions.get((agent, job.to, job.item), 0)
            if due and given < self.style.eager and self._reaches(agent, job) and self._starts_work(job):
                self._portions[agent, job.to, job.item] = given + 1
                return self._hand(agent, job)
        return None

    def _starts_work(self, job: Give) -> bool:
        """Whether a receiver can craft something with what it is given that it cannot craft without."""
        receiver = self.sim.index.get(job.to)
        if receiver is None:
            return False
        held = self.sim.state.agents[job.agent].count(job.item)
        for craft in self.jobs(receiver, Craft):
            recipe = self.sim.world.recipe_of[craft.item]
            if craft.left > 0 and job.item in recipe.inputs:
                lacking = missing_inputs(self.sim, receiver, recipe, 1)
                if list(lacking) == [job.item] and lacking[job.item] <= min(held, job.left):
                    return True
        return False

    def _craft(self, agent: int, job: Craft, *, whole: bool) -> Call | None:
        """Makes the rest at once if the materials for all of it are there, or (not whole) as much as there is."""
        recipe = self.sim.world.recipe_of[job.item]
        if job.left <= 0 or (whole and missing_inputs(self.sim, agent, recipe, job.left)):
            return None
        for times in reversed(CRAFT_COUNTS):
            if times <= job.left and not missing_inputs(self.sim, agent, recipe, times):
                if not whole and times < 5 <= job.left and job.left % 5 == 0:
                    # Five take one call: a single craft now would leave four that take four.
                    return None
                return call("craft_item", skill=recipe.skill, item=job.item, count=times)
        return None

    def _ready_to_give(self, agent: int, job: Give) -> bool:
        held = self.sim.state.agents[agent].count(job.item)
        if job.left <= 0 or held <= 0 or self._refused(job):
            return False
        if held >= job.left or not self._still_making(agent, job.item):
            return True
        portion = self.style.portion
        return bool(portion) and held >= portion and self.near(agent, self._meeting(job), _CLOSE)

    def _refused(self, job: Give) -> bool:
        """A site takes no more of an item than its list says."""
        person = self.sim.people.get(job.to)
        if person is None or not person.wants:
            return False
        got = self.sim.state.sites.get(person.id, {}).get(job.item, 0)
        job.left = min(job.left, person.wants.get(job.item, 0) - got)
        return job.left <= 0

    def _still_making(self, agent: int, item: str) -> bool:
        """Whether more units of an item are on their way to an agent."""
        found = self._bringing.get((agent, item))
        if found is None:
            # A plan's jobs are ticked off, but none is added or handed on.
            found = self._bringing[agent, item] = [j for j in self.plan.jobs if self._brings(j, agent, item)]
        return any(job.left > 0 for job in found)

    def _brings(self, job: Job, agent: int, item: str) -> TypeGuard[Gather | Craft | Give | Barter | Kill]:
        """Whether an agent gets units of an item by a job."""
        match job:
            case Gather() | Craft():
                return job.agent == agent and job.item == item
            case Give():
                return job.to == self.sim.names[agent] and job.item == item
            case Barter():
                return job.agent == agent and job.give == item
            case Kill():
                return agent in job.agents and item in self.team.loot_of(job.mob)
            case _:
                return False

    def _receiver(self, job: Give) -> Tile:
        person = self.sim.people.get(job.to)
        if person is not None:
            return person.x, person.y
        return self.team.at(self.sim.index[job.to])

    def _reaches(self, agent: int, job: Give) -> bool:
        return self.near(agent, self._receiver(job), self.sim.rules.transfer_reach)

    def _deal(self, agent: int, job: Barter) -> Call | None:
        npc = self.sim.people[job.npc]
        held = self.sim.state.agents[agent].count(job.take)
        deals = min(job.left, held // job.take_count)
        if deals <= 0 or (deals < job.left and self._still_making(agent, job.take)):
            return None
        if not self.near(agent, (npc.x, npc.y), self.sim.rules.transfer_reach):
            return self.walk_to(agent, (npc.x, npc.y))
        return call("transfer_items", to=job.npc, item=job.take, count=deals * job.take_count)

    # -- carrying ----------------------------------------------------------------------------------------------------

    def _early_carry(self, agent: int) -> Call | None:
        return self._carry(agent) if self.style.home_first else None

    def _carry(self, agent: int) -> Call | None:
        ready = [job for job in self.jobs(agent, Give) if self._ready_to_give(agent, job)]
        for job in sorted(ready, key=lambda job: apart(self.team.at(agent), self._meeting(job))):
            return self._approach(agent, job)
        return None

    def _meeting(self, job: Give) -> Tile:
        receiver = self.sim.index.get(job.to)
        if receiver is None:
            return self._receiver(job)
        return self.plan.hubs.get(receiver, self.team.at(receiver))

    def _approach(self, agent: int, job: Give) -> Call | None:
        receiver = self.sim.index.get(job.to)
        if receiver is None:
            return self.walk_to(agent, self._receiver(job))
        hub = self._meeting(job)
        if not self.near(agent, hub, self.sim.rules.transfer_reach // 2):
            return self.walk_to(agent, hub)
        if self.near(receiver, hub, 2 * self.sim.rules.path_limit):
            return None
        return self.walk_to(agent, self.team.at(receiver))

    # -- places ------------------------------------------------------------------------------------------------------

    def _visit(self, agent: int) -> Call | None:
        jobs = [job for job in self.jobs(agent, Visit) if not job.done]
        for job in sorted(jobs, key=lambda job: apart(self.team.at(agent), job.site)):
            return self.walk_to(agent, job.site)
        return None

    def _leftovers(self, agent: int) -> Call | None:
        """With nothing better to do: make what the materials allow, hand over what is there to somebody in reach."""
        for job in self.jobs(agent, Craft):
            made = self._craft(agent, job, whole=False)
            if made:
                return made
        for job in self.jobs(agent, Give):
            held = self.sim.state.agents[agent].count(job.item)
            if job.left > 0 and held and not self._refused(job) and self._reaches(agent, job):
                return self._hand(agent, job)
        return None

    def _stay(self, agent: int) -> Call | None:
        if self._waits_for_goods(agent):
            return None
        for job in self.jobs(agent, Stay):
            if not self.near(agent, job.site, job.within // 2):
                return self.walk_to(agent, job.site)
        return None

    def _waits_for_goods(self, agent: int) -> bool:
        found = self._due.get(agent)
        if found is None:
            name = self.sim.names[agent]
            gives = (job for job in self.plan.jobs if isinstance(job, Give))
            found = self._due[agent] = [job for job in gives if job.to == name]
        return any(job.left > 0 for job in found)

    def _wait_at_hub(self, agent: int) -> Call | None:
        hub = self.plan.hubs.get(agent)
        if hub is None or not self._waits_for_goods(agent) or self.near(agent, hub, 2):
            return None
        return self.walk_to(agent, hub)
