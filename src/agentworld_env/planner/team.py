"""What a team can do: skills, tools, supplies, fighting power, and estimates of travel."""

from __future__ import annotations

from functools import cached_property

from agentworld_env.sim import Simulation
from agentworld_env.sim.rules import max_strike
from agentworld_env.world.catalogue import Item, NodeKind, Recipe

DETOUR = 115
"""Percent by which ways are taken to be longer than straight ones when estimating."""


class Team:
    """The members of a team that take part, at the present moment.

    Args:
        sim: The simulation.
        members: Indices of the agents that take part; the others are left alone.
    """

    def __init__(self, sim: Simulation, members: tuple[int, ...]) -> None:
        self.sim = sim
        self.world = sim.world
        self.members = members

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
        from agentworld_env.sim.crafting import unmet_needs

        me = self.sim.state.agents[agent]
        keys = {piece[0] for piece in me.worn.values()} | {
            item for item in me.bag if not unmet_needs(self.sim, agent, item)
        }
        found = [self.world.items[key] for key in sorted(keys) if self.world.items[key].slot == "weapon"]
        usable = [w for w in found if w.ammunition is None or self.holds(agent, w.ammunition)]
        return sorted(usable, key=lambda weapon: (-self.power_with(agent, weapon), weapon.key))

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
    def node_sites(self) -> dict[str, list[tuple[int, int]]]:
        """Node kind -> tiles of its nodes."""
        sites: dict[str, list[tuple[int, int]]] = {}
        for node in self.world.nodes:
            sites.setdefault(node.kind, []).append((node.x, node.y))
        return sites

    def kinds_for(self, agent: int, item: str) -> tuple[str, ...]:
        """Returns the kinds of nodes from which an agent can harvest an item."""
        return tuple(
            kind.key
            for kind in self.world.node_kinds.values()
            if kind.gives == item and self.can_harvest(agent, kind)
        )

    def nearest_site(self, kinds: tuple[str, ...], x: int, y: int) -> tuple[int, int] | None:
        """Returns the tile of the nearest node of some kinds, counting how many stand around it.

        A lone node far from others is worth less than a grove a little further on.
        """
        best: tuple[int, int] | None = None
        score = 0
        for kind in kinds:
            for tile in self.node_sites.get(kind, ()):
                distance = abs(tile[0] - x) + abs(tile[1] - y)
                if best is None or distance < score:
                    best, score = tile, distance
        return best


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
