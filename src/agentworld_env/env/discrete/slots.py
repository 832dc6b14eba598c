"""The indices of the menu: runs of slots that share a tool. Slots are rows of the features."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from agentworld_env.env.features.layout import (
    BAG,
    CRAFTS,
    GROUND,
    LANDMARKS,
    MATES,
    MOBS,
    NODES,
    PEOPLE,
    PORTALS,
    TRADES,
    WANTED,
)
from agentworld_env.env.moves import STRIDES
from agentworld_env.world.catalogue import SLOTS
from agentworld_env.world.geometry import DIRECTIONS, HEIGHT, WIDTH

COMPASS = tuple(DIRECTIONS.values())
MESSAGES = 1 + WANTED + BAG + 1 + MOBS
"""Messages of the vocabulary: here I am; I need X; I have X; I need help; I need help with a creature."""


class Segment(NamedTuple):
    """A run of indices that share a tool.

    Attributes:
        name: Its name.
        tool: The tool that is called.
        shape: How the indices are laid out: slots, and counts or the like.
        slots: What the axes are, for the docs.
        about: What is called, for the docs.
    """

    name: str
    tool: str
    shape: tuple[int, ...]
    slots: str
    about: str

    @property
    def size(self) -> int:
        """How many indices it has."""
        size = 1
        for length in self.shape:
            size *= length
        return size


SEGMENTS = (
    Segment("wait", "sleep", (1,), "", "sleep for one round"),
    Segment("stride", "move_character", (len(COMPASS), len(STRIDES)),
            f"direction ({', '.join(DIRECTIONS)}), length ({', '.join(map(str, STRIDES))} tiles)",
            "walk; at the edge of the map the stride ends there"),
    Segment("to_node", "move_character", (NODES,), "row of nodes", "walk to it"),
    Segment("to_mob", "move_character", (MOBS,), "row of mobs", "walk to it"),
    Segment("to_mate", "move_character", (MATES,), "row of mates", "walk to it"),
    Segment("to_person", "move_character", (PEOPLE,), "row of people", "walk to it"),
    Segment("to_portal", "move_character", (PORTALS,), "row of portals", "walk to it"),
    Segment("to_ground", "move_character", (GROUND,), "row of ground", "walk to it"),
    Segment("to_landmark", "move_character", (LANDMARKS,), "row of landmarks", "walk towards it"),
    Segment("portal", "enter_portal", (1,), "", "go through the portal in reach"),
    Segment("harvest", "harvest_resource", (NODES,), "row of nodes", "walk there and harvest"),
    Segment("attack", "attack_entity", (MOBS,), "row of mobs", "walk there and fight"),
    Segment("pickup", "pickup_item", (GROUND,), "row of ground", "pick it up"),
    Segment("craft", "craft_item", (CRAFTS, 2), "row of crafts, count (1, the most of 1, 5, 10)", "make it"),
    Segment("equip", "equip_item", (BAG,), "row of bag", "put it on"),
    Segment("take_off", "equip_item", (len(SLOTS),), f"slot ({', '.join(SLOTS)})", "take off what is worn there"),
    Segment("use", "use_item", (BAG,), "row of bag", "eat or drink it"),
    Segment("give", "transfer_items", (MATES, BAG, 2), "row of mates, row of bag, count (1, all)", "hand it over"),
    Segment("trade", "transfer_items", (PEOPLE, TRADES, 2),
            "row of people, row of trades, count (least, most)", "hand over what is taken there: one deal or all that "
            "the bag pays for; to sites and collectors one unit or all that is still wanted"),
    Segment("chat", "chat", (MESSAGES,),
            f"message (1 place, {WANTED} needs by row of wanted_items, {BAG} haves by row of bag, 1 call for help, "
            f"{MOBS} calls for help by row of mobs)", "tell the team"),
    Segment("say", "send_chat_message", (MESSAGES,), "message, as for chat", "say it aloud"),
)  # fmt: skip
"""All indices, in order. ``complete`` is not among them: an agent that leaves can gain nothing more."""

START: dict[str, int] = {}
SIZE = 0
for _segment in SEGMENTS:
    START[_segment.name] = SIZE
    SIZE += _segment.size


def _reach(direction: tuple[int, int], stride: int) -> tuple[int, int]:
    dx, dy = direction
    length = stride // (abs(dx) + abs(dy))
    return dx * length, dy * length


_REACHES = tuple([_reach(direction, stride) for direction in COMPASS for stride in STRIDES])
"""Columns and rows that each stride covers."""

_OF_REACH = {reach: [k for k, other in enumerate(_REACHES) if other == reach] for reach in _REACHES}


def _free_along(free: tuple[bool, ...], dx: int, dy: int) -> bool:
    """Returns whether a first step can be made along the columns or along the rows that are to be covered."""
    east, west, south, north = free
    return (east if dx > 0 else west if dx < 0 else False) or (
        south if dy > 0 else north if dy < 0 else False
    )


def _begun(free: tuple[bool, ...]) -> tuple[tuple[int, int, int], ...]:
    return tuple([(k, dx, dy) for k, (dx, dy) in enumerate(_REACHES) if _free_along(free, dx, dy)])


_BEGUN = {free: _begun(free) for free in product((False, True), repeat=4)}
"""Strides that can be begun: their places, and the columns and rows that they cover."""


def stride_end(x: int, y: int, offset: int) -> tuple[int, int]:
    """Returns the tile where a stride leads; at the map's edge it ends there.

    Args:
        x: Column of the start.
        y: Row of the start.
        offset: Its place among the strides.
    """
    dx, dy = _REACHES[offset]
    return min(max(x + dx, 0), WIDTH - 1), min(max(y + dy, 0), HEIGHT - 1)


def strides_to(x: int, y: int, tile: tuple[int, int]) -> list[int]:
    """Returns the places among the strides of those that lead to a tile, whether or not they can be begun.

    Args:
        x: Column of the start.
        y: Row of the start.
        tile: Where they lead.
    """
    # At the map's edge a stride ends before its length, and a diagonal one is then none any more.
    if tile[0] in (0, WIDTH - 1) or tile[1] in (0, HEIGHT - 1):
        return [k for k in range(len(_REACHES)) if stride_end(x, y, k) == tile]
    return _OF_REACH.get((tile[0] - x, tile[1] - y), [])


def stride_ends(x: int, y: int, free: tuple[bool, bool, bool, bool]) -> list[tuple[int, tuple[int, int]]]:
    """Returns the strides that can be begun, as (place among the strides, tile where it leads).

    Args:
        x: Column of the start.
        y: Row of the start.
        free: Whether the tiles to the east, west, south and north are free.
    """
    found = []
    for offset, dx, dy in _BEGUN[free]:
        column, row = x + dx, y + dy
        if not (0 <= column < WIDTH and 0 <= row < HEIGHT):
            column, row = stride_end(x, y, offset)
            # What is left of it at the map's edge may lead nowhere.
            if not _free_along(free, column - x, row - y):
                continue
        found.append((offset, (column, row)))
    return found


__all__ = [
    "BAG", "COMPASS", "LANDMARKS", "MESSAGES", "MOBS", "PORTALS", "SEGMENTS", "SIZE", "START", "WANTED",
    "Segment", "stride_end", "stride_ends", "strides_to",
]  # fmt: skip
