"""Steps of daily work: gathering, making, handing over, fetching, wearing, walking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentworld_env.policies.protocol import Call
from agentworld_env.policies.scripted import talk
from agentworld_env.policies.scripted.seat import Seat, wait

_CRAFTS = (10, 5, 1)
_AT_PLACE = 4
"""So near (tiles) an agent comes to where it waits for others."""


def gather(seat: Seat, item: str, count: int | None = None) -> Call | None:
    """Harvests units of an item; without a count as many as a team-mate has said, waiting for its word."""
    wanted = seat.memory.shares.get(item) if count is None else count
    if wanted is None:
        return wait()
    if seat.since("Harvested", item) >= wanted:
        return None
    kinds = [kind for kind, fact in seat.facts["nodes"].items() if fact["gives"] == item]
    nodes = [
        (node["distance"], node["id"])
        for seen in seat.view["nodes"]
        if seen["kind"] in kinds
        for node in seen["nearest"]
        if node["id"] not in seat.memory.avoid
    ]
    if nodes:
        return {"tool": "harvest_resource", "arguments": {"target": min(nodes)[1]}}
    place = next(iter(seat.facts["places"]), None)
    return (place and seat.approach(place, _AT_PLACE)) or wait()


def share(seat: Seat, item: str, count: int, among: Sequence[str]) -> Call | None:
    """Gathers an even part of a quota; the earlier in turn order take what does not divide."""
    crew = [agent for agent in seat.brief.team if agent == seat.brief.agent or agent in among]
    part, rest = divmod(count, len(crew))
    return gather(seat, item, part + (crew.index(seat.brief.agent) < rest))


def make(seat: Seat, item: str, count: int) -> Call | None:
    """Makes units of an item by the guide's recipe, as far as the materials go, and waits for more."""
    recipe = seat.facts["recipes"][item]
    left = count - seat.since("Crafted", item)
    if left <= 0:
        return None
    possible = min(seat.held(key) // units for key, units in recipe["inputs"].items())
    for times in _CRAFTS:
        if times <= possible and times <= -(-left // recipe["count"]):
            return {
                "tool": "craft_item",
                "arguments": {"skill": recipe["skill"], "item": item, "count": times},
            }
    return wait()


def give(
    seat: Seat, item: str, count: int | None = None, to: str | None = None, at: str | None = None
) -> Call | None:
    """Hands units of an item over, walking to the receiver or to where they meet.

    Args:
        seat: The seat.
        item: The item.
        count: Units; all that the bag holds when the step begins if None.
        to: Who or what gets them; if None, whoever has asked for the item gets what it asked for.
        at: Where they meet, if not where the receiver is.
    """
    if to is None:
        need = seat.memory.needs.get(item)
        if need is None:
            return wait()
        to, count = need
    wanted: int = seat.scratch.setdefault("wanted", seat.held(item)) if count is None else count
    left = wanted - seat.since("Transferred", item, to)
    if left <= 0:
        return None
    spots = {mate["name"]: (mate["x"], mate["y"]) for mate in seat.view["mates"]}
    spots |= {person["id"]: (person["x"], person["y"]) for person in seat.view["people"]}
    near: int = seat.facts["reach"]["transfer"]
    if to in spots and seat.held(item) >= left:
        if seat.distance(spots[to]) <= near:
            return {"tool": "transfer_items", "arguments": {"to": to, "item": item, "count": left}}
        return seat.walk(spots[to], near) or wait()
    return seat.approach(at or to, _AT_PLACE) or wait()


def get(seat: Seat, items: Mapping[str, int], ask: bool = False) -> Call | None:
    """Waits until the bag holds so many units of items, asking for them first if told to."""
    missing = {item: count for item, count in items.items() if seat.held(item) < count}
    if not missing:
        return None
    if not ask:
        return wait()
    here = talk.place(seat.brief.agent, seat.view["x"], seat.view["y"])
    needs = " ".join(talk.need(count, item) for item, count in items.items())
    if "asked" in seat.scratch:
        return wait()
    seat.scratch["asked"] = True
    return seat.say(f"{needs} {here}") or wait()


def wear(seat: Seat, item: str) -> Call | None:
    """Puts an item on."""
    if item in seat.view["worn"].values():
        return None
    return {"tool": "equip_item", "arguments": {"item": item}}


def go(seat: Seat, to: str, within: int = _AT_PLACE) -> Call | None:
    """Walks to a place, or to where somebody was last known to be."""
    return seat.approach(to, within)


def tell(seat: Seat, name: str | None = None, place: str | None = None) -> Call | None:
    """Says where a place of the guide is, under a name of its own if one is given; otherwise where the agent is."""
    if "told" in seat.scratch:
        return None
    seat.scratch["told"] = True
    here = (seat.view["x"], seat.view["y"])
    return seat.tell(name or seat.brief.agent, seat.memory.spots[place] if place else here)


def assign(seat: Seat, to: str, goods: Mapping[str, int]) -> Call | None:
    """Tells a team-mate its part of a quota."""
    return seat.once(" ".join(talk.share(to, count, item) for item, count in goods.items()))


VERBS: dict[str, Any] = {
    "gather": gather,
    "share": share,
    "make": make,
    "give": give,
    "get": get,
    "wear": wear,
    "go": go,
    "tell": tell,
    "assign": assign,
}
"""Name of a step -> what plays it."""
