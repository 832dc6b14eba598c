"""Kinds of checkpoints about where agents stand, what they hold, and how long they last."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.sim.events import Moved, Travelled
from agentworld_env.tasks.schema import Area
from agentworld_env.verifiers.scene import Ground, Scene
from agentworld_env.verifiers.tracker import Tracker


class Held(Tracker):
    """Units in the bag, or worn, right now; it can be lost again."""

    __slots__ = ("_agents", "_item")

    hears = (
        ev.Harvested, ev.Looted, ev.PickedUp, ev.Crafted, ev.Consumed, ev.Transferred, ev.Bartered, ev.Dropped,
    )  # fmt: skip
    latches = False

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self.need = spec.count
        self._item = spec.item
        self._agents = scene.numbers((spec.by,) if spec.by else ())
        self.look()

    def on(self, event: Any) -> None:
        """Counts anew if units of the item have changed hands, come into being, or been used up."""
        used = type(event) is ev.Crafted and any(item == self._item for item, _ in event.inputs)
        if used or event.item == self._item:
            self.look()

    def look(self) -> None:
        """Counts the units anew."""
        was = self.reached
        states = self.scene.sim.state.agents
        have = 0
        for number in self._agents:
            agent = states[number]
            have += agent.count(self._item)
            for worn in agent.worn.values():
                have += worn[0] == self._item
        self.have = have
        if have < self.need:
            self.round = 0
        elif not was:
            self.round = self.scene.sim.state.round

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions that brought the oldest units of what is needed to their holders."""
        if not self.reached:
            return ()
        brought: set[int] = set()
        missing = self.need
        for number in self._agents:
            agent = self.scene.sim.state.agents[number]
            lots = [(via, 1) for item, _, via, _ in agent.worn.values() if item == self._item]
            lots += [(via, units) for _, via, units in agent.bag.get(self._item, ())]
            for via, units in lots:
                if missing > 0 and via >= 0:
                    brought.add(via)
                missing -= units
        return tuple(sorted(brought))


class Visited(Tracker):
    """Roles that have been in an area. Where a walk begins and ends counts, not what lies between."""

    __slots__ = ("_agents", "_area", "_seen")

    hears = (Moved, Travelled)

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._area = self._ground(spec, scene)
        self._agents = scene.numbers(spec.by)
        self.need = len(self._agents) if spec.need == "all" else 1
        self._seen: tuple[int, ...] = ()
        for number in self._agents:
            if not self.reached and self._area.contains(*scene.starts[number]):
                self._seen += (number,)
                self.count(1, 1, ())

    @staticmethod
    def _ground(spec: Any, scene: Scene) -> Ground:
        return Ground(spec.area, scene.sim)

    def on(self, event: Any) -> None:
        """Notes a walk or a passage that ends in the area."""
        number = self.scene.sim.index[event.agent]
        if number in self._agents and number not in self._seen and self._area.contains(event.x, event.y):
            self._seen += (number,)
            self.count(1, event.round, (event.action,))

    def save(self) -> tuple[Any, ...]:
        """Returns everything that changes, as an immutable value."""
        return (*super().save(), self._seen)

    def load(self, saved: tuple[Any, ...]) -> None:
        """Goes back to what ``save`` returned."""
        super().load(saved[:3])
        self._seen = saved[3]


class Discovered(Visited):
    """Roles that have come near something whose place no guide gives away."""

    __slots__ = ()

    @staticmethod
    def _ground(spec: Any, scene: Scene) -> Ground:
        tile = discovery_tile(spec.target, scene.sim)
        if tile is None:
            raise ValueError(f"nothing called {spec.target!r} can be discovered in this episode")
        return Ground(Area(at=tile, within=spec.within), scene.sim)


def discovery_tile(target: str, sim: Simulation) -> tuple[int, int] | None:
    """Returns the tile of a person, site, portal, named spawn or place by its id or key, or None.

    Args:
        target: The id or key.
        sim: A simulation of the task's set-up.
    """
    for known in (sim.people, sim.world.portals, sim.world.places):
        thing = known.get(target)
        if thing is not None:
            return thing.x, thing.y
    number = sim.named.get(target)
    return None if number is None else sim.home(number)


class PresentTogether(Tracker):
    """Roles that stood in an area at the end of the latest round; lost when one leaves the area again."""

    __slots__ = ("_agents", "_area")

    latches = False

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._area = Ground(spec.area, scene.sim)
        self._agents = scene.numbers(spec.by)
        self.need = len(self._agents)

    def end_round(self, ended: int) -> None:
        """Counts who stands there."""
        was = self.reached
        self.have = self.scene.standing(self._agents, self._area)
        if not self.reached:
            self.round, self._actions = 0, ()
        elif not was:
            self.round, self._actions = ended, self.scene.last_moves(self._agents)


class HeldForRounds(Tracker):
    """Rounds running at whose end the roles stood in an area, once an earlier checkpoint has been reached.

    A round at whose end a raider stands there, too, does not count: whoever shares a place does not hold it.
    """

    __slots__ = ("_after", "_agents", "_area")

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._area = Ground(spec.area, scene.sim)
        self._agents = scene.numbers(spec.by)
        self.need = spec.rounds
        self._after: Tracker | None = None

    def follow(self, after: Tracker) -> None:
        """Sets the checkpoint that must have been reached."""
        self._after = after

    def end_round(self, ended: int) -> None:
        """Counts the round, or starts over."""
        ready = self._after is None or self._after.reached
        manned = ready and self.scene.standing(self._agents, self._area) == len(self._agents)
        if manned and not self.scene.raided(self._area):
            self._actions = ()
            self.count(1, ended, self.scene.last_moves(self._agents))
        else:
            self.have, self._actions = 0, ()


class SurvivedUntil(Tracker):
    """The end of a round with the roles alive, after an earlier checkpoint has been reached."""

    __slots__ = ("_after", "_agents", "_round")

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        self._agents = scene.numbers(spec.by)
        self._round = spec.round
        self._after: Tracker | None = None

    def follow(self, after: Tracker) -> None:
        """Sets the checkpoint that must have been reached."""
        self._after = after

    def end_round(self, ended: int) -> None:
        """Notes the end of a round that is late enough."""
        after = self._after
        if after is None or ended < self._round or not after.reached:
            return
        if all(self.scene.sim.alive(agent) for agent in self._agents):
            self.count(1, ended, after.actions)


class Python(Tracker):
    """A function of installed code, called with the simulation after new events and at each round's end."""

    __slots__ = ("_function",)

    looks = True

    def __init__(self, spec: Any, scene: Scene) -> None:
        super().__init__(spec, scene)
        module, _, name = spec.function.partition(":")
        self._function: Callable[..., bool] = getattr(import_module(module), name)

    def look(self) -> None:
        """Asks the function."""
        if self._function(self.scene.sim):
            self.count(1, self.scene.sim.state.round, ())

    def end_round(self, ended: int) -> None:
        """Asks the function."""
        if self._function(self.scene.sim):
            self.count(1, ended, ())
