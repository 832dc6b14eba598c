"""Draws that are a function of what they are for, the same on every machine and Python."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


class Dice:
    """A stream of draws. Streams of different keys have nothing to do with each other.

    Args:
        key: What the draws are for, such as a task, a seed and the number of an attempt.
    """

    def __init__(self, *key: object) -> None:
        self._key = "|".join(str(part) for part in key)
        self._drawn = 0

    def below(self, limit: int) -> int:
        """Returns a number from 0 to ``limit`` - 1."""
        text = f"{self._key}|{self._drawn}".encode()
        self._drawn += 1
        # 64 bits for a few dozen choices: the bias of the remainder is far below anything that could be noticed.
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") % limit

    def between(self, least: int, most: int) -> int:
        """Returns a number from ``least`` to ``most``."""
        return least + self.below(most - least + 1)

    def choice(self, things: Sequence[Thing]) -> Thing:
        """Returns one of some things."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        """Returns things in a drawn order."""
        rest = list(things)
        return [rest.pop(self.below(len(rest))) for _ in range(len(rest))]
