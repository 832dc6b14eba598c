"""The legal calls of one turn: a finite, canonical list, drawn from what the agent sees.

Moves go 8, 30 or 120 tiles in eight directions, to every listed thing, and to every place of the guide.
Transfers offer one unit or all. Chat offers four phrases. A call outside the list can be legal too (any tile
can be walked to); a call inside never fails for a reason that the view shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from agentworld_env.env.moves import can_leave, moves, offers_move
from agentworld_env.env.view import View
from agentworld_env.sim.combat import fighting_style, weapon_of
from agentworld_env.sim.crafting import CRAFT_COUNTS, times_possible, unmet_needs
from agentworld_env.sim.gathering import wears_tool
from agentworld_env.sim.state import ACTIVE
from agentworld_env.sim.trading import offer_for
from agentworld_env.tools.spec import Tool
from agentworld_env.world.catalogue import GATHERING_SKILLS, PRODUCTION_SKILLS, Npc, Recipe

Arguments = dict[str, Any]


class LegalCalls(Mapping[str, tuple[Arguments, ...]]):
    """Tool name -> the arguments of its legal calls. Tools without any are left out.

    Computed when first asked for. Two are equal if they list the same calls.

    Args:
        view: The agent's view.
        tools: The tools that exist in this episode.
    """

    __slots__ = ("_found", "_names", "_phrases", "_tools", "_view")

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, view: View, tools: Mapping[str, Tool]) -> None:
        self._view = view
        self._tools = tools
        self._found: dict[str, tuple[Arguments, ...]] = {}
        self._names: tuple[str, ...] | None = None
        self._phrases: tuple[str, ...] = ()

    @property
    def present_tools(self) -> Mapping[str, Tool]:
        """The tools that exist in this turn, whether or not there is a legal call of them; read-only."""
        return MappingProxyType(self._tools)

    def __getitem__(self, tool: str) -> tuple[Arguments, ...]:
        found = self._found.get(tool)
        if found is None:
            if tool not in (self._names or self.tools()):
                raise KeyError(tool)
            view = self._view
            view.check()
            if tool in _SPOKEN:
                # The same may be said aloud and to the team.
                messages = self._phrases = self._phrases or phrases(view)
                found = tuple([{"message": message} for message in messages])
            else:
                found = tuple(LISTERS[tool](view))
            self._found[tool] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.tools())

    def tools(self) -> tuple[str, ...]:
        """Returns the names of the tools that have legal calls."""
        names = self._names
        if names is None:
            view = self._view
            view.check()
            found: list[str] = []
            if view._me.status == ACTIVE:
                for tool in self._tools:
                    lister = _SHORT.get(tool)
                    if lister is not None:
                        calls = tuple(lister(view))
                        if calls:
                            self._found[tool] = calls
                            found.append(tool)
                    elif _OFFERS[tool](view):
                        found.append(tool)
            names = self._names = tuple(found)
        return names

    def __contains__(self, tool: object) -> bool:
        return tool in self.tools()

    def __len__(self) -> int:
        return len(self.tools())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LegalCalls):
            return NotImplemented
        return dict(self) == dict(other)

    def calls(self) -> list[dict[str, Any]]:
        """Returns all legal calls, each as ``{"tool": ..., "arguments": ...}``."""
        return [{"tool": tool, "arguments": dict(args)} for tool in self for args in self[tool]]

    def __repr__(self) -> str:
        return f"LegalCalls({ {tool: len(self[tool]) for tool in self} })"


_SPOKEN = ("chat", "send_chat_message")


def _portals(view: View) -> Iterator[Arguments]:
    if view.portals and view.portals[0][0] <= view._sim.rules.portal_reach:
        yield {}


def _harvests(view: View) -> Iterator[Arguments]:
    if not _gathers(view):
        return
    nodes = view._sim.world.nodes
    for seen in view.nodes:
        if seen.nearest and _may_harvest(view, seen.kind):
            for _, number in seen.nearest:
                yield {"target": nodes[number].id}


def _gathers(view: View) -> bool:
    """Returns whether the agent has a skill for which it is worth looking at nodes at all."""
    return not view._sim.skills[view._agent].keys().isdisjoint(GATHERING_SKILLS)


def _may_harvest(view: View, kind: str) -> bool:
    sim = view._sim
    node_kind = sim.world.node_kinds[kind]
    # Most agents lack the skill, which is quicker to see than all that they lack.
    return (
        sim.level(view._agent, node_kind.skill) >= node_kind.level
        and wears_tool(sim, view._agent, node_kind)
        and sim.room_for(view._agent, node_kind.gives)
    )


def _offers_harvest(view: View) -> bool:
    if not _gathers(view):
        return False
    for kind, rows in view.nodes_near.kinds:
        if _may_harvest(view, kind):
            spent = view.depleted
            for _, number in rows:
                if number not in spent:
                    return True
    return False


def _attacks(view: View) -> Iterator[Arguments]:
    if not _armed(view):
        return
    reach = fighting_style(weapon_of(view._sim, view._agent))[3]
    free, spec = can_leave(view), view._sim.spec
    for distance, number, _, _ in view.listed_mob_rows:
        if free or distance <= reach:
            yield {"target": spec(number).id}


def _armed(view: View) -> bool:
    """Returns whether the worn weapon has what it needs; bare hands need nothing."""
    weapon = weapon_of(view._sim, view._agent)
    if weapon is None:
        return True
    if weapon.ammunition and weapon.ammunition not in view._me.bag:
        return False
    return weapon.mana_cost <= view._me.mana


def _offers_attack(view: View) -> bool:
    if not (_armed(view) and view.any_mob):
        return False
    return can_leave(view) or next(_attacks(view), None) is not None


def _pickups(view: View) -> Iterator[Arguments]:
    for thing in view.ground_within(view._sim.rules.pickup_reach):
        if view._sim.room_for(view._agent, thing.item):
            yield {"target": thing.id}


def _crafts(view: View) -> Iterator[Arguments]:
    sim, me = view._sim, view._me
    if sim.skills[view._agent].keys().isdisjoint(PRODUCTION_SKILLS):
        return
    full = len(me.bag) >= sim.rules.bag_kinds
    with_ = sim.world.recipes_with
    for _, recipe in sorted([row for item in me.bag for row in with_.get(item, ())], key=_number):
        level = sim.level(view._agent, recipe.skill)
        if not level or level < recipe.level or (full and recipe.item not in me.bag):
            continue
        possible = times_possible(sim, view._agent, recipe)
        if not possible:
            continue
        most = max([times for times in CRAFT_COUNTS if times <= possible])
        for times in (1, most) if most > 1 else (1,):
            yield {"skill": recipe.skill, "item": recipe.item, "count": times}


def _equips(view: View) -> Iterator[Arguments]:
    sim, me = view._sim, view._me
    items = sim.world.items
    for item in me.bag:
        slot = items[item].slot
        if slot is not None and not unmet_needs(sim, view._agent, item):
            worn = me.worn.get(slot)
            if worn is None or sim.room_for(view._agent, worn[0]):
                yield {"item": item}
    for worn in me.worn.values():
        if worn[0] not in me.bag and sim.room_for(view._agent, worn[0]):
            yield {"item": worn[0]}


def _uses(view: View) -> Iterator[Arguments]:
    sim, me = view._sim, view._me
    hurt = me.hp < sim.max_hp[view._agent]
    tired = me.mana < sim.max_mana[view._agent]
    if not (hurt or tired):
        return
    for item in me.bag:
        kind = sim.world.items[item]
        if (kind.heal_hp and hurt) or (kind.heal_mana and tired):
            yield {"item": item}


def _transfers(view: View) -> Iterator[Arguments]:
    sim, me = view._sim, view._me
    counts = {item: me.count(item) for item in me.bag}
    shares = [(item, n) for item, held in counts.items() for n in ((1, held) if held > 1 else (1,))]
    for _, name, receiver in view.mates_within(sim.rules.transfer_reach):
        if sim.state.agents[receiver].status == ACTIVE:
            # Whether a mate's bag is full cannot be seen, so such a call may fail.
            yield from [{"to": name, "item": item, "count": n} for item, n in shares]
    for distance, person in view._people:
        if distance > sim.rules.transfer_reach:
            break
        yield from _deals(view, person, counts)


def _offers_transfer(view: View) -> bool:
    if not view._me.bag:
        return False
    agents, reach = view._sim.state.agents, view._sim.rules.transfer_reach
    for _, _, receiver in view.mates_within(reach):
        if agents[receiver].status == ACTIVE:
            return True
    people = view._people
    return bool(people) and people[0][0] <= reach and next(_transfers(view), None) is not None


def _deals(view: View, person: Npc, counts: dict[str, int]) -> Iterator[Arguments]:
    sim = view._sim
    if person.role == "merchant":
        paid: dict[tuple[str, int], None] = {}
        for offer in person.offers:
            deals = counts.get(offer.take, 0) // offer.take_count
            paid.update(
                {(offer.take, times * offer.take_count): None for times in sorted({1, deals}) if deals}
            )
        for item, count in paid:
            deal = offer_for(person, item, count)
            if deal is not None and sim.room_for(view._agent, deal.give):
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
    me, sim = view._me, view._sim
    have = ", ".join(f"{me.count(item)} {item}" for item in list(me.bag)[-3:]) or "nothing"
    last = me.last.tool if me.last is not None else "waiting"
    return (
        f"I am at ({me.x}, {me.y}).",
        f"I have {have}.",
        f"My last call was {last}.",
        f"I need help, I have {me.hp} of {sim.max_hp[view._agent]} hit points.",
    )


def _chats(view: View) -> Iterator[Arguments]:
    return ({"message": phrase} for phrase in phrases(view))


def _speech(view: View) -> Iterator[Arguments]:
    return _chats(view)


def _number(row: tuple[int, Recipe]) -> int:
    return row[0]


def _sleeps(view: View) -> Iterator[Arguments]:
    yield {"rounds": 1}


def _completes(view: View) -> Iterator[Arguments]:
    yield {"response": "My part is done."}


LISTERS: dict[str, Callable[[View], Iterator[Arguments]]] = {
    "move_character": moves,
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
"""Tool name -> what lists the arguments of its legal calls."""


def _always(view: View) -> bool:
    return True


_OFFERS: dict[str, Callable[[View], bool]] = {
    "move_character": offers_move,
    "harvest_resource": _offers_harvest,
    "attack_entity": _offers_attack,
    "transfer_items": _offers_transfer,
    **dict.fromkeys(("chat", "send_chat_message", "sleep", "complete"), _always),
}
"""Tool name -> whether it has any call, found out without listing them, so that drawing a tool stays cheap."""

_SHORT = {tool: lister for tool, lister in LISTERS.items() if tool not in _OFFERS}
"""The other tools have few calls at a time; to list them at once is no dearer than to ask whether there are any."""
