"""Gathering: which node next, with which tool, and what to do when none gives now."""

from __future__ import annotations

from agentworld_env.calls import Call
from agentworld_env.planner.fighting import call
from agentworld_env.planner.jobs import Craft, Gather, Give
from agentworld_env.planner.repelling import Defender
from agentworld_env.planner.team import apart


class Gatherer(Defender):
    """The gathering part of a driver."""

    def needed_work(self, agent: int) -> Call | None:
        """Gathers what the agent owes to others or needs for its own crafts, before what only has to be counted."""
        me = self.sim.state.agents[agent]
        owed: dict[str, int] = {}
        for give in self.jobs(agent, Give):
            owed[give.item] = owed.get(give.item, 0) + max(give.left, 0)
        for craft in self.jobs(agent, Craft):
            for part, units in self.sim.world.recipe_of[craft.item].inputs.items():
                owed[part] = owed.get(part, 0) + units * max(craft.left, 0)
        return self._gather(agent, [item for item, units in owed.items() if units > me.count(item)])

    def work(self, agent: int) -> Call | None:
        """Gathers whatever is still to be gathered."""
        return self._gather(agent, None)

    def _gather(self, agent: int, items: list[str] | None) -> Call | None:
        here = self.team.at(agent)
        jobs = [
            job for job in self.jobs(agent, Gather) if job.left > 0 and (items is None or job.item in items)
        ]
        for job in sorted(jobs, key=lambda job: (self._must_change(agent, job), apart(here, job.site))):
            return self._harvest(agent, job)
        return None

    def _must_change(self, agent: int, job: Gather) -> bool:
        """Whether an agent wears another tool than a job takes."""
        tool = self.sim.world.node_kinds[job.kinds[0]].tool
        worn = self.sim.state.agents[agent].worn.get("weapon")
        return tool is not None and (worn is None or self.sim.world.items[worn[0]].tool != tool)

    def _harvest(self, agent: int, job: Gather) -> Call:
        sim, me = self.sim, self.sim.state.agents[agent]
        if self._must_change(agent, job):
            tool = sim.world.node_kinds[job.kinds[0]].tool
            carried = sorted(item for item in me.bag if sim.world.items[item].tool == tool)
            if carried:
                return call("equip_item", item=carried[0])
        soonest: tuple[bool, int, int, int] | None = None
        for distance, number in sim.world.nodes_near(me.x, me.y, sim.rules.sight_nodes):
            node = sim.world.nodes[number]
            if node.kind in job.kinds and self._usable(agent, number, node.x, node.y):
                wait = max(0, sim.node_ready(number) - sim.state.round)
                untold = not self.team.told_of(number)
                if soonest is None or (untold, wait, distance) < soonest[:3]:
                    soonest = (untold, wait, distance, number)
                if not wait and not untold:
                    break
        site_told = job.told and not self.near(agent, job.site, sim.rules.sight_nodes)
        if soonest is None or (soonest[0] and site_told):
            return self.walk_to(agent, job.site) or call("sleep", rounds=1)
        if soonest[1]:
            if soonest[1] > 1 and not self.near(agent, job.site, sim.rules.sight_nodes):
                # Time to wait is time to walk on to where more nodes stand.
                return self.walk_to(agent, job.site) or call("sleep", rounds=1)
            return call("sleep", rounds=1)
        return call("harvest_resource", target=sim.world.nodes[soonest[3]].id)

    def _usable(self, agent: int, number: int, x: int, y: int) -> bool:
        me, rules = self.sim.state.agents[agent], self.sim.rules
        if self.barred(agent, call("harvest_resource", target=self.sim.world.nodes[number].id)):
            return False
        way = self.sim.world.paths.walk(me.x, me.y, x, y, rules.path_limit, rules.gather_reach)
        return way is not None and way.reached
