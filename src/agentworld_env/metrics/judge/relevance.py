"""What an action has to do with: the names it shares with the actions it may have led to.

Every edge of the event graph joins two actions that share one of these names: the agent, the receiver or the one
guarded; the item; the mob; the thing on the ground; for messages also whoever heard them. So an action that shares none
with any contributing action can be left out of the question without losing a cause that the events know of.
"""

from __future__ import annotations

from agentworld_env.episodes import TurnLine
from agentworld_env.sim.events import (
    Crafted,
    Killed,
    Looted,
    PickedUp,
    Said,
    Struck,
    Transferred,
)


def names_of(line: TurnLine) -> frozenset[str]:
    """Returns the names that an action has to do with; the agent itself is always among them."""
    found = {line.agent}
    for event in line.events:
        if event.action != line.action:
            continue
        if isinstance(event, Transferred):
            found |= {event.to, event.item}
        elif isinstance(event, Struck):
            found |= {event.mob, event.guarded}
        elif isinstance(event, Killed):
            found.add(event.mob)
        elif isinstance(event, Looted):
            found |= {event.mob, event.item}
        elif isinstance(event, PickedUp):
            found |= {event.ground, event.item}
        elif isinstance(event, Crafted):
            found |= {event.item, *(item for item, _ in event.inputs)}
        elif isinstance(event, Said):
            found.update(event.heard)
    found.update(need.agent for need in line.result.needs)
    found.update(getattr(event, "item", "") for event in line.events if event.action == line.action)
    return frozenset(found - {""})
