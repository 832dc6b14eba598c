"""Mobs that bar a way: a shortcut is none if a mob would have noticed the walker and ended its walk."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from agentworld_env.episodes.opening import played_task
from agentworld_env.episodes.record import Header
from agentworld_env.metrics.causal.log import Log, noticed_by
from agentworld_env.metrics.causal.pursuit import with_returns
from agentworld_env.sim import Simulation
from agentworld_env.sim.events import Killed, Moved, Struck
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


class Bars:
    """Tells which ways mobs barred.

    A mob bars no way while contributing calls keep it busy: from one that set it on somebody until the end of that
    round, and while it is dead by one. How long it was really after somebody does not matter, because calls that led to
    nothing could have decided that, and so whether a team-mate's walk round it was needed. Walks that contribute only
    by having moved their agents keep no mob busy: which ones these are hangs on what is barred.

    Args:
        log: The episode.
        wilds: The mobs at their homes; None knows of none.
    """

    def __init__(self, log: Log, wilds: Wilds | None) -> None:
        self._acts = log.acts
        self._wilds = wilds
        self._draws: dict[tuple[str, int], list[int]] = {}
        self._deaths: dict[str, list[tuple[int, int]]] = {}
        self._counted: frozenset[int] = frozenset()
        for _, event in log.events if wilds is not None else ():
            mob = noticed_by(event) if isinstance(event, Moved) else ""
            if isinstance(event, Struck | Killed):
                mob = event.mob
            if mob:
                self._draws.setdefault((mob, event.round), []).append(event.action)
            if isinstance(event, Killed):
                self._deaths.setdefault(mob, []).append((event.action, event.round))
        self._takers = frozenset(call for calls in self._draws.values() for call in calls)

    def suppose(self, contributing: frozenset[int]) -> bool:
        """Takes these calls to contribute; returns whether that may change which ways were barred.

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
        but: str = "",
    ) -> bool:
        """Returns whether a mob would have noticed the agent of a call on another way, and ended its walk.

        Args:
            number: The call.
            start: Where the way begins.
            end: Where it ends.
            but: Id of a mob whose notice does not matter: it ended the real walk as well, or is the call's target.
        """
        act = self._acts[number]
        if self._wilds is None or act.round < 2:
            return False
        target = act.arguments.get("target") if act.tool == "attack_entity" else None
        return any(
            watcher.mob not in (but, target) and not self._away(watcher, number)
            for watcher in self._wilds.watchers(act.agent, *start, *end)
        )

    def _away(self, watcher: Watcher, number: int) -> bool:
        """Returns whether contributing calls kept a mob busy, or dead, when a call was made."""
        round_ = self._acts[number].round
        busy = self._draws.get((watcher.mob, round_), ())
        dead = [call for call, died in self._deaths.get(watcher.mob, ()) if round_ < died + watcher.respawn]
        return any(call < number and call in self._counted for call in (*busy, *dead))
