"""Protection edges: who drew or wore down the mob that was after a team-mate.

A mob that a guard strikes keeps to the guard for that round, so one blow between two contributing actions of a mate
is enough to say who held the mob off; more blows count only if they brought the mob down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator

import msgspec

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.enmity import Fight, Quarrel, counts
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Killed, Regained, Struck


class _Bout(msgspec.Struct, gc=False):
    """What befell a mob between two moments in which it was whole, as far as it was after team-mates.

    Attributes:
        blows: (action, mate that the mob was after, by which quarrel), in order.
        fatal: The action that killed it, or -1.
        undone: The action after which it regained everything, or -1.
    """

    blows: list[tuple[int, str, Quarrel]]
    fatal: int = -1
    undone: int = -1


class Protection:
    """Draws the protection edges of an episode.

    Damage to a mob that was after a team-mate leads to that mate's next contributing action. Of the blows on a mob in
    the time between two such actions the one that killed it counts, which rests on all others as every kill does;
    if none did, the first. Blows count no more once the mob has regained everything, and none against a mob that the
    mate drew upon itself by calls that did not contribute.

    Args:
        log: The episode.
        fights: Its fights.
    """

    def __init__(self, log: Log, fights: Iterable[Fight]) -> None:
        self._bouts: list[_Bout] = []
        running: dict[str, _Bout] = {}
        behind = {f.event.action: f.guarded for f in fights if isinstance(f.event, Struck)}
        for number, event in log.events:
            if isinstance(event, Struck) and event.guarded and event.damage:
                if event.mob not in running:
                    running[event.mob] = _Bout([])
                    self._bouts.append(running[event.mob])
                blow = event.action, event.guarded, behind[event.action]
                running[event.mob].blows.append(blow)
            elif isinstance(event, Killed | Regained):
                bout = running.pop(event.mob, None)
                if bout is not None and isinstance(event, Killed):
                    bout.fatal = event.action
                elif bout is not None:
                    bout.undone = number

    def edges(self, chosen: dict[str, list[int]], contributing: Container[int]) -> Iterator[Edge]:
        """Yields the protection edges.

        Args:
            chosen: Agent -> its contributing actions, ascending.
            contributing: All of them.
        """
        for bout in self._bouts:
            counted: dict[int, int] = {}
            for blow, mate, quarrel in bout.blows:
                if not counts(quarrel, contributing):
                    continue
                acts = chosen.get(mate, [])
                at = bisect_right(acts, blow)
                if at < len(acts) and not 0 <= bout.undone < acts[at] and acts[at] not in counted:
                    counted[acts[at]] = blow
                if at < len(acts) and blow == bout.fatal:
                    counted[acts[at]] = blow
            for target, blow in counted.items():
                yield Edge(blow, target, "protection")
