"""Handing items over: to team-mates, merchants, collectors and building sites."""

from __future__ import annotations

from agentworld_env.sim.bag import carried_by, material, put, take
from agentworld_env.sim.events import Bartered, Built, Need, Result, Transferred, fail
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE
from agentworld_env.world.catalogue import Npc, Offer
from agentworld_env.world.geometry import manhattan


def transfer(sim: Simulation, agent: int, to: str, item: str, units: int) -> Result:
    """The tool ``transfer_items``: the whole count or nothing, within ``Rules.transfer_reach`` tiles."""
    if units < 1:
        return fail("count", f"count must be at least 1, not {units}")
    me = sim.state.agents[agent]
    have = me.count(item)
    if have < units:
        worn = any(piece[0] == item for piece in me.worn.values())
        hint = "take it off with equip_item first" if worn else ""
        return fail("not_carried", f"you carry {have} {item}, not {units}", hint)
    receiver = sim.index.get(to)
    if receiver is not None:
        return _to_agent(sim, agent, receiver, item, units)
    person = sim.people.get(to)
    if person is None:
        return fail("unknown_receiver", f"nobody is called {to!r}", "use the id of a team-mate or person")
    return _to_person(sim, agent, person, item, units)


def _too_far(sim: Simulation, agent: int, x: int, y: int, to: str) -> Result | None:
    me = sim.state.agents[agent]
    distance = manhattan(me.x, me.y, x, y)
    if distance <= sim.rules.transfer_reach:
        return None
    if distance > sim.rules.sight_people:
        return fail("out_of_sight", f"{to} is not in sight", "agree on a meeting point")
    return fail(
        "out_of_reach",
        f"{to} is {distance} tiles away; items change hands within {sim.rules.transfer_reach}",
        f"move towards ({x}, {y})",
    )


def _to_agent(sim: Simulation, agent: int, receiver: int, item: str, units: int) -> Result:
    if receiver == agent:
        return fail("receiver", "you cannot hand things to yourself")
    me, other, state = sim.state.agents[agent], sim.state.agents[receiver], sim.state
    to = sim.names[receiver]
    far = _too_far(sim, agent, other.x, other.y, to)
    if far is not None and far.code == "out_of_sight":
        # Whether it still plays is for those to know who can see it.
        return far
    if other.status != ACTIVE:
        return fail("receiver", f"{to} is no longer in the episode")
    if far is not None:
        return far
    if not sim.room_for(receiver, item):
        return fail("bag_full", f"{to} has no room for {item}")
    lots = take(me.bag, item, units)
    put(other.bag, item, carried_by(lots, state.actions))
    _log(sim, agent, to, item, units, lots)
    reach = sim.rules.transfer_reach
    return Result(True, needs=(Need(sim.names[agent], other.x, other.y, reach), Need(to, me.x, me.y, reach)))


def _log(
    sim: Simulation, agent: int, to: str, item: str, units: int, lots: tuple[tuple[int, int, int], ...]
) -> None:
    state = sim.state
    sim.log(Transferred(state.actions, state.round, material(lots), sim.names[agent], to, item, units, lots))


def _to_person(sim: Simulation, agent: int, person: Npc, item: str, units: int) -> Result:
    far = _too_far(sim, agent, person.x, person.y, person.id)
    if far is not None:
        return far
    need = Need(sim.names[agent], person.x, person.y, sim.rules.transfer_reach)
    if person.role == "merchant":
        refused = _barter(sim, agent, person, item, units)
    elif person.wants:
        refused = _deliver(sim, agent, person, item, units)
    else:
        refused = fail("receiver", f"{person.name} takes nothing")
    return refused or Result(True, needs=(need,))


def offer_for(person: Npc, item: str, units: int) -> Offer | None:
    """Returns the deal that a count of an item pays for exactly; of several, the one that asks for most units."""
    paid = [offer for offer in person.offers if offer.take == item and units % offer.take_count == 0]
    return max(paid, key=lambda offer: offer.take_count, default=None) if units > 0 else None


def _barter(sim: Simulation, agent: int, person: Npc, item: str, units: int) -> Result | None:
    offers = [offer for offer in person.offers if offer.take == item]
    if not offers:
        wanted = ", ".join(sorted({offer.take for offer in person.offers}))
        return fail("not_wanted", f"{person.name} does not want {item}", f"it takes {wanted}")
    offer = offer_for(person, item, units)
    if offer is None:
        prices = ", ".join(f"{o.give_count} {o.give} for {o.take_count}" for o in offers)
        return fail("count", f"{person.name} has no deal for exactly {units} {item}", f"it gives {prices}")
    me, state = sim.state.agents[agent], sim.state
    emptied = me.count(item) == units
    if offer.give not in me.bag and len(me.bag) - emptied >= sim.rules.bag_kinds:
        return fail("bag_full", f"no room for {offer.give}")
    lots = take(me.bag, item, units)
    _log(sim, agent, person.id, item, units, lots)
    given = units // offer.take_count * offer.give_count
    put(me.bag, offer.give, ((state.actions, state.actions, given),))
    sim.log(
        Bartered(state.actions, state.round, material(lots), sim.names[agent], person.id, offer.give, given)
    )
    return None


def _deliver(sim: Simulation, agent: int, person: Npc, item: str, units: int) -> Result | None:
    got = sim.state.sites.get(person.id, {})
    open_ = {
        key: wanted - got.get(key, 0) for key, wanted in person.wants.items() if wanted > got.get(key, 0)
    }
    if units > open_.get(item, 0):
        still = ", ".join(f"{count} {key}" for key, count in open_.items()) or "nothing more"
        return fail("not_wanted", f"{person.name} does not take {units} {item}", f"it still wants {still}")
    state = sim.state
    lots = take(state.agents[agent].bag, item, units)
    got = sim.state.sites.setdefault(person.id, {})
    got[item] = got.get(item, 0) + units
    _log(sim, agent, person.id, item, units, lots)
    if person.role == "site" and all(got.get(key, 0) >= wanted for key, wanted in person.wants.items()):
        sim.log(Built(state.actions, state.round, (), person.id))
    return None
