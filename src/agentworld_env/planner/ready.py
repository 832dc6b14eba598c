"""What members carry that counts as made in the episode, for deliveries that accept nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.planner.team import Team
from agentworld_env.sim.events import Crafted, Dropped, Harvested, Looted, Transferred


class Ready:
    """Units of one item that were gathered, crafted or looted in the episode.

    Args:
        team: The team at the present moment.
        item: The item.
    """

    def __init__(self, team: Team, item: str) -> None:
        self._team = team
        self._item = item
        self._makers: dict[int, str] = {}
        self._been: dict[str, set[int]] = {}
        self._promised: dict[int, int] = {}
        index = team.sim.index
        for event in team.sim.state.events:
            if isinstance(event, Harvested | Crafted | Looted) and event.item == item:
                self._makers[event.action] = event.agent
            elif isinstance(event, Dropped) and event.item == item and event.source not in index:
                self._makers.update((origin, "") for origin, _, _ in event.lots)
            elif isinstance(event, Transferred) and event.item == item:
                self._been.setdefault(event.to, set()).update(origin for origin, _, _ in event.lots)

    def promise(self, holder: int, to: str, want: int) -> tuple[int, int]:
        """Sets units of a holder aside for a receiver.

        Bags are first in, first out, so that whatever lies before a unit goes along with it.

        Args:
            holder: Who carries them.
            to: Who is to receive them. Units that it made itself or has had before do not count.
            want: Units that are to count.

        Returns:
            How many units must be handed over, and how many of these will count.
        """
        begin = self._promised.get(holder, 0)
        handed = counted = 0
        for place, origin in enumerate(self._units(holder)):
            if counted == want:
                break
            if place >= begin and self._makers.get(origin, to) != to and origin not in self._been.get(to, ()):
                counted += 1
                handed = place + 1 - begin
        if handed:
            self._promised[holder] = begin + handed
        return handed, counted

    def promised(self, holder: int) -> int:
        """Returns how many of a holder's units are set aside."""
        return self._promised.get(holder, 0)

    def _units(self, holder: int) -> Iterator[int]:
        """Yields the origins of the units in a bag, oldest first."""
        for origin, _, units in self._team.sim.lots_of(holder, self._item):
            for _ in range(units):
                yield origin
