"""Where the units of an item can come from, for lower bounds: harvest, craft, loot, barter, the start."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from agentworld_env.certify.gaps import Gaps, Tiles, rows
from agentworld_env.certify.reach import levelled
from agentworld_env.sim import Simulation
from agentworld_env.tasks.schema import (
    AllAlive,
    Built,
    Crafted,
    Delivered,
    Gathered,
    Held,
    PresentTogether,
    TaskSpec,
    Worn,
)
from agentworld_env.world.catalogue import Drop, NodeKind

_NAMES_ITEM = (Gathered, Crafted, Delivered, Held, Worn)


class Spot(NamedTuple):
    """Nodes of one kind, as one agent can use them.

    Attributes:
        kind: The kind.
        heads: Per node, turns that pass before the agent can harvest there.
        tiles: Tiles of the nodes.
    """

    kind: NodeKind
    heads: Tiles
    tiles: Tiles


class Sources:
    """Ways to obtain items, over-estimated, so that bounds built on them hold.

    Args:
        spec: The task.
        sim: A simulation of its set-up; its state is not read.
        members: Indices of the agents that act; all if None.
        seed: Seed of the episode, which decides where agents begin and which nodes give nothing at first; None: any.
    """

    def __init__(
        self, spec: TaskSpec, sim: Simulation, members: tuple[int, ...] | None = None, seed: int | None = None
    ) -> None:
        self.spec = spec
        self.sim = sim
        self.parts = spec.parts
        """The checkpoints, none of which counts more than one item."""
        self.world = sim.world
        self.gaps = Gaps(sim.world, sim.rules)
        self.team = tuple(range(len(sim.names))) if members is None else members
        self.starts = [(setup.x, setup.y) for setup in sim.setup.agents]
        self.mob_slack = 2 * sim.rules.jitter
        """How far the seed may move a mob from its home (tiles)."""
        self.slack = 2 * sim.rules.jitter
        """How far the seed may move an agent from its place (tiles)."""
        self.lives = any(isinstance(rule, AllAlive) and not rule.by for rule in spec.constraints)
        """Whether a death fails the task, so that things change hands only by transfer."""
        self._rests: dict[tuple[int, int], int] = {}
        if seed is not None:
            episode = Simulation(sim.world, sim.setup, sim.rules)
            episode.reset(seed)
            self.starts = [(agent.x, agent.y) for agent in episode.state.agents]
            self.slack = 0
            nodes = sim.world.nodes
            self._rests = {(nodes[i].x, nodes[i].y): r - 1 for i, r in episode.depleted_at_start().items()}
        self.together = frozenset(
            i
            for point in spec.checkpoints
            if isinstance(point, PresentTogether)
            for i in ([sim.index[name] for name in point.by] or self.team)
        )
        self.drops: dict[str, int] = {}
        """Item -> most units that one kill can give."""
        common = {spawn.kind for spawn in self.world.mob_spawns}
        for kind in sorted(common):
            self._add_drops(self.world.mob_kinds[kind].drops)
        for spawn in spec.spawns:
            self._add_drops(self.world.named_spawns[spawn].drops)
        self.bartered = {offer.give for npc in self.world.npcs.values() for offer in npc.offers}
        self._node_tiles: dict[str, Tiles] = {}
        for key in self.world.node_kinds:
            self._node_tiles[key] = rows((n.x, n.y) for n in self.world.nodes if n.kind == key)
        self.spots = cache(self._spots)
        self.crafters = cache(self._crafters)
        self.relevant = self._relevant()

    def _add_drops(self, drops: tuple[Drop, ...]) -> None:
        units: dict[str, int] = {}
        for drop in drops:
            units[drop.item] = units.get(drop.item, 0) + drop.count
        for item, count in units.items():
            self.drops[item] = max(self.drops.get(item, 0), count)

    def _relevant(self) -> frozenset[str]:
        """Returns the items that checkpoints name, what they are made from, and the tools for it."""
        open_ = [point.item for point in self.parts if isinstance(point, _NAMES_ITEM)]
        for point in self.spec.checkpoints:
            if isinstance(point, Built):
                open_.extend(self.sim.people[point.site].wants)
        found: set[str] = set()
        while open_:
            item = open_.pop()
            if item in found:
                continue
            found.add(item)
            recipe = self.world.recipe_of.get(item)
            open_.extend(recipe.inputs if recipe is not None else ())
            tools = {kind.tool for kind in self.world.node_kinds.values() if kind.gives == item} - {None}
            open_.extend(key for key, tool in self.world.items.items() if tool.tool in tools)
        return frozenset(found)

    def _spots(self, agent: int, item: str) -> tuple[Spot, ...]:
        found = []
        for kind in self.world.node_kinds.values():
            tiles = self._node_tiles[kind.key]
            if (
                kind.gives == item
                and len(tiles)
                and levelled(self.spec, self.sim, agent, kind.skill, kind.level)
            ):
                near = self.gaps.to_many(self.starts[agent], tiles) - self.slack
                heads = self.gaps.moves(near, self.sim.rules.sight_nodes)
                rests = [self._rests.get((int(x), int(y)), 0) for x, y in tiles] if self._rests else 0
                heads = np.maximum(heads, rests)
                found.append(Spot(kind, heads + self.tool_turns(agent, kind.tool), tiles))
        return tuple(found)

    def tool_turns(self, agent: int, tool: str | None) -> int:
        """Returns turns that pass before an agent can wear a tool: none if it wears one at the start."""
        worn = self.sim.setup.agents[agent].worn
        return int(tool is not None and all(self.world.items[item].tool != tool for item in worn))

    def _crafters(self, item: str) -> tuple[int, ...]:
        recipe = self.world.recipe_of.get(item)
        if recipe is None:
            return ()
        return tuple(
            i for i in self.team if levelled(self.spec, self.sim, i, recipe.skill, max(recipe.level, 1))
        )

    def harvesters(self, item: str) -> tuple[int, ...]:
        """Returns the agents with the level to harvest an item somewhere."""
        return tuple(i for i in self.team if self.spots(i, item))

    def loose(self, item: str) -> bool:
        """Returns whether an item may also come from mobs or merchants."""
        return item in self.drops or item in self.bartered

    def stock(self, item: str, agent: int | None = None) -> int:
        """Returns the units that an agent, or the team, has at the start, worn ones included."""
        setups = self.sim.setup.agents if agent is None else (self.sim.setup.agents[agent],)
        return sum(setup.bag.get(item, 0) + setup.worn.count(item) for setup in setups)
