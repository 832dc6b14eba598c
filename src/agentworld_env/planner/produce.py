"""Who makes what: quotas become gathering, crafting, hunting and buying jobs."""

from __future__ import annotations

import msgspec

from agentworld_env.planner.demand import Use
from agentworld_env.planner.jobs import Barter, Craft, Gap, Gather, Job, Kill, Tile
from agentworld_env.planner.style import Style
from agentworld_env.planner.team import Team, apart, craft_calls, turns
from agentworld_env.world.catalogue import Recipe

_HUNT = 3
"""Turns that the kill of a common mob is taken to cost."""


class Made(msgspec.Struct):
    """Units of an item that an agent will have made and that nobody has claimed yet."""

    agent: int
    count: int


class Production:
    """Assigns the making of items.

    Args:
        team: The members that take part.
        style: How they work.
    """

    def __init__(self, team: Team, style: Style) -> None:
        self.team = team
        self.style = style
        self.world = team.world
        self.jobs: list[Job] = []
        self.gaps: list[Gap] = []
        self.handicap = dict(style.handicaps)
        self.load: dict[int, int] = {i: self.handicap.get(i, 0) for i in team.members}
        self.uses: dict[str, list[Use]] = {}

    def place_of(self, use: Use) -> Tile:
        """Returns where a use's units are wanted, as far as one can tell now."""
        if use.to >= 0:
            return self.team.at(use.to)
        person = self.team.sim.people[use.person]
        return person.x, person.y

    def gap(self, item: str, count: int) -> list[Made]:
        """Notes units that nobody can provide."""
        self.gaps.append(Gap(f"nobody can provide {count} {item}{self._kept_tool(item)}", item))
        return []

    def _kept_tool(self, item: str) -> str:
        """Returns what to add where the tool for an item is there, but with somebody who cannot use it."""
        level = self.team.sim.level
        for kind in self.world.node_kinds.values():
            if kind.gives != item or kind.tool is None:
                continue
            able = {i for i in self.team.members if level(i, kind.skill) >= kind.level}
            holders = [i for i in self.team.members if i not in able and self.team.has_tool(i, kind.tool)]
            if able and holders:
                return (
                    f": {self.team.sim.names[holders[0]]} holds the {kind.tool} but lacks the skill, and the planner "
                    "hands on no tool unless a checkpoint asks for it"
                )
        return ""

    def obtain(self, item: str, count: int, avoid: set[int]) -> list[Made]:
        """Makes units in whichever way the team can, not by those who must receive them from others."""
        members = tuple(i for i in self.team.members if i not in avoid) or self.team.members
        recipe = self.world.recipe_of.get(item)
        if recipe is not None and any(self.team.can_craft(i, recipe) for i in members):
            return self.make(item, count, members)
        if any(self.team.kinds_for(i, item) for i in members):
            return self.harvest(item, count, members)
        return self._hunt(item, count, members) or self._buy(item, count, members) or self.gap(item, count)

    # -- crafting ----------------------------------------------------------------------------------------------------

    def make(self, item: str, count: int, by: tuple[int, ...]) -> list[Made]:
        """Lets some agents craft units."""
        recipe = self.world.recipe_of.get(item)
        able = [i for i in by if recipe is not None and self.team.can_craft(i, recipe)]
        if recipe is None or not able:
            return self.gap(item, count)
        times = -(-count // recipe.count)
        if self.style.round_up and times % 5 >= 3 and self._plenty(recipe, times + 5 - times % 5):
            times += 5 - times % 5
        ranked = sorted(able, key=lambda i: self._crafter_cost(i, recipe))
        outputs = []
        for crafter, share in zip(ranked, self._shares(times, len(ranked)), strict=False):
            self.load[crafter] += craft_calls(share)
            self._add_craft(crafter, item, share)
            for part, units in recipe.inputs.items():
                self.uses.setdefault(part, []).append(Use(item=part, count=units * share, to=crafter))
            outputs.append(Made(crafter, share * recipe.count))
        return outputs

    def _shares(self, times: int, crafters: int) -> list[int]:
        """Returns how often each of some crafters makes a recipe: one makes all, unless the work is to be spread."""
        calls = craft_calls(times)
        hands = min(crafters, -(-calls // 2)) if self.style.spread == 2 and calls > 2 else 1
        return [times // hands + (k < times % hands) for k in range(hands)]

    def _plenty(self, recipe: Recipe, times: int) -> bool:
        """Whether more crafts than needed can be provided for: their inputs are gathered, or lie there in plenty."""
        for part, units in recipe.inputs.items():
            held = sum(self.team.holds(i, part) for i in self.team.members)
            named = (self.team.named(self.team.kinds_for(i, part)) for i in self.team.members)
            if held < units * times and not any(named):
                return False
        return True

    def _add_craft(self, agent: int, item: str, times: int) -> None:
        for job in self.jobs:
            if isinstance(job, Craft) and (job.agent, job.item) == (agent, item):
                job.left += times
                return
        self.jobs.append(Craft(agent=agent, item=item, left=times))

    def _crafter_cost(self, agent: int, recipe: Recipe) -> tuple[int, int, int, int]:
        """Prefers who needs the product, gets or holds the inputs, and is busy crafting or (spread) is not."""
        needs = any(use.to == agent and not use.made for use in self.uses.get(recipe.item, ()))
        gets = sum(use.count for part in recipe.inputs for use in self.uses.get(part, ()) if use.to == agent)
        holds = sum(min(self.team.holds(agent, part), units) for part, units in recipe.inputs.items())
        busy = any(isinstance(job, Craft) and job.agent == agent for job in self.jobs)
        if self.style.spread:
            return (not needs, self.load[agent] - holds, -gets, agent)
        return (not needs, -gets - holds, not busy, self.load[agent] * 64 + agent)

    # -- gathering ---------------------------------------------------------------------------------------------------

    def harvest(self, item: str, count: int, by: tuple[int, ...]) -> list[Made]:
        """Lets some agents gather units, shared out so that they finish together."""
        team = self.team
        goal = next((self.place_of(use) for use in self.uses.get(item, ())), None)
        able: dict[int, tuple[tuple[str, ...], Tile]] = {}
        for i in by:
            kinds = team.kinds_for(i, item)
            site = team.best_site(kinds, i, goal, on_the_spot=self.style.on_the_spot) if kinds else None
            if site is not None:
                able[i] = (kinds, site)
        if not able:
            return self.gap(item, count)
        cost = {i: self.load[i] + self._way(i, able[i][1], goal) + self.style.new_hand for i in able}
        share = dict.fromkeys(able, 0)
        for _ in range(count):
            i = min(able, key=lambda i: (cost[i], i))
            share[i] += 1
            cost[i] += 1
        outputs = []
        for i, units in share.items():
            if units:
                self.load[i] += units
                self._add_gather(i, item, units, *able[i])
                outputs.append(Made(i, units))
        return outputs

    def _way(self, agent: int, site: Tile, goal: Tile | None) -> int:
        there = turns(apart(self.team.at(agent), site), 64)
        return there if goal is None else there + turns(apart(site, goal), 8)

    def _add_gather(self, agent: int, item: str, units: int, kinds: tuple[str, ...], site: Tile) -> None:
        for job in self.jobs:
            if isinstance(job, Gather) and (job.agent, job.item) == (agent, item):
                job.left += units
                return
        told = any((False, site) in self.team.node_sites.get(kind, ()) for kind in kinds)
        self.jobs.append(Gather(agent=agent, item=item, left=units, kinds=kinds, site=site, told=told))

    # -- hunting and buying ------------------------------------------------------------------------------------------

    def _hunt(self, item: str, count: int, members: tuple[int, ...]) -> list[Made]:
        """Gets units as sure drops of common mobs."""
        for kind in self.world.mob_kinds.values():
            per_kill = sum(drop.count for drop in kind.drops if drop.always and drop.item == item)
            if not per_kill:
                continue
            sites = [(s.x, s.y) for s in self.world.mob_spawns if s.kind == kind.key]
            if not sites:
                continue
            return [
                Made(hunter, kills * per_kill)
                for hunter, kills in self._hunters(kind.key, sites, -(-count // per_kill), members).items()
            ]
        return []

    def _hunters(self, kind: str, sites: list[Tile], kills: int, members: tuple[int, ...]) -> dict[int, int]:
        """Shares kills out among those who fight well, so that they finish together; returns hunter -> kills."""
        best = max(self.team.power(i) for i in members)
        able = [i for i in members if 2 * self.team.power(i) >= best]
        home = {i: min(sites, key=lambda tile: (apart(self.team.at(i), tile), tile)) for i in able}
        cost = {
            i: self.load[i] + turns(apart(self.team.at(i), home[i]), 50) + self.style.new_hand for i in able
        }
        share: dict[int, int] = {}
        for _ in range(kills):
            hunter = min(able, key=lambda i: (cost[i], -self.team.power(i), i))
            share[hunter] = share.get(hunter, 0) + 1
            cost[hunter] += _HUNT
        for hunter, units in share.items():
            self.load[hunter] += _HUNT * units
            self.jobs.append(
                Kill(agents=(hunter,), mob=kind, left=units, team=1, site=home[hunter], by=(hunter,))
            )
        return share

    def _buy(self, item: str, count: int, members: tuple[int, ...]) -> list[Made]:
        """Gets units from a merchant."""
        for npc in sorted(self.world.npcs.values(), key=lambda npc: npc.id):
            offer = next((offer for offer in npc.offers if offer.give == item), None)
            if offer is None:
                continue
            buyer = min(members, key=lambda i: (apart(self.team.at(i), (npc.x, npc.y)), i))
            deals = -(-count // offer.give_count)
            self.jobs.append(
                Barter(
                    agent=buyer,
                    npc=npc.id,
                    take=offer.take,
                    take_count=offer.take_count,
                    give=item,
                    left=deals,
                )
            )
            use = Use(item=offer.take, count=deals * offer.take_count, to=buyer)
            self.uses.setdefault(offer.take, []).append(use)
            return [Made(buyer, deals * offer.give_count)]
        return []
