"""Lists of what the world holds, for those who write tasks: one row per kind, place or person."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from agentworld_env.errors import InvalidValueError
from agentworld_env.sim.rules import RULES
from agentworld_env.world import World
from agentworld_env.world.catalogue import Drop, Npc
from agentworld_env.world.chains import Way, ways
from agentworld_env.world.geometry import manhattan

Row = dict[str, Any]
Tile = tuple[int, int]


def world_rows(world: World, what: str, near: Tile | None = None, match: str = "") -> list[Row]:
    """Returns the rows of a list.

    Args:
        world: The world.
        what: One of ``LISTS``.
        near: Sorts by the straight (Manhattan) distance to this tile and tells it (tiles). For things with a place.
        match: Only rows in which this text occurs, in any case.

    Raises:
        ValueError: Something without a place is asked for near a tile.
    """
    if near is not None and what in ("items", "recipes"):
        raise InvalidValueError(
            f"{what} have no place; --near goes with nodes, mobs, places, people and spawns"
        )
    rows = LISTS[what](world, near)
    if match:
        rows = [row for row in rows if match.lower() in " ".join(map(str, row.values())).lower()]
    if near is not None:
        rows.sort(key=lambda row: row["distance"])
    return rows


def _items(world: World, _: Tile | None) -> list[Row]:
    sources: dict[str, list[str]] = {}
    for way in ways(world):
        sources.setdefault(way.item, []).append(_way(way))
    return [
        {
            "item": item.key,
            "name": item.name,
            "kind": item.kind,
            "worn": item.slot or "",
            "needs": _counts(item.needs),
            "from": _few(sources.get(item.key, ["a task's own goods"])),
        }
        for item in world.items.values()
    ]


def _way(way: Way) -> str:
    level = f" {way.level}" if way.level else ""
    inputs = f" ({', '.join(way.inputs)})" if way.inputs else ""
    return f"{way.how} {way.source}{level}{inputs}"


def _recipes(world: World, _: Tile | None) -> list[Row]:
    return [
        {
            "item": recipe.item,
            "makes": recipe.count,
            "skill": recipe.skill,
            "level": recipe.level,
            "takes": " + ".join(f"{count} {key}" for key, count in recipe.inputs.items()),
        }
        for recipe in world.recipes
    ]


def _nodes(world: World, near: Tile | None) -> list[Row]:
    tiles: dict[str, list[Tile]] = {}
    for node in world.nodes:
        tiles.setdefault(node.kind, []).append((node.x, node.y))
    return [
        {
            "node": kind.key,
            "family": kind.family,
            "gives": kind.gives,
            "skill": kind.skill,
            "level": kind.level,
            "worn": kind.tool or "",
            "respawn": kind.respawn,
            **_spread(tiles[kind.key], near, RULES.sight_nodes),
        }
        for kind in world.node_kinds.values()
        if kind.key in tiles
    ]


def _mobs(world: World, near: Tile | None) -> list[Row]:
    tiles: dict[str, list[Tile]] = {}
    for spawn in world.mob_spawns:
        tiles.setdefault(spawn.kind, []).append((spawn.x, spawn.y))
    return [
        {
            "mob": kind.key,
            "level": kind.level,
            "hp": kind.hp,
            "attacks": {"no": "never first", "yes": "the weak", "always": "all"}[kind.temper],
            "drops": _drops(kind.drops),
            **_spread(tiles[kind.key], near, RULES.sight_mobs),
        }
        for kind in world.mob_kinds.values()
        if kind.key in tiles
    ]


def _places(world: World, near: Tile | None) -> list[Row]:
    return [
        {
            "place": place.key,
            "kind": place.kind,
            "middle": _tile(place.x, place.y),
            "x": f"{place.x0}-{place.x1}",
            "y": f"{place.y0}-{place.y1}",
            **_distance(near, place.x, place.y),
        }
        for place in world.places.values()
    ]


def _people(world: World, near: Tile | None) -> list[Row]:
    return [
        {
            "person": npc.id,
            "role": npc.role,
            "at": _tile(npc.x, npc.y),
            **_distance(near, npc.x, npc.y),
            "trades": _trades(npc),
        }
        for npc in world.npcs.values()
    ]


def _trades(npc: Npc) -> str:
    offers = [f"{o.take_count} {o.take} -> {o.give_count} {o.give}" for o in npc.offers]
    return "; ".join(offers) or (f"wants {_counts(npc.wants)}" if npc.wants else "")


def _spawns(world: World, near: Tile | None) -> list[Row]:
    return [
        {
            "spawn": spawn.id,
            "kind": spawn.kind,
            "level": spawn.level,
            "hp": spawn.hp,
            "attackers": spawn.team,
            "at": _tile(spawn.x, spawn.y),
            **_distance(near, spawn.x, spawn.y),
            "drops": _drops(spawn.drops),
        }
        for spawn in world.named_spawns.values()
    ]


LISTS: dict[str, Callable[[World, Tile | None], list[Row]]] = {
    "items": _items,
    "recipes": _recipes,
    "nodes": _nodes,
    "mobs": _mobs,
    "places": _places,
    "people": _people,
    "spawns": _spawns,
}
"""Name of a list -> what makes its rows."""


def _spread(tiles: Iterable[Tile], near: Tile | None, sight: int) -> Row:
    """Returns how many there are; with a tile, the nearest one and how many are in sight of it."""
    tiles = list(tiles)
    if near is None:
        return {"all": len(tiles)}
    distances = {tile: manhattan(*near, *tile) for tile in tiles}
    tile = min(tiles, key=lambda other: (distances[other], other))
    seen = sum(distances[other] <= sight for other in tiles)
    return {"nearest": _tile(*tile), "distance": distances[tile], "in sight": seen}


def _distance(near: Tile | None, x: int, y: int) -> Row:
    return {} if near is None else {"distance": manhattan(*near, x, y)}


def _tile(x: int, y: int) -> str:
    return f"{x},{y}"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{key} {count}" for key, count in counts.items())


def _drops(drops: tuple[Drop, ...]) -> str:
    """Returns what a kill gives: certain things by name, chances only counted."""
    certain = [f"{drop.count} {drop.item}" for drop in drops if drop.always]
    chances = [drop.item for drop in drops if not drop.always]
    return "; ".join(filter(None, (", ".join(certain), f"perhaps {_few(chances)}" if chances else "")))


def _few(texts: list[str], most: int = 3) -> str:
    rest = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")
