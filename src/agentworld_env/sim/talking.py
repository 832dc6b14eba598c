"""Messages, sleep, and leaving."""

from __future__ import annotations

from agentworld_env.sim.events import Left, Result, Said, Slept, Woke, fail
from agentworld_env.sim.mentions import mentions
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, LEFT


def clean(text: str, limit: int) -> str:
    """Returns a message without control characters, white space folded, cut to a length (characters)."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())[:limit]


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
    name = sim.names[agent]
    if reach is None:
        heard = sim.whereabouts.present_but(agent)
        sleepers = sim.whereabouts.sleepers()
    else:
        near = _in_earshot(sim, agent, reach)
        heard = tuple([sim.names[i] for i in near])
        sleepers = [i for i in near if state.agents[i].asleep]
    state.said.append(len(state.events))
    sim.log(Said(state.actions, state.round, (), name, channel, text, heard, mentions(sim, text)))
    for i in sleepers:
        sim.lay_down(i, 0)
        sim.log(Woke(state.actions, state.round, (), sim.names[i], name))
    return Result(True)


def _in_earshot(sim: Simulation, agent: int, reach: int) -> list[int]:
    """Returns the others in the episode who stand within a distance (tiles), in turn order."""
    agents = sim.state.agents
    x, y = agents[agent].x, agents[agent].y
    near = [
        i
        for i in sim.whereabouts.agents(x, y, reach)
        if abs(agents[i].x - x) + abs(agents[i].y - y) <= reach and agents[i].status == ACTIVE and i != agent
    ]
    near.sort()
    return near


def sleep(sim: Simulation, agent: int, rounds: int) -> Result:
    """The tool ``sleep``: waits and regenerates; damage or a message wakes. Each round slept is a turn."""
    if not 1 <= rounds <= sim.rules.sleep_limit:
        return fail("rounds", f"rounds must be 1..{sim.rules.sleep_limit}, not {rounds}")
    sim.lay_down(agent, rounds)
    sim.log(Slept(sim.state.actions, sim.state.round, (), sim.names[agent], rounds))
    return Result(True)


def complete(sim: Simulation, agent: int, response: str) -> Result:
    """The tool ``complete``: the agent leaves; what it did counts, it can act and be hurt no more."""
    state = sim.state
    sim.depart(agent, LEFT)
    text = clean(response, sim.rules.message_limit)
    sim.log(Left(state.actions, state.round, (), sim.names[agent], text))
    return Result(True)
