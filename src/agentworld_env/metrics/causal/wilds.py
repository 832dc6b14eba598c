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
    """A time in which a mob noticed nobody: since action ``since`` of an agent it was after somebody, then dead."""

    since: int
    agent: str
    until: int
    died: int


class Bars:
    """Tells which ways mobs barred.

    Args:
        log: The episode.
        wilds: The mobs at their homes; None knows of none.
    """

    def __init__(self, log: Log, wilds: Wilds | None) -> None:
        self._acts = log.acts
        self._wilds = wilds
        self._absences: dict[str, list[_Absence]] = {}
        open_: dict[str, tuple[int, str]] = {}
        for number, event in log.events if wilds is not None else ():
            if isinstance(event, Moved):
                mob = noticed_by(event)
                if mob:
                    open_.setdefault(mob, (event.action, event.agent))
            elif isinstance(event, Struck):
                open_.setdefault(event.mob, (event.action, event.agent))
            elif isinstance(event, Killed | Regained):
                since = open_.pop(event.mob, None)
                died = event.round if isinstance(event, Killed) else 0
                if since is not None:
                    self._absences.setdefault(event.mob, []).append(_Absence(*since, number, died))
        for mob, since in open_.items():
            self._absences.setdefault(mob, []).append(_Absence(*since, len(self._acts), 0))

    def barred(
        self,
        number: int,
        start: tuple[int, int],
        end: tuple[int, int],
        skipped: Container[int],
        but: str = "",
    ) -> bool:
        """Returns whether a mob would have noticed the agent of a call on another way, and ended its walk.

        Args:
            number: The call.
            start: Where the way begins.
            end: Where it ends.
            skipped: Numbers of the agent's calls before it that would not have been made.
            but: Id of a mob whose notice does not matter: it ended the real walk as well, or is the call's target.
        """
        act = self._acts[number]
        if self._wilds is None or act.round < 2:
            return False
        target = act.arguments.get("target") if act.tool == "attack_entity" else None
        return any(
            watcher.mob not in (but, target) and self._home(watcher, number, skipped)
            for watcher in self._wilds.watchers(act.agent, *start, *end)
        )

    def _home(self, watcher: Watcher, number: int, skipped: Container[int]) -> bool:
        """Returns whether a mob stood at home before a call, had its agent not made some others."""
        act = self._acts[number]
        for absence in self._absences.get(watcher.mob, ()):
            if absence.since >= number or (absence.agent == act.agent and absence.since in skipped):
                continue
            if number <= absence.until or (absence.died and act.round < absence.died + watcher.respawn):
                return False
        return True
