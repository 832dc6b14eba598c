"""The fields of a feature observation: names, shapes, types, bounds, meaning. All else follows from this table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agentworld_env.env.features.ids import GOALS as KINDS
from agentworld_env.env.features.ids import ROLES, TOPICS, Ids, ids_of
from agentworld_env.sim.rules import RULES
from agentworld_env.tools import TOOLS
from agentworld_env.world import World
from agentworld_env.world.catalogue import SKILLS, SLOTS
from agentworld_env.world.overview import REACH_X, REACH_Y

TEAM = 20
"""Most agents of a team whose episodes can be seen as features."""

MATES = TEAM - 1
NODES = 24
MOBS = 8
PEOPLE = 6
TRADES = 6
PORTALS = 4
GROUND = 8
LANDMARKS = 8
CRAFTS = 16
WANTED = 24
MESSAGES = 16
GOALS = 12
BAG = RULES.bag_kinds

STATUS = (
    ("round", "present round of the budget"),
    ("rounds_left", "rounds left, n/(n+8)"),
    ("x", "column of the map"),
    ("y", "row of the map"),
    ("hp", "hit points of the most"),
    ("max_hp", "most hit points, n/(n+1000)"),
    ("mana", "mana of the most"),
    ("max_mana", "most mana, n/(n+1000)"),
    ("bag_kinds", "kinds in the bag of those that it holds"),
    ("progress", "reward paid so far, shaping apart"),
    ("new_messages", "messages since the last turn, n/(n+8)"),
    ("last_ok", "the last call succeeded"),
    ("last_failed", "the last call failed"),
    ("hurt", "hit points lost since the last call, of the most"),
    ("asleep", "sleeps through its next turn unless woken"),
    ("in_episode", "is alive and has not left"),
    ("step_east", "the tile to the east is free"),
    ("step_west", "the tile to the west is free"),
    ("step_south", "the tile to the south is free"),
    ("step_north", "the tile to the north is free"),
)
"""Entries of ``status``: name and meaning."""


class Field(NamedTuple):
    """One array of an observation.

    Attributes:
        name: Its key.
        shape: Its shape.
        dtype: ``f4``, ``i4`` or ``u1``.
        low: Least value.
        high: Greatest value.
        about: What it holds, for the docs.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    low: float
    high: float
    about: str


def _share(name: str, shape: tuple[int, ...], about: str, low: float = 0.0) -> Field:
    return Field(name, shape, "f4", low, 1.0, about)


def _id(name: str, shape: tuple[int, ...], high: int, about: str) -> Field:
    return Field(name, shape, "i4", 0, high, about)


