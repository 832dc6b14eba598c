"""Which indices of the menu are legal calls now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentworld_env.env.discrete.menu import trade_counts
from agentworld_env.env.discrete.slots import MESSAGES, SIZE, START, strides_to
from agentworld_env.env.features.layout import BAG, MOBS, TRADES, WANTED
from agentworld_env.env.features.sight import Sight
from agentworld_env.env.features.spot import listed_tiles
from agentworld_env.sim.combat import fighting_style, weapon_of
from agentworld_env.sim.gathering import lacks
from agentworld_env.sim.state import ACTIVE
from agentworld_env.sim.trading import offer_for
from agentworld_env.tools import Tool
from agentworld_env.world.catalogue import SLOTS
from agentworld_env.world.near import NEAREST

_CLOSED = bytes(SIZE)


def fill_mask(mask: Any, sight: Sight, tools: Mapping[str, Tool]) -> None:
    """Marks the legal indices with 1.

    Args:
        mask: A writable buffer of ``SIZE`` bytes; what it held is overwritten. Of indices that stand for the same call
            only one is marked. It stays empty for an agent that has left or died; one that sleeps can only go on
            waiting.
        sight: What the agent sees.
        tools: The tools that exist now.
    """
    memory = memoryview(mask)
    memory[:] = _CLOSED
    if not sight.acts:
        return
    if not sight.awake:
        if "sleep" in tools:
            memory[START["wait"]] = 1
        return
    for tool, listing in _LISTINGS:
        if tool in tools:
            listing(memory, sight)


def _waits(mask: memoryview, sight: Sight) -> None:
    mask[START["wait"]] = 1


_MOVES = slice(START["stride"], START["portal"])
_TO_MOB, _TO_MATE, _TO_GROUND = START["to_mob"], START["to_mate"], START["to_ground"]


def _moves(mask: memoryview, sight: Sight) -> None:
    spot = sight.spot
    mask[_MOVES] = spot.moves
    taken: set[tuple[int, int]] = set()
    known = spot.tiles
    for k, mob in enumerate(sight.mobs):
        tile = (mob.x, mob.y)
        if mob.distance > 1 and tile not in known and tile not in taken:
            taken.add(tile)
            mask[_TO_MOB + k] = 1
    for distance, row, _, mx, my, _ in sight.mates:
        tile = (mx, my)
        if distance > 1 and tile not in known and tile not in taken:
            taken.add(tile)
            mask[_TO_MATE + row] = 1
    for k, thing in enumerate(sight.ground):
        tile = (thing.x, thing.y)
        if thing.distance > 1 and tile not in known and tile not in taken:
            # Things farther off have a row, but the list of moves names only the nearest.
            if k >= NEAREST and tile not in _crowd(sight) and tile not in listed_tiles(sight.view):
                continue
            taken.add(tile)
            mask[_TO_GROUND + k] = 1
    for tile in _crowd(sight):
        # A creature without a row may stand where a stride ends that a wall bars: then that call is listed.
        if tile not in known and tile not in taken:
            taken.add(tile)
            for offset in strides_to(sight.x, sight.y, tile)[:1]:
                mask[START["stride"] + offset] = 1


def _crowd(sight: Sight) -> list[tuple[int, int]]:
    """Returns the tiles of listed creatures that have no row and that one does not stand beside."""
    if len(sight.mobs) < MOBS:
        return []
    return [(x, y) for distance, _, x, y in sight.view.listed_mob_rows[MOBS:] if distance > 1]


def _portals(mask: memoryview, sight: Sight) -> None:
    portals = sight.spot.portals
    if portals and portals[0][0] <= sight.view._sim.rules.portal_reach:
        mask[START["portal"]] = 1


def _harvests(mask: memoryview, sight: Sight) -> None:
    view, start = sight.view, START["harvest"]
    sim, agent = view._sim, view._agent
    kinds = sim.world.kind_of_node
    known: dict[str, bool] = {}
    for k, row in enumerate(sight.spot.nodes):
        if not row.able:
            break
        kind = kinds[row.number]
        able = known.get(kind.key)
        if able is None:
            able = known[kind.key] = lacks(sim, agent, kind) is None and sim.room_for(agent, kind.gives)
        if able:
            mask[start + k] = 1


def _attacks(mask: memoryview, sight: Sight) -> None:
    if not sight.mobs:
        return
    view, start = sight.view, START["attack"]
    weapon = weapon_of(view._sim, view._agent)
    if weapon is not None:
        if weapon.ammunition and weapon.ammunition not in sight.pouch.held:
            return
        if weapon.mana_cost > view._me.mana:
            return
    if True in sight.spot.free:
        mask[start : start + len(sight.mobs)] = _OPEN[: len(sight.mobs)]
        return
    reach = fighting_style(weapon)[3]
    for k, mob in enumerate(sight.mobs):
        mask[start + k] = mob.distance <= reach


def _pickups(mask: memoryview, sight: Sight) -> None:
    sim, agent, start = sight.view._sim, sight.view._agent, START["pickup"]
    for k, thing in enumerate(sight.ground):
        if thing.distance <= sim.rules.pickup_reach and sim.room_for(agent, thing.item):
            mask[start + k] = 1


def _crafts(mask: memoryview, sight: Sight) -> None:
    mask[_MAKES] = sight.pouch.makes


def _equips(mask: memoryview, sight: Sight) -> None:
    worn, pouch, start = sight.worn, sight.pouch, START["equip"]
    for k, slot in pouch.wears:
        # What is worn there goes into the bag first, which must have room for it.
        if not pouch.full or slot not in worn or worn[slot] in pouch.held:
            mask[start + k] = 1
    if not pouch.full:
        for place, item in worn.items():
            if item not in pouch.held:
                mask[_TAKE_OFF[place]] = 1


_TAKE_OFF: dict[str, int] = {slot: START["take_off"] + k for k, slot in enumerate(SLOTS)}


def _uses(mask: memoryview, sight: Sight) -> None:
    view, pouch, start = sight.view, sight.pouch, START["use"]
    hurt = view._me.hp < view._sim.max_hp[view._agent]
    tired = view._me.mana < view._sim.max_mana[view._agent]
    if hurt:
        for k in pouch.heals:
            mask[start + k] = 1
    if tired:
        for k in pouch.refreshes:
            mask[start + k] = 1


def _gifts(mask: memoryview, sight: Sight) -> None:
    pouch = sight.pouch
    if not pouch.content:
        return
    view = sight.view
    agents, reach, gifts = view._sim.state.agents, view._sim.rules.transfer_reach, pouch.gifts
    for distance, row, number, _, _, _ in sight.mates:
        if distance > reach:
            break
        if agents[number].status == ACTIVE:
            start = START["give"] + row * BAG * 2
            mask[start : start + 2 * BAG] = gifts
    for who, person in enumerate(sight.spot.people):
        if person.distance <= reach:
            _trades(mask, sight, who)


def _trades(mask: memoryview, sight: Sight, who: int) -> None:
    person, sim, agent = sight.spot.people[who].person, sight.view._sim, sight.view._agent
    start = START["trade"] + who * TRADES * 2
    seen: set[tuple[str, int]] = set()
    for place, trade in enumerate(sight.trades[who]):
        for most, count in enumerate(trade_counts(sight, trade)):
            if count and (trade.take, count) not in seen:
                seen.add((trade.take, count))
                deal = offer_for(person, trade.take, count) if trade.give else None
                if not trade.give or (deal is not None and sim.room_for(agent, deal.give)):
                    mask[start + 2 * place + most] = 1


def _messages(start: int) -> Callable[[memoryview, Sight], None]:
    end, help_with = start + MESSAGES, start + 1 + WANTED + BAG + 1

    def listing(mask: memoryview, sight: Sight) -> None:
        mask[start:end] = sight.pouch.messages
        count = len(sight.mobs)
        mask[help_with : help_with + count] = _OPEN[:count]

    return listing


_MAKES = slice(START["craft"], START["equip"])
_OPEN = bytes([1]) * MOBS

_LISTINGS: tuple[tuple[str, Callable[[memoryview, Sight], None]], ...] = (
    ("sleep", _waits),
    ("move_character", _moves),
    ("enter_portal", _portals),
    ("harvest_resource", _harvests),
    ("attack_entity", _attacks),
    ("pickup_item", _pickups),
    ("craft_item", _crafts),
    ("equip_item", _equips),
    ("use_item", _uses),
    ("transfer_items", _gifts),
    ("chat", _messages(START["chat"])),
    ("send_chat_message", _messages(START["say"])),
)
"""Tool -> what lists its legal indices."""
