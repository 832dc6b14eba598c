"""Who gives what to whom: uses are covered from stock and from what is made, products before their inputs."""

from __future__ import annotations

import msgspec

from agentworld_env.planner.demand import Demand, Quota, Use
from agentworld_env.planner.jobs import Give
from agentworld_env.planner.produce import Made, Production
from agentworld_env.planner.ready import Ready
from agentworld_env.planner.style import Style
from agentworld_env.planner.team import Team, apart

_BUSY = 60
"""Tiles that a giver is taken to be farther away for each turn of its handicap."""


class Supply(Production):
    """Assigns production and hand-overs.

    Args:
        team: The members that take part.
        demand: What the task asks for.
        style: How they work.
    """

    def __init__(self, team: Team, demand: Demand, style: Style) -> None:
        super().__init__(team, style)
        self._gather: dict[str, list[Quota]] = {}
        self._craft: dict[str, list[Quota]] = {}
        for use in demand.uses:
            self.uses.setdefault(use.item, []).append(use)
        for quota in demand.gather:
            self._gather.setdefault(quota.item, []).append(quota)
        for quota in demand.craft:
            self._craft.setdefault(quota.item, []).append(quota)

    def assign(self) -> None:
        """Works through all items, products before their inputs."""
        for item in self._order():
            self._provide(item)

    def _order(self) -> list[str]:
        """Returns the items concerned, every product before what it is made from and what is paid for it."""
        order: list[str] = []
        seen: set[str] = set()
        offers = [offer for npc in self.world.npcs.values() for offer in npc.offers]

        def visit(item: str) -> None:
            if item in seen:
                return
            seen.add(item)
            recipe = self.world.recipe_of.get(item)
            parts = set(recipe.inputs if recipe is not None else ())
            parts.update(offer.take for offer in offers if offer.give == item)
            for part in sorted(parts):
                visit(part)
            order.append(item)

        for item in sorted({*self.uses, *self._gather, *self._craft}):
            visit(item)
        return order[::-1]

    def _provide(self, item: str) -> None:
        uses = _after_deliveries(self.uses.get(item, []))
        stock = {i: n for i in self.team.members if (n := self.team.holds(i, item))}
        made = [use for use in uses if use.made]
        plain = [use for use in uses if not use.made]
        avoid = {use.to for use in made if use.to >= 0}
        ready = Ready(self.team, item) if self.style.reuses and made else None
        if ready is not None:
            made = [left for use in made if (left := self._from_bags(use, stock, ready)).count]
        outputs: list[Made] = []
        for quota in self._craft.get(item, ()):
            outputs.extend(self.make(item, quota.count, _without(quota.by, avoid)))
        for quota in self._gather.get(item, ()):
            outputs.extend(self.harvest(item, quota.count, _without(quota.by, avoid)))
        fresh = sum(use.count for use in made)
        have = sum(output.count for output in outputs)
        fit = sum(output.count for output in outputs if output.agent not in avoid)
        short = max(fresh - fit, fresh + _lacking(plain, stock) - have)
        if short > 0:
            outputs.extend(self.obtain(item, short, avoid))
        for use in made:
            self._serve(use, outputs, {}, ready)
        for use in plain:
            self._serve(use, outputs, stock)

    def _from_bags(self, use: Use, stock: dict[int, int], ready: Ready) -> Use:
        """Covers a use of what must be made from what has been made already; returns what is left of it."""
        left, goal = use.count, self.place_of(use)
        to = self.team.sim.names[use.to] if use.to >= 0 else use.person
        for holder in sorted(stock, key=lambda i: (apart(self.team.at(i), goal), i)):
            if left and holder != use.to:
                handed, counted = ready.promise(holder, to, left)
                left -= counted
                stock[holder] -= handed
                self._give(holder, use, handed)
        return msgspec.structs.replace(use, count=left)

    def _serve(
        self, use: Use, outputs: list[Made], stock: dict[int, int], ready: Ready | None = None
    ) -> None:
        """Covers a use: from the user's own things first, then from whoever is nearest."""
        left = use.count
        if use.to >= 0 and not use.delivery:
            left -= _draw_stock(stock, use.to, left)
            for output in outputs:
                if output.agent == use.to:
                    left -= _draw(output, left)
        goal = self.place_of(use)
        for holder in sorted(stock, key=lambda i: (apart(self.team.at(i), goal), i)):
            if left and holder != use.to:
                units = _draw_stock(stock, holder, left)
                left -= units
                self._give(holder, use, units)

        def rank(output: Made) -> tuple[int, int, int]:
            near = apart(self.team.at(output.agent), goal) + _BUSY * self.handicap.get(output.agent, 0)
            few = (-output.count, near) if self.style.few_givers else (near, -output.count)
            return (*few, output.agent)

        for output in sorted(outputs, key=rank):
            if left and output.count and (output.agent != use.to or use.to < 0):
                units = _draw(output, left)
                left -= units
                # Older units leave a bag first, so those must go along for fresh ones to arrive.
                extra = self.team.holds(output.agent, use.item) if use.made else 0
                extra -= min(extra, ready.promised(output.agent)) if ready is not None else 0
                self._give(output.agent, use, units + extra)
        if left:
            self.gap(use.item, left)

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


def _without(members: tuple[int, ...], avoid: set[int]) -> tuple[int, ...]:
    """Returns the members not to be avoided, or all if that leaves nobody."""
    return tuple(i for i in members if i not in avoid) or members


def _lacking(uses: list[Use], stock: dict[int, int]) -> int:
    """Returns units that stock cannot cover; what a receiver holds cannot be handed to it."""
    total = sum(stock.values())
    short = sum(use.count for use in uses) - total
    for use in uses:
        if use.delivery:
            short = max(short, use.count - (total - stock.get(use.to, 0)))
    return max(0, short)


def _draw(output: Made, want: int) -> int:
    units = min(output.count, want)
    output.count -= units
    return units


def _draw_stock(stock: dict[int, int], agent: int, want: int) -> int:
    units = min(stock.get(agent, 0), want)
    if units:
        stock[agent] -= units
    return units
