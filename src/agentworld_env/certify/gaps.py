"""Distances that no agent can undercut: straight ones, shortened by the portals of the world."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from agentworld_env.sim.rules import Rules
from agentworld_env.tasks.schema import Area
from agentworld_env.world import World
from agentworld_env.world.geometry import manhattan

Tile = tuple[int, int]
Tiles = npt.NDArray[np.int64]
Pairs = tuple[tuple[int, int], ...]


class Gaps:
    """Lower bounds on the tiles between places.

    A portal is taken to cost nothing, and obstacles to be walked through.

    Args:
        world: The world.
        rules: Its numbers.
    """

    def __init__(self, world: World, rules: Rules) -> None:
        self.rules = rules
        portals = sorted(world.portals.values(), key=lambda portal: portal.id)
        self._mouths = [(portal.x, portal.y) for portal in portals]
        self._exits = [(portal.to_x, portal.to_y) for portal in portals]
        # Tiles from one exit to where another mouth can be entered; then over any number of portals.
        count = len(portals)
        through = [[self._to_mouth(self._exits[p], q) for q in range(count)] for p in range(count)]
        for middle in range(count):
            for p in range(count):
                for q in range(count):
                    through[p][q] = min(through[p][q], through[p][middle] + through[middle][q])
        self._through = through

    def _to_mouth(self, tile: Tile, portal: int) -> int:
        return max(0, manhattan(*tile, *self._mouths[portal]) - self.rules.portal_reach)

    def _exits_from(self, start: Tile) -> list[int]:
        """Returns for each portal the tiles walked from a tile until one stands at its exit."""
        first = [self._to_mouth(start, p) for p in range(len(self._mouths))]
        return [
            min([first[q], *(first[p] + row[q] for p, row in enumerate(self._through))])
            for q in range(len(first))
        ]

    def gap(self, a: Tile, b: Tile) -> int:
        """Returns the fewest tiles that lead from one tile to another."""
        ways = (
            tiles + manhattan(*out, *b) for tiles, out in zip(self._exits_from(a), self._exits, strict=True)
        )
        return min([manhattan(*a, *b), *ways])

    def to_many(self, a: Tile, tiles: Tiles) -> Tiles:
        """Returns the fewest tiles from one tile to each of many, given as rows (column, row)."""
        best: Tiles = np.abs(tiles - np.array(a)).sum(axis=1)
        for walked, out in zip(self._exits_from(a), self._exits, strict=True):
            best = np.minimum(best, walked + np.abs(tiles - np.array(out)).sum(axis=1))
        return best

    def from_many(self, tiles: Tiles, b: Tile) -> Tiles:
        """Returns the fewest tiles from each of many tiles, given as rows (column, row), to one."""
        best: Tiles = np.abs(tiles - np.array(b)).sum(axis=1)
        last = [manhattan(*out, *b) for out in self._exits]
        for p, mouth in enumerate(self._mouths):
            left = min([last[p], *(self._through[p][q] + last[q] for q in range(len(last)))])
            enter = np.maximum(np.abs(tiles - np.array(mouth)).sum(axis=1) - self.rules.portal_reach, 0)
            best = np.minimum(best, enter + left)
        return best

    def moves(self, tiles: Any, reach: int) -> Any:
        """Returns how many walks a number of tiles (or an array of numbers) takes at least.

        Args:
            tiles: Tiles to the goal.
            reach: How near is near enough (tiles).
        """
        left = np.maximum(tiles - reach, 0)
        return -(-left // self.rules.path_limit)

    def carried(self, rounds: int, agents: int, holder: int) -> int:
        """Returns how far (tiles) an item can get in so many rounds, the hand-over in the last of them included.

        All agents of a team pass it along. Within a round it can go from hand to hand up the turn order and then be
        walked with once. Whoever has walked with it cannot hand it over in that round, so that the last round, and
        every round in which it goes down the turn order, sees no walk. Until the first of these it is handed over at
        most ``agents - holder`` times, and at most ``agents`` times more for each further one.

        Args:
            rounds: Rounds after the one in which somebody has come to hold it.
            agents: Size of the team.
            holder: Place of that agent in the turn order, from 0.

        Returns:
            The tiles, or -1 if it cannot be handed over at all.
        """
        if rounds < 1:
            return -1
        reach = self.rules.transfer_reach
        return (rounds - 1) * max(self.rules.path_limit, reach * agents) + reach * (agents - holder)


def stretch(world: World, area: Area) -> tuple[Tile, int]:
    """Returns a tile and a radius (tiles) that cover an area."""
    if area.at is not None:
        return area.at, area.within
    place = world.places[area.place or ""]
    corners = ((x, y) for x in (place.x0, place.x1) for y in (place.y0, place.y1))
    return (place.x, place.y), max(manhattan(place.x, place.y, *corner) for corner in corners)


def rows(tiles: Iterable[Tile]) -> Tiles:
    """Returns tiles as an array of rows (column, row)."""
    return np.array(list(tiles), dtype=np.int64).reshape(-1, 2)


def pareto(pairs: set[tuple[int, int]]) -> Pairs:
    """Returns the pairs that no other pair undercuts in both numbers."""
    kept: list[tuple[int, int]] = []
    for head, tail in sorted(pairs):
        if not kept or tail < kept[-1][1]:
            kept.append((head, tail))
    return tuple(kept)
