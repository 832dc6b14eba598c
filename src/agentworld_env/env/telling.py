"""Saying in words what happened, from typed events; nobody reads it back."""

from __future__ import annotations

from collections.abc import Iterable

from agentworld_env.sim import events as ev
from agentworld_env.sim.events import Event, Result
from agentworld_env.sim.rules import RULES
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import LastCall
from agentworld_env.sim.talking import clean

_LONGEST = RULES.message_limit
"""Longest argument that is written out (characters)."""


def call_text(tool: str, arguments: dict[str, object]) -> str:
    """Returns a call as it is written in observations: ``tool(name=value, ...)``, long arguments cut."""
    return f"{tool or '?'}({', '.join(f'{key}={_cut(str(value))}' for key, value in arguments.items())})"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text):,} characters)"


def result_text(sim: Simulation, agent: str, last: LastCall) -> str:
    """Returns one line on what came of an agent's call, from the call's own events."""
    events = sim.state.events[last.first : last.end]
    text = outcome_text(agent, last.result, events)
    limit = sim.rules.message_limit
    # Only what is said may be so long and succeed all the same.
    if last.result.ok and any(
        isinstance(said, str) and len(said) > limit and len(clean(said, limit + 1)) > limit
        for said in last.arguments.values()
    ):
        text += f", but only its first {limit} characters"
    return text


def outcome_text(agent: str, result: Result, events: Iterable[Event]) -> str:
    """Returns one line on what came of a call.

    Args:
        agent: Who made it.
        result: Its result.
        events: Its events.
    """
    parts = [text for text in (event_text(event, agent) for event in events) if text]
    if result.ok:
        return f"ok: {'; '.join(parts)}" if parts else "ok"
    reason = f"failed: {result.reason}"
    if result.hint:
        reason += f" ({result.hint})"
    return f"{reason}; but {'; '.join(parts)}" if parts else reason


def _who(name: str, reader: str) -> str:
    return "you" if name == reader else name


def event_text(event: Event, reader: str = "") -> str:
    """Returns a few words on an event, or nothing if it is not worth telling.

    Args:
        event: The event.
        reader: Agent that is told; it reads ``you`` for its own name.
    """
    match event:
        case ev.Moved():
            stop = {"": "", "limit": ", as far as one turn goes", "blocked": ", where the way ends"}.get(
                event.stopped, f", where {event.stopped} noticed {_who(event.agent, reader)}"
            )
            return f"walked {event.steps} tiles to ({event.x}, {event.y}){stop}"
        case ev.Travelled():
            return f"went through {event.portal} to ({event.x}, {event.y})"
        case ev.Harvested():
            return f"took {event.count} {event.item} from {event.node}"
        case ev.Struck():
            blows = f"{event.exchanges} exchange{'' if event.exchanges == 1 else 's'}"
            return f"dealt {event.damage} damage to {event.mob} in {blows}, it has {event.hp} left"
        case ev.Hurt():
            return f"{event.mob} dealt {event.damage} damage to {_who(event.agent, reader)}, {event.hp} left"
        case ev.Killed():
            return f"{event.mob} fell"
        case ev.Looted():
            return f"looted {event.count} {event.item}"
        case ev.Dropped():
            units = sum(lot[2] for lot in event.lots)
            return f"{units} {event.item} fell to the ground as {event.ground}"
        case ev.PickedUp():
            return f"picked up {sum(lot[2] for lot in event.lots)} {event.item}"
        case ev.Crafted():
            return f"made {event.count} {event.item}"
        case ev.Equipped():
            return f"put on {event.item}"
        case ev.Unequipped():
            return f"took off {event.item}"
        case ev.Consumed() if event.hp or event.mana:
            return f"used {event.item}: +{event.hp} hit points, +{event.mana} mana"
        case ev.Transferred() if event.to == reader:
            return f"{event.agent} gave you {event.count} {event.item}"
        case ev.Transferred():
            return f"gave {event.count} {event.item} to {event.to}"
        case ev.Bartered():
            return f"got {event.count} {event.item} from {event.npc}"
        case ev.Built():
            return f"{event.site} is complete"
        case ev.Said() if event.channel == "team":
            return "sent to the team"
        case ev.Said():
            hearers = len(event.heard)
            return f"{hearers} team-mate{'' if hearers == 1 else 's'} received the message"
        case ev.Slept():
            return f"sleeps for {event.rounds} round{'' if event.rounds == 1 else 's'}"
        case ev.Woke() if event.agent == reader or not reader:
            return f"{_who(event.agent, reader)} woke because of {event.by}"
        case ev.Left():
            return "left the episode"
        case ev.Died():
            return f"{_who(event.agent, reader)} died"
        case ev.Regained():
            return f"{event.mob} regained all its hit points"
        case _:
            return ""
