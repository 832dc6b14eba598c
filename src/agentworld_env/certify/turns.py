"""Turns that must be spent, and when the turns of each agent are of use for them."""

from __future__ import annotations

import msgspec

from agentworld_env.certify.gaps import Pairs
from agentworld_env.sim.crafting import CRAFT_COUNTS

Window = Pairs
"""Pairs (turns that pass before, rounds that remain after): one of them bounds when a turn can be of use."""


class Need(msgspec.Struct, frozen=True):
    """Turns that must be spent.

    Attributes:
        what: In words.
        turns: How many.
        windows: Agent -> when its turns are of use; agents that are absent cannot help.
        stride: How far (tiles) such a turn may bring the agent that has it.
        tool: What an agent must wear in such a turn, if anything.
    """

    what: str
    turns: int
    windows: dict[int, Window]
    stride: int = 0
    tool: str | None = None


def calls_for(times: int) -> int:
    """Returns in how few calls a recipe can be made exactly so many times."""
    calls = 0
    for batch in sorted(CRAFT_COUNTS, reverse=True):
        calls += times // batch
        times %= batch
    return calls


def batches(times: int) -> list[int]:
    """Returns multiples to which it may pay to round up how often a recipe is made, 1 (exactly so often) first.

    Whoever makes a recipe at least so many times needs at least the calls, and the materials, of one of them: more
    crafts that do not fill a batch take more of both.
    """
    kept = [1]
    fewest = calls_for(times)
    for batch in sorted(CRAFT_COUNTS):
        calls = calls_for(-(-times // batch) * batch)
        if calls < fewest:
            fewest = calls
            kept.append(batch)
    return kept


def covered(windows: list[Window], rounds: int) -> int:
    """Returns in how many of so many rounds a turn is of use in at least one of some windows."""
    spans = sorted(
        (head, rounds - tail) for window in windows for head, tail in window if head < rounds - tail
    )
    reached = turns = 0
    for first, last in spans:
        if last > reached:
            turns += last - max(first, reached)
            reached = last
    return turns
