"""Which indices of the menu are legal calls now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentworld_env.env.discrete.menu import (
    COMPASS,
    SIZE,
    START,
    stride_end,
    trade_counts,
)
from agentworld_env.env.features.layout import BAG, TRADES, WANTED
from agentworld_env.env.features.sight import Sight
from agentworld_env.env.legal import LISTERS
from agentworld_env.env.moves import STRIDES
from agentworld_env.sim.combat import fighting_style, weapon_of
from agentworld_env.sim.gathering import lacks
from agentworld_env.sim.state import ACTIVE
from agentworld_env.sim.trading import offer_for
from agentworld_env.tools import Tool
from agentworld_env.world.catalogue import SLOTS
from agentworld_env.world.geometry import HEIGHT, WIDTH

_STRIDES = len(STRIDES)
_EDGE = STRIDES[-1]


def fill_mask(mask: Any, sight: Sight, tools: Mapping[str, Tool], wanted: int) -> None:
    """Marks the legal indices with 1.

    Args:
        mask: A writable buffer of ``SIZE`` bytes; what it held is overwritten. Of indices that stand for the same call
            only the first is marked. It stays empty for an agent that has left or died; one that sleeps can only go
            on waiting.
        sight: What the agent sees.
        tools: The tools that exist now.
        wanted: How many items it can ask for.
    """
    memory = memoryview(mask)
    memory[:] = _CLOSED
    if not sight.acts:
        return
    if not sight.awake:
        if "sleep" in tools:
            memory[START["wait"]] = 1
        return
    for index in _legal(sight, tools, wanted):
        memory[index] = 1


_CLOSED = bytes(SIZE)


def _legal(sight: Sight, tools: Mapping[str, Tool], wanted: int) -> list[int]:
    found: list[int] = []
    for tool, listing in _LISTINGS:
        if tool in tools:
            listing(found, sight)
    for tool, start in (("chat", START["chat"]), ("send_chat_message", START["say"])):
        if tool in tools:
            found.append(start)
            found.extend(range(start + 1, start + 1 + wanted))
            start += 1 + WANTED
            found.extend(range(start, start + len(sight.bag)))
            start += BAG
            found.extend(range(start, start + 1 + len(sight.mobs)))
    return found


def _waits(found: list[int], sight: Sight) -> None:
    found.append(START["wait"])


def _moves(found: list[int], sight: Sight) -> None:
    x, y = sight.x, sight.y
    east, west, south, north = sight.free
    start = START["stride"]
    taken: set[tuple[int, int]] = set()
    inland = _EDGE <= x < WIDTH - _EDGE and _EDGE <= y < HEIGHT - _EDGE
    for k, (dx, dy) in enumerate(COMPASS):
        free_x = east if dx > 0 else west if dx < 0 else False
        free_y = south if dy > 0 else north if dy < 0 else False
        if not (free_x or free_y):
            continue
        for offset in range(_STRIDES * k, _STRIDES * (k + 1)):
            tile = stride_end(sight, offset)
            if inland or (tile not in taken and ((free_x and tile[0] != x) or (free_y and tile[1] != y))):
                taken.add(tile)
                found.append(start + offset)
    start = START["to_node"]
    for k, target in enumerate(sight.targets):
        if target is not None and target not in taken and abs(target[0] - x) + abs(target[1] - y) > 1:
            taken.add(target)
            found.append(start + k)


def _portals(found: list[int], sight: Sight) -> None:
    if sight.portals and sight.portals[0][0] <= sight.view.sim.rules.portal_reach:
        found.append(START["portal"])


def _harvests(found: list[int], sight: Sight) -> None:
    view, start = sight.view, START["harvest"]
    sim, agent = view.sim, view.agent
    kinds = sim.world.kind_of_node
    known: dict[str, bool] = {}
    for k, row in enumerate(sight.nodes):
        if not row.able:
            break
        kind = kinds[row.number]
        able = known.get(kind.key)
        if able is None:
            able = known[kind.key] = lacks(sim, agent, kind) is None and sim.room_for(agent, kind.gives)
        if able:
            found.append(start + k)


def _attacks(found: list[int], sight: Sight) -> None:
    if not sight.mobs:
        return
    view, start = sight.view, START["attack"]
    weapon = weapon_of(view.sim, view.agent)
    if weapon is not None:
        if weapon.ammunition and weapon.ammunition not in sight.held:
            return
        if weapon.mana_cost > view.me.mana:
            return
    if any(sight.free):
        found.extend(range(start, start + len(sight.mobs)))
        return
    reach = fighting_style(weapon)[3]
    found.extend([start + k for k, mob in enumerate(sight.mobs) if mob.distance <= reach])


def _pickups(found: list[int], sight: Sight) -> None:
    sim, agent, start = sight.view.sim, sight.view.agent, START["pickup"]
    for k, thing in enumerate(sight.ground):
        if thing.distance <= sim.rules.pickup_reach and sim.room_for(agent, thing.item):
            found.append(start + k)


def _crafts(found: list[int], sight: Sight) -> None:
    start = START["craft"]
    for k, row in enumerate(sight.crafts):
        found.append(start + 2 * k)
        if row.most > 1:
            found.append(start + 2 * k + 1)


def _equips(found: list[int], sight: Sight) -> None:
    places = {item: k for k, (item, _) in enumerate(sight.bag)}
    for arguments in LISTERS["equip_item"](sight.view):
        item = arguments["item"]
        if item in places:
            found.append(START["equip"] + places[item])
        else:
            slot = next(slot for slot in SLOTS if sight.worn.get(slot) == item)
            found.append(START["take_off"] + SLOTS.index(slot))


def _uses(found: list[int], sight: Sight) -> None:
    view = sight.view
    hurt = view.me.hp < view.sim.max_hp[view.agent]
    tired = view.me.mana < view.sim.max_mana[view.agent]
    if hurt or tired:
        start, items = START["use"], view.sim.world.items
        for k, (item, _) in enumerate(sight.bag):
            kind = items[item]
            if (kind.heal_hp and hurt) or (kind.heal_mana and tired):
                found.append(start + k)


def _gifts(found: list[int], sight: Sight) -> None:
    if not sight.bag:
        return
    view = sight.view
    agents, reach, me = view.sim.state.agents, view.sim.rules.transfer_reach, view.agent
    for distance, _, i in sight.mates:
        if distance > reach:
            break
        if agents[i].status == ACTIVE:
            start = START["give"] + (i - (i > me)) * BAG * 2
            for item in sight.bag:
                found.append(start)
                if item[1] > 1:
                    found.append(start + 1)
                start += 2
    for who, row in enumerate(sight.people):
        if row.distance > reach:
            continue
        start = START["trade"] + who * TRADES * 2
        seen: set[tuple[str, int]] = set()
        for place, trade in enumerate(row.trades):
            for most, count in enumerate(trade_counts(sight, trade)):
                if count and (trade.take, count) not in seen:
                    seen.add((trade.take, count))
                    deal = offer_for(row.person, trade.take, count) if trade.give else None
                    if not trade.give or (deal is not None and view.sim.room_for(me, deal.give)):
                        found.append(start + 2 * place + most)


_LISTINGS: tuple[tuple[str, Callable[[list[int], Sight], None]], ...] = (
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
)
"""Tool -> what lists its legal indices. Messages are listed beside them."""