class Layout:
    """Where every field of an agent's observation lies in one block of bytes.

    All numbers are in -1..1 or 0..1 unless they are ids; an id of 0, and a row of zeros, mean that there is nothing.

    Args:
        world: The world, whose kinds are numbered.

    Attributes:
        ids: The numbers of the world's kinds.
        fields: The fields in order.
        dtype: The structured type of one agent's observation.
        size: Its length (bytes).
        at: Field -> its place in the block (bytes).
        of_bag: Bytes of the fields that follow from the bag alone.
        of_tile: Bytes of the fields that follow from the tile and the depleted nodes alone.
    """

    def __init__(self, world: World) -> None:
        self.ids: Ids = ids_of(world)
        self.fields = _fields(self.ids)
        self.dtype = np.dtype(
            [(f.name, f"<{f.dtype}" if f.dtype != "u1" else "u1", f.shape) for f in self.fields]
        )
        self.size = self.dtype.itemsize
        assert self.dtype.fields is not None
        self.at = {name: int(place[1]) for name, place in self.dtype.fields.items()}
        self.names = tuple(field.name for field in self.fields)
        self.of_bag = self._span(*OF_BAG)
        self.of_tile = self._span(*OF_TILE)

    def _span(self, first: str, last: str) -> slice:
        """Returns the bytes from one field to the end of another."""
        assert self.dtype.fields is not None
        return slice(self.at[first], self.at[last] + self.dtype.fields[last][0].itemsize)

    def space(self) -> spaces.Dict:
        """Returns a new space of one agent's features."""
        return spaces.Dict({field.name: _box(field) for field in self.fields})

    def arrays(self, block: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
        """Returns the fields of blocks as arrays that share their memory.

        Args:
            block: Bytes, shape (..., ``size``).
        """
        record = block.view(self.dtype)[..., 0]
        return {name: record[name] for name in self.names}


def _box(field: Field) -> spaces.Box:
    dtype: Any = {"f4": np.float32, "i4": np.int32, "u1": np.uint8}[field.dtype]
    return spaces.Box(field.low, field.high, field.shape, dtype)


@lru_cache(maxsize=4)
def layout_of(world: World) -> Layout:
    """Returns the layout for a world."""
    return Layout(world)


def _fields(ids: Ids) -> tuple[Field, ...]:
    """Returns all fields: what changes all the time first, then what follows from the bag, then from the tile."""
    items, mobs = len(ids.item), len(ids.mob)
    return (
        _share("status", (len(STATUS),), "the agent itself: " + "; ".join(f"{n} ({a})" for n, a in STATUS)),
        _share("skills", (len(SKILLS),), "level of each skill by 135; 0 if it cannot be used: " + ", ".join(SKILLS)),
        _id("ids", (5,), max(TEAM, len(ids.biome), len(ids.place), len(TOOLS)),
            "the agent's place in turn order from 1; biome; named place; tool of the last call; agents in the team"),
        _id("worn_items", (len(SLOTS),), items, "item worn in each slot: " + ", ".join(SLOTS)),
        _id("wanted_items", (WANTED,), items, "items that the guide and the objective name, for messages"),
        _id("goal_ids", (GOALS, 3), max(len(KINDS), items, mobs), "what the objective asks for: kind, "
            + ", ".join(f"{k} {t}" for k, t in enumerate(KINDS, 1)) + "; item; creature"),
        _share("mobs", (MOBS, 10), "creatures, nearest first: dx, dy and distance by 64, level by 135, hit points of "
               "its most, most hit points n/(n+1000), starts fights, fights you, fights a team-mate, attackers needed "
               "every round by 4", -1.0),
        _id("mob_kinds", (MOBS,), mobs, "kind of each row of ``mobs``"),
        _share("mates", (MATES, 9), "the other agents in turn order: is of the team, in sight, dx, dy and distance by "
               "64, condition (hit-point band by 4), asleep, dead, has left", -1.0),
        _id("mate_items", (MATES, 2), items, "weapon and armour that each team-mate in sight wears"),
        _share("ground", (GROUND, 5), "things on the ground, nearest first: dx, dy and distance by 64, units n/(n+8), "
               "in reach", -1.0),
        _id("ground_items", (GROUND,), items, "item of each row of ``ground``"),
        _share("messages", (MESSAGES, 6), "messages, oldest first: rounds ago n/(n+8), is new, was spoken aloud, units "
               "named n/(n+8), dx and dy of the tile named by 1056", -1.0),
        _id("message_ids", (MESSAGES, 4), max(TEAM, len(TOPICS), items, mobs), "sender's place in turn order; topic: "
            + ", ".join(f"{k} {t}" for k, t in enumerate(TOPICS, 1)) + "; item; creature"),
        _share("inventory", (items,), "units of each item in the bag, n/(n+8)"),
        _share("bag", (BAG, 5), "kinds in the bag, in the bag's order: units n/(n+8), can be worn, heals, restores "
               "mana, is a tool"),
        _id("bag_items", (BAG,), items, "item of each row of ``bag``"),
        _share("crafts", (CRAFTS, 1), "what can be made now: most times in one call by 10"),
        _id("craft_items", (CRAFTS,), items, "product of each row of ``crafts``"),
        _share("goals", (GOALS, 3), "rows of ``goal_ids``: units n/(n+8), concerns this agent, share of it in its bag"),
        _share("nodes", (NODES, 5), "resource nodes that give now: dx, dy and distance by 64, skill suffices, further "
               "ones of the kind in sight n/(n+8)", -1.0),
        _id("node_kinds", (NODES,), len(ids.node), "kind of each row of ``nodes``"),
        _share("people", (PEOPLE, 4), "people and sites, nearest first: dx, dy and distance by 64, in reach", -1.0),
        _id("person_kinds", (PEOPLE, 2), max(len(ROLES), len(ids.person)), "role of each row of ``people``: "
            + ", ".join(f"{k} {r}" for k, r in enumerate(ROLES, 1)) + "; who it is (0 for sites of the task)"),
        _share("trades", (PEOPLE, TRADES, 2), "what each row of ``people`` trades: units it takes (or still wants) and "
               "gives, n/(n+8)"),
        _id("trade_items", (PEOPLE, TRADES, 2), items, "item taken and item given in each row of ``trades``"),
        _share("portals", (PORTALS, 4), "portals, nearest first: dx, dy and distance by 64, in reach", -1.0),
        _id("portal_ids", (PORTALS,), len(ids.portal), "which portal each row of ``portals`` is"),
        _share("landmarks", (LANDMARKS, 4), "tiles that the guide names, in its order: is one, dx and dy by 1056, "
               "distance n/(n+120)", -1.0),
        Field("terrain", (2 * REACH_Y + 1, 2 * REACH_X + 1), "u1", 0, 5, "coarse map around the agent, a square of 8 "
              "tiles each, north up: 0 outside, 1 open ground, 2 road, 3 water, 4 blocked, 5 portal"),
    )  # fmt: skip


OF_BAG = ("inventory", "goals")
"""First and last of the fields that follow from what the bag holds."""

OF_TILE = ("nodes", "terrain")
"""First and last of the fields that follow from where the agent stands and which nodes are depleted."""
