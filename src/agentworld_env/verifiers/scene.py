"""The episode as the verifier's trackers share it: the simulation, and who moved last by which action."""

from __future__ import annotations

from typing import Any

from agentworld_env.sim import ACTIVE, Simulation
from agentworld_env.sim.events import Crafted, Dropped, Event, Harvested, Looted, Moved, Travelled
from agentworld_env.tasks.schema import Area


class Scene:
    """A simulation plus the latest move of every agent.

    Args:
        sim: The simulation, after its reset.
        sources: Item keys whose loot counts as gathered.
    """

    __slots__ = ("moves", "sim", "sources", "starts")

    hears = (Moved, Travelled)

    def __init__(self, sim: Simulation, sources: tuple[str, ...]) -> None:
        self.sim = sim
        self.sources = frozenset(sources)
        self.moves = [-1] * len(sim.names)
        self.starts = _starts(sim)

    def listens(self) -> tuple[type[Event], ...]:
        """Returns the event types to hand to ``on``."""
        return self.hears

    def on(self, event: Any) -> None:
        """Takes note of a move."""
        if event.action >= 0:
            self.moves[self.sim.index[event.agent]] = event.action

    def spoils(self, ground: str) -> bool:
        """Returns whether a thing that lay on the ground had fallen from a mob, not from somebody of the team.

        Args:
            ground: Its entity id.
        """
        return any(
            isinstance(event, Dropped) and event.ground == ground and event.source not in self.sim.index
            for event in self.sim.state.events
        )

    def made(self, item: str, origin: int) -> bool:
        """Returns whether units were gathered, crafted or looted in the episode, not held at its start or bartered.

        Args:
            item: Their item key.
            origin: Their origin.
        """
        return any(
            isinstance(event, Harvested | Crafted | Looted | Dropped)
            and event.action == origin
            and event.item == item
            for event in self.sim.state.events
        )

    def numbers(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Returns the indices of the named agents, or of all agents if none are named."""
        return tuple(self.sim.index[name] for name in names) if names else tuple(range(len(self.sim.names)))

    def last_moves(self, agents: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the latest moves of some agents, leaving out those that never moved."""
        return tuple(self.moves[agent] for agent in agents if self.moves[agent] >= 0)

    def standing(self, agents: tuple[int, ...], area: Ground) -> int:
        """Returns how many of the agents are in the episode and stand in an area."""
        states = self.sim.state.agents
        return sum(
            1
            for agent in agents
            if states[agent].status == ACTIVE and area.contains(states[agent].x, states[agent].y)
        )

    def raided(self, area: Ground) -> bool:
        """Returns whether a living raider stands in an area."""
        tiles = (self.sim.where(number) for number in self.sim.raiders)
        return any(tile is not None and area.contains(*tile) for tile in tiles)

    def save(self) -> tuple[int, ...]:
        """Returns the latest moves as an immutable value."""
        return tuple(self.moves)

    def load(self, saved: tuple[int, ...]) -> None:
        """Goes back to what ``save`` returned."""
        self.moves[:] = saved


class Ground:
    """The tiles of an area.

    Args:
        area: The area from the task file.
        sim: The simulation whose world knows the named places.
    """

    __slots__ = ("_box", "_within", "_x", "_y")

    def __init__(self, area: Area, sim: Simulation) -> None:
        self._box: tuple[int, int, int, int] | None = None
        self._x = self._y = self._within = 0
        if area.at is not None:
            self._x, self._y = area.at
            self._within = area.within
        else:
            assert area.place is not None
            place = sim.world.places[area.place]
            self._box = (place.x0, place.y0, place.x1, place.y1)

    def contains(self, x: int, y: int) -> bool:
        """Returns whether a tile is in the area: near enough (Manhattan), or in the place's rectangle."""
        if self._box is not None:
            x0, y0, x1, y1 = self._box
            return x0 <= x <= x1 and y0 <= y <= y1
        return abs(x - self._x) + abs(y - self._y) <= self._within


def _starts(sim: Simulation) -> tuple[tuple[int, int], ...]:
    """Returns the agents' start tiles, even when the episode is under way: where their first move began."""
    starts: dict[str, tuple[int, int]] = {}
    for event in sim.state.events:
        if isinstance(event, Moved | Travelled):
            starts.setdefault(event.agent, (event.x0, event.y0))
    return tuple(starts.get(name, (a.x, a.y)) for name, a in zip(sim.names, sim.state.agents, strict=True))
