"""Messages, sleep, and leaving."""

from __future__ import annotations

from agentworld_env.sim.events import Left, Result, Said, Slept, Woke, fail
from agentworld_env.sim.mentions import mentions
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, LEFT
from agentworld_env.world.geometry import manhattan


def clean(text: str, limit: int) -> str:
    """Returns a message without control characters, white space folded, cut to a length (characters)."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded[:limit]


def chat(sim: Simulation, agent: int, message: str) -> Result:
    """The tool ``chat``: a message to the whole team, at any distance."""
    return _say(sim, agent, message, "team", None)


def speak(sim: Simulation, agent: int, message: str) -> Result:
    """The tool ``send_chat_message``: spoken aloud, heard within ``Rules.speech_reach`` tiles."""
    return _say(sim, agent, message, "local", sim.rules.speech_reach)


def _say(sim: Simulation, agent: int, message: str, channel: str, reach: int | None) -> Result:
    state = sim.state
    text = clean(message, sim.rules.message_limit)
    if not text:
        return fail("empty", "the message is empty")
    me, name = state.agents[agent], sim.names[agent]
    heard = [
        i
        for i, other in enumerate(state.agents)
        if i != agent
        and other.status == ACTIVE
        and (reach is None or manhattan(me.x, me.y, other.x, other.y) <= reach)
    ]
    state.said.append(len(state.events))
    names = tuple(sim.names[i] for i in heard)
    sim.log(Said(state.actions, state.round, (), name, channel, text, names, mentions(sim, text)))
    for i in heard:
        other = state.agents[i]
        if other.asleep:
            other.asleep = 0
            sim.log(Woke(state.actions, state.round, (), sim.names[i], name))
    return Result(True)


def sleep(sim: Simulation, agent: int, rounds: int) -> Result:
    """The tool ``sleep``: waits and regenerates; damage or a message wakes. Each round slept is a turn."""
    if not 1 <= rounds <= sim.rules.sleep_limit:
        return fail("rounds", f"rounds must be 1..{sim.rules.sleep_limit}, not {rounds}")
    sim.state.agents[agent].asleep = rounds
    sim.log(Slept(sim.state.actions, sim.state.round, (), sim.names[agent], rounds))
    return Result(True)


def complete(sim: Simulation, agent: int, response: str) -> Result:
    """The tool ``complete``: the agent leaves; what it did counts, it can act and be hurt no more."""
    state, me = sim.state, sim.state.agents[agent]
    me.status = LEFT
    for mob in state.mobs.values():
        if mob.target == agent:
            mob.target = -1
    text = clean(response, sim.rules.message_limit)
    sim.log(Left(state.actions, state.round, (), sim.names[agent], text))
    return Result(True)
