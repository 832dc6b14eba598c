"""A view as plain lists and dicts, for policies that read no text and for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from agentworld_env.sim.events import Event, Woke
from agentworld_env.sim.rules import combat_level
from agentworld_env.world.catalogue import COMBAT_SKILLS

if TYPE_CHECKING:
    from agentworld_env.env.view import View

_UNTOLD = ("action", "causes", "heard", "mentions", "origin")
"""Fields of events that tell more than the agent perceives: who is awake and in the episode, how many calls others
made, what exists elsewhere, where goods come from."""


def plain_view(view: View) -> dict[str, Any]:
    """Returns everything that a view shows.

    Args:
        view: The view.
    """
    sim, me = view._sim, view._me
    world = sim.world
    last = me.last
    return {
        "agent": view._name,
        "round": sim.state.round,
        "max_rounds": view._max_rounds,
        "x": me.x,
        "y": me.y,
        "map": view.map,
        "biome": world.terrain.biome_at(me.x, me.y),
        "hp": me.hp,
        "max_hp": sim.max_hp[view._agent],
        "mana": me.mana,
        "max_mana": sim.max_mana[view._agent],
        "combat_level": combat_level(sim.skills[view._agent], COMBAT_SKILLS),
        "skills": view.levels(),
        "bag": {item: me.count(item) for item in me.bag},
        "worn": {slot: piece[0] for slot, piece in me.worn.items()},
        "nodes": [
            {
                "kind": seen.kind,
                "nearest": [
                    {"id": n.id, "x": n.x, "y": n.y, "distance": d}
                    for d, n in ((d, world.nodes[i]) for d, i in seen.nearest)
                ],
                "more": seen.more,
                "depleted": seen.depleted,
            }
            for seen in view.nodes
        ],
        "mobs": [
            {
                "id": sim.spec(m.number).id,
                "name": sim.spec(m.number).name,
                "level": sim.spec(m.number).level,
                "hp": m.hp,
                "max_hp": sim.spec(m.number).hp,
                "x": m.x,
                "y": m.y,
                "distance": m.distance,
                "target": m.target,
            }
            for m in view.mobs
        ],
        "mates": [dict(mate._asdict(), worn=list(mate.worn)) for mate in view.mates],
        "people": [
            {"id": p.id, "name": p.name, "role": p.role, "x": p.x, "y": p.y, "distance": d}
            for d, p in view._people
        ],
        "ground": [thing._asdict() for thing in view.ground],
        "portals": [{"id": p.id, "x": p.x, "y": p.y, "distance": d} for d, p in view.portals],
        "messages": [
            {"round": m.round, "from": m.agent, "channel": m.channel, "text": m.text} for m in view._messages
        ],
        "last": None
        if last is None
        else {
            "tool": last.tool,
            "arguments": msgspec.to_builtins(last.arguments),
            "ok": last.result.ok,
            "reason": last.result.reason,
            "events": [
                _plain_event(event)
                for event in sim.state.events[last.first : last.end]
                if not isinstance(event, Woke) or event.agent == view._name
            ],
        },
    }


def _plain_event(event: Event) -> dict[str, Any]:
    """Returns an event of the agent's own call as it perceives it; of lots only how many units they are."""
    plain: dict[str, Any] = msgspec.to_builtins(event)
    for field in _UNTOLD:
        plain.pop(field, None)
    if "lots" in plain:
        plain["count"] = sum(units for _, _, units in plain.pop("lots"))
    if "inputs" in plain:
        plain["inputs"] = {item: sum(units for _, _, units in lots) for item, lots in plain["inputs"]}
    return plain
