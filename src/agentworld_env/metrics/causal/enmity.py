"""Who set a mob on whom: the calls by which an agent drew a mob upon itself.

A mob is after an agent because the agent came too near on a walk or struck it. What follows from such a quarrel, wounds
and blows in somebody's defence, matters only as far as a contributing call drew the mob: wounds from a fight that was
picked for nothing call for no meal, and to be saved from one's own useless fight brings the work no further.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from agentworld_env.metrics.causal.log import Log, noticed_by
from agentworld_env.sim.events import Hurt, Killed, Moved, Regained, Struck

Quarrel = tuple[int, ...]
"""The calls by which an agent drew a mob upon itself since the mob was last whole, ascending."""


class Fight(NamedTuple):
    """An exchange of blows, or a mob's strike.

    Attributes:
        line: Number of the action on whose line it stands.
        event: What happened.
        own: The quarrel of the agent that struck or was hurt.
        guarded: The quarrel of the team-mate that the mob was after; empty if there is none.
    """

    line: int
    event: Struck | Hurt
    own: Quarrel
    guarded: Quarrel


def counts(quarrel: Quarrel, chosen: Container[int]) -> bool:
    """Returns whether what follows from a quarrel matters: a contributing call drew the mob, or none that is known.

    Args:
        quarrel: The calls that drew the mob.
        chosen: Actions that contribute.
    """
    return not quarrel or any(call in chosen for call in quarrel)


def fights(log: Log) -> Iterator[Fight]:
    """Yields every exchange and every strike of a mob, with the quarrels behind it.

    Args:
        log: The episode.
    """
    drawn: dict[str, dict[str, Quarrel]] = {}
    for line, event in log.events:
        if isinstance(event, Moved):
            mob = noticed_by(event)
            if mob:
                _draw(drawn, mob, event.agent, event.action)
        elif isinstance(event, Struck):
            of_mob = _draw(drawn, event.mob, event.agent, event.action)
            yield Fight(line, event, of_mob[event.agent], of_mob.get(event.guarded, ()))
        elif isinstance(event, Hurt):
            yield Fight(line, event, drawn.get(event.mob, {}).get(event.agent, ()), ())
        elif isinstance(event, Killed | Regained):
            drawn.pop(event.mob, None)


def _draw(drawn: dict[str, dict[str, Quarrel]], mob: str, agent: str, action: int) -> dict[str, Quarrel]:
    of_mob = drawn.setdefault(mob, {})
    of_mob[agent] = (*of_mob.get(agent, ()), action)
    return of_mob
