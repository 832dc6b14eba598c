"""The legal calls of one turn: a finite, canonical list, drawn from what the agent sees.

Moves go 8, 30 or 120 tiles in eight directions, to every listed thing, and to every place of the guide.
Transfers offer one unit or all. Chat offers four phrases. A call outside the list can be legal too (any tile
can be walked to); a call inside never fails for a reason that the view shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentworld_env.env.view import NEAREST, View
from agentworld_env.sim.combat import fighting_style, weapon_of
from agentworld_env.sim.crafting import CRAFT_COUNTS, missing_inputs, unmet_needs
from agentworld_env.sim.gathering import lacks
from agentworld_env.sim.state import ACTIVE
from agentworld_env.sim.trading import offer_for
from agentworld_env.tools.spec import Tool
from agentworld_env.world.catalogue import Npc
from agentworld_env.world.geometry import DIRECTIONS, HEIGHT, WIDTH

STRIDES = (8, 30, 120)
"""How far the listed moves go (tiles)."""

Arguments = dict[str, Any]


class LegalCalls(Mapping[str, tuple[Arguments, ...]]):
    """Tool name -> the arguments of its legal calls. Tools without any are left out.

    Computed when first asked for. Two are equal if they list the same calls.

    Args:
        view: The agent's view.
        tools: The tools that exist in this episode.
    """

    __slots__ = ("_any", "_found", "_tools", "_view")

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, view: View, tools: Mapping[str, Tool]) -> None:
        self._view = view
        self._tools = tools
        self._found: dict[str, tuple[Arguments, ...]] = {}
        self._any: dict[str, bool] = {}

    def __getitem__(self, tool: str) -> tuple[Arguments, ...]:
        found = self._found.get(tool)
        if found is None:
            if tool not in self:
                raise KeyError(tool)
            self._view.check()
            found = self._found[tool] = tuple(_LISTERS[tool](self._view))
        return found

    def __iter__(self) -> Iterator[str]:
        return (tool for tool in self._tools if tool in self)

    def __contains__(self, tool: object) -> bool:
        if not isinstance(tool, str) or tool not in self._tools:
            return False
        known = self._any.get(tool)
        if known is None:
            # The first call is enough to know, so that drawing a tool does not list the calls of all.
            view = self._view
            view.check()
            first = None if view.me.status != ACTIVE else next(_LISTERS[tool](view), None)
            known = self._any[tool] = first is not None
        return known

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LegalCalls):
            return NotImplemented
        return dict(self) == dict(other)

    def calls(self) -> list[dict[str, Any]]:
        """Returns all legal calls, each as ``{"tool": ..., "arguments": ...}``."""
        return [{"tool": tool, "arguments": dict(args)} for tool in self for args in self[tool]]

    def __repr__(self) -> str:
        return f"LegalCalls({ {tool: len(self[tool]) for tool in self} })"


def _moves(view: View) -> Iterator[Arguments]:
    seen: set[tuple[int, int]] = set()
    for tile in _tiles(view):
        if tile not in seen:
            seen.add(tile)
            yield {"x": tile[0], "y": tile[1]}


def _tiles(view: View) -> Iterator[tuple[int, int]]:
    me, world = view.me, view.sim.world
    for dx, dy in DIRECTIONS.values():
        free_x = dx != 0 and world.is_walkable(me.x + dx, me.y)
        free_y = dy != 0 and world.is_walkable(me.x, me.y + dy)
        if not (free_x or free_y):
            continue
        for stride in STRIDES:
            length = stride // (abs(dx) + abs(dy))
            x = min(max(me.x + dx * length, 0), WIDTH - 1)
            y = min(max(me.y + dy * length, 0), HEIGHT - 1)
            if (free_x and x != me.x) or (free_y and y != me.y):
                yield x, y
    things: list[tuple[int, int]] = [(mate.x, mate.y) for mate in view.mates]
    things += [(p.x, p.y) for _, p in view.people]
    things += [(mob.x, mob.y) for mob in view.listed_mobs]
    things += [(thing.x, thing.y) for thing in view.ground[:NEAREST]]
    things += [(p.x, p.y) for _, p in view.portals]
    for seen in view.nodes:
        things += [(world.nodes[i].x, world.nodes[i].y) for _, i in seen.nearest]
    things += [(x, y) for _, x, y in view.landmarks]
    for x, y in things:
        if abs(x - me.x) + abs(y - me.y) > 1:
            yield x, y


def _portals(view: View) -> Iterator[Arguments]:
    if view.portals and view.portals[0][0] <= view.sim.rules.portal_reach:
        yield {}


def _harvests(view: View) -> Iterator[Arguments]:
    sim = view.sim
    for seen in view.nodes:
        kind = sim.world.node_kinds[seen.kind]
        if seen.nearest and lacks(sim, view.agent, kind) is None and sim.room_for(view.agent, kind.gives):
            for _, number in seen.nearest:
                yield {"target": sim.world.nodes[number].id}


def _attacks(view: View) -> Iterator[Arguments]:
    weapon = weapon_of(view.sim, view.agent)
    if weapon is not None:
        if weapon.ammunition and not view.me.count(weapon.ammunition):
            return
        if weapon.mana_cost > view.me.mana:
            return
    reach = fighting_style(weapon)[3]
    for mob in view.listed_mobs:
        if mob.distance <= reach or _can_leave(view):
            yield {"target": view.sim.spec(mob.number).id}


def _can_leave(view: View) -> bool:
    me, world = view.me, view.sim.world
    return any(world.is_walkable(me.x + dx, me.y + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))


def _pickups(view: View) -> Iterator[Arguments]:
    for thing in view.ground:
        if thing.distance > view.sim.rules.pickup_reach:
            break
        if view.sim.room_for(view.agent, thing.item):
            yield {"target": thing.id}


def _crafts(view: View) -> Iterator[Arguments]:
    sim, me = view.sim, view.me
    full = len(me.bag) >= sim.rules.bag_kinds
    for recipe in sim.recipes_of[view.agent]:
        if not all(item in me.bag for item in recipe.inputs):
            continue
        if sim.level(view.agent, recipe.skill) < recipe.level or missing_inputs(sim, view.agent, recipe, 1):
            continue
        if full and recipe.item not in me.bag:
            continue
        most = max(times for times in CRAFT_COUNTS if not missing_inputs(sim, view.agent, recipe, times))
        for times in sorted({1, most}):
            yield {"skill": recipe.skill, "item": recipe.item, "count": times}


def _equips(view: View) -> Iterator[Arguments]:
    sim, me = view.sim, view.me
    for item in me.bag:
        if sim.world.items[item].slot is not None and not unmet_needs(sim, view.agent, item):
            worn = me.worn.get(sim.world.items[item].slot or "")
            if worn is None or sim.room_for(view.agent, worn[0]):
                yield {"item": item}
    for worn in me.worn.values():
        if worn[0] not in me.bag and sim.room_for(view.agent, worn[0]):
            yield {"item": worn[0]}


def _uses(view: View) -> Iterator[Arguments]:
    sim, me = view.sim, view.me
    hurt = me.hp < sim.max_hp[view.agent]
    tired = me.mana < sim.max_mana[view.agent]
    if not (hurt or tired):
        return
    for item in me.bag:
        kind = sim.world.items[item]
        if (kind.heal_hp and hurt) or (kind.heal_mana and tired):
            yield {"item": item}


def _transfers(view: View) -> Iterator[Arguments]:
    sim, me = view.sim, view.me
    counts = {item: me.count(item) for item in me.bag}
    for mate in view.mates:
        if mate.distance > sim.rules.transfer_reach:
            break
        receiver = sim.index[mate.name]
        if sim.state.agents[receiver].status != ACTIVE:
            continue
        # Whether a mate's bag is full cannot be seen, so such a call may fail.
        for item, held in counts.items():
            for count in sorted({1, held}):
                yield {"to": mate.name, "item": item, "count": count}
    for distance, person in view.people:
        if distance > sim.rules.transfer_reach:
            break
        yield from _deals(view, person, counts)


def _deals(view: View, person: Npc, counts: dict[str, int]) -> Iterator[Arguments]:
    sim = view.sim
    if person.role == "merchant":
        paid: dict[tuple[str, int], None] = {}
        for offer in person.offers:
            deals = counts.get(offer.take, 0) // offer.take_count
            paid.update(
                {(offer.take, times * offer.take_count): None for times in sorted({1, deals}) if deals}
            )
        for item, count in paid:
            deal = offer_for(person, item, count)
            if deal is not None and sim.room_for(view.agent, deal.give):
                yield {"to": person.id, "item": item, "count": count}
        return
    got = sim.state.sites.get(person.id, {})
    for item, wanted in person.wants.items():
        most = min(wanted - got.get(item, 0), counts.get(item, 0))
        if most > 0:
            for count in sorted({1, most}):
                yield {"to": person.id, "item": item, "count": count}


def phrases(view: View) -> tuple[str, ...]:
    """Returns the four chat phrases on offer: where I am, what I have, what I do, whether I need help."""
    me, sim = view.me, view.sim
    have = ", ".join(f"{me.count(item)} {item}" for item in list(me.bag)[-3:]) or "nothing"
    last = me.last.tool if me.last is not None else "waiting"
    return (
        f"I am at ({me.x}, {me.y}).",
        f"I have {have}.",
        f"My last call was {last}.",
        f"I need help, I have {me.hp} of {sim.max_hp[view.agent]} hit points.",
    )


def _chats(view: View) -> Iterator[Arguments]:
    return ({"message": phrase} for phrase in phrases(view))


def _speech(view: View) -> Iterator[Arguments]:
    return _chats(view)


def _sleeps(view: View) -> Iterator[Arguments]:
    yield {"rounds": 1}


def _completes(view: View) -> Iterator[Arguments]:
    yield {"response": "My part is done."}


_LISTERS = {
    "move_character": _moves,
    "enter_portal": _portals,
    "harvest_resource": _harvests,
    "attack_entity": _attacks,
    "pickup_item": _pickups,
    "craft_item": _crafts,
    "equip_item": _equips,
    "use_item": _uses,
    "transfer_items": _transfers,
    "chat": _chats,
    "send_chat_message": _speech,
    "sleep": _sleeps,
    "complete": _completes,
}
