"""Playing a plan: the next call of one agent, given the jobs and the present state."""

from __future__ import annotations

from typing import Any

from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Job, Kill, Plan, Stay, Tile, Visit, Wear
from agentworld_env.planner.team import Team, apart
from agentworld_env.sim.crafting import CRAFT_COUNTS, missing_inputs
from agentworld_env.sim.state import ACTIVE

Call = dict[str, Any]

_EAT_BELOW = 45
"""Percent of hit points below which an agent eats."""

_STAGE = 12
"""How near to a boss its attackers gather (tiles): out of its notice, within one walk."""


def call(tool: str, **arguments: Any) -> Call:
    """Returns a tool call."""
    return {"tool": tool, "arguments": arguments}


class Driver:
    """Turns a plan into calls. It looks at the whole state at every turn, so that nothing that goes wrong stays wrong.

    Args:
        team: The members that take part.
        plan: Their plan; jobs are updated as they are done.
    """

    def __init__(self, team: Team, plan: Plan) -> None:
        self.team = team
        self.sim = team.sim
        self.plan = plan
        self._round = 0

    def next_call(self, agent: int) -> Call:
        """Returns the call of an agent whose turn it is."""
        if self.sim.state.round != self._round:
            self._round = self.sim.state.round
            self._give_signals()
        return (
            self._eat(agent)
            or self._at_once(agent)
            or self._work(agent)
            or self._carry(agent)
            or self._fight(agent)
            or self._visit(agent)
            or self._leftovers(agent)
            or self._stay(agent)
            or self._wait_at_hub(agent)
            or call("sleep", rounds=1)
        )

    def _jobs(self, agent: int, kind: type[Job]) -> list[Any]:
        return [job for job in self.plan.of(agent) if isinstance(job, kind)]

    def _near(self, agent: int, tile: Tile, within: int) -> bool:
        return apart(self.team.at(agent), tile) <= within

    # -- staying alive -----------------------------------------------------------------------------------------------

    def _eat(self, agent: int) -> Call | None:
        me = self.sim.state.agents[agent]
        if 100 * me.hp >= _EAT_BELOW * self.sim.max_hp[agent]:
            return None
        foods = [item for item in me.bag if self.sim.world.items[item].heal_hp]
        if not foods:
            return None
        return call("use_item", item=max(foods, key=lambda item: (self.sim.world.items[item].heal_hp, item)))

    # -- things that need no walking ---------------------------------------------------------------------------------

    def _at_once(self, agent: int) -> Call | None:
        """Handing over to somebody in reach, crafting, wearing: whatever is possible right here."""
        me = self.sim.state.agents[agent]
        for job in self._jobs(agent, Wear):
            if not job.done and job.item in me.bag:
                return call("equip_item", item=job.item)
        for job in self._jobs(agent, Craft):
            made = self._craft(agent, job, whole=True)
            if made:
                return made
        for job in self._jobs(agent, Give):
            if self._ready_to_give(agent, job) and self._reaches(agent, job):
                return call(
                    "transfer_items", to=job.to, item=job.item, count=min(job.left, me.count(job.item))
                )
        for job in self._jobs(agent, Barter):
            deal = self._deal(agent, job)
            if deal:
                return deal
        return None

    def _craft(self, agent: int, job: Craft, *, whole: bool) -> Call | None:
        """Makes the rest at once if the materials for all of it are there, or (not whole) as much as there is."""
        recipe = self.sim.world.recipe_of[job.item]
        if job.left <= 0 or (whole and missing_inputs(self.sim, agent, recipe, job.left)):
            return None
        for times in reversed(CRAFT_COUNTS):
            if times <= job.left and not missing_inputs(self.sim, agent, recipe, times):
                return call("craft_item", skill=recipe.skill, item=job.item, count=times)
        return None

    def _ready_to_give(self, agent: int, job: Give) -> bool:
        held = self.sim.state.agents[agent].count(job.item)
        if job.left <= 0 or held <= 0 or self._refused(job):
            return False
        return held >= job.left or not self._still_making(agent, job.item)

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
        name = self.sim.names[agent]
        for job in self.plan.jobs:
            match job:
                case Gather() | Craft() if job.agent == agent and job.item == item and job.left > 0:
                    return True
                case Give() if job.to == name and job.item == item and job.left > 0:
                    return True
                case Barter() if job.agent == agent and job.give == item and job.left > 0:
                    return True
                case Kill() if job.left > 0 and agent in job.agents:
                    return True
                case _:
                    pass
        return False

    def _receiver(self, job: Give) -> Tile:
        person = self.sim.people.get(job.to)
        if person is not None:
            return person.x, person.y
        return self.team.at(self.sim.index[job.to])

    def _reaches(self, agent: int, job: Give) -> bool:
        return self._near(agent, self._receiver(job), self.sim.rules.transfer_reach)

    def _deal(self, agent: int, job: Barter) -> Call | None:
        npc = self.sim.people[job.npc]
        held = self.sim.state.agents[agent].count(job.take)
        deals = min(job.left, held // job.take_count)
        if deals <= 0 or (deals < job.left and self._still_making(agent, job.take)):
            return None
        if not self._near(agent, (npc.x, npc.y), self.sim.rules.transfer_reach):
            return self._walk_to(agent, (npc.x, npc.y))
        return call("transfer_items", to=job.npc, item=job.take, count=deals * job.take_count)

    # -- gathering ---------------------------------------------------------------------------------------------------

    def _work(self, agent: int) -> Call | None:
        me = (self.sim.state.agents[agent].x, self.sim.state.agents[agent].y)
        jobs = [job for job in self._jobs(agent, Gather) if job.left > 0]
        for job in sorted(jobs, key=lambda job: apart(me, job.site)):
            return self._harvest(agent, job)
        return None

    def _harvest(self, agent: int, job: Gather) -> Call:
        sim, me = self.sim, self.sim.state.agents[agent]
        tool = sim.world.node_kinds[job.kinds[0]].tool
        if tool is not None:
            worn = me.worn.get("weapon")
            if worn is None or sim.world.items[worn[0]].tool != tool:
                carried = sorted(item for item in me.bag if sim.world.items[item].tool == tool)
                if carried:
                    return call("equip_item", item=carried[0])
        soonest: tuple[int, int, int] | None = None
        for distance, number in sim.world.nodes_near(me.x, me.y, sim.rules.sight_nodes):
            node = sim.world.nodes[number]
            if node.kind in job.kinds and self._walkable_to(agent, node.x, node.y):
                wait = max(0, sim.node_ready(number) - sim.state.round)
                if soonest is None or (wait, distance) < soonest[:2]:
                    soonest = (wait, distance, number)
                if not wait:
                    break
        if soonest is None:
            return self._walk_to(agent, job.site) or call("sleep", rounds=1)
        if soonest[0]:
            return call("sleep", rounds=1)
        return call("harvest_resource", target=sim.world.nodes[soonest[2]].id)

    def _walkable_to(self, agent: int, x: int, y: int) -> bool:
        me, rules = self.sim.state.agents[agent], self.sim.rules
        way = self.sim.world.paths.walk(me.x, me.y, x, y, rules.path_limit, rules.gather_reach)
        return way is not None and way.reached

    # -- carrying ----------------------------------------------------------------------------------------------------

    def _carry(self, agent: int) -> Call | None:
        for job in self._jobs(agent, Give):
            if self._ready_to_give(agent, job):
                return self._approach(agent, job)
        return None

    def _approach(self, agent: int, job: Give) -> Call | None:
        receiver = self.sim.index.get(job.to)
        if receiver is None:
            return self._walk_to(agent, self._receiver(job))
        hub = self.plan.hubs.get(receiver, self.team.at(receiver))
        reach = self.sim.rules.transfer_reach
        if not self._near(agent, hub, reach // 2):
            return self._walk_to(agent, hub)
        if self._near(receiver, hub, 2 * self.sim.rules.path_limit):
            return None
        return self._walk_to(agent, self.team.at(receiver))

    def _walk_to(self, agent: int, tile: Tile) -> Call | None:
        if self.team.at(agent) == tile:
            return None
        return call("move_character", x=tile[0], y=tile[1])

    # -- fighting ----------------------------------------------------------------------------------------------------

    def _give_signals(self) -> None:
        """At the start of a round: lets a joint attack begin once all who are to take part stand ready."""
        for job in self.plan.jobs:
            if not isinstance(job, Kill) or job.left <= 0 or job.team < 2:
                continue
            able = [i for i in job.agents if self.sim.state.agents[i].status == ACTIVE]
            near = [i for i in able if self._near(i, job.site, self.sim.rules.sight_mobs - 10)]
            fit = all(2 * self.sim.state.agents[i].hp > self.sim.max_hp[i] for i in near)
            if job.go:
                if len(near) < job.team:
                    job.go = 0
            elif len(near) == len(able) and len(near) >= job.team and fit:
                job.go = self._round

    def _fight(self, agent: int) -> Call | None:
        for job in self._jobs(agent, Kill):
            if job.left <= 0:
                continue
            armed = self._arm(agent)
            if armed:
                return armed
            if job.team > 1 and not job.go:
                return self._stage(agent, job)
            return self._strike(agent, job)
        return None

    def _arm(self, agent: int) -> Call | None:
        weapons = self.team.weapons(agent)
        worn = self.sim.state.agents[agent].worn.get("weapon")
        if weapons and (
            worn is None
            or self.team.power_with(agent, weapons[0])
            > self.team.power_with(agent, self.sim.world.items[worn[0]])
        ):
            return call("equip_item", item=weapons[0].key)
        me = self.sim.state.agents[agent]
        if worn is not None and me.mana < self.sim.world.items[worn[0]].mana_cost:
            drinks = sorted(item for item in me.bag if self.sim.world.items[item].heal_mana)
            return call("use_item", item=drinks[0]) if drinks else call("sleep", rounds=1)
        return None

    def _stage(self, agent: int, job: Kill) -> Call | None:
        if self._near(agent, job.site, self.sim.rules.sight_mobs - 10):
            return call("sleep", rounds=1)
        x, y = self.team.at(agent)
        way = self.sim.world.paths.walk(x, y, *job.site, self.sim.rules.path_limit, _STAGE)
        if way is None or not way.length:
            return self._walk_to(agent, job.site)
        return self._walk_to(agent, way.at(way.length))

    def _strike(self, agent: int, job: Kill) -> Call | None:
        number = self.sim.mob_number(job.mob)
        x, y = self.team.at(agent)
        sight = self.sim.rules.sight_mobs
        found: tuple[int, int] | None = None
        numbers = (
            [number]
            if number is not None
            else [*self.sim.world.mob_homes_near(x, y, sight + 8), *self.sim.named.values()]
        )
        for candidate in numbers:
            where = self.sim.where(candidate)
            if where is None or (number is None and self.sim.spec(candidate).kind != job.mob):
                continue
            distance = apart((x, y), where)
            hurt = candidate in self.sim.state.mobs
            if distance <= sight and (found is None or (distance - 20 * hurt, candidate) < found):
                found = (distance - 20 * hurt, candidate)
        if found is not None:
            return call("attack_entity", target=self.sim.spec(found[1]).id)
        if self._near(agent, job.site, 8):
            return call("sleep", rounds=1)
        return self._walk_to(agent, job.site)

    # -- places ------------------------------------------------------------------------------------------------------

    def _visit(self, agent: int) -> Call | None:
        jobs = [job for job in self._jobs(agent, Visit) if not job.done]
        for job in sorted(jobs, key=lambda job: apart(self.team.at(agent), job.site)):
            return self._walk_to(agent, job.site)
        return None

    def _leftovers(self, agent: int) -> Call | None:
        """With nothing better to do: make what the materials allow, hand over what is there to somebody in reach."""
        for job in self._jobs(agent, Craft):
            made = self._craft(agent, job, whole=False)
            if made:
                return made
        me = self.sim.state.agents[agent]
        for job in self._jobs(agent, Give):
            held = me.count(job.item)
            if job.left > 0 and held and not self._refused(job) and self._reaches(agent, job):
                return call("transfer_items", to=job.to, item=job.item, count=min(job.left, held))
        return None

    def _stay(self, agent: int) -> Call | None:
        if self._waits_for_goods(agent):
            return None
        for job in self._jobs(agent, Stay):
            if not self._near(agent, job.site, job.within // 2):
                return self._walk_to(agent, job.site)
        return None

    def _waits_for_goods(self, agent: int) -> bool:
        name = self.sim.names[agent]
        return any(isinstance(job, Give) and job.to == name and job.left > 0 for job in self.plan.jobs)

    def _wait_at_hub(self, agent: int) -> Call | None:
        hub = self.plan.hubs.get(agent)
        if hub is None or not self._waits_for_goods(agent) or self._near(agent, hub, 2):
            return None
        return self._walk_to(agent, hub)
