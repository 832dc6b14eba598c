"""Ways over the land: the shortest walk between two tiles, fast enough to be asked for at every turn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from agentworld_env.world.components import label_components
from agentworld_env.world.memo import make_room
from agentworld_env.world.search import Grid
from agentworld_env.world.terrain import Terrain
from agentworld_env.world.walk import Tile, Walk

__all__ = ["PathFinder", "Walk"]

_WALK_MEMO = 12_000
_WALKS_PER_AGENT = 30
_ROUTE_MEMO = 2_000
_ROUTES_PER_TARGET = 6
_NEAREST_MEMO = 20_000


class PathFinder:
    """Shortest walks in 4-neighbour steps of cost 1.

    Every answer is a pure function of the terrain and the question. The bounded memos only save time.

    Args:
        terrain: The land; trees and rocks must already be blocked in it.
    """

    __slots__ = (
        "_columns",
        "_grid",
        "_height",
        "_labels",
        "_most",
        "_nearest",
        "_routes",
        "_rows",
        "_walks",
        "_width",
    )

    def __init__(self, terrain: Terrain) -> None:
        self._width = terrain.width
        self._height = terrain.height
        flags = np.frombuffer(terrain.walkable, dtype=np.uint8).reshape(terrain.height, terrain.width)
        self._rows = terrain.walkable
        self._columns = flags.T.tobytes()
        self._grid = Grid(terrain.walkable, terrain.width, terrain.height)
        self._labels: npt.NDArray[np.int32] = label_components(flags.astype(np.bool_))
        self._most = _WALK_MEMO
        self._walks: dict[tuple[int, int, int, int, int, int], Walk | None] = {}
        self._routes: dict[tuple[int, int, int], list[Walk]] = {}
        self._nearest: dict[tuple[int, int, int], int] = {}

    def expect(self, agents: int) -> None:
        """Makes room for the walks that a team asks for in turn; see ``World.expect``."""
        self._most = max(self._most, _WALKS_PER_AGENT * agents)

    def walk(self, x0: int, y0: int, x1: int, y1: int, limit: int = 120, within: int = 0) -> Walk | None:
        """Returns the shortest walk towards a target.

        It stops at the first tile that is near enough, after ``limit`` steps, or, if nothing near enough can be
        reached, at the first tile that is as near to the target as one can get on foot.

        Args:
            x0: Column of the start, a walkable tile.
            y0: Row of the start.
            x1: Column of the target, which may be blocked, such as a tree or a fishing spot.
            y1: Row of the target.
            limit: Most steps (tiles), at least 1.
            within: How near to the target is near enough (Manhattan tiles).

        Returns:
            The walk; its length is 0 if no step leads nearer. None if the start has no way out and is not near
            enough to the target.
        """
        key = (x0, y0, x1, y1, limit, within)
        try:
            return self._walks[key]
        except KeyError:
            pass
        found = self._walk(x0, y0, x1, y1, limit, within)
        make_room(self._walks, self._most)
        self._walks[key] = found
        return found

    def distance(self, x0: int, y0: int, x1: int, y1: int) -> int | None:
        """Returns the walking distance (tiles), or None if no land way connects the tiles.

        The way to a blocked target, such as a tree, ends beside it; the last step onto it is counted.

        Args:
            x0: Column of the start, a walkable tile.
            y0: Row of the start.
            x1: Column of the target.
            y1: Row of the target.
        """
        label = self._label_of_start(x0, y0)
        apart = abs(x1 - x0) + abs(y1 - y0)
        if apart == 0:
            return 0
        gap = self._gap(label, x1, y1)
        if gap > 1:
            return None
        if apart <= gap or self._straight(x0, y0, x1, y1, gap) is not None:
            return apart
        return self._route(x0, y0, x1, y1, gap).length + gap

    def connected(self, x0: int, y0: int, x1: int, y1: int) -> bool:
        """Returns whether one can walk from one tile to another; False if either is blocked or outside the map.

        Args:
            x0: Column of one tile.
            y0: Row of one tile.
            x1: Column of the other.
            y1: Row of the other.
        """
        first = self._label(x0, y0)
        return first != 0 and first == self._label(x1, y1)

    def _walk(self, x0: int, y0: int, x1: int, y1: int, limit: int, within: int) -> Walk | None:
        label = self._label_of_start(x0, y0)
        if limit < 1 or within < 0:
            raise ValueError("limit must be at least 1 and within at least 0")
        apart = abs(x1 - x0) + abs(y1 - y0)
        if apart <= within:
            return Walk(((x0, y0),), 0, True)
        corners = self._straight(x0, y0, x1, y1, within)
        if corners is not None:
            return Walk(corners, apart - within, True).cut(limit)
        gap = max(self._gap(label, x1, y1), within)
        if apart <= gap:
            # Already as near as one can get.
            return Walk(((x0, y0),), 0, False) if self._has_way_out(x0, y0) else None
        way = self._route(x0, y0, x1, y1, gap)
        return Walk(way.corners, way.length, gap == within).cut(limit)

    def _straight(self, x0: int, y0: int, x1: int, y1: int, within: int) -> tuple[Tile, ...] | None:
        """Returns the corners of the way along x, then along y, if all its tiles are free; it is the canonical way."""
        width, height = self._width, self._height
        if not (0 <= x1 < width and 0 <= y1 < height):
            return None
        dx, dy = x1 - x0, y1 - y0
        wide, high = abs(dx), abs(dy)
        # The last `within` steps are not taken: first those along y fall away, then those along x.
        if within >= high:
            wide -= within - high
            high = 0
        else:
            high -= within
        turn_x = x0 + wide if dx > 0 else x0 - wide
        row = y0 * width
        low, top = (x0, turn_x) if dx > 0 else (turn_x, x0)
        if self._rows.find(0, row + low, row + top + 1) >= 0:
            return None
        if not high:
            return (x0, y0), (turn_x, y0)
        end_y = y0 + high if dy > 0 else y0 - high
        column = turn_x * height
        low, top = (y0, end_y) if dy > 0 else (end_y, y0)
        if self._columns.find(0, column + low, column + top + 1) >= 0:
            return None
        if not wide:
            return (x0, y0), (x0, end_y)
        return (x0, y0), (turn_x, y0), (turn_x, end_y)

    def _route(self, x0: int, y0: int, x1: int, y1: int, gap: int) -> Walk:
        """Returns the canonical whole way to the first tile within ``gap`` of the target."""
        known = self._routes.get((x1, y1, gap))
        if known is not None:
            for way in known:
                step = way.step_of(x0, y0)
                if step is not None:
                    # The rest of a canonical way is the canonical way from there.
                    return way.after(step)
        corners = self._grid.monotone(x0, y0, x1, y1, gap) if self._inside(x1, y1) else None
        if corners is None:
            apart = abs(x1 - x0) + abs(y1 - y0)
            corners = self._grid.around(x0, y0, x1, y1, gap, 8 + apart // 12)
        length = sum(abs(b[0] - a[0]) + abs(b[1] - a[1]) for a, b in pairwise(corners))
        way = Walk(tuple(corners), length, True)
        if known is None:
            make_room(self._routes, _ROUTE_MEMO)
            known = self._routes[x1, y1, gap] = []
        if len(known) < _ROUTES_PER_TARGET:
            known.append(way)
        return way

    def _gap(self, label: int, x1: int, y1: int) -> int:
        """Returns how near to a tile one can get on the land with a label (Manhattan tiles)."""
        if self._label(x1, y1) == label:
            return 0
        key = (label, x1, y1)
        found = self._nearest.get(key)
        if found is None:
            make_room(self._nearest, _NEAREST_MEMO)
            found = self._nearest[key] = self._measure_gap(label, x1, y1)
        return found

    def _measure_gap(self, label: int, x1: int, y1: int) -> int:
        best = self._width + self._height + abs(x1) + abs(y1)
        reach = 4
        while True:
            # A square around the tile; what lies outside it is farther away than `reach`.
            left, top = max(x1 - reach, 0), max(y1 - reach, 0)
            right, bottom = min(x1 + reach + 1, self._width), min(y1 + reach + 1, self._height)
            if right > left and bottom > top:
                rows, columns = np.nonzero(self._labels[top:bottom, left:right] == label)
                if rows.size:
                    best = int((np.abs(rows + top - y1) + np.abs(columns + left - x1)).min())
            if best <= reach:
                return best
            if left == 0 and top == 0 and right == self._width and bottom == self._height:
                return best
            reach *= 3

    def _has_way_out(self, x: int, y: int) -> bool:
        return any(self._label(x + dx, y + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))

    def _label_of_start(self, x: int, y: int) -> int:
        label = self._label(x, y)
        if label == 0:
            raise ValueError(f"a walk cannot start at ({x}, {y}), where nobody can stand")
        return label

    def _label(self, x: int, y: int) -> int:
        return int(self._labels[y, x]) if self._inside(x, y) else 0

    def _inside(self, x: int, y: int) -> bool:
        return 0 <= x < self._width and 0 <= y < self._height
