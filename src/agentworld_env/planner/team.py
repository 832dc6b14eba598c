"""What a team can do: skills, tools, supplies, fighting power, and estimates of travel."""

from __future__ import annotations

from functools import cached_property

from agentworld_env.planner.known import Known
from agentworld_env.planner.ways import Ways
from agentworld_env.sim import Simulation
from agentworld_env.sim.crafting import unmet_needs
from agentworld_env.sim.rules import max_strike
from agentworld_env.world.catalogue import Item, NodeKind, Recipe

DETOUR = 115
"""Percent by which ways are taken to be longer than straight ones when estimating."""


class Team:
    """The members of a team that take part, at the present moment.

    Args:
        sim: The simulation.
        members: Indices of the agents that take part; the others are left alone.
        known: What the guides name, which is then preferred; None if everything is as good.
    """

    def __init__(self, sim: Simulation, members: tuple[int, ...], known: Known | None = None) -> None:
        self.sim = sim
        self.world = sim.world
        self.members = members
        self.known = known
        self.ways = Ways(sim.world)
        self._mobs: dict[str, tuple[int, ...]] = {}

    def at(self, agent: int) -> tuple[int, int]:
        """Returns an agent's tile."""
        me = self.sim.state.agents[agent]
        return me.x, me.y

    def holds(self, agent: int, item: str) -> int:
        """Returns how many units of an item an agent carries."""
        return self.sim.state.agents[agent].count(item)

    def has_tool(self, agent: int, tool: str | None) -> bool:
        """Returns whether an agent wears or carries a tool of a kind that it may wear."""
        if tool is None:
            return True
        me = self.sim.state.agents[agent]
        carried = [*me.bag, *(piece[0] for piece in me.worn.values())]
        return any(self.world.items[item].tool == tool for item in carried)

    def can_harvest(self, agent: int, kind: NodeKind) -> bool:
        """Returns whether an agent has level and tool for a kind of node."""
        return self.sim.level(agent, kind.skill) >= kind.level and self.has_tool(agent, kind.tool)

    def can_craft(self, agent: int, recipe: Recipe) -> bool:
        """Returns whether an agent has the level for a recipe."""
        return self.sim.level(agent, recipe.skill) >= max(recipe.level, 1)

    def weapons(self, agent: int) -> list[Item]:
        """Returns the weapons an agent wears or carries and may wear, best first."""
        me = self.sim.state.agents[agent]
        keys = {piece[0] for piece in me.worn.values()} | {
            item for item in me.bag if not unmet_needs(self.sim, agent, item)
        }
        found = [self.world.items[key] for key in sorted(keys) if self.world.items[key].slot == "weapon"]
        usable = [w for w in found if self._supplied(agent, w)]
        return sorted(usable, key=lambda weapon: (-self.power_with(agent, weapon), weapon.key))

    def _supplied(self, agent: int, weapon: Item) -> bool:
        """Whether an agent can strike with a weapon now, or once it has drunk something."""
        me = self.sim.state.agents[agent]
        if weapon.ammunition is not None and not me.count(weapon.ammunition):
            return False
        return me.mana >= weapon.mana_cost or any(self.world.items[item].heal_mana for item in me.bag)

    def power_with(self, agent: int, weapon: Item | None) -> int:
        """Returns the greatest damage per strike of an agent with a weapon."""
        skills = self.sim.skills[agent]
        style = (
            "strength"
            if weapon is None
            else {"bow": "archery", "staff": "magic"}.get(weapon.weapon or "", "strength")
        )
        return max_strike(weapon.attack if weapon else 0, skills.get(style, 1))

    def power(self, agent: int) -> int:
        """Returns how well an agent fights: its greatest strike, weighted by its hit points."""
        weapons = self.weapons(agent)
        strike = self.power_with(agent, weapons[0] if weapons else None)
        return strike * (200 + self.sim.max_hp[agent])

    @cached_property
    def node_sites(self) -> dict[str, list[tuple[bool, tuple[int, int]]]]:
        """Node kind -> its nodes, as (whether no guide tells of it, tile)."""
        sites: dict[str, list[tuple[bool, tuple[int, int]]]] = {}
        for number, node in enumerate(self.world.nodes):
            sites.setdefault(node.kind, []).append((not self.told_of(number), (node.x, node.y)))
        return sites

    def told_of(self, node: int) -> bool:
        """Returns whether the guides let the team know of a node."""
        return self.known is None or node in self.known.nodes

    def named(self, kinds: tuple[str, ...]) -> tuple[str, ...]:
        """Returns those of some kinds of nodes that a guide names."""
        return kinds if self.known is None else tuple(kind for kind in kinds if kind in self.known.kinds)

    def mobs_of(self, kind: str) -> tuple[int, ...]:
        """Returns the indices of all mobs of a kind in the episode."""
        found = self._mobs.get(kind)
        if found is None:
            spawns = enumerate(self.world.mob_spawns)
            named = (n for n in self.sim.named.values() if self.sim.spec(n).kind == kind)
            found = self._mobs[kind] = (*(i for i, spawn in spawns if spawn.kind == kind), *named)
        return found

    def loot_of(self, mob: str) -> set[str]:
        """Returns what a spawn, or a kind of mob, may drop."""
        number = self.sim.mob_number(mob)
        drops = self.world.mob_kinds[mob].drops if number is None else self.sim.spec(number).drops
        return {drop.item for drop in drops}

    def kinds_for(self, agent: int, item: str) -> tuple[str, ...]:
        """Returns the kinds of nodes from which an agent can harvest an item."""
        able = tuple(
            kind.key
            for kind in self.world.node_kinds.values()
            if kind.gives == item and self.can_harvest(agent, kind)
        )
        return self.named(able) or able

    def best_site(
        self, kinds: tuple[str, ...], agent: int, goal: tuple[int, int] | None, *, on_the_spot: bool
    ) -> tuple[int, int] | None:
        """Returns the tile of the node of some kinds that lies best for an agent.

        Args:
            kinds: Kinds of nodes.
            agent: Who is to gather.
            goal: Where the units are wanted, or None: the way there counts as much as the way to the node.
            on_the_spot: Whether the nearest node in sight will do, if there is one.
        """
        here = self.at(agent)
        in_sight = self._in_sight(kinds, here) if on_the_spot else None
        if in_sight is not None:
            return in_sight
        if goal is not None and not self.ways.walkable(here, goal):
            goal = None

        def cost(site: tuple[bool, tuple[int, int]]) -> tuple[bool, int, int, tuple[int, int]]:
            untold, tile = site
            there = apart(here, tile)
            return (untold, there + (apart(tile, goal) if goal is not None else 0), there, tile)

        sites = sorted((site for kind in kinds for site in self.node_sites.get(kind, ())), key=cost)
        tiles = [tile for _, tile in sites]
        near = (tile for tile in tiles if self.ways.walkable(here, tile))
        return next(near, tiles[0] if tiles else None)

    def _in_sight(self, kinds: tuple[str, ...], here: tuple[int, int]) -> tuple[int, int] | None:
        """Returns the nearest node that can be harvested from where an agent stands: nobody walks past that."""
        rules = self.sim.rules
        for _, number in self.world.nodes_near(*here, rules.sight_nodes):
            node = self.world.nodes[number]
            if node.kind in kinds and self.told_of(number):
                way = self.world.paths.walk(*here, node.x, node.y, rules.path_limit, rules.gather_reach)
                if way is not None and way.reached:
                    return node.x, node.y
        return None


def craft_calls(times: int) -> int:
    """Returns in how few calls a recipe can be made exactly so many times."""
    return times // 10 + times % 10 // 5 + times % 5


def turns(distance: int, reach: int = 0) -> int:
    """Returns how many moves a straight distance takes.

    Args:
        distance: Manhattan distance (tiles).
        reach: How near is near enough (tiles).
    """
    way = max(0, distance - reach) * DETOUR // 100
    return -(-way // 120)


def apart(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Returns the Manhattan distance of two tiles."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])
