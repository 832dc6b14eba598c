"""Exact shortest ways on a grid of walkable tiles, with sets of tiles kept as bits of large integers.

Every search returns the *canonical* shortest way: at each tile it takes, of the steps that lead on a shortest way,
the first in a fixed order that depends only on where the target lies. Each suffix of a canonical way is therefore
the canonical way from its own first tile, and an answer never depends on what was asked before.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Tile = tuple[int, int]

_BITS_FOR_INTEGERS = 120_000
"""Up to so many tiles a step of large integers beats a step of index arrays (measured)."""


class Grid:
    """Walkable tiles as bit rows, for searching.

    Args:
        walkable: One byte per tile, row-major, 1 where one may walk.
        width: Columns (tiles).
        height: Rows (tiles).
    """

    __slots__ = ("_flags", "_mirrored", "_packed", "_rows", "height", "width")

    def __init__(self, walkable: bytes, width: int, height: int) -> None:
        self.width = width
        self.height = height
        flags = np.frombuffer(walkable, dtype=np.uint8).reshape(height, width)
        self._flags = flags
        # One spare byte column at the right, so that a box at the edge still has an empty last column.
        self._packed = np.zeros((height, (width + 7) // 8 + 1), dtype=np.uint8)
        self._packed[:, :-1] = np.packbits(flags, axis=1, bitorder="little")
        mirrored = np.packbits(flags[:, ::-1], axis=1, bitorder="little")
        self._rows = [int.from_bytes(row.tobytes(), "little") for row in self._packed]
        self._mirrored = [int.from_bytes(row.tobytes(), "little") for row in mirrored]

    def monotone(self, x0: int, y0: int, x1: int, y1: int, within: int) -> list[Tile] | None:
        """Returns the corners of the canonical way that never turns back, or None if every way must turn back.

        Args:
            x0: Column of the start, a walkable tile.
            y0: Row of the start.
            x1: Column of the target.
            y1: Row of the target.
            within: The way ends at so many tiles from the target; less than the distance.
        """
        wide, high = abs(x1 - x0), abs(y1 - y0)
        mask = (1 << (wide + 1)) - 1
        # Bit i of a row stands for the column i tiles from the target towards the start.
        if x0 >= x1:
            rows, shift = self._rows, x1
        else:
            rows, shift = self._mirrored, self.width - 1 - x1
        step = 1 if y0 >= y1 else -1
        leading: list[int] = []
        below = 0
        y = y1
        for j in range(high + 1):
            free = rows[y] >> shift & mask
            seeds = free & below
            if j <= within:
                seeds |= free & ((1 << (within - j + 1)) - 1)
            # Adding the seeds carries through the runs of free bits: all bits from a seed to its run's end flip.
            below = seeds | ((free ^ (free + seeds)) & free)
            leading.append(below)
            y += step
        i, j = wide, high
        if not below >> i & 1:
            return None
        sign = 1 if x0 >= x1 else -1
        corners: list[Tile] = [(x0, y0)]
        heading = ""
        while i + j > within:
            row = leading[j]
            stop = max(within - j, 0)
            run = max(((row ^ mask) & ((1 << i) - 1)).bit_length(), stop)
            if run < i:
                if heading == "x":
                    corners.pop()
                i, heading = run, "x"
            else:
                if heading == "y":
                    corners.pop()
                j, heading = j - 1, "y"
            corners.append((x1 + sign * i, y1 + step * j))
        return corners

    def around(self, x0: int, y0: int, x1: int, y1: int, within: int, guess: int) -> list[Tile]:
        """Returns the corners of the canonical shortest way, which must exist, by searching ever wider boxes.

        Args:
            x0: Column of the start, a walkable tile.
            y0: Row of the start.
            x1: Column of the target.
            y1: Row of the target.
            within: The way ends at the first tile so near to the target (tiles).
            guess: First margin of the box (tiles); it changes the effort, never the answer.
        """
        nearest = abs(x1 - x0) + abs(y1 - y0) - within
        margin = guess
        while True:
            # A way that leaves the box is at least 2 x (margin + 1) longer than the distance. So a way found
            # inside that is no longer than this bound is shortest, and all its equals lie inside too.
            bound = nearest + 2 * margin + 1
            box = _Box(self, x0, y0, x1, y1, margin + within)
            if box.whole:
                bound = self.width * self.height
            found = box.search(x0, y0, x1, y1, within, bound)
            if found is not None:
                return found
            if box.whole:
                raise ValueError(f"no way leads from ({x0}, {y0}) to within {within} of ({x1}, {y1})")
            margin *= 3


class _Box:
    """A rectangle of the grid that holds start and target, and the search inside it."""

    __slots__ = ("grid", "high", "left", "top", "whole", "wide")

    def __init__(self, grid: Grid, x0: int, y0: int, x1: int, y1: int, margin: int) -> None:
        self.grid = grid
        left, right = max(min(x0, x1) - margin, 0), min(max(x0, x1) + margin, grid.width - 1)
        top, bottom = max(min(y0, y1) - margin, 0), min(max(y0, y1) + margin, grid.height - 1)
        self.whole = left == 0 and top == 0 and right == grid.width - 1 and bottom == grid.height - 1
        self.left = left // 8 * 8
        self.top = top
        # Whole bytes plus one column: the last column of the box is left empty, so that bits shifted past the
        # end of a row fall into it and are masked away.
        self.wide = (right + 1 - self.left) // 8 * 8 + 8
        self.high = bottom - top + 1

    def search(self, x0: int, y0: int, x1: int, y1: int, within: int, bound: int) -> list[Tile] | None:
        """Returns the corners of the canonical way inside the box, or None if it is longer than the bound."""
        if self.wide * self.high <= _BITS_FOR_INTEGERS:
            return self._search_integers(x0, y0, x1, y1, within, bound)
        return self._search_arrays(x0, y0, x1, y1, within, bound)

    def _search_integers(
        self, x0: int, y0: int, x1: int, y1: int, within: int, bound: int
    ) -> list[Tile] | None:
        wide = self.wide
        first = self.left // 8
        block = self.grid._packed[self.top : self.top + self.high, first : first + wide // 8].copy()
        block[:, -1] &= 0x7F
        free = int.from_bytes(block.tobytes(), "little")
        wave = self._goal_bits(x1, y1, within) & free
        start = (y0 - self.top) * wide + x0 - self.left
        here = 1 << start
        waves: list[int] = []
        while wave:
            waves.append(wave)
            if wave & here:
                break
            if len(waves) > bound:
                return None
            free ^= wave
            wave = (wave << 1 | wave >> 1 | wave << wide | wave >> wide) & free
        else:
            return None
        corners = _Corners(x0, y0)
        position = start
        for distance in range(len(waves) - 2, -1, -1):
            wave = waves[distance]
            for dx, dy in _order(x1 - corners.x, y1 - corners.y):
                beside = position + dx + dy * wide
                if beside >= 0 and wave >> beside & 1:
                    position = beside
                    corners.step(dx, dy)
                    break
        return corners.tiles

    def _search_arrays(
        self, x0: int, y0: int, x1: int, y1: int, within: int, bound: int
    ) -> list[Tile] | None:
        # A frame of one blocked tile all round keeps neighbours inside the array.
        high, wide = self.high + 2, self.wide + 2
        flags = self.grid._flags[self.top : self.top + self.high, self.left : self.left + self.wide]
        distance = np.full((high, wide), -2, dtype=np.int32)
        distance[1 : 1 + flags.shape[0], 1 : 1 + flags.shape[1]] = flags.astype(np.int32) - 2
        flat = distance.reshape(-1)
        start = (y0 - self.top + 1) * wide + x0 - self.left + 1
        wave = self._goal_tiles(x1, y1, within, flat, wide)
        ticket = np.empty(flat.size, dtype=np.int32)
        steps = 0
        flat[wave] = 0
        while flat[start] < 0:
            if not wave.size or steps > bound:
                return None
            steps += 1
            beside = np.concatenate((wave - wide, wave - 1, wave + 1, wave + wide))
            beside = beside[flat[beside] == -1]
            # Each tile keeps the last ticket written to it, which drops the duplicates.
            numbers = np.arange(beside.size, dtype=np.int32)
            ticket[beside] = numbers
            wave = beside[ticket[beside] == numbers]
            flat[wave] = steps
        corners = _Corners(x0, y0)
        position = start
        for left in range(int(flat[start]) - 1, -1, -1):
            for dx, dy in _order(x1 - corners.x, y1 - corners.y):
                beside_one = position + dx + dy * wide
                if flat[beside_one] == left:
                    position = beside_one
                    corners.step(dx, dy)
                    break
        return corners.tiles

    def _goal_bits(self, x1: int, y1: int, within: int) -> int:
        goal = 0
        for dy in range(-within, within + 1):
            row = y1 + dy - self.top
            if 0 <= row < self.high:
                reach = within - abs(dy)
                low, top = max(x1 - reach - self.left, 0), min(x1 + reach - self.left, self.wide - 1)
                if low <= top:
                    goal |= ((1 << (top - low + 1)) - 1) << (row * self.wide + low)
        return goal

    def _goal_tiles(
        self, x1: int, y1: int, within: int, flat: npt.NDArray[np.int32], wide: int
    ) -> npt.NDArray[np.int64]:
        tiles = [
            (y1 + dy - self.top + 1) * wide + x - self.left + 1
            for dy in range(-within, within + 1)
            if 0 <= y1 + dy - self.top < self.high
            for x in range(
                max(x1 - within + abs(dy), self.left),
                min(x1 + within - abs(dy), self.left + self.wide - 1) + 1,
            )
        ]
        goal = np.array(tiles, dtype=np.int64)
        return goal[flat[goal] == -1] if goal.size else goal


class _Corners:
    """Collects unit steps into corners."""

    __slots__ = ("_dx", "_dy", "tiles", "x", "y")

    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y
        self.tiles: list[Tile] = [(x, y)]
        self._dx = self._dy = 0

    def step(self, dx: int, dy: int) -> None:
        if dx == self._dx and dy == self._dy:
            self.tiles.pop()
        self._dx, self._dy = dx, dy
        self.x += dx
        self.y += dy
        self.tiles.append((self.x, self.y))


_EAST, _WEST, _SOUTH, _NORTH = (1, 0), (-1, 0), (0, 1), (0, -1)
_ORDERS = {
    (toward_x, toward_y): (
        (_EAST, _WEST)[toward_x < 0],
        (_SOUTH, _NORTH)[toward_y < 0],
        (_NORTH, _SOUTH)[toward_y < 0],
        (_WEST, _EAST)[toward_x < 0],
    )
    for toward_x in (-1, 1)
    for toward_y in (-1, 1)
} | {
    (0, 1): (_SOUTH, _EAST, _WEST, _NORTH),
    (0, -1): (_NORTH, _EAST, _WEST, _SOUTH),
    (1, 0): (_EAST, _SOUTH, _NORTH, _WEST),
    (-1, 0): (_WEST, _SOUTH, _NORTH, _EAST),
    (0, 0): (_EAST, _WEST, _SOUTH, _NORTH),
}


def _order(dx: int, dy: int) -> tuple[Tile, ...]:
    """Returns the four steps in the order in which a way prefers them: towards the target along x comes first."""
    return _ORDERS[(dx > 0) - (dx < 0), (dy > 0) - (dy < 0)]
