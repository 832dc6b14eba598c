"""From an index of the menu to the call that it stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentworld_env.env.discrete.slots import SEGMENTS, SIZE, START, stride_end
from agentworld_env.env.features.layout import BAG, TRADES, WANTED
from agentworld_env.env.features.sight import Sight
from agentworld_env.env.features.spot import Trade
from agentworld_env.env.words import say_have, say_help, say_need, say_place
from agentworld_env.errors import InvalidValueError
from agentworld_env.world.catalogue import PRODUCTION_SKILLS, SLOTS

Arguments = dict[str, Any]

NOBODY = "-"
"""What an index without a target names: no entity has this id, so that the call fails and says why."""

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
        raise InvalidValueError(f"a discrete action is 0..{SIZE - 1}, not {index}")
    segment = _SEGMENT_OF[index]
    offset = index - START[segment.name]
    if segment.tool in _SPEECH:
        return {"tool": segment.tool, "arguments": {"message": message_at(offset, sight, wanted)}}
    if segment.name.startswith("to_"):
        x, y = _target(segment.name, offset, sight) or (sight.x, sight.y)
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
        return say_have(*sight.pouch.content[offset], x, y) if offset < len(sight.pouch.content) else ""
    offset -= BAG
    if offset == 0:
        return say_help("", x, y)
    return say_help(sight.specs[offset - 1].id, x, y) if offset <= len(sight.specs) else ""


def trade_counts(sight: Sight, trade: Trade) -> tuple[int, int]:
    """Returns the least and the most units that the bag's content can be traded for; 0 and 0 if none can."""
    held = sight.pouch.held.get(trade.take, 0)
    if trade.give:
        deals = held // trade.units
        return (trade.units, deals * trade.units) if deals else (0, 0)
    most = min(trade.units, held)
    return (1, most) if most > 0 else (0, 0)


def _target(segment: str, row: int, sight: Sight) -> tuple[int, int] | None:
    """Returns the tile of a row that can be walked to, or None if it is empty."""
    spot = sight.spot
    tiles: list[tuple[int, int]]
    match segment:
        case "to_node":
            nodes = sight.view._sim.world.node_tiles
            tiles = [nodes[seen.number] for seen in spot.nodes]
        case "to_mob":
            tiles = [(mob.x, mob.y) for mob in sight.mobs]
        case "to_mate":
            return next(((x, y) for _, place, _, x, y, _ in sight.mates if place == row), None)
        case "to_person":
            tiles = [(seen.person.x, seen.person.y) for seen in spot.people]
        case "to_portal":
            tiles = [(portal.x, portal.y) for _, portal in spot.portals]
        case "to_ground":
            tiles = [(thing.x, thing.y) for thing in sight.ground]
        case _:
            tiles = list(spot.landmarks)
    return tiles[row] if row < len(tiles) else None


def _none(offset: int, sight: Sight) -> Arguments:
    return {}


def _wait(offset: int, sight: Sight) -> Arguments:
    return {"rounds": 1}


def _stride(offset: int, sight: Sight) -> Arguments:
    x, y = stride_end(sight.x, sight.y, offset)
    return {"x": x, "y": y}


def _harvest(offset: int, sight: Sight) -> Arguments:
    nodes = sight.view._sim.world.nodes
    return {"target": nodes[sight.spot.nodes[offset].number].id if offset < len(sight.spot.nodes) else NOBODY}


def _attack(offset: int, sight: Sight) -> Arguments:
    return {"target": sight.specs[offset].id if offset < len(sight.specs) else NOBODY}


def _pickup(offset: int, sight: Sight) -> Arguments:
    return {"target": sight.ground[offset].id if offset < len(sight.ground) else NOBODY}


def _craft(offset: int, sight: Sight) -> Arguments:
    place, most = divmod(offset, 2)
    if place >= len(sight.pouch.crafts):
        return {"skill": PRODUCTION_SKILLS[0], "item": NOBODY, "count": 1}
    row = sight.pouch.crafts[place]
    return {"skill": row.skill, "item": row.item, "count": row.most if most else 1}


def _bag_item(offset: int, sight: Sight) -> Arguments:
    return {"item": sight.pouch.content[offset][0] if offset < len(sight.pouch.content) else NOBODY}


def _take_off(offset: int, sight: Sight) -> Arguments:
    return {"item": sight.worn.get(SLOTS[offset], NOBODY)}


def _give(offset: int, sight: Sight) -> Arguments:
    rest, every = divmod(offset, 2)
    mate, place = divmod(rest, BAG)
    to = next((name for _, row, _, _, _, name in sight.mates if row == mate), NOBODY)
    item, held = sight.pouch.content[place] if place < len(sight.pouch.content) else (NOBODY, 1)
    return {"to": to, "item": item, "count": held if every else 1}


def _trade(offset: int, sight: Sight) -> Arguments:
    rest, most = divmod(offset, 2)
    who, place = divmod(rest, TRADES)
    if who >= len(sight.trades) or place >= len(sight.trades[who]):
        return {"to": NOBODY, "item": NOBODY, "count": 1}
    trade = sight.trades[who][place]
    # What cannot be paid for is asked for all the same, so that the failure says what is missing.
    count = trade_counts(sight, trade)[most] or max(trade.units, 1)
    return {"to": sight.spot.people[who].person.id, "item": trade.take, "count": count}


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
