"""Who makes what and who gives it to whom: quotas and uses become gathering, crafting and giving jobs."""

from __future__ import annotations

import msgspec

from agentworld_env.planner.demand import Demand, Quota, Use
from agentworld_env.planner.jobs import Barter, Craft, Gather, Give, Job, Kill
from agentworld_env.planner.team import Team, apart, turns

_NEW_HAND = 2
"""Turns that a further gatherer costs: walking over and handing in."""


class _Made(msgspec.Struct):
    """Units of an item that an agent will have made and that nobody has claimed yet."""

    agent: int
    count: int


class Supply:
    """Assigns production and hand-overs.

    Args:
        team: The members that take part.
        demand: What the task asks for.
    """

    def __init__(self, team: Team, demand: Demand) -> None:
        self.team = team
        self.world = team.world
        self.jobs: list[Job] = []
        self.gaps: list[str] = []
        self.load: dict[int, int] = dict.fromkeys(team.members, 0)
        self._uses: dict[str, list[Use]] = {}
        self._gather: dict[str, list[Quota]] = {}
        self._craft: dict[str, list[Quota]] = {}
        self._stock: dict[str, dict[int, int]] = {}
        for use in demand.uses:
            self._uses.setdefault(use.item, []).append(use)
        for quota in demand.gather:
            self._gather.setdefault(quota.item, []).append(quota)
        for quota in demand.craft:
            self._craft.setdefault(quota.item, []).append(quota)

    def assign(self) -> None:
        """Works through all items, products before their inputs."""
        for item in self._order():
            self._provide(item)

    def _order(self) -> list[str]:
        """Returns the items concerned, every product before what it is made from."""
        order: list[str] = []
        seen: set[str] = set()

        def visit(item: str) -> None:
            if item in seen:
                return
            seen.add(item)
            recipe = self.world.recipe_of.get(item)
            if recipe is not None:
                for part in recipe.inputs:
                    visit(part)
            order.append(item)

        for item in sorted({*self._uses, *self._gather, *self._craft}):
            visit(item)
        return order[::-1]

    def _stock_of(self, item: str) -> dict[int, int]:
        if item not in self._stock:
            self._stock[item] = {i: n for i in self.team.members if (n := self.team.holds(i, item))}
        return self._stock[item]

    def _provide(self, item: str) -> None:
        uses = self._after_deliveries(self._uses.get(item, []))
        stock = self._stock_of(item)
        made = [use for use in uses if use.made]
        plain = [use for use in uses if not use.made]
        wanted = sum(use.count for use in made) + max(
            0, sum(use.count for use in plain) - sum(stock.values())
        )
        crafts, gathers = self._craft.get(item, []), self._gather.get(item, [])
        outputs: list[_Made] = []
        for q in crafts:
            outputs.extend(self._make(item, q.count, q.by))
        for q in gathers:
            outputs.extend(self._harvest(item, q.count, q.by))
        short = wanted - sum(output.count for output in outputs)
        if short > 0:
            avoid = {use.to for use in made}
            outputs.extend(self._obtain(item, short, avoid))
        for use in made:
            self._serve(use, outputs, {})
        for use in plain:
            self._serve(use, outputs, stock)

    @staticmethod
    def _after_deliveries(uses: list[Use]) -> list[Use]:
        """Returns the uses less what deliveries to the same agent already bring it.

        Ten logs handed to a smith are ten logs it can use.
        """
        brought: dict[int, int] = {}
        for use in uses:
            if use.delivery and use.to >= 0:
                brought[use.to] = brought.get(use.to, 0) + use.count
        kept: list[Use] = []
        for use in uses:
            covered = 0 if use.delivery else min(brought.get(use.to, 0), use.count)
            if covered:
                brought[use.to] -= covered
            if use.count > covered:
                kept.append(use if not covered else Use(item=use.item, count=use.count - covered, to=use.to))
        return kept

    # -- making ------------------------------------------------------------------------------------------------------

    def _obtain(self, item: str, count: int, avoid: set[int]) -> list[_Made]:
        """Makes units in whichever way the team can, not by those who must receive them from others."""
        members = tuple(i for i in self.team.members if i not in avoid) or self.team.members
        recipe = self.world.recipe_of.get(item)
        if recipe is not None and any(self.team.can_craft(i, recipe) for i in members):
            return self._make(item, count, members)
        if any(self.team.kinds_for(i, item) for i in members):
            return self._harvest(item, count, members)
        return self._hunt(item, count, members) or self._buy(item, count, members) or self._gap(item, count)

    def _gap(self, item: str, count: int) -> list[_Made]:
        self.gaps.append(f"nobody can provide {count} {item}")
        return []

    def _make(self, item: str, count: int, by: tuple[int, ...]) -> list[_Made]:
        recipe = self.world.recipe_of.get(item)
        able = [i for i in by if recipe is not None and self.team.can_craft(i, recipe)]
        if recipe is None or not able:
            return self._gap(item, count)
        crafter = min(able, key=lambda i: self._crafter_cost(i, item))
        times = -(-count // recipe.count)
        self.load[crafter] += times // 10 + times % 10 // 5 + times % 5
        self._add_craft(crafter, item, times)
        for part, units in recipe.inputs.items():
            use = Use(item=part, count=units * times, to=crafter)
            self._uses.setdefault(part, []).append(use)
        return [_Made(crafter, times * recipe.count)]

    def _add_craft(self, agent: int, item: str, times: int) -> None:
        for job in self.jobs:
            if isinstance(job, Craft) and (job.agent, job.item) == (agent, item):
                job.left += times
                return
        self.jobs.append(Craft(agent=agent, item=item, left=times))

    def _crafter_cost(self, agent: int, item: str) -> tuple[int, int, int, int]:
        """Prefers who needs the product, gets or holds the inputs, already crafts, and has less to do."""
        recipe = self.world.recipe_of[item]
        needs = any(use.to == agent and not use.made for use in self._uses.get(item, ()))
        gets = sum(use.count for part in recipe.inputs for use in self._uses.get(part, ()) if use.to == agent)
        holds = sum(min(self.team.holds(agent, part), units) for part, units in recipe.inputs.items())
        busy = any(isinstance(job, Craft) and job.agent == agent for job in self.jobs)
        return (not needs, -gets - holds, not busy, self.load[agent] * 64 + agent)

    def _harvest(self, item: str, count: int, by: tuple[int, ...]) -> list[_Made]:
        team = self.team
        able: dict[int, tuple[tuple[str, ...], tuple[int, int]]] = {}
        for i in by:
            kinds = team.kinds_for(i, item)
            site = team.nearest_site(kinds, *team.at(i)) if kinds else None
            if site is not None:
                able[i] = (kinds, site)
        if not able:
            return self._gap(item, count)
        cost = {i: self.load[i] + turns(apart(team.at(i), able[i][1]), 64) + _NEW_HAND for i in able}
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
                outputs.append(_Made(i, units))
        return outputs

    def _add_gather(
        self, agent: int, item: str, units: int, kinds: tuple[str, ...], site: tuple[int, int]
    ) -> None:
        for job in self.jobs:
            if isinstance(job, Gather) and (job.agent, job.item) == (agent, item):
                job.left += units
                return
        self.jobs.append(Gather(agent=agent, item=item, left=units, kinds=kinds, site=site))

    def _hunt(self, item: str, count: int, members: tuple[int, ...]) -> list[_Made]:
        """Gets units as sure drops of common mobs."""
        for kind in self.world.mob_kinds.values():
            per_kill = sum(drop.count for drop in kind.drops if drop.always and drop.item == item)
            sites = [(s.x, s.y) for s in self.world.mob_spawns if s.kind == kind.key]
            if not per_kill or not sites:
                continue
            hunter = max(members, key=lambda i: (self.team.power(i), -i))
            site = min(sites, key=lambda tile: apart(self.team.at(hunter), tile))
            kills = -(-count // per_kill)
            self.load[hunter] += 3 * kills
            self.jobs.append(Kill(agents=(hunter,), mob=kind.key, left=kills, team=1, site=site))
            return [_Made(hunter, kills * per_kill)]
        return []

    def _buy(self, item: str, count: int, members: tuple[int, ...]) -> list[_Made]:
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
            self._uses.setdefault(offer.take, []).append(use)
            return [_Made(buyer, deals * offer.give_count)]
        return []

    # -- giving ------------------------------------------------------------------------------------------------------

    def _serve(self, use: Use, outputs: list[_Made], stock: dict[int, int]) -> None:
        """Covers a use: from the user's own things first, then from whoever is nearest."""
        left = use.count
        if use.to >= 0 and not use.delivery:
            left -= _draw_stock(stock, use.to, left)
            for output in outputs:
                if output.agent == use.to:
                    left -= _draw(output, left)
        goal = self._place_of(use)
        for holder in sorted(stock, key=lambda i: (apart(self.team.at(i), goal), i)):
            if left and holder != use.to:
                units = _draw_stock(stock, holder, left)
                left -= units
                self._give(holder, use, units)
        for output in sorted(outputs, key=lambda o: (-o.count, apart(self.team.at(o.agent), goal), o.agent)):
            if left and output.count and (output.agent != use.to or use.to < 0):
                units = _draw(output, left)
                left -= units
                extra = self.team.holds(output.agent, use.item) if use.made else 0
                self._give(output.agent, use, units + extra)
        if left:
            self._gap(use.item, left)

    def _place_of(self, use: Use) -> tuple[int, int]:
        if use.to >= 0:
            return self.team.at(use.to)
        person = self.team.sim.people[use.person]
        return person.x, person.y

    def _give(self, giver: int, use: Use, units: int) -> None:
        if not units:
            return
        to = self.team.sim.names[use.to] if use.to >= 0 else use.person
        for job in self.jobs:
            if isinstance(job, Give) and (job.agent, job.to, job.item) == (giver, to, use.item):
                job.left += units
                return
        self.load[giver] += 1
        self.jobs.append(Give(agent=giver, to=to, item=use.item, left=units))


def _draw(output: _Made, want: int) -> int:
    units = min(output.count, want)
    output.count -= units
    return units


def _draw_stock(stock: dict[int, int], agent: int, want: int) -> int:
    units = min(stock.get(agent, 0), want)
    if units:
        stock[agent] -= units
    return units
