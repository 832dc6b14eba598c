"""The ledger of items: what is there, and what events account for. Fuzzing and tests compare the two."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.sim import events as ev


def holdings(env: AgentWorldEnv) -> Counter[str]:
    """Returns the units of every item that are in bags, worn, or on the ground."""
    found: Counter[str] = Counter()
    for agent in env.sim.state.agents:
        for item, lots in agent.bag.items():
            found[item] += sum(lot[2] for lot in lots)
        found.update(piece[0] for piece in agent.worn.values())
    for item, lots, _, _ in env.sim.state.ground.values():
        found[item] += sum(lot[2] for lot in lots)
    return found


def booked(env: AgentWorldEnv, events: list[Any]) -> Counter[str]:
    """Returns the change of holdings that some events account for; the only ways in and out of the world."""
    change: Counter[str] = Counter()
    for event in events:
        match event:
            case ev.Harvested() | ev.Looted() | ev.Bartered():
                change[event.item] += event.count
            case ev.Dropped() if event.source not in env.sim.index:
                change[event.item] += sum(lot[2] for lot in event.lots)
            case ev.Crafted():
                change[event.item] += event.count
                for item, lots in event.inputs:
                    change[item] -= sum(lot[2] for lot in lots)
            case ev.Consumed():
                change[event.item] -= event.count
            case ev.Transferred() if event.to not in env.sim.index:
                change[event.item] -= event.count
            case _:
                pass
    return change
