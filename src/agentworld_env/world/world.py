"""The immutable world that all environments of a process share."""

from __future__ import annotations

from collections.abc import Iterable

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
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import Terrain

KindsNear = tuple[tuple[str, tuple[tuple[int, int], ...]], ...]

_BUCKET = 32
_MEMO_LIMIT = 20_000


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
        self._node_buckets = _buckets((n.x, n.y) for n in self.nodes)
        self._mob_buckets = _buckets((m.x, m.y) for m in self.mob_spawns)
        self._aggressive_buckets: dict[tuple[int, int], list[int]] = {}
        for i, spawn in enumerate(self.mob_spawns):
            if self.mob_kinds[spawn.kind].temper != "no":
                self._aggressive_buckets.setdefault((spawn.x // _BUCKET, spawn.y // _BUCKET), []).append(i)
        self._nodes_near: dict[tuple[int, int, int], tuple[tuple[int, int], ...]] = {}
        self._kinds_near: dict[tuple[int, int, int], KindsNear] = {}
        self._mobs_near: dict[tuple[int, int, int], tuple[int, ...]] = {}

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
        key = (x, y, radius)
        found = self._nodes_near.get(key)
        if found is None:
            if len(self._nodes_near) >= _MEMO_LIMIT:
                self._nodes_near.clear()
            nodes = self.nodes
            rows = []
            for i in _in_reach(self._node_buckets, x, y, radius):
                node = nodes[i]
                distance = abs(node.x - x) + abs(node.y - y)
                if distance <= radius:
                    rows.append((distance, i))
            rows.sort()
            found = self._nodes_near[key] = tuple(rows)
        return found

    def node_kinds_near(self, x: int, y: int, radius: int) -> KindsNear:
        """Returns the resource nodes within a radius grouped by kind, the kind with the nearest node first.

        Args:
            x: Column.
            y: Row.
            radius: Manhattan distance (tiles).

        Returns:
            Pairs (kind key, pairs (distance, index into ``nodes``) sorted).
        """
        found = self._kinds_near.get((x, y, radius))
        if found is None:
            if len(self._kinds_near) >= _MEMO_LIMIT:
                self._kinds_near.clear()
            groups: dict[str, list[tuple[int, int]]] = {}
            for row in self.nodes_near(x, y, radius):
                groups.setdefault(self.nodes[row[1]].kind, []).append(row)
            found = self._kinds_near[x, y, radius] = tuple(
                (kind, tuple(rows)) for kind, rows in groups.items()
            )
        return found

    def mob_homes_near(self, x: int, y: int, radius: int) -> tuple[int, ...]:
        """Returns the indices of the common mobs whose home tile lies within a radius (tiles), in ascending order."""
        key = (x, y, radius)
        found = self._mobs_near.get(key)
        if found is None:
            if len(self._mobs_near) >= _MEMO_LIMIT:
                self._mobs_near.clear()
            spawns = self.mob_spawns
            found = self._mobs_near[key] = tuple(
                sorted(
                    i
                    for i in _in_reach(self._mob_buckets, x, y, radius)
                    if abs(spawns[i].x - x) + abs(spawns[i].y - y) <= radius
                )
            )
        return found

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
        best: Place | None = None
        size = 0
        for place in self.places.values():
            if place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1:
                area = (place.x1 - place.x0 + 1) * (place.y1 - place.y0 + 1)
                if best is None or area < size:
                    best, size = place, area
        return best

    def __reduce__(self) -> tuple[object, tuple[()]]:
        """Pickles as a reference: every process loads the one world of the package."""
        from agentworld_env.world.load import load_world

        return load_world, ()

    def __deepcopy__(self, memo: dict[int, object]) -> World:
        """Returns itself: the world is immutable."""
        return self


def _buckets(points: Iterable[tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
    buckets: dict[tuple[int, int], list[int]] = {}
    for i, (x, y) in enumerate(points):
        buckets.setdefault((x // _BUCKET, y // _BUCKET), []).append(i)
    return buckets


def _in_reach(buckets: dict[tuple[int, int], list[int]], x: int, y: int, radius: int) -> Iterable[int]:
    for bx in range((x - radius) // _BUCKET, (x + radius) // _BUCKET + 1):
        for by in range((y - radius) // _BUCKET, (y + radius) // _BUCKET + 1):
            yield from buckets.get((bx, by), ())
