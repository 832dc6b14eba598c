"""The linter's rules about where things stand: on which ground, how near to what, and how many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from agentworld_env.world.board import CLEARANCE, DANGER, ROADS, diamond
from agentworld_env.world.catalogue import MobSpawn, Node
from agentworld_env.world.components import label_components
from agentworld_env.world.content import Standards
from agentworld_env.world.geometry import manhattan
from agentworld_env.world.place import FAMILY_TOTALS
from agentworld_env.world.terrain import GROUND, WALKABLE_GROUND
from agentworld_env.world.world import World

_SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))
_AROUND = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0))


def check_land(world: World, standards: Standards) -> Iterator[str]:
    """Yields the faults of everything that has a place on the land.

    Args:
        world: The world.
        standards: What to hold it against.
    """
    outside = list(_on_the_map(world, standards))
    yield from outside
    if outside:
        # Every other rule reads the ground below.
        return
    for rule in (
        _totals,
        _ids,
        _tiles,
        _lairs,
        _room_for_all,
        _nodes_stand,
        _all_reachable,
        _kept_clear,
        _dangers,
        _at_home,
        _demands,
    ):
        yield from rule(world, standards)


def _points(world: World) -> Iterator[tuple[str, int, int]]:
    for node in world.nodes:
        yield f"node {node.id}", node.x, node.y
    for mob in world.mob_spawns:
        yield f"mob {mob.id}", mob.x, mob.y
    yield from _standing(world)


def _standing(world: World) -> Iterator[tuple[str, int, int]]:
    """Yields what must stand on walkable ground besides common mobs and plants."""
    for spawn in world.named_spawns.values():
        yield f"spawn {spawn.id}", spawn.x, spawn.y
    for npc in world.npcs.values():
        yield f"npc {npc.id}", npc.x, npc.y
    for place in world.places.values():
        yield f"place {place.key}", place.x, place.y
    for portal in world.portals.values():
        yield f"portal {portal.id}", portal.x, portal.y
        yield f"exit of portal {portal.id}", portal.to_x, portal.to_y


def _spread(world: World) -> Iterator[Node | MobSpawn]:
    yield from world.nodes
    yield from world.mob_spawns


def _on_the_map(world: World, standards: Standards) -> Iterator[str]:
    asked = [(f"demand for {demand.kind}", demand.x, demand.y) for demand in standards.demands]
    asked += [("anchor", x, y) for x, y in standards.anchors]
    asked += [(f"lair of {lair.id}", lair.x, lair.y) for lair in standards.lairs]
    for name, x, y in (*_points(world), *asked):
        if not (0 <= x < world.width and 0 <= y < world.height):
            yield f"{name}: ({x}, {y}) lies outside the map"
    for place in world.places.values():
        if not (place.x0 <= place.x <= place.x1 and place.y0 <= place.y <= place.y1):
            yield f"place {place.key}: its middle lies outside its rectangle"
        if place.x0 < 0 or place.y0 < 0 or place.x1 >= world.width or place.y1 >= world.height:
            yield f"place {place.key}: its rectangle leaves the map"


def _totals(world: World, standards: Standards) -> Iterator[str]:
    have = Counter(str(kind.family) for kind in world.kind_of_node)
    for family, total in FAMILY_TOTALS.items():
        if have[family] != total:
            yield f"nodes of family {family}: {have[family]}; expected {total}"


def _ids(world: World, standards: Standards) -> Iterator[str]:
    ids = [node.id for node in world.nodes] + [mob.id for mob in world.mob_spawns]
    ids += [*world.named_spawns, *world.npcs, *world.portals]
    for name, count in Counter(ids).items():
        if count > 1:
            yield f"entity {name}: {count} things bear this id"


def _tiles(world: World, standards: Standards) -> Iterator[str]:
    for what, tiles in (
        ("nodes", [(node.x, node.y) for node in world.nodes]),
        ("mobs", [(mob.x, mob.y) for mob in world.mob_spawns]),
    ):
        for (x, y), count in Counter(tiles).items():
            if count > 1:
                yield f"tile ({x}, {y}): {count} {what} stand on it"


def _lairs(world: World, standards: Standards) -> Iterator[str]:
    known = {lair.id: (lair.x, lair.y) for lair in standards.lairs}
    for key, (x, y) in known.items():
        spawn = world.named_spawns.get(key)
        if spawn is None:
            yield f"spawn {key}: missing; expected at ({x}, {y})"
        elif (spawn.x, spawn.y) != (x, y):
            yield f"spawn {key}: stands at ({spawn.x}, {spawn.y}); expected at ({x}, {y})"
    for key in world.named_spawns.keys() - known.keys():
        yield f"spawn {key}: bosses.csv names no place for it"


def _room_for_all(world: World, standards: Standards) -> Iterator[str]:
    """People, bosses and the ends of portals have a tile each, and none of them stands on a node."""
    bearers: dict[tuple[int, int], list[str]] = {}
    for name, x, y in _standing(world):
        if not name.startswith("place "):
            bearers.setdefault((x, y), []).append(name)
    for node in world.nodes:
        if (node.x, node.y) in bearers:
            bearers[node.x, node.y].append(f"node {node.id}")
    for (x, y), names in bearers.items():
        if len(names) > 1:
            yield f"tile ({x}, {y}): {' and '.join(names)} stand on it; expected one of them"


def _nodes_stand(world: World, standards: Standards) -> Iterator[str]:
    blocking = {
        (node.x, node.y)
        for node, kind in zip(world.nodes, world.kind_of_node, strict=True)
        if kind.family in ("tree", "rock")
    }
    for node, kind in zip(world.nodes, world.kind_of_node, strict=True):
        x, y = node.x, node.y
        if kind.family == "fish":
            if not world.terrain.is_water(x, y):
                yield f"node {node.id}: a fishing spot lies in water"
        elif kind.family == "plant":
            if not world.is_walkable(x, y):
                yield f"node {node.id}: a plant stands on walkable ground"
        else:
            if world.terrain.ground_at(x, y) not in WALKABLE_GROUND or world.is_walkable(x, y):
                yield f"node {node.id}: a tree or rock blocks a tile that could be walked without it"
            if any((x + dx, y + dy) in blocking for dx, dy in _AROUND):
                yield f"node {node.id}: another tree or rock stands right beside it"


def _all_reachable(world: World, standards: Standards) -> Iterator[str]:
    labels = label_components(
        np.frombuffer(world.walkable, dtype=np.uint8).reshape(world.height, world.width) == 1
    )
    # From the main land, which is the largest, and through portals to what lies beyond. A mouth that stands on land
    # cut off from there opens nothing, whatever its other end leads to.
    homes = {int(np.bincount(labels[labels > 0]).argmax())}
    grown = True
    while grown:
        before = len(homes)
        homes |= {int(labels[p.to_y, p.to_x]) for p in world.portals.values() if labels[p.y, p.x] in homes}
        homes.discard(0)
        grown = len(homes) > before
    mobs = ((f"mob {mob.id}", mob.x, mob.y) for mob in world.mob_spawns)
    for name, x, y in (*_standing(world), *mobs):
        if labels[y, x] not in homes:
            yield f"{name}: nobody can walk to ({x}, {y})"
    for node in world.nodes:
        beside = ((node.x + dx, node.y + dy) for dx, dy in (*_SIDES, (0, 0)))
        if not any(world.is_walkable(x, y) and labels[y, x] in homes for x, y in beside):
            yield f"node {node.id}: nobody can walk up to ({node.x}, {node.y})"


def _kept_clear(world: World, standards: Standards) -> Iterator[str]:
    named = np.zeros((world.height, world.width), dtype=bool)
    for x, y in standards.anchors:
        named[max(0, y - CLEARANCE) : y + CLEARANCE + 1, max(0, x - CLEARANCE) : x + CLEARANCE + 1] = True
    for node, kind in zip(world.nodes, world.kind_of_node, strict=True):
        if kind.family in ("tree", "rock"):
            if named[node.y, node.x]:
                yield f"node {node.id}: within {CLEARANCE} tiles of a tile where agents may start"
            if world.terrain.ground_at(node.x, node.y) in ROADS:
                yield f"node {node.id}: blocks a road"


def _dangers(world: World, standards: Standards) -> Iterator[str]:
    ground = np.frombuffer(world.terrain.ground, dtype=np.uint8).reshape(world.height, world.width)
    safe = np.isin(ground, [GROUND.index(name) for name in ROADS])
    for x, y in standards.anchors:
        safe[y, x] = True
    safe = diamond(safe, DANGER - 1)
    for mob in world.mob_spawns:
        if world.mob_kinds[mob.kind].temper != "no" and safe[mob.y, mob.x]:
            yield f"mob {mob.id}: starts fights within {DANGER} tiles of a road or of where agents may start"


def _at_home(world: World, standards: Standards) -> Iterator[str]:
    habitats = {habitat.kind: habitat for habitat in standards.habitats}
    wanted: dict[str, list[tuple[int, int, int]]] = {}
    for demand in standards.demands:
        wanted.setdefault(demand.kind, []).append((demand.x, demand.y, demand.within))
    for thing in _spread(world):
        if thing.kind not in habitats:
            yield f"habitats: no entry for kind {thing.kind!r}"
            continue
        habitat = habitats[thing.kind]
        fits = world.terrain.biome_at(thing.x, thing.y) in habitat.biomes and (
            not habitat.ground or world.terrain.ground_at(thing.x, thing.y) in habitat.ground
        )
        asked = any(
            manhattan(thing.x, thing.y, x, y) <= within for x, y, within in wanted.get(thing.kind, ())
        )
        if not fits and not asked:
            yield f"{thing.id}: stands outside its habitat, and no demand asks for it there"


def _demands(world: World, standards: Standards) -> Iterator[str]:
    tiles: dict[str, list[tuple[int, int]]] = {}
    for thing in _spread(world):
        tiles.setdefault(thing.kind, []).append((thing.x, thing.y))
    for demand in standards.demands:
        have = sum(
            manhattan(x, y, demand.x, demand.y) <= demand.within for x, y in tiles.get(demand.kind, ())
        )
        if have < demand.count:
            yield (
                f"demand for {demand.kind} at ({demand.x}, {demand.y}): {have} within {demand.within} tiles; "
                f"expected {demand.count}"
            )
