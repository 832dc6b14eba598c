"""The turns a task cannot be done without: harvests, crafts, hand-overs, blows, and what must follow them."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from agentworld_env.certify.critical import NEVER, Critical
from agentworld_env.certify.gaps import Tiles, stretch
from agentworld_env.certify.reach import Reach
from agentworld_env.certify.units import Amounts, Units
from agentworld_env.sim.combat import fighting_style
from agentworld_env.sim.crafting import CRAFT_COUNTS
from agentworld_env.sim.rules import max_strike
from agentworld_env.tasks.schema import (
    Built,
    Delivered,
    Gathered,
    Held,
    Killed,
    PresentTogether,
    Worn,
)

View = Literal["all", "counted", "late"]
VIEWS: tuple[View, ...] = ("all", "counted", "late")
Window = tuple[tuple[int, int], ...]
"""Pairs (turns that pass before, rounds that remain after): one of them bounds when a turn can be of use."""


class Need(msgspec.Struct, frozen=True):
    """Turns that must be spent.

    Attributes:
        what: In words.
        turns: How many.
        windows: Agent -> when its turns are of use; agents that are absent cannot help.
        stride: How far (tiles) such a turn may bring the agent that has it.
    """

    what: str
    turns: int
    windows: dict[int, Window]
    stride: int = 0


class Needs(Units):
    """All turns that a task needs.

    Args:
        critical: Earliest times.
    """

    def __init__(self, critical: Critical) -> None:
        super().__init__(critical.sources)
        self.critical = critical
        self._obtainable = Reach(self.spec, self.sim, tuple(self.sources.team)).items

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
        if units == 1 and any(isinstance(p, Worn) and p.item == item for p in self.spec.checkpoints):
            tails.append(int(self.sources.lives and not self.sources.stock(item)))
        return max(tails)

    def _used_after(self, item: str, agent: int) -> int:
        """Returns rounds until a unit can have been used up or have reached who must hold it."""
        ways = [1] if self.final[item] else []
        if any(isinstance(point, Held) and point.item == item for point in self.spec.checkpoints):
            ways.append(0)
        for recipe in self.users(item):
            last = self.crafts(recipe.item) * recipe.count
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
            view: ``all`` units that must be gathered; only those ``counted`` as gathered by named roles; or only those
                that something must follow, which leaves less time for them (``late``).
        """
        found: list[Need] = []
        for item, amounts in self.amounts.items():
            found.extend(self._harvests(item, amounts, view))
            found.extend(self._crafting(item))
        found.extend(self._hand_overs())
        found.extend(self._blows())
        found.extend(
            Need(f"put on {point.item}", 1, {self.sim.index[point.by]: ((0, 0),)})
            for point in self.spec.checkpoints
            if isinstance(point, Worn)
        )
        return [need for need in found if need.turns > 0 and need.windows]

    def _harvests(self, item: str, amounts: Amounts, view: View) -> list[Need]:
        sources = self.sources
        late = view == "late"
        per_kill = sources.drops.get(item, 0)
        units = max(amounts.handed, amounts.used) if late else amounts.all
        if view == "counted":
            units = amounts.gathered
        if amounts.gathered and item in sources.drops and item not in self.spec.sources:
            # Loot may serve every use, but does not count as gathered.
            units = 0 if late else amounts.gathered
            per_kill = 0
        elif sources.crafters(item) or item in sources.bartered:
            units = 0 if late else amounts.gathered
        if units <= 0:
            return []
        if per_kill:
            return [self._blow(f"gain {item}", -(-units // per_kill))]
        able = self._counted_by(item) if view == "counted" else set(sources.team)
        windows: dict[int, Window] = {}
        for i in sources.harvesters(item):
            if i in able:
                tail = self.tail(item, i, units) if late else 0
                windows[i] = self._harvest_window(item, i, tail, to_site=late and amounts.used > 0)
        stride = self.sim.rules.sight_nodes + self.sim.rules.gather_reach
        return [Need(f"gather {units} {item}", units, windows, stride)]

    def _counted_by(self, item: str) -> set[int]:
        """Returns the agents whose harvests some checkpoint counts."""
        names: set[str] = set()
        for point in self.spec.checkpoints:
            if isinstance(point, Gathered) and point.item == item:
                names.update(point.by or self.sim.names)
        return {self.sim.index[name] for name in names}

    def _blow(self, what: str, turns: int) -> Need:
        # With loot any walk may end in a blow, so that such a turn is taken to bring an agent as far as any.
        return Need(what, turns, dict.fromkeys(self.sources.team, ((0, 0),)), self.sim.rules.path_limit)

    def _harvest_window(self, item: str, agent: int, tail: int, *, to_site: bool) -> Window:
        pairs: set[tuple[int, int]] = set()
        sites = self._only_sites(item) if to_site else []
        for spot in self.sources.spots(agent, item):
            after = np.full(len(spot.tiles), tail)
            reach = self.sim.rules.gather_reach + self.sim.rules.transfer_reach
            if sites:
                ways = [self.sources.gaps.from_many(spot.tiles, site) for site in sites]
                after = np.maximum(after, self._carrying(np.min(ways, axis=0) - reach))
            after = np.maximum(after, self._coming_back(spot.tiles, agent))
            heads = np.maximum(spot.heads, self.critical.equipped(agent, spot.kind.tool))
            pairs.update((int(h), int(t)) for h, t in zip(heads, after, strict=True) if h < NEVER)
        return pareto(pairs)

    def _only_sites(self, item: str) -> list[tuple[int, int]]:
        """Returns the tiles of the sites of an item that has no other use, or nothing."""
        names = self.final[item]
        held = any(isinstance(point, Held) and point.item == item for point in self.spec.checkpoints)
        if held or self.users(item) or any(name in self.sim.index for name in names):
            return []
        return [(self.sim.people[name].x, self.sim.people[name].y) for name in sorted(names)]

    def _carrying(self, tiles: Tiles) -> Tiles:
        """Returns the rounds in which an item can be carried so many tiles, per entry."""
        rounds = np.zeros(len(tiles), dtype=np.int64)
        gaps, size = self.sources.gaps, self.critical.size
        for r in range(64):
            rounds[tiles > gaps.carried(r, size)] = r + 1
        return rounds

    def _coming_back(self, tiles: Tiles, agent: int) -> Tiles:
        """Returns rounds after a harvest at each tile until the agent can be where it must stand in the end."""
        longest = np.zeros(len(tiles), dtype=np.int64)
        name = self.sim.names[agent]
        for point in self.spec.checkpoints:
            if isinstance(point, PresentTogether) and (not point.by or name in point.by):
                middle, within = stretch(self.sources.world, point.area)
                apart = self.sources.gaps.from_many(tiles, middle) - within
                moves = self.sources.gaps.moves(apart, self.sim.rules.gather_reach)
                # A last harvest in sight of the area can follow the round in which all stood there.
                moves[apart <= self.sim.rules.sight_nodes] = 0
                longest = np.maximum(longest, moves)
        return longest

    def _crafting(self, item: str) -> list[Need]:
        times = self.crafts(item)
        if not times:
            return []
        recipe = self.sources.world.recipe_of[item]
        lost = recipe.count - 1
        windows: dict[int, Window] = {}
        for i in self.sources.crafters(item):
            soonest = self.critical.makes.get((item, i), NEVER)
            if soonest < NEVER:
                tail = self.tail(item, i, times * recipe.count - lost)
                windows[i] = ((self.critical.round_of(soonest) - 1, tail),)
        return [Need(f"make {item}", -(-times // max(CRAFT_COUNTS)), windows)]

    def _hand_overs(self) -> list[Need]:
        """One turn per kind and receiver, for deliveries, sites, and inputs that no crafter can provide itself."""
        if not self.sources.lives:
            return []
        pairs: set[tuple[str, str]] = set()
        for point in self.spec.checkpoints:
            if isinstance(point, Delivered):
                pairs.add((point.item, point.to))
            elif isinstance(point, Built):
                pairs.update((item, point.site) for item in self.sim.people[point.site].wants)
        given = {item for item, _ in pairs}
        for item, amounts in self.amounts.items():
            able = {c for recipe in self.users(item) for c in self.sources.crafters(recipe.item)}
            own = any((item, c) in self.critical.makes or self.sources.stock(item, c) for c in able)
            if able and amounts.used + self.sources.stock(item) > 0 and not own and item not in given:
                pairs.add((item, ""))
        needs = []
        for item, to in sorted(pairs):
            windows: dict[int, Window] = {}
            for i in self.sources.team:
                had = self.critical.holds.get((item, i), NEVER)
                if had < NEVER and self.sim.names[i] != to:
                    head = self.critical.round_of(self.critical.after(i, had)) - 1
                    windows[i] = ((head, 0),)
            needs.append(Need(f"hand over {item}", 1, windows))
        return needs

    def _blows(self) -> list[Need]:
        by_kind: dict[str, dict[str, int]] = {}
        for point in self.spec.checkpoints:
            if isinstance(point, Killed):
                spawn = self.sources.world.named_spawns.get(point.mob)
                counts = by_kind.setdefault(spawn.kind if spawn else point.mob, {})
                counts[point.mob] = max(counts.get(point.mob, 0), point.count)
        needs = []
        for kind, counts in by_kind.items():
            named = {mob: count for mob, count in counts.items() if mob != kind}
            for mob, count in named.items():
                needs.append(self._bring_down(mob, count))
            rest = counts.get(kind, 0) - sum(named.values())
            if rest > 0:
                needs.append(self._blow(f"kill {rest} {kind}", rest))
        return needs

    def _strike(self, agent: int) -> int:
        """Returns the most damage that one exchange of an agent can do with anything the team may come to hold."""
        skills = self.sim.skills[agent]
        strikes = [max_strike(0, skills.get("strength", 1))]
        for key in self._obtainable:
            weapon = self.sources.world.items[key]
            if weapon.slot == "weapon":
                _, skill, bonus, _ = fighting_style(weapon)
                strikes.append(max_strike(bonus, skills.get(skill, 1)))
        return max(strikes)

    def _bring_down(self, mob: str, count: int) -> Need:
        spawn = self.sources.world.named_spawns[mob]
        best = max(self._strike(i) for i in self.sources.team)
        turns = max(spawn.team, -(-spawn.hp // (best * self.sim.rules.exchanges)))
        windows: dict[int, Window] = {}
        for i in self.sources.team:
            apart = self.sources.gaps.gap(self.sources.starts[i], (spawn.x, spawn.y)) - self.sources.slack
            drawn = self.sim.rules.sight_mobs + 3 * self.sim.rules.leash
            windows[i] = ((int(self.sources.gaps.moves(apart, drawn)), 0),)
        return Need(f"kill {mob}", turns * count, windows, self.sim.rules.path_limit)


def pareto(pairs: set[tuple[int, int]]) -> Window:
    """Returns the pairs that no other pair undercuts in both numbers."""
    kept: list[tuple[int, int]] = []
    for head, tail in sorted(pairs):
        if not kept or tail < kept[-1][1]:
            kept.append((head, tail))
    return tuple(kept)
