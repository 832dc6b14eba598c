"""What a view lists: mobs, team-mates, messages and things on the ground, as one agent sees them."""

from __future__ import annotations

from typing import NamedTuple

from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import DEAD, LEFT


class StaleViewError(RuntimeError):
    """A view or legal-calls object was read after the episode had moved on."""


class SeenMob(NamedTuple):
    """A mob in sight. ``target`` is the id of the agent it is after, or empty."""

    distance: int
    number: int
    x: int
    y: int
    hp: int
    target: str


class SeenMate(NamedTuple):
    """A team-mate in sight: where it stands, how it fares, what it wears. Never what it carries."""

    distance: int
    name: str
    x: int
    y: int
    condition: str
    worn: tuple[str, ...]


class SeenMessage(NamedTuple):
    """A message as it was received. ``channel`` is ``team`` or ``local``."""

    round: int
    agent: str
    channel: str
    text: str


class SeenGround(NamedTuple):
    """Something on the ground in sight."""

    distance: int
    id: str
    item: str
    units: int
    x: int
    y: int


def condition(sim: Simulation, agent: int) -> str:
    """Returns how an agent looks to others: a hit-point band, or whether it sleeps, has left or is dead."""
    me = sim.state.agents[agent]
    if me.status == DEAD:
        return "dead"
    if me.status == LEFT:
        return "done"
    share = 4 * me.hp // sim.max_hp[agent]
    band = ("near death", "badly hurt", "hurt", "well", "well")[share]
    return f"{band}, asleep" if me.asleep else band
