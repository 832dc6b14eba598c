"""The turns a task cannot be done without: harvests, crafts, hand-overs, blows, and what must follow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from agentworld_env.certify.blows import Blows
from agentworld_env.certify.critical import NEVER
from agentworld_env.certify.handing import hand_overs, tool_changes
from agentworld_env.certify.spans import Spans
from agentworld_env.certify.turns import Need, Window, batches, calls_for
from agentworld_env.certify.units import Units, apart
from agentworld_env.tasks.schema import Gathered, Held, Worn

View = Literal["used", "counted"]
VIEWS: tuple[View, ...] = ("used", "counted")


class Needs(Units):
    """All turns that a task needs.

    Args:
        spans: When harvests are of use.
        blows: What kills ask for.
        batch: Item -> number to a multiple of which its crafts are rounded up.
    """

    def __init__(self, spans: Spans, blows: Blows, batch: Mapping[str, int]) -> None:
        super().__init__(spans.sources, batch)
        self.spans = spans
        self.critical = spans.critical
        self.blows = blows

    # -- what follows ------------------------------------------------------------------------------------------------

    def tail(self, item: str, agent: int, units: int) -> int:
        """Returns rounds that must pass after an agent has made the last of so many units of an item.

        Args:
            item: What.
            agent: Its maker.
            units: So many are made in all, none of them more than needed by one of the item's uses.
        """
        amounts = self.amounts[item]
        tails = [0]
        if units <= amounts.handed:
            # The last unit that counts as handed over is handed over in a later turn of its maker.
            tails.append(1 if self.sources.lives else 0)
        if units <= amounts.used and self.sources.lives:
            tails.append(self._used_after(item, agent))
        if units == 1 and any(isinstance(p, Worn) and p.item == item for p in self.sources.parts):
            tails.append(int(self.sources.lives and not self.sources.stock(item)))
        return max(tails)

    def _used_after(self, item: str, agent: int) -> int:
        """Returns rounds until a unit can have been used up or have reached who must hold it."""
        ways = [1] if self.final[item] else []
        name = self.sim.names[agent]
        held = [p for p in self.sources.parts if isinstance(p, Held) and p.item == item]
        ways.extend(0 if point.by in (None, name) else 1 for point in held)
        for recipe in self.users(item):
            last = self.needed_crafts(recipe.item) * recipe.count
            for crafter in self.sources.crafters(recipe.item):
                # One's own turn comes a round later; a giver's turn is followed by the crafter's if it sits behind.
                wait = 1 if crafter >= agent else 2
                lost = recipe.count - 1
                ways.append(wait + self.tail(recipe.item, crafter, last - lost))
        return min(ways, default=0)

    # -- turns -------------------------------------------------------------------------------------------------------

    def all(self, view: View) -> list[Need]:
        """Returns the turns that are needed.

        The same harvests can be looked at in different ways, whose turns must not be added up.

        Args:
            view: All units that must be gathered, those to be ``used`` before the rest; or only those ``counted`` as
                gathered, by whoever they are counted for.
        """
        harvests = [need for item in self.amounts for need in self._harvests(item, view) if need.turns > 0]
        found = [*harvests, *hand_overs(self, self.critical, self._after_giving), *self.blows.needs()]
        found.extend(self._crafting(item) for item in self.amounts)
        worn = {(p.item, self.sim.index[p.by]) for p in self.sources.parts if isinstance(p, Worn)}
        for item, agent in sorted(worn):
            soonest = self.critical.after(agent, self.critical.holds.get((item, agent), NEVER))
            found.append(Need(f"put on {item}", 1, {agent: ((self.critical.round_of(soonest) - 1, 0),)}))
        tools = {self.sources.world.items[item].tool for item, _ in worn}
        found.extend(need for need in tool_changes(harvests, self.critical) if need.tool not in tools)
        return [need for need in found if need.turns > 0 and need.windows]

    def _after_giving(self, item: str, agent: int) -> int:
        """Returns rounds that must pass after an agent has handed over the last unit of a material."""
        return max(0, self._used_after(item, agent) - 1)

    def undecided(self) -> tuple[str, list[int]] | None:
        """Returns an item whose crafts it may pay to round up, with the multiples worth a look, or None."""
        for item in self.amounts:
            if item not in self.batch:
                choices = batches(self.needed_crafts(item))
                if len(choices) > 1:
                    return item, choices
        return None

    def _harvests(self, item: str, view: View) -> list[Need]:
        sources, amounts = self.sources, self.amounts[item]
        used = max(amounts.handed, amounts.used)
        every = amounts.all
        if amounts.gathered and item in sources.drops and item not in self.spec.sources:
            # Loot may serve every use, but does not count as gathered.
            used, every = 0, amounts.gathered
        elif sources.crafters(item) or item in sources.bartered:
            used, every = 0, amounts.gathered
        if every > 0 and item in sources.drops and not (amounts.gathered and item not in self.spec.sources):
            units = amounts.gathered if view == "counted" else every
            return [self.blows.gain(item, -(-units // sources.drops[item]))]
        if view == "counted":
            return [self._gather(item, count, able, 0) for count, able in self._counted(item)]
        everybody = frozenset(sources.team)
        return [self._gather(item, used, everybody, used), self._gather(item, every - used, everybody, 0)]

    def _gather(self, item: str, units: int, able: frozenset[int], used: int) -> Need:
        """Returns the turns in which some agents harvest units.

        Args:
            item: What.
            units: How many.
            able: Whose harvests count.
            used: How many of them something must follow: all or none.
        """
        windows: dict[int, Window] = {}
        sites = self._only_sites(item) if used and self.sources.lives and self.amounts[item].used > 0 else ()
        for i in self.sources.harvesters(item):
            if i in able:
                tail = self.tail(item, i, used) if used else 0
                windows[i] = self.spans.harvest(item, i, tail, sites)
        stride = self.sim.rules.sight_nodes + self.sim.rules.gather_reach
        tools = {spot.kind.tool for i in windows for spot in self.sources.spots(i, item)}
        tool = tools.pop() if len(tools) == 1 else None
        return Need(f"gather {units} {item}", units, windows, stride, tool)

    def _counted(self, item: str) -> list[tuple[int, frozenset[int]]]:
        """Returns units that are counted as gathered, with the agents whose harvests count."""
        points = [p for p in self.sources.parts if isinstance(p, Gathered) and p.item == item]
        shares = apart([(point.count, point.by) for point in points])
        everybody = frozenset(self.sources.team)
        found = [(n, frozenset(self.sim.index[name] for name in by)) for n, by in shares]
        rest = max((point.count for point in points), default=0) - sum(n for n, _ in found)
        return [*found, (rest, everybody)]

    def _only_sites(self, item: str) -> tuple[tuple[int, int], ...]:
        """Returns the tiles of the sites of an item that has no other use, or nothing."""
        names = self.final[item]
        held = any(isinstance(point, Held) and point.item == item for point in self.sources.parts)
        if held or self.users(item) or any(name in self.sim.index for name in names):
            return ()
        return tuple((self.sim.people[name].x, self.sim.people[name].y) for name in sorted(names))

    def _crafting(self, item: str) -> Need:
        times = self.needed_crafts(item)
        if not times:
            return Need(f"make {item}", 0, {})
        recipe = self.sources.world.recipe_of[item]
        lost = recipe.count - 1
        windows: dict[int, Window] = {}
        for i in self.sources.crafters(item):
            soonest = self.critical.makes.get((item, i), NEVER)
            if soonest < NEVER:
                tail = self.tail(item, i, times * recipe.count - lost)
                windows[i] = ((self.critical.round_of(soonest) - 1, tail),)
        # As long as nothing is settled, the fewest calls of all the ways count.
        choices = [self.batch[item]] if item in self.batch else batches(times)
        calls = min(calls_for(-(-times // batch) * batch) for batch in choices)
        return Need(f"make {item}", calls, windows)
