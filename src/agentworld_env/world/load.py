"""Loads the one world of the package."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

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
    return build_world(load_terrain(), load_catalogue())


def load_catalogue(folder: Path | None = None) -> Catalogue:
    """Returns the compiled catalogue, as its bytes say and otherwise unchecked.

    Args:
        folder: The folder that holds it; by default that of the package.

    Raises:
        AgentWorldError: It does not fit this version of the package.
    """
    place = resources.files("agentworld_env.world").joinpath("data") if folder is None else folder
    packed = place.joinpath(CATALOGUE_FILE).read_bytes()
    try:
        return msgspec.msgpack.decode(packed, type=Catalogue)
    except msgspec.DecodeError as error:
        raise AgentWorldError(
            f"{CATALOGUE_FILE}: {error}; rebuild it with 'python -m agentworld_env.world.compile'"
        ) from error


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
