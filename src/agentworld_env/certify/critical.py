"""The critical path: how early an agent can hold, make and hand over one unit of an item.

Time is counted in turns of the whole team, *slots*: slot = round x team size + place in the turn order, rounds from 1.
Slot 0 lies before the episode. All times are too early rather than too late: nothing is used up, several things are
done at once, ways are straight.
"""

from __future__ import annotations

from agentworld_env.certify.gaps import pareto
from agentworld_env.certify.sources import Sources

NEVER = 1 << 40


class Critical:
    """Earliest slots in a relaxation without quantities.

    Args:
        sources: Where items come from.

    Attributes:
        holds: (item, agent) -> slot after which it may hold a unit; absent if it never does.
        makes: (item, agent) -> earliest slot in which it may harvest, craft or loot a unit.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.size = len(sources.sim.names)
        self.holds: dict[tuple[str, int], int] = {}
        self.makes: dict[tuple[str, int], int] = {}
        self._meet = [[self._meeting(i, j) for j in range(self.size)] for i in range(self.size)]
        self._brought: dict[tuple[str, int, int, bool], int] = {}
        self._close()

    # -- slots -------------------------------------------------------------------------------------------------------

    def slot(self, agent: int, round_: int) -> int:
        """Returns the slot of an agent's turn in a round."""
        return round_ * self.size + agent

    def after(self, agent: int, slot: int) -> int:
        """Returns an agent's first turn after a slot."""
        if slot >= NEVER:
            return NEVER
        round_, place = divmod(slot, self.size)
        return self.slot(agent, max(1, round_ + (place >= agent)))

    def round_of(self, slot: int) -> int:
        """Returns the round of a slot."""
        return slot // self.size

    # -- the fixed point ---------------------------------------------------------------------------------------------

    def _close(self) -> None:
        world, sources = self.sources.world, self.sources
        for i, setup in enumerate(sources.sim.setup.agents):
            for item in {*setup.bag, *setup.worn} & sources.relevant:
                self.holds[item, i] = 0
        yields = sorted({kind.gives for kind in world.node_kinds.values()} & sources.relevant)
        recipes = [recipe for recipe in world.recipes if recipe.item in sources.relevant]
        loose = sorted({*sources.drops, *sources.bartered} & sources.relevant)
        changed = True
        while changed:
            changed = False
            for item in yields:
                for i in sources.team:
                    changed |= self._make(item, i, self._harvest(item, i))
            for recipe in recipes:
                for i in sources.crafters(recipe.item):
                    ready = max((self.holds.get((part, i), NEVER) for part in recipe.inputs), default=0)
                    changed |= self._make(recipe.item, i, self.after(i, ready))
            for item in loose:
                for i in sources.team:
                    changed |= self._make(item, i, self.slot(i, 1))
            for item, giver in list(self.holds):
                for j in sources.team:
                    if j != giver:
                        changed |= self._lower(self.holds, item, j, self.handed(item, giver, j))

    def _harvest(self, item: str, agent: int) -> int:
        best = NEVER
        for spot in self.sources.spots(agent, item):
            slot = self.slot(agent, int(spot.heads.min()) + 1)
            if self.sources.tool_turns(agent, spot.kind.tool):
                slot = max(slot, self.after(agent, self._puts_on(agent, spot.kind.tool)))
            best = min(best, slot)
        return best

    def _puts_on(self, agent: int, tool: str | None) -> int:
        """Returns the earliest slot in which an agent can put on a tool of a kind that it does not wear at first."""
        items = self.sources.world.items
        keys = (key for key, item in items.items() if item.tool == tool)
        return self.after(agent, min((self.holds.get((key, agent), NEVER) for key in keys), default=NEVER))

    def equipped(self, agent: int, tool: str | None) -> int:
        """Returns how many turns of an agent pass before it can wear a tool of a kind."""
        if not self.sources.tool_turns(agent, tool):
            return 0
        slot = self._puts_on(agent, tool)
        return NEVER if slot >= NEVER else self.round_of(slot)

    def _make(self, item: str, agent: int, slot: int) -> bool:
        self._lower(self.makes, item, agent, slot)
        return self._lower(self.holds, item, agent, slot)

    @staticmethod
    def _lower(table: dict[tuple[str, int], int], item: str, agent: int, slot: int) -> bool:
        if slot >= table.get((item, agent), NEVER):
            return False
        table[item, agent] = slot
        return True

    # -- changing hands ----------------------------------------------------------------------------------------------

    def handed(self, item: str, giver: int, receiver: int, slot: int | None = None) -> int:
        """Returns the earliest slot in which an agent can hand a unit to another.

        Args:
            item: What.
            giver: Who gives.
            receiver: Who takes.
            slot: Slot after which the giver has it; by default the earliest.
        """
        had = self.holds.get((item, giver), NEVER) if slot is None else slot
        if had >= NEVER:
            return NEVER
        if not self.sources.lives:
            # Things may also change hands by a death, which costs the giver no turn.
            return max(had, self.size)
        earliest = max(self._meet[giver][receiver], self.brought(item, receiver))
        return max(self.after(giver, had), self.slot(giver, earliest))

    def _meeting(self, giver: int, receiver: int) -> int:
        """Returns the first round in which two agents can be near enough at the giver's turn."""
        sources = self.sources
        rules = sources.sim.rules
        apart = sources.gaps.gap(sources.starts[giver], sources.starts[receiver]) - 2 * sources.slack
        round_ = 1
        while True:
            turns = round_ - 1 + (round_ if receiver < giver else round_ - 1)
            if rules.path_limit * turns + rules.transfer_reach >= apart:
                return round_
            round_ += 1

    def brought(self, item: str, receiver: int, units: int = 1, *, made: bool = False) -> int:
        """Returns the first round in which so many units can have come to an agent from where units come from.

        Args:
            item: What.
            receiver: Who takes them.
            units: How many. The last of them comes no sooner than so many can have been made.
            made: Whether only units count that others have made in the episode.
        """
        key = (item, receiver, units, made)
        found = self._brought.get(key)
        if found is None:
            self._brought[key] = 1
            found = self._brought[key] = self._bring(item, receiver, units, made=made)
        return found

    def _bring(self, item: str, receiver: int, units: int, *, made: bool) -> int:
        sources = self.sources
        makers = tuple(i for i in sources.team if not (made and i == receiver))
        if not sources.lives or sources.loose(item) or (not made and sources.spots(receiver, item)):
            return 1
        stock = 0 if made else sources.stock(item)
        rounds: list[int] = []
        if stock and units <= stock:
            for i in makers:
                if sources.stock(item, i):
                    apart = sources.gaps.gap(sources.starts[i], sources.starts[receiver])
                    rounds.append(self._closing(apart - 2 * sources.slack, 0, i, receiver))
        recipe = sources.world.recipe_of.get(item)
        crafted = recipe is not None and any(i in makers for i in sources.crafters(item))
        spots = any(sources.spots(i, item) for i in makers)
        # Of units from several kinds of sources any one may be the last.
        last = units - stock if crafted != spots and units > stock else 1
        reach = sources.slack + sources.sim.rules.gather_reach
        since = self.gathered(item, last, makers)
        for i in makers:
            for spot in sources.spots(i, item):
                apart_all = sources.gaps.from_many(spot.tiles, sources.starts[receiver])
                ways = {(int(d), int(h)) for d, h in zip(apart_all, spot.heads, strict=True)}
                rounds.extend(
                    self._closing(d - reach, max(h + 1, since), i, receiver) for d, h in pareto(ways)
                )
        if recipe is not None and crafted:
            crafts = -(-last // recipe.count)
            parts = recipe.inputs.items()
            rounds.append(max((self.brought(part, receiver, n * crafts) for part, n in parts), default=1))
        return min(rounds, default=1)

    def gathered(self, item: str, units: int, makers: tuple[int, ...]) -> int:
        """Returns the first round in which some agents can have harvested so many units; 1 if they never can."""
        spots = (self.sources.spots(i, item) for i in makers)
        heads = [min(int(spot.heads.min()) for spot in found) for found in spots if found]
        round_ = 1
        while heads and sum(max(0, round_ - head) for head in heads) < units:
            round_ += 1
        return round_

    def _closing(self, apart: int, since: int, holder: int, receiver: int) -> int:
        """Returns the first round in which an item, under way since the end of a round, can come to its receiver."""
        gaps = self.sources.gaps
        rules = gaps.rules
        # Who sits last in the turn order has not had its turn of the round when something is handed to it.
        last = receiver == max(self.sources.team)
        round_ = since + 1
        while True:
            walked = rules.path_limit * (round_ - last)
            if walked + gaps.carried(round_ - since, self.size, holder) >= apart:
                return round_
            round_ += 1

    # -- what checkpoints ask ----------------------------------------------------------------------------------------

    def made_and_given(self, item: str, receiver: int) -> int:
        """Returns the earliest slot in which an agent can be handed a unit that somebody else has made."""
        had = {i: self.makes[item, i] for i in self.sources.team if i != receiver and (item, i) in self.makes}
        changed = True
        while changed:
            changed = False
            for giver, slot in list(had.items()):
                for j in self.sources.team:
                    if j not in (giver, receiver):
                        later = self.handed(item, giver, j, slot)
                        if later < had.get(j, NEVER):
                            had[j] = later
                            changed = True
        return min((self.handed(item, i, receiver, slot) for i, slot in had.items()), default=NEVER)

    def brought_to(self, item: str, x: int, y: int, units: int = 1, *, made: bool) -> int:
        """Returns the earliest slot in which the last of some units can be handed over at a tile.

        Args:
            item: What.
            x: Column.
            y: Row.
            units: How many.
            made: Whether they must have been made in the episode.
        """
        sources = self.sources
        reach = sources.sim.rules.transfer_reach
        first = 0
        if made and sources.lives and not sources.loose(item) and not sources.crafters(item):
            first = self._first_at(item, x, y, units)
        best = NEVER
        table = self.makes if made else self.holds
        soonest = min((slot for (key, _), slot in table.items() if key == item), default=NEVER)
        for i in sources.team:
            if soonest < NEVER:
                apart = sources.gaps.gap(sources.starts[i], (x, y)) - sources.slack
                arrival = int(sources.gaps.moves(apart, reach)) + 1
                best = min(best, max(self.after(i, soonest), self.slot(i, max(arrival, first))))
        return best

    def _first_at(self, item: str, x: int, y: int, units: int) -> int:
        """Returns the first round in which the last of some harvested units can have come to a tile."""
        sources, gaps = self.sources, self.sources.gaps
        best = NEVER
        reach = sources.sim.rules.gather_reach
        made = self.gathered(item, units, sources.team)
        for i in sources.team:
            for spot in sources.spots(i, item):
                apart_all = gaps.from_many(spot.tiles, (x, y))
                ways = {(int(d), int(h)) for d, h in zip(apart_all, spot.heads, strict=True)}
                for apart, head in pareto(ways):
                    since = max(head + 1, made)
                    round_ = since + 1
                    while gaps.carried(round_ - since, self.size, i) < apart - reach:
                        round_ += 1
                    best = min(best, round_)
        return best
