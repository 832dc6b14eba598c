"""The menu of discrete actions: which index stands for which call. Slots are rows of the features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
from agentworld_env.env.features.sight import Sight, Trade
from agentworld_env.env.moves import STRIDES
from agentworld_env.env.words import say_have, say_help, say_need, say_place
from agentworld_env.world.catalogue import PRODUCTION_SKILLS, SLOTS
from agentworld_env.world.geometry import DIRECTIONS, HEIGHT, WIDTH

Arguments = dict[str, Any]

NOBODY = "-"
"""What an index without a target names: no entity has this id, so that the call fails and says why."""

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

_SEGMENT_OF = tuple(segment for segment in SEGMENTS for _ in range(segment.size))


def call_at(index: int, sight: Sight, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Returns the call that an index stands for.

    Args:
        index: An index of the menu. One whose slot is empty gives a call that fails with a reason.
        sight: What the agent saw when it chose.
        wanted: Items that it can ask for.

    Raises:
        ValueError: If the index is outside the menu.
    """
    if not 0 <= index < SIZE:
        raise ValueError(f"a discrete action is 0..{SIZE - 1}, not {index}")
    segment = _SEGMENT_OF[index]
    offset = index - START[segment.name]
    if segment.tool in _SPEECH:
        return {"tool": segment.tool, "arguments": {"message": message_at(offset, sight, wanted)}}
    if segment.name.startswith("to_"):
        x, y = sight.targets[index - START["to_node"]] or (sight.x, sight.y)
        return {"tool": segment.tool, "arguments": {"x": x, "y": y}}
    return {"tool": segment.tool, "arguments": _ARGUMENTS[segment.name](offset, sight)}


_SPEECH = ("chat", "send_chat_message")


def message_at(offset: int, sight: Sight, wanted: tuple[str, ...]) -> str:
    """Returns a message of the vocabulary, or an empty text if its row is empty.

    Args:
        offset: Its place among the messages.
        sight: What the agent sees.
        wanted: Items that it can ask for.
    """
    x, y = sight.x, sight.y
    if offset == 0:
        return say_place(x, y)
    offset -= 1
    if offset < WANTED:
        return say_need(wanted[offset], x, y) if offset < len(wanted) else ""
    offset -= WANTED
    if offset < BAG:
        return say_have(*sight.bag[offset], x, y) if offset < len(sight.bag) else ""
    offset -= BAG
    if offset == 0:
        return say_help("", x, y)
    return say_help(sight.mob_ids[offset - 1], x, y) if offset <= len(sight.mob_ids) else ""


def stride_end(sight: Sight, offset: int) -> tuple[int, int]:
    """Returns the tile where a stride leads; at the map's edge it ends there.

    Args:
        sight: What the agent sees.
        offset: Its place among the strides.
    """
    (dx, dy), stride = COMPASS[offset // len(STRIDES)], STRIDES[offset % len(STRIDES)]
    length = stride // (abs(dx) + abs(dy))
    return min(max(sight.x + dx * length, 0), WIDTH - 1), min(max(sight.y + dy * length, 0), HEIGHT - 1)


def trade_counts(sight: Sight, trade: Trade) -> tuple[int, int]:
    """Returns the least and the most units that the bag's content can be traded for; 0 and 0 if none can."""
    held = sight.held.get(trade.take, 0)
    if trade.give:
        deals = held // trade.units
        return (trade.units, deals * trade.units) if deals else (0, 0)
    most = min(trade.units, held)
    return (1, most) if most > 0 else (0, 0)


def _none(offset: int, sight: Sight) -> Arguments:
    return {}


def _wait(offset: int, sight: Sight) -> Arguments:
    return {"rounds": 1}


def _stride(offset: int, sight: Sight) -> Arguments:
    x, y = stride_end(sight, offset)
    return {"x": x, "y": y}


def _harvest(offset: int, sight: Sight) -> Arguments:
    nodes = sight.view.sim.world.nodes
    return {"target": nodes[sight.nodes[offset].number].id if offset < len(sight.nodes) else NOBODY}


def _attack(offset: int, sight: Sight) -> Arguments:
    return {"target": sight.mob_ids[offset] if offset < len(sight.mob_ids) else NOBODY}


def _pickup(offset: int, sight: Sight) -> Arguments:
    return {"target": sight.ground[offset].id if offset < len(sight.ground) else NOBODY}


def _craft(offset: int, sight: Sight) -> Arguments:
    place, most = divmod(offset, 2)
    if place >= len(sight.crafts):
        return {"skill": PRODUCTION_SKILLS[0], "item": NOBODY, "count": 1}
    row = sight.crafts[place]
    return {"skill": row.skill, "item": row.item, "count": row.most if most else 1}


def _bag_item(offset: int, sight: Sight) -> Arguments:
    return {"item": sight.bag[offset][0] if offset < len(sight.bag) else NOBODY}


def _take_off(offset: int, sight: Sight) -> Arguments:
    return {"item": sight.worn.get(SLOTS[offset], NOBODY)}


def _give(offset: int, sight: Sight) -> Arguments:
    rest, every = divmod(offset, 2)
    mate, place = divmod(rest, BAG)
    to = sight.mate_names.get(mate, NOBODY)
    item, held = sight.bag[place] if place < len(sight.bag) else (NOBODY, 1)
    return {"to": to, "item": item, "count": held if every else 1}


def _trade(offset: int, sight: Sight) -> Arguments:
    rest, most = divmod(offset, 2)
    who, place = divmod(rest, TRADES)
    if who >= len(sight.people) or place >= len(sight.people[who].trades):
        return {"to": NOBODY, "item": NOBODY, "count": 1}
    row = sight.people[who]
    trade = row.trades[place]
    # What cannot be paid for is asked for all the same, so that the failure says what is missing.
    count = trade_counts(sight, trade)[most] or max(trade.units, 1)
    return {"to": row.person.id, "item": trade.take, "count": count}


_ARGUMENTS: dict[str, Callable[[int, Sight], Arguments]] = {
    "wait": _wait,
    "stride": _stride,
    "portal": _none,
    "harvest": _harvest,
    "attack": _attack,
    "pickup": _pickup,
    "craft": _craft,
    "equip": _bag_item,
    "take_off": _take_off,
    "use": _bag_item,
    "give": _give,
    "trade": _trade,
}
