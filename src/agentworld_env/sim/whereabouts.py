"""Who and what is where, who sleeps, who heard what: indices that follow from the state.

Teams can be large. Whatever would make one turn cost as much as there are agents, fights or messages is looked up
here instead. Everything is built when it is first asked for, kept up to date by the few rules that move or remove
something, and thrown away whenever the state is replaced. Up to ``FEW`` things are looked at one by one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from agentworld_env.sim.crowd import FEW, Crowd
from agentworld_env.sim.events import Died, Event, Hurt, Said, Transferred, Woke
from agentworld_env.sim.state import ACTIVE, State

_SCANNED = 256
"""So many events are read one by one; of more, only those that concern the agent."""


class Whereabouts:
    """Indices over one state.

    Args:
        state: The state.
        names: Ids of the agents, in turn order.
    """

    __slots__ = (
        "_agents", "_aloud", "_befell", "_ground", "_inbox", "_inbox_read", "_mobs", "_names", "_own", "_posted",
        "_present", "_read", "_sleepers", "_state", "_team",
    )  # fmt: skip

    def __init__(self, state: State, names: tuple[str, ...]) -> None:
        self._state = state
        self._names = names
        self._agents: Crowd[int] | None = None
        self._mobs: Crowd[int] | None = None
        self._ground: Crowd[str] | None = None
        self._present: tuple[str, ...] | None = None
        self._sleepers: set[int] | None = None
        self._inbox: dict[int, list[int]] = {}
        self._inbox_read: dict[int, int] = {}
        self._posted = 0
        self._team: list[int] = []
        self._own: dict[str, list[int]] = {}
        self._aloud: dict[str, list[int]] = {}
        self._befell: dict[str, list[int]] = {}
        self._read = 0

    # -- looking -----------------------------------------------------------------------------------

    def agents(self, x: int, y: int, radius: int) -> Iterable[int]:
        """Returns the agents within a radius, and some beyond it, in no order.

        Args:
            x: Column.
            y: Row.
            radius: Distance (tiles).
        """
        agents = self._state.agents
        if len(agents) <= FEW:
            return range(len(agents))
        if self._agents is None:
            self._agents = Crowd((i, a.x, a.y) for i, a in enumerate(agents))
        return self._agents.around(x, y, radius)

    def mobs(self, x0: int, y0: int, x1: int, y1: int) -> Iterable[int]:
        """Returns the mobs of ``State.mobs`` in a box, and some beside it, in no order.

        Args:
            x0: First column (tiles).
            y0: First row.
            x1: Last column.
            y1: Last row.
        """
        mobs = self._state.mobs
        if len(mobs) <= FEW:
            return mobs
        if self._mobs is None:
            self._mobs = Crowd((number, mob.x, mob.y) for number, mob in mobs.items())
        return self._mobs.within(x0, y0, x1, y1)

    def ground(self, x: int, y: int, radius: int) -> Iterable[str]:
        """Returns the things on the ground within a radius, and some beyond it, in no order.

        Args:
            x: Column.
            y: Row.
            radius: Distance (tiles).
        """
        ground = self._state.ground
        if len(ground) <= FEW:
            return ground
        if self._ground is None:
            self._ground = Crowd((key, thing[2], thing[3]) for key, thing in ground.items())
        return self._ground.around(x, y, radius)

    def present_but(self, agent: int) -> tuple[str, ...]:
        """Returns the ids of all agents still in the episode but one, in turn order.

        Args:
            agent: The one, which must be in the episode, too.
        """
        if self._present is None:
            pairs = zip(self._names, self._state.agents, strict=True)
            self._present = tuple([name for name, a in pairs if a.status == ACTIVE])
        place = self._present.index(self._names[agent])
        return self._present[:place] + self._present[place + 1 :]

    def sleepers(self) -> list[int]:
        """Returns who sleeps, in turn order."""
        if self._sleepers is None:
            self._sleepers = {i for i, a in enumerate(self._state.agents) if a.asleep}
        return sorted(self._sleepers)

    def heard_by(self, agent: int) -> list[int]:
        """Returns the places in ``State.said`` of the messages that an agent has received, oldest first.

        Args:
            agent: Its index. What it said itself is not among them.
        """
        inbox = self._inbox.setdefault(agent, [])
        said, events, name = self._state.said, self._state.events, self._names[agent]
        start = self._inbox_read.get(agent, 0)
        if start == len(said):
            return inbox
        if self._state.agents[agent].status == ACTIVE:
            # Who is still in the episode has heard whatever others told the team: no list of hearers need be read.
            self._post()
            new = _from(self._team, start)
            own = _from(self._own.get(name, ()), start)
            if own:
                new = [place for place in new if place not in own]
            aloud = _from(self._aloud.get(name, ()), start)
            if aloud:
                new = sorted([*new, *aloud])
            inbox.extend(new)
        else:
            for place in range(start, len(said)):
                event = events[said[place]]
                assert isinstance(event, Said)
                if name in event.heard:
                    inbox.append(place)
        self._inbox_read[agent] = len(said)
        return inbox

    def _post(self) -> None:
        """Sorts the messages since the last time: what was told the team and by whom, who heard what was said aloud."""
        said, events = self._state.said, self._state.events
        for place in range(self._posted, len(said)):
            event = events[said[place]]
            assert isinstance(event, Said)
            if event.channel == "team":
                self._team.append(place)
                self._own.setdefault(event.agent, []).append(place)
            else:
                for name in event.heard:
                    self._aloud.setdefault(name, []).append(place)
        self._posted = len(said)

    def befell(self, agent: int, start: int) -> Iterable[Event]:
        """Returns the events from a place in the log on, at least those that may have befallen an agent, in order.

        These are damage and waking, gifts to it, and deaths of whoever.

        Args:
            agent: Its index.
            start: Place in the event log.
        """
        events = self._state.events
        if len(events) - start <= _SCANNED:
            return events[start:]
        for place in range(self._read, len(events)):
            event = events[place]
            kind = type(event)
            if kind is Hurt or kind is Woke:
                self._befell.setdefault(event.agent, []).append(place)  # type: ignore[attr-defined]
            elif kind is Transferred:
                self._befell.setdefault(event.to, []).append(place)  # type: ignore[attr-defined]
            elif kind is Died:
                self._befell.setdefault("", []).append(place)
        self._read = len(events)
        places = [
            *_from(self._befell.get(self._names[agent], ()), start),
            *_from(self._befell.get("", ()), start),
        ]
        return [events[place] for place in sorted(places)]

    # -- keeping up --------------------------------------------------------------------------------

    def agent_moved(self, agent: int, x: int, y: int) -> None:
        """Notes an agent's new tile."""
        if self._agents is not None:
            self._agents.put(agent, x, y)

    def agent_left(self) -> None:
        """Notes that somebody has left the episode or died."""
        self._present = None

    def agent_slept(self, agent: int, asleep: bool) -> None:
        """Notes that an agent has fallen asleep or woken."""
        if self._sleepers is not None:
            if asleep:
                self._sleepers.add(agent)
            else:
                self._sleepers.discard(agent)

    def mob_moved(self, number: int, x: int, y: int) -> None:
        """Notes the tile of a mob of ``State.mobs``."""
        if self._mobs is not None:
            self._mobs.put(number, x, y)

    def mob_gone(self, number: int) -> None:
        """Notes that a mob is as it was at the start."""
        if self._mobs is not None:
            self._mobs.drop(number)

    def put_down(self, key: str, x: int, y: int) -> None:
        """Notes a thing on the ground."""
        if self._ground is not None:
            self._ground.put(key, x, y)

    def taken_up(self, key: str) -> None:
        """Notes that a thing is no longer on the ground."""
        if self._ground is not None:
            self._ground.drop(key)


def _from(places: Sequence[int], start: int) -> Sequence[int]:
    """Returns the end of an ascending list, from the first place that is not before ``start``."""
    return places[bisect_left(places, start) :]
