"""Levels that grow with experience, for tasks that allow it."""

from __future__ import annotations

from functools import cache

from agentworld_env.sim.rules import RULES


@cache
def experience_for(level: int) -> int:
    """Returns the total experience at which a level begins.

    Each level i adds floor(floor(i + 300 x 2^(i/7)) / 4) to the next (published). The power is taken in
    integers: the seventh root of 2^i, scaled, so that all machines agree.
    """
    return sum((i + _root(300**7 * 2**i)) // 4 for i in range(1, level))


def _root(value: int) -> int:
    """Returns the integer part of the seventh root."""
    low, high = 0, 1 << (value.bit_length() // 7 + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**7 <= value:
            low = middle
        else:
            high = middle - 1
    return low


def grown(start: int, xp: int) -> int:
    """Returns the level reached from a start level by experience won in the episode.

    Experience is counted in all tasks; only in tasks with ``growth: true`` does the level it leads to, ``top_level`` at
    most, open nodes and recipes (own choice: otherwise everybody could in time do everything, and no task would need a
    team).

    Args:
        start: Level at the start of the episode, at least 1.
        xp: Experience won since.
    """
    total = experience_for(start) + xp
    level = start
    while level < RULES.top_level and experience_for(level + 1) <= total:
        level += 1
    return level
