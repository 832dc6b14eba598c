"""Loads the one world of the package."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.world.content import Catalogue
from agentworld_env.world.terrain import Terrain, load_terrain
from agentworld_env.world.world import World

CATALOGUE_FILE = "catalogue.msgpack"

_BLOCKING = frozenset({"tree", "rock"})


@cache
def load_world() -> World:
    """Returns the world that ships with the package; every call in a process returns the same object.

    Raises:
        AgentWorldError: The compiled catalogue does not fit this version of the package.
    """
    packed = resources.files("agentworld_env.world").joinpath("data", CATALOGUE_FILE).read_bytes()
    try:
        catalogue = msgspec.msgpack.decode(packed, type=Catalogue)
    except msgspec.DecodeError as error:
        raise AgentWorldError(
            f"{CATALOGUE_FILE}: {error}; rebuild it with 'python -m agentworld_env.world.compile'"
        ) from error
    return build_world(load_terrain(), catalogue)


def build_world(terrain: Terrain, catalogue: Catalogue) -> World:
    """Returns a world of a terrain and a catalogue, with the tiles of trees and rocks blocked.

    Args:
        terrain: The land, without the nodes on it.
        catalogue: Everything else.
    """
    blocking = {kind.key for kind in catalogue.node_kinds if kind.family in _BLOCKING}
    return World(
        terrain=terrain.with_blocked((n.x, n.y) for n in catalogue.nodes if n.kind in blocking),
        items=catalogue.items,
        recipes=catalogue.recipes,
        node_kinds=catalogue.node_kinds,
        nodes=catalogue.nodes,
        mob_kinds=catalogue.mob_kinds,
        mob_spawns=catalogue.mob_spawns,
        named_spawns=catalogue.named_spawns,
        npcs=catalogue.npcs,
        portals=catalogue.portals,
        places=catalogue.places,
    )
