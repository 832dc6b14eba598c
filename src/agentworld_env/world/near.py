"""What lies near a tile. The answers are pure functions of the world, kept in bounded memos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from agentworld_env.world.catalogue import MobSpawn, Node, Npc, Place, Portal
from agentworld_env.world.memo import make_room

NEAREST = 4
"""So many nodes of each kind are named to an agent; the rest are counted."""

_MEMO = 2_048
_MEMO_PER_AGENT = 4
_SQUARE = 32

Tile = tuple[int, int, int]
Found = TypeVar("Found")
Placed = TypeVar("Placed", Npc, Portal)
Rows = tuple[tuple[int, int], ...]


class SeenNode(NamedTuple):
    """A kind of node in sight: the nearest that give now, how many more do, how many are depleted."""

    kind: str
    nearest: Rows
    more: int
    depleted: int


class NodesNear(NamedTuple):
    """The nodes within a radius by kind, the kind with the nearest node first.

    Attributes:
        kinds: Pairs (kind key, pairs (distance, index into ``World.nodes``) sorted).
        members: The indices of all of them.
        fresh: How they are seen while none of them is depleted.
    """

    kinds: tuple[tuple[str, Rows], ...]
    members: frozenset[int]
    fresh: tuple[SeenNode, ...]


class Near:
    """Looks up what lies near a tile.

    Args:
        nodes: All resource nodes.
        mobs: All common mobs.
        people: All people.
        portals: All portal mouths.
        places: All named places.
    """

    __slots__ = (
        "_mob_memo", "_mob_tiles", "_most", "_node_kinds", "_node_memo", "_node_tiles", "_people", "_people_memo",
        "_places", "_portal_memo", "_portals", "_row_memo",
    )  # fmt: skip

    def __init__(
        self,
        nodes: Sequence[Node],
        mobs: Sequence[MobSpawn],
        people: Iterable[Npc],
        portals: Iterable[Portal],
        places: Iterable[Place],
    ) -> None:
        self._node_kinds = [node.kind for node in nodes]
        self._node_tiles = _tiles(nodes)
        self._mob_tiles = _tiles(mobs)
        self._people = tuple(people)
        self._portals = tuple(portals)
        # The sort is stable, so that of places of one size the first of the catalogue wins.
        self._places: dict[tuple[int, int], list[Place]] = {}
        for place in sorted(places, key=lambda p: (p.x1 - p.x0 + 1) * (p.y1 - p.y0 + 1)):
            for sx in range(place.x0 // _SQUARE, place.x1 // _SQUARE + 1):
                for sy in range(place.y0 // _SQUARE, place.y1 // _SQUARE + 1):
                    self._places.setdefault((sx, sy), []).append(place)
        self._most = _MEMO
        self._row_memo: dict[Tile, Rows] = {}
        self._node_memo: dict[Tile, NodesNear] = {}
        self._mob_memo: dict[Tile, tuple[int, ...]] = {}
        self._people_memo: dict[Tile, tuple[tuple[int, Npc], ...]] = {}
        self._portal_memo: dict[Tile, tuple[tuple[int, Portal], ...]] = {}

    def expect(self, agents: int) -> None:
        """Makes room for what a team looks at in turn; see ``World.expect``."""
        self._most = max(self._most, _MEMO_PER_AGENT * agents)

    def nodes(self, x: int, y: int, radius: int) -> Rows:
        """Returns the resource nodes within a radius (tiles) as (distance, index), sorted."""
        return self._remembered(self._row_memo, (x, y, radius), self._rows)

    def _rows(self, x: int, y: int, radius: int) -> Rows:
        distances, numbers = _within(self._node_tiles, x, y, radius)
        order = np.argsort(distances, kind="stable")
        return tuple(zip(distances[order].tolist(), numbers[order].tolist(), strict=True))

    def nodes_by_kind(self, x: int, y: int, radius: int) -> NodesNear:
        """Returns the resource nodes within a radius (tiles) grouped by kind."""
        found = self._node_memo.get((x, y, radius))
        return found or self._remembered(self._node_memo, (x, y, radius), self._group)

    def _group(self, x: int, y: int, radius: int) -> NodesNear:
        groups: dict[str, list[tuple[int, int]]] = {}
        rows = self.nodes(x, y, radius)
        for row in rows:
            groups.setdefault(self._node_kinds[row[1]], []).append(row)
        kinds = tuple((kind, tuple(found)) for kind, found in groups.items())
        fresh = tuple(
            SeenNode(kind, found[:NEAREST], max(len(found) - NEAREST, 0), 0) for kind, found in kinds
        )
        return NodesNear(kinds, frozenset(row[1] for row in rows), fresh)

    def mobs(self, x: int, y: int, radius: int) -> tuple[int, ...]:
        """Returns the indices of the common mobs whose home tile lies within a radius (tiles), ascending."""
        found = self._mob_memo.get((x, y, radius))
        return found or self._remembered(self._mob_memo, (x, y, radius), self._mob_homes)

    def _mob_homes(self, x: int, y: int, radius: int) -> tuple[int, ...]:
        return tuple(_within(self._mob_tiles, x, y, radius)[1].tolist())

    def people(self, x: int, y: int, radius: int) -> tuple[tuple[int, Npc], ...]:
        """Returns the people within a radius (tiles) as (distance, person), nearest first."""
        found = self._people_memo.get((x, y, radius))
        return found or self._remembered(
            self._people_memo, (x, y, radius), lambda *at: nearest_first(self._people, *at)
        )

    def portals(self, x: int, y: int, radius: int) -> tuple[tuple[int, Portal], ...]:
        """Returns the portal mouths within a radius (tiles) as (distance, portal), nearest first."""
        found = self._portal_memo.get((x, y, radius))
        if found is None:
            found = self._remembered(
                self._portal_memo, (x, y, radius), lambda *at: nearest_first(self._portals, *at)
            )
        return found

    def _remembered(
        self, memo: dict[Tile, Found], key: Tile, find: Callable[[int, int, int], Found]
    ) -> Found:
        found = memo.get(key)
        if found is None:
            make_room(memo, self._most)
            found = memo[key] = find(*key)
        return found

    def place(self, x: int, y: int) -> Place | None:
        """Returns the smallest named place that contains a tile, or None."""
        for place in self._places.get((x // _SQUARE, y // _SQUARE), ()):
            if place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1:
                return place
        return None


def nearest_first(things: Iterable[Placed], x: int, y: int, radius: int) -> tuple[tuple[int, Placed], ...]:
    """Returns the things within a radius as (distance, thing), nearest first, those as near by their ids.

    Args:
        things: People, sites or portals.
        x: Column.
        y: Row.
        radius: Distance (tiles).
    """
    rows = [(abs(thing.x - x) + abs(thing.y - y), thing) for thing in things]
    near = [row for row in rows if row[0] <= radius]
    return tuple(sorted(near, key=lambda row: (row[0], row[1].id)))


def _tiles(things: Sequence[Node] | Sequence[MobSpawn]) -> npt.NDArray[np.int32]:
    return np.array([(thing.x, thing.y) for thing in things], dtype=np.int32).reshape(-1, 2).T.copy()


def _within(
    tiles: npt.NDArray[np.int32], x: int, y: int, radius: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.intp]]:
    """Returns the distances (tiles) and the indices, ascending, of what lies within a radius."""
    distances = np.abs(tiles[0] - x) + np.abs(tiles[1] - y)
    numbers = np.flatnonzero(distances <= radius)
    return distances[numbers], numbers
