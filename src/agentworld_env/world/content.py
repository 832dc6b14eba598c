"""The world's content sources: which files there are, and what their entries mean."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

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
from agentworld_env.world.sources import ContentError, T, known, read_csv, read_yaml


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of the world except the terrain, as ``catalogue.msgpack`` holds it."""

    items: tuple[Item, ...]
    recipes: tuple[Recipe, ...]
    node_kinds: tuple[NodeKind, ...]
    nodes: tuple[Node, ...]
    mob_kinds: tuple[MobKind, ...]
    mob_spawns: tuple[MobSpawn, ...]
    named_spawns: tuple[NamedSpawn, ...]
    npcs: tuple[Npc, ...]
    portals: tuple[Portal, ...]
    places: tuple[Place, ...]


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """A place where the world must hold so many nodes or mobs of a kind.

    Attributes:
        kind: Key of a node kind or mob kind.
        x: Column (tiles).
        y: Row (tiles).
        count: So many at least.
        within: Manhattan distance from (x, y) (tiles).
        note: Who needs them.
    """

    kind: str
    x: int
    y: int
    count: int
    within: int
    note: str


class Habitat(msgspec.Struct, frozen=True, kw_only=True):
    """Where a kind of node or mob is at home.

    Attributes:
        kind: Key of a node kind or mob kind.
        biomes: Biomes it may stand in.
        ground: Kinds of ground it may stand on, any if empty.
        share: For nodes: weight among the kinds of its family when the rest of the total is scattered.
        count: For mobs: so many are scattered, besides those that a demand asks for.
    """

    kind: str
    biomes: tuple[str, ...]
    ground: tuple[str, ...] = ()
    share: int = 0
    count: int = 0


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the economy: an item, or a spawn, with its standing.

    Attributes:
        standing: ``protected``: tasks count it or use it up, so that no merchant sells it and no mob drops it
            except those in ``by``; ``start``: comes only with a task's own starting goods; ``open``: a named
            spawn that no main task lists, so that its drops bind no task.
        keys: Item keys, or ids of named spawns for ``open``.
        by: Mob kinds and named spawns that may drop the items all the same.
    """

    standing: Literal["protected", "start", "open"]
    keys: tuple[str, ...]
    by: tuple[str, ...] = ()


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """A tile that facts or tasks name, as anchors.csv lists it."""

    x: int
    y: int
    biome: str
    name: str


class Lair(msgspec.Struct, frozen=True, kw_only=True):
    """Where a named boss must stand, as bosses.csv lists it: all published places, and one that tasks add."""

    id: str
    x: int
    y: int


class Standards(msgspec.Struct, frozen=True, kw_only=True):
    """What a world is held against, and what placement works towards.

    Attributes:
        economy: What may be had where.
        habitats: Where each kind is at home.
        demands: Where so many of a kind must stand.
        anchors: Tiles (x, y) where agents, named bosses, people or portal mouths may stand, to be kept clear.
        lairs: Where the named bosses must stand, and that there are no others.
    """

    economy: tuple[Rule, ...]
    habitats: tuple[Habitat, ...]
    demands: tuple[Demand, ...]
    anchors: tuple[tuple[int, int], ...]
    lairs: tuple[Lair, ...]


def data_path() -> Path:
    """Returns the folder of the content sources; only a checkout or an unpacked package has one."""
    return Path(str(resources.files("agentworld_env.world").joinpath("data")))


def read_catalogue(folder: Path) -> Catalogue:
    """Reads all content sources of a folder.

    Args:
        folder: The folder that holds them.

    Raises:
        ContentError: A file is missing, an entry does not fit, or two entries share a key.
    """
    found = Catalogue(
        items=read_yaml(folder / "items.yaml", Item),
        recipes=read_yaml(folder / "recipes.yaml", Recipe),
        node_kinds=read_yaml(folder / "node_kinds.yaml", NodeKind),
        nodes=read_csv(folder / "nodes.csv", Node),
        mob_kinds=read_yaml(folder / "mob_kinds.yaml", MobKind),
        mob_spawns=read_csv(folder / "mobs.csv", MobSpawn),
        named_spawns=read_yaml(folder / "named_spawns.yaml", NamedSpawn, frozenset({"why"})),
        npcs=read_yaml(folder / "npcs.yaml", Npc),
        portals=read_yaml(folder / "portals.yaml", Portal),
        places=read_yaml(folder / "places.yaml", Place),
    )
    check_keys(found)
    return found


def check_keys(catalogue: Catalogue) -> None:
    """Settles whatever a World looks up by key, so that a fault has a name and is no KeyError.

    Args:
        catalogue: The catalogue, from its sources or compiled.

    Raises:
        ContentError: Two entries share a key, or something stands in the world that is of no known kind.
    """
    _unique("items.yaml", catalogue.items, lambda i: i.key)
    _unique("recipes.yaml", catalogue.recipes, lambda r: r.item)
    _unique("node_kinds.yaml", catalogue.node_kinds, lambda k: k.key)
    _unique("nodes.csv", catalogue.nodes, lambda n: n.id)
    _unique("mob_kinds.yaml", catalogue.mob_kinds, lambda k: k.key)
    _unique("mobs.csv", catalogue.mob_spawns, lambda m: m.id)
    _unique("named_spawns.yaml", catalogue.named_spawns, lambda s: s.id)
    _unique("npcs.yaml", catalogue.npcs, lambda n: n.id)
    _unique("portals.yaml", catalogue.portals, lambda p: p.id)
    _unique("places.yaml", catalogue.places, lambda p: p.key)
    node_kinds = {kind.key for kind in catalogue.node_kinds}
    for node in catalogue.nodes:
        known("nodes.csv", node.id, "kind", node.kind, node_kinds)
    mob_kinds = {kind.key for kind in catalogue.mob_kinds}
    for mob in catalogue.mob_spawns:
        known("mobs.csv", mob.id, "kind", mob.kind, mob_kinds)
    for spawn in catalogue.named_spawns:
        known("named_spawns.yaml", spawn.id, "kind", spawn.kind, mob_kinds)


def read_standards(folder: Path) -> Standards:
    """Reads what a world is held against.

    Args:
        folder: The folder that holds the content sources.

    Raises:
        ContentError: A file is missing or an entry does not fit.
    """
    tiles = [(a.x, a.y) for a in read_csv(folder / "anchors.csv", Anchor)]
    tiles += [(s.x, s.y) for s in read_yaml(folder / "named_spawns.yaml", NamedSpawn, frozenset({"why"}))]
    tiles += [(n.x, n.y) for n in read_yaml(folder / "npcs.yaml", Npc)]
    for portal in read_yaml(folder / "portals.yaml", Portal):
        tiles += [(portal.x, portal.y), (portal.to_x, portal.to_y)]
    return Standards(
        economy=read_yaml(folder / "economy.yaml", Rule),
        habitats=read_yaml(folder / "habitats.yaml", Habitat),
        demands=read_csv(folder / "demands.csv", Demand),
        anchors=tuple(sorted(set(tiles))),
        lairs=read_csv(folder / "bosses.csv", Lair),
    )


def _unique(file: str, entries: tuple[T, ...], key: Callable[[T], Hashable]) -> None:
    seen = set()
    for entry in entries:
        if key(entry) in seen:
            raise ContentError(f"{file}, entry {key(entry)!r}: given twice; expected each key once")
        seen.add(key(entry))
