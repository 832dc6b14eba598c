"""From the waves of a task file to the creatures that stand in its episodes."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.sim.setup import Raider
from agentworld_env.tasks.schema import Wave


def raiders_of(place: int, wave: Wave) -> Iterator[Raider]:
    """Yields the creatures of a wave; their ids are ``<kind>-wave<number>-<number>``, counted from 1.

    Args:
        place: Its place among the waves of the task, from 0.
        wave: The wave.
    """
    x, y = wave.at
    for k in range(1, wave.count + 1):
        yield Raider(
            id=f"{wave.mob}-wave{place + 1}-{k}",
            kind=wave.mob,
            x=x,
            y=y,
            appears=wave.appears,
            seeks=wave.seeks,
        )
