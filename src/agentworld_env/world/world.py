"""The immutable world that all environments of a process share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from agentworld_env.world.catalogue import (
    Item,
    MobKind,
    MobSpawn,
    NamedSpawn,
    Node,
    NodeKind,
    Npc,
    Place,
    Portal,
    Recipe,
)
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.near import Near
from agentworld_env.world.overview import Overview
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import Terrain

_BUCKET = 32


class World:
    """Terrain plus catalogue. Nothing in it ever changes; what changes is the simulation's state.

    The memos inside (neighbourhoods, paths) are pure functions of the immutable data, so that sharing them between
    environments cannot be observed.

    Args:
        terrain: Ground, biomes and walkability.
        items: All kinds of items.
        recipes: All recipes.
        node_kinds: All kinds of resource nodes.
        nodes: All resource nodes.
        mob_kinds: All kinds of mobs.
        mob_spawns: All common mobs.
        named_spawns: All named bosses.
        npcs: All people.
        portals: All portal mouths.
        places: All named places.
    """

    width = WIDTH
    height = HEIGHT

    def __init__(
        self,
        *,
        terrain: Terrain,
        items: Iterable[Item],
        recipes: Iterable[Recipe],
        node_kinds: Iterable[NodeKind],
        nodes: Iterable[Node],
        mob_kinds: Iterable[MobKind],
        mob_spawns: Iterable[MobSpawn],
        named_spawns: Iterable[NamedSpawn],
        npcs: Iterable[Npc],
        portals: Iterable[Portal],
        places: Iterable[Place],
    ) -> None:
        self.terrain = terrain
        self.items = {item.key: item for item in items}
        self.recipes = tuple(recipes)
        self.recipe_of = {recipe.item: recipe for recipe in self.recipes}
        self.recipes_with = _by_rarest_input(self.recipes)
        self.node_kinds = {kind.key: kind for kind in node_kinds}
        self.nodes = tuple(nodes)
        self.node_index = {node.id: i for i, node in enumerate(self.nodes)}
        self.kind_of_node = tuple(self.node_kinds[node.kind] for node in self.nodes)
        self.mob_kinds = {kind.key: kind for kind in mob_kinds}
        self.mob_spawns = tuple(mob_spawns)
        self.mob_index = {spawn.id: i for i, spawn in enumerate(self.mob_spawns)}
        self.named_spawns = {spawn.id: spawn for spawn in named_spawns}
        self.npcs = {npc.id: npc for npc in npcs}
        self.portals = {portal.id: portal for portal in portals}
        self.places = {place.key: place for place in places}
        self.walkable = terrain.walkable
        self.paths = PathFinder(terrain)
        self.near = Near(
            self.nodes, self.mob_spawns, self.npcs.values(), self.portals.values(), self.places.values()
        )
        self._aggressive_buckets: dict[tuple[int, int], list[int]] = {}
        for i, spawn in enumerate(self.mob_spawns):
            if self.mob_kinds[spawn.kind].temper != "no":
                self._aggressive_buckets.setdefault((spawn.x // _BUCKET, spawn.y // _BUCKET), []).append(i)

    def expect(self, agents: int) -> None:
        """Makes room in the memos, so that what was asked for one agent is still there after all others.

        Args:
            agents: Size of the team.
        """
        self.near.expect(agents)
        self.paths.expect(agents)

    def is_walkable(self, x: int, y: int) -> bool:
        """Returns whether an agent may stand on a tile; False outside the map."""
        return 0 <= x < WIDTH and 0 <= y < HEIGHT and bool(self.walkable[y * WIDTH + x])

    def nodes_near(self, x: int, y: int, radius: int) -> tuple[tuple[int, int], ...]:
        """Returns the resource nodes within a radius, nearest first.

        Args:
            x: Column.
            y: Row.
            radius: Manhattan distance (tiles).

        Returns:
            Pairs (distance, index into ``nodes``), sorted.
        """
        return self.near.nodes(x, y, radius)

    def mob_homes_near(self, x: int, y: int, radius: int) -> tuple[int, ...]:
        """Returns the indices of the common mobs whose home tile lies within a radius (tiles), in ascending order."""
        return self.near.mobs(x, y, radius)

    def aggressive_in_box(self, x0: int, y0: int, x1: int, y1: int) -> list[int]:
        """Returns the indices of the common mobs that pick fights and whose home lies in a box of tiles, inclusive."""
        found: list[int] = []
        buckets, spawns = self._aggressive_buckets, self.mob_spawns
        for bx in range(x0 // _BUCKET, x1 // _BUCKET + 1):
            for by in range(y0 // _BUCKET, y1 // _BUCKET + 1):
                for i in buckets.get((bx, by), ()):
                    spawn = spawns[i]
                    if x0 <= spawn.x <= x1 and y0 <= spawn.y <= y1:
                        found.append(i)
        return found

    def place_at(self, x: int, y: int) -> Place | None:
        """Returns the smallest named place that contains a tile, or None."""
        return self.near.place(x, y)

    @cached_property
    def node_tiles(self) -> tuple[tuple[int, int], ...]:
        """Tile of every resource node."""
        return tuple((node.x, node.y) for node in self.nodes)

    @cached_property
    def node_labels(self) -> tuple[str, ...]:
        """Id and tile of every resource node, as observations write them: ``oak-0123 (40,17)``."""
        return tuple(f"{node.id} ({node.x},{node.y})" for node in self.nodes)

    @cached_property
    def overview(self) -> Overview:
        """The coarse map of the world in characters."""
        return Overview(self.terrain, self.portals.values())

    def __reduce__(self) -> tuple[object, tuple[()]]:
        """Pickles as a reference: every process loads the one world of the package."""
        from agentworld_env.world.load import load_world

        if self is not load_world():
            raise TypeError(
                "only the package's own world can be pickled, which every process loads by itself"
            )
        return load_world, ()

    def __deepcopy__(self, memo: dict[int, object]) -> World:
        """Returns itself: the world is immutable."""
        return self


def _by_rarest_input(recipes: tuple[Recipe, ...]) -> dict[str, tuple[tuple[int, Recipe], ...]]:
    """Returns every recipe, with its index, under the one of its inputs that fewest recipes ask for.

    Who looks for what a bag's items make then has few recipes to try.
    """
    asked = Counter(item for recipe in recipes for item in recipe.inputs)
    found: dict[str, tuple[tuple[int, Recipe], ...]] = {}
    for i, recipe in enumerate(recipes):
        # A recipe that asks for nothing is a mistake that the check of the world reports; nobody can make it.
        rarest = min(recipe.inputs, key=lambda item: (asked[item], item), default="")
        found[rarest] = (*found.get(rarest, ()), (i, recipe))
    return found
