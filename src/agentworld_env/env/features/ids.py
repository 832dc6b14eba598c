"""Numbers for what the catalogue names: 1, 2, ... in the catalogue's order, so that 0 can mean nothing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agentworld_env.verifiers.kinds import CHECKPOINTS
from agentworld_env.world import World
from agentworld_env.world.terrain import BIOMES

TOPICS = ("place", "need", "have", "help", "other")
"""What a message can be about; ``other`` is any text outside the vocabulary."""

ROLES = ("merchant", "collector", "site", "villager")
"""What a person can be."""

GOALS = tuple(CHECKPOINTS)
"""Kinds of checkpoints."""

_MAP = " .=~#>"


class Ids:
    """The numbers of a world's kinds.

    Args:
        world: The world.

    Attributes:
        item: Item key -> number; likewise ``node``, ``mob`` (kinds), ``place``, ``portal``, ``person``, ``biome``.
        map: The coarse map as codes, with the margin that a window needs.
    """

    __slots__ = ("biome", "item", "map", "mob", "node", "person", "place", "portal")

    def __init__(self, world: World) -> None:
        self.item = _numbered(world.items)
        self.node = _numbered(world.node_kinds)
        self.mob = _numbered(world.mob_kinds)
        self.place = _numbered(world.places)
        self.portal = _numbered(world.portals)
        self.person = _numbered(world.npcs)
        self.biome = _numbered(BIOMES)
        rows = world.overview.rows
        codes = [[_MAP.index(mark) for mark in row] for row in rows]
        self.map: NDArray[np.uint8] = np.array(codes, dtype=np.uint8)


def _numbered(keys: Iterable[str]) -> dict[str, int]:
    return {key: number for number, key in enumerate(keys, 1)}


@lru_cache(maxsize=4)
def ids_of(world: World) -> Ids:
    """Returns the numbers for a world."""
    return Ids(world)
