"""When mobs came home unhurt, which no event tells.

The log says so of a mob that regains hit points at home. One that nobody hurt gives up its prey in silence. Whether it
is at home again decides which ways it bars, and which quarrel later wounds belong to; a blow that leads to nothing must
not decide that by making an event of it. A mob's pursuit follows from where the agents stood and who struck it, so it
is followed through the rounds by the world's own rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from agentworld_env.metrics.causal.log import Log, noticed_by
from agentworld_env.sim import ACTIVE, DEAD, LEFT, Simulation
from agentworld_env.sim.combat import close_in, engage, remember
from agentworld_env.sim.events import AnyEvent, Died, Killed, Left, Moved, Regained, Struck, Travelled
from agentworld_env.sim.worldturn import HOMEWARD, pursue

Sorted = tuple[int, AnyEvent]
"""Number of the action on whose line an event stands, and the event, as in ``Log.events``."""


def with_returns(log: Log, start: Callable[[], Simulation], resumed: int | None = None) -> list[Sorted]:
    """Returns an episode's events with one more ``Regained`` for every mob that came home unhurt.

    Creatures of waves are left out: they go for agents by themselves, and do not bar ways.

    Args:
        log: The episode.
        start: Gives a simulation of the episode at its start, which is used up; asked only if a mob was after somebody.
        resumed: The first action that was played on, before which everybody came back; None if there is none.
    """
    if not any(_opens(event) for _, event in log.events):
        return log.events
    return list(_Chases(log, start(), resumed).followed())


def _opens(event: AnyEvent) -> bool:
    return isinstance(event, Struck) or (isinstance(event, Moved) and bool(noticed_by(event)))


class _Chases:
    """The mobs that are after somebody, at the present moment of an episode that is gone through.

    Args:
        log: The episode.
        sim: Where agents and mobs are put; it plays no turns.
        resumed: As for ``with_returns``.
    """

    def __init__(self, log: Log, sim: Simulation, resumed: int | None) -> None:
        self._log = log
        self._sim = sim
        self._resumed = resumed
        self._fallen: list[tuple[int, int]] = []
        sim.state.mobs.clear()

    def followed(self) -> Iterator[Sorted]:
        """Yields the events, with those that are missing, in order."""
        state = self._sim.state
        of_line = {number: list(found) for number, found in groupby(self._log.events, lambda pair: pair[0])}
        for act in self._log.acts:
            if act.number == self._resumed:
                for agent in state.agents:
                    agent.status = ACTIVE
            yield from self._world_turns(act.round, act.number - 1)
            for number, event in of_line.get(act.number, ()):
                yield from self._world_turns(event.round, number)
                self._note(event)
                yield number, event

    def _world_turns(self, before: int, line: int) -> Iterator[Sorted]:
        """Runs the world's turns of all rounds before one; what happens in them stands on a line."""
        sim = self._sim
        state = sim.state
        while state.round < before:
            fallen, self._fallen = sorted(self._fallen), []
            for number in sorted(state.mobs):
                # Mobs have their turns one after the other: whom an earlier one felled, a later one lets go.
                while fallen and fallen[0][0] < number:
                    sim.depart(fallen.pop(0)[1], DEAD)
                mob = state.mobs[number]
                if pursue(sim, number, mob) == HOMEWARD:
                    spec = sim.spec(number)
                    sim.forget_mob(number)
                    if mob.hp == spec.hp:
                        yield line, Regained(-1, state.round, (), spec.id)
            for _, agent in fallen:
                sim.depart(agent, DEAD)
            state.round += 1

    def _note(self, event: AnyEvent) -> None:
        """Takes in what an event says about where everybody is, and after whom."""
        sim = self._sim
        if isinstance(event, Moved | Travelled):
            sim.place(sim.index[event.agent], event.x, event.y)
            if isinstance(event, Moved) and noticed_by(event):
                number = self._number(event.stopped)
                if number >= 0:
                    sim.touch(number).target = sim.index[event.agent]
        elif isinstance(event, Struck):
            self._exchange(event)
        elif isinstance(event, Killed | Regained):
            number = self._number(event.mob)
            if number in sim.state.mobs:
                sim.forget_mob(number)
        elif isinstance(event, Left):
            sim.depart(sim.index[event.agent], LEFT)
        elif isinstance(event, Died):
            agent, killer = sim.index[event.agent], self._number(event.mob)
            if event.action < 0 and killer >= 0:
                self._fallen.append((killer, agent))
            else:
                sim.depart(agent, DEAD)

    def _exchange(self, event: Struck) -> None:
        """Follows a mob through an exchange of blows whose damage the event tells."""
        sim = self._sim
        number = self._number(event.mob)
        if number < 0:
            return
        agent, mob, spec = sim.index[event.agent], sim.touch(number), sim.spec(number)
        engage(sim, mob, agent)
        for _ in range(event.exchanges):
            close_in(sim, mob, sim.state.agents[agent], spec.reach)
        mob.hp = event.hp
        remember(mob, spec, agent, event.action, event.damage, event.round)
        sim.mob_moved(number, mob)

    def _number(self, mob: str) -> int:
        """Returns the index of a mob, or -1 if it is a creature of a wave or not known."""
        number = self._sim.mob_number(mob)
        return -1 if number is None or number >= self._sim.raiders_from else number
