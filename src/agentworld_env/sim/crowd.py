"""What moves, sorted into squares, so that looking around does not mean looking at everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

SQUARE = 32
"""Side of a square (tiles)."""

FEW = 32
"""Up to so many things are looked at one by one: that is faster than any index."""

Key = TypeVar("Key", int, str)


class Crowd(Generic[Key]):
    """An index of things by where they are. It follows from the state and holds nothing of its own.

    Args:
        things: Things as (key, column, row).
    """

    __slots__ = ("_square_of", "_squares")

    def __init__(self, things: Iterable[tuple[Key, int, int]]) -> None:
        self._squares: dict[tuple[int, int], set[Key]] = {}
        self._square_of: dict[Key, tuple[int, int]] = {}
        for key, x, y in things:
            self.put(key, x, y)

    def put(self, key: Key, x: int, y: int) -> None:
        """Notes where a thing is now.

        Args:
            key: The thing.
            x: Column (tiles).
            y: Row (tiles).
        """
        square = (x // SQUARE, y // SQUARE)
        before = self._square_of.get(key)
        if before != square:
            if before is not None:
                self._squares[before].discard(key)
            self._square_of[key] = square
            self._squares.setdefault(square, set()).add(key)

    def drop(self, key: Key) -> None:
        """Forgets a thing; one that is not there is no matter."""
        square = self._square_of.pop(key, None)
        if square is not None:
            self._squares[square].discard(key)

    def around(self, x: int, y: int, radius: int) -> list[Key]:
        """Returns the things in the squares that a Manhattan radius touches, in no order.

        Args:
            x: Column (tiles).
            y: Row (tiles).
            radius: Distance (tiles).
        """
        squares = self._squares
        found: list[Key] = []
        for sx in range((x - radius) // SQUARE, (x + radius) // SQUARE + 1):
            left = sx * SQUARE
            # What is spent on the way to the column of squares is not left for going north and south.
            rest = radius - max(left - x, x - left - SQUARE + 1, 0)
            for sy in range((y - rest) // SQUARE, (y + rest) // SQUARE + 1):
                here = squares.get((sx, sy))
                if here:
                    found.extend(here)
        return found

    def within(self, x0: int, y0: int, x1: int, y1: int) -> list[Key]:
        """Returns the things in the squares that a box touches, in no order: all in the box, and some beside it.

        Args:
            x0: First column (tiles).
            y0: First row.
            x1: Last column.
            y1: Last row.
        """
        squares = self._squares
        found: list[Key] = []
        for sx in range(x0 // SQUARE, x1 // SQUARE + 1):
            for sy in range(y0 // SQUARE, y1 // SQUARE + 1):
                here = squares.get((sx, sy))
                if here:
                    found.extend(here)
        return found
