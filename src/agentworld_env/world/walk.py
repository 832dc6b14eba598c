"""A walk: a polyline over tiles, small enough to be kept in memos and answered about without listing its tiles."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

Tile = tuple[int, int]


class Walk(msgspec.Struct, frozen=True, gc=False):
    """A way along axis-parallel stretches.

    Attributes:
        corners: The first tile, every tile where the walk turns, and the last tile.
        length: Steps from the first tile to the last (tiles).
        reached: Whether the last tile lies as near to the target as was asked for.
    """

    corners: tuple[Tile, ...]
    length: int
    reached: bool

    @property
    def end(self) -> Tile:
        """The last tile (x, y)."""
        return self.corners[-1]

    def at(self, step: int) -> Tile:
        """Returns the tile (x, y) after so many steps; the last one if the walk is shorter.

        Args:
            step: Steps from the first tile, at least 0.
        """
        if step < 0:
            raise ValueError("a walk has no tile before its first")
        x0, y0 = self.corners[0]
        for x1, y1 in self.corners[1:]:
            span = abs(x1 - x0) + abs(y1 - y0)
            if step <= span:
                return x0 + _toward(x0, x1, step), y0 + _toward(y0, y1, step)
            step -= span
            x0, y0 = x1, y1
        return x0, y0

    def tiles(self) -> Iterator[Tile]:
        """Yields every tile (x, y) from the first to the last."""
        x0, y0 = self.corners[0]
        yield x0, y0
        for x1, y1 in self.corners[1:]:
            for step in range(1, abs(x1 - x0) + abs(y1 - y0) + 1):
                yield x0 + _toward(x0, x1, step), y0 + _toward(y0, y1, step)
            x0, y0 = x1, y1

    def first_near(self, x: int, y: int, radius: int) -> int | None:
        """Returns the first step at which the walk is within a Manhattan distance of a point, or None.

        Args:
            x: Column of the point.
            y: Row of the point.
            radius: Distance (tiles), at least 0.
        """
        corners = self.corners
        x0, y0 = corners[0]
        if abs(x0 - x) + abs(y0 - y) <= radius:
            return 0
        gone = 0
        for x1, y1 in corners[1:]:
            # Along a stretch one coordinate is fixed; what is left of the radius spans an interval of the other.
            if y0 == y1:
                rest = radius - abs(y0 - y)
                a, b, middle = x0, x1, x
            else:
                rest = radius - abs(x0 - x)
                a, b, middle = y0, y1, y
            if rest >= 0:
                if b > a:
                    entry = middle - rest
                    if a < entry <= b:
                        return gone + entry - a
                else:
                    entry = middle + rest
                    if b <= entry < a:
                        return gone + a - entry
            gone += abs(b - a)
            x0, y0 = x1, y1
        return None

    def step_of(self, x: int, y: int) -> int | None:
        """Returns the step at which the walk is on a tile, or None if it never is.

        Args:
            x: Column (tiles).
            y: Row (tiles).
        """
        return self.first_near(x, y, 0)

    def after(self, step: int) -> Walk:
        """Returns what is left of the walk after so many steps.

        Args:
            step: Steps from the first tile, at most the length.
        """
        gone = 0
        corners = self.corners
        for i in range(1, len(corners)):
            (x0, y0), (x1, y1) = corners[i - 1], corners[i]
            gone += abs(x1 - x0) + abs(y1 - y0)
            if gone > step:
                return Walk((self.at(step), *corners[i:]), self.length - step, self.reached)
        return Walk((corners[-1],), 0, self.reached)

    def cut(self, limit: int) -> Walk:
        """Returns the walk itself, or only its first steps, which then have not reached the target.

        Args:
            limit: Most steps (tiles), at least 0.
        """
        if self.length <= limit:
            return self
        kept: list[Tile] = [self.corners[0]]
        left = limit
        for x1, y1 in self.corners[1:]:
            x0, y0 = kept[-1]
            span = abs(x1 - x0) + abs(y1 - y0)
            if span >= left:
                if left:
                    kept.append((x0 + _toward(x0, x1, left), y0 + _toward(y0, y1, left)))
                break
            kept.append((x1, y1))
            left -= span
        return Walk(tuple(kept), limit, False)


def _toward(a: int, b: int, step: int) -> int:
    return step if b > a else -step if b < a else 0
