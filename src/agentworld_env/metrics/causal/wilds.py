"""Mobs that bar a way: a shortcut is none if a mob would have noticed the walker and ended its walk."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import NamedTuple, Protocol

from agentworld_env.episodes.opening import played_task
from agentworld_env.episodes.record import Header
from agentworld_env.metrics.causal.log import Log, noticed_by
from agentworld_env.metrics.causal.pursuit import with_returns
from agentworld_env.sim import Simulation
from agentworld_env.sim.events import Killed, Moved, Regained, Struck
from agentworld_env.sim.movement import notices


class Watcher(NamedTuple):
    """A mob that notices a walker from its home.

    Attributes:
        mob: Its entity id.
        respawn: So many rounds (at least) it stays dead.
    """

    mob: str
    respawn: int


class Wilds(Protocol):
    """What the rules ask about mobs; ``Homes`` answers it."""

    def watchers(self, agent: str, x0: int, y0: int, x: int, y: int) -> tuple[Watcher, ...]:
        """Returns the mobs that notice an agent on its way between two tiles while they stand at home."""

    def told(self, log: Log, resumed: int | None) -> Log:
        """Returns a log with an event for every mob that came home; arguments are as for ``with_returns``."""


class Homes:
    """The mobs of one episode at their homes.

    Args:
        sim: Gives the simulation of the episode, at whatever moment; asked only if a shortcut must be looked at.
    """

    def __init__(self, sim: Callable[[], Simulation]) -> None:
        self._get = sim
        self._sim: Simulation | None = None

    def watchers(self, agent: str, x0: int, y0: int, x: int, y: int) -> tuple[Watcher, ...]:
        """Returns the mobs that notice an agent on its way between two tiles while they stand at home."""
        sim = self._sim = self._sim or self._get()
        way = sim.world.paths.walk(x0, y0, x, y, sim.rules.path_limit, 0)
        if way is None:
            return ()
        xs, ys = [corner[0] for corner in way.corners], [corner[1] for corner in way.corners]
        margin = sim.notice_margin
        box = (min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)
        found = []
        for number in (*sim.world.aggressive_in_box(*box), *sim.named.values()):
            spec = sim.spec(number)
            if not notices(sim, sim.index[agent], spec):
                continue
            if way.first_near(*sim.home(number), spec.aggro) is not None:
                found.append(Watcher(spec.id, spec.respawn))
        return tuple(found)

    def told(self, log: Log, resumed: int | None) -> Log:
        """Returns a log with an event for every mob that came home; arguments are as for ``with_returns``."""

        def start() -> Simulation:
            now = self._sim = self._sim or self._get()
            sim = Simulation(now.world, now.setup, now.rules)
            sim.reset(now.state.seed)
            return sim

        events = with_returns(log, start, resumed)
        return log if events is log.events else log.with_events(events)


def homes_of(header: Header) -> Homes:
    """Returns the mobs of an episode from what its header says."""

    def build() -> Simulation:
        task = played_task(header)
        sim = Simulation(task.world, task.setup())
        sim.reset(header.seed)
        return sim

    return Homes(build)


class _Absence(NamedTuple):
    """A time in which a mob noticed nobody: it was after somebody, and then perhaps dead.

    Attributes:
        draws: The calls that set it on somebody, ascending.
        until: The action on whose line it was home again, or fell; beyond the last action if neither came about.
        fatal: The call that felled it, or -1.
        died: The round of that call.
    """

    draws: tuple[int, ...]
    until: int
    fatal: int
    died: int


class Bars:
    """Tells which ways mobs barred.

    A mob that was away bars no way, but only if calls that contribute took it away. Otherwise a useless blow at it
    would decide whether a team-mate's walk round it was needed.

    Args:
        log: The episode.
        wilds: The mobs at their homes; None knows of none.
    """

    def __init__(self, log: Log, wilds: Wilds | None) -> None:
        self._acts = log.acts
        self._wilds = wilds
        self._absences: dict[str, list[_Absence]] = {}
        self._counted: frozenset[int] = frozenset()
        draws: dict[str, list[int]] = {}
        for number, event in log.events if wilds is not None else ():
            if isinstance(event, Moved):
                mob = noticed_by(event)
                if mob:
                    draws.setdefault(mob, []).append(event.action)
            elif isinstance(event, Struck):
                draws.setdefault(event.mob, []).append(event.action)
            elif isinstance(event, Killed):
                self._close(event.mob, draws, number, event.action, event.round)
            elif isinstance(event, Regained):
                self._close(event.mob, draws, number)
        for mob in list(draws):
            self._close(mob, draws, len(self._acts))
        self._takers = frozenset(
            call for absences in self._absences.values() for one in absences for call in one.draws
        )

    def _close(
        self, mob: str, draws: dict[str, list[int]], until: int, fatal: int = -1, died: int = 0
    ) -> None:
        calls = draws.pop(mob, None)
        if calls:
            self._absences.setdefault(mob, []).append(_Absence(tuple(calls), until, fatal, died))

    def suppose(self, contributing: frozenset[int]) -> bool:
        """Takes mobs to have been away by these calls only; returns whether that may change which ways were barred.

        Args:
            contributing: Actions that contribute for another reason than having moved somebody.
        """
        before, self._counted = self._counted, contributing & self._takers
        return self._counted != before

    def barred(
        self,
        number: int,
        start: tuple[int, int],
        end: tuple[int, int],
        taken: Container[int],
        but: str = "",
    ) -> bool:
        """Returns whether a mob would have noticed the agent of a call on another way, and ended its walk.

        Args:
            number: The call.
            start: Where the way begins.
            end: Where it ends.
            taken: Numbers of the agent's calls before it that would have been made. Walks of team-mates that contribute
                only by having moved them take no mob away: which ones these are hangs on what is asked here.
            but: Id of a mob whose notice does not matter: it ended the real walk as well, or is the call's target.
        """
        act = self._acts[number]
        if self._wilds is None or act.round < 2:
            return False
        target = act.arguments.get("target") if act.tool == "attack_entity" else None
        return any(
            watcher.mob not in (but, target) and self._home(watcher, number, taken)
            for watcher in self._wilds.watchers(act.agent, *start, *end)
        )

    def _home(self, watcher: Watcher, number: int, taken: Container[int]) -> bool:
        """Returns whether a mob stood at home before a call, as far as calls that count took it away."""
        for absence in self._absences.get(watcher.mob, ()):
            if not any(call < number and self._counts(call, taken) for call in absence.draws):
                continue
            if number <= absence.until:
                return False
            back = absence.died + watcher.respawn
            if self._counts(absence.fatal, taken) and self._acts[number].round < back:
                return False
        return True

    def _counts(self, call: int, taken: Container[int]) -> bool:
        return call in self._counted or call in taken
