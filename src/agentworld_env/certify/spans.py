"""When a harvest or a blow can be of use: not before the agent can be there, nor too late for what must follow."""

from __future__ import annotations

from functools import cache

import numpy as np

from agentworld_env.certify.critical import NEVER, Critical
from agentworld_env.certify.gaps import Tile, Tiles, pareto, stretch
from agentworld_env.certify.turns import Window
from agentworld_env.tasks.schema import HeldForRounds, PresentTogether


class Spans:
    """Windows of harvests, kept because many ways of doing a task ask for the same ones.

    Args:
        critical: Earliest times.
    """

    def __init__(self, critical: Critical) -> None:
        self.critical = critical
        self.sources = critical.sources
        self.gaps = critical.sources.gaps
        self.rules = critical.sources.sim.rules
        self.harvest = cache(self._harvest)

    def _harvest(self, item: str, agent: int, tail: int, sites: tuple[Tile, ...]) -> Window:
        """Returns when an agent's harvests of an item are of use.

        Args:
            item: What.
            agent: Who.
            tail: Rounds that must pass after the last of them in any case.
            sites: Where the units must be handed over, if nowhere else.
        """
        pairs: set[tuple[int, int]] = set()
        for spot in self.sources.spots(agent, item):
            after = np.full(len(spot.tiles), tail)
            if sites:
                ways = [self.gaps.from_many(spot.tiles, site) for site in sites]
                apart = np.min(ways, axis=0) - self.rules.gather_reach
                after = np.maximum(after, self._carrying(apart, agent))
            heads = np.maximum(spot.heads, self.critical.equipped(agent, spot.kind.tool))
            pairs.update(
                self.fitted(spot.tiles, agent, heads, after, self.rules.gather_reach, self.rules.sight_nodes)
            )
        return pareto(pairs)

    def fitted(
        self, tiles: Tiles, agent: int, heads: Tiles, tails: Tiles, reach: int, sight: int
    ) -> set[tuple[int, int]]:
        """Returns (turns before, rounds after) of work at some tiles, with time to be where the agent must stand.

        Args:
            tiles: Where the work is.
            agent: Who.
            heads: Turns that pass before, per tile.
            tails: Rounds that must pass after, per tile.
            reach: How far from a tile the agent may be after work there (tiles).
            sight: How far it may be before (tiles).
        """
        after = np.maximum(tails, self._coming_back(tiles, agent, reach, sight))
        pairs: set[tuple[int, int]] = set()
        for first, last in self._around_stays(tiles, agent, heads, after, reach, sight):
            pairs.update((int(h), int(t)) for h, t in zip(first, last, strict=True) if h < NEVER)
        return pairs

    def _carrying(self, tiles: Tiles, agent: int) -> Tiles:
        """Returns the rounds in which an agent's item can be handed over so many tiles away, per entry."""
        rounds = np.zeros(len(tiles), dtype=np.int64)
        for r in range(64):
            rounds[tiles > self.gaps.carried(r, self.critical.size, agent)] = r + 1
        return rounds

    def _coming_back(self, tiles: Tiles, agent: int, reach: int, sight: int) -> Tiles:
        """Returns rounds after work at each tile until the agent can be where it must stand in the end."""
        longest = np.zeros(len(tiles), dtype=np.int64)
        name = self.sources.sim.names[agent]
        for point in self.sources.spec.checkpoints:
            if isinstance(point, PresentTogether) and (not point.by or name in point.by):
                middle, within = stretch(self.sources.world, point.area)
                apart = self.gaps.from_many(tiles, middle) - within
                moves = self.gaps.moves(apart, reach)
                # Work in sight of the area can follow the round in which all stood there.
                moves[apart <= sight] = 0
                longest = np.maximum(longest, moves)
        return longest

    def _around_stays(
        self, tiles: Tiles, agent: int, heads: Tiles, tails: Tiles, reach: int, sight: int
    ) -> list[tuple[Tiles, Tiles]]:
        """Returns (turns before, rounds after) per tile, once for each way to fit the work around long stays.

        Who must stay in an area for some rounds running works elsewhere either before, with the way there and the whole
        stay still to come, or after it.
        """
        found = [(heads, tails)]
        name = self.sources.sim.names[agent]
        for point in self.sources.spec.checkpoints:
            if not isinstance(point, HeldForRounds) or (point.by and name not in point.by):
                continue
            middle, within = stretch(self.sources.world, point.area)
            there = self.gaps.gap(self.sources.starts[agent], middle) - self.sources.slack
            arrival = max(1, int(self.gaps.moves(there, within)))
            back = self.gaps.moves(self.gaps.from_many(tiles, middle) - within, reach)
            out = self.gaps.moves(self.gaps.to_many(middle, tiles) - within, sight)
            outside = back > 0
            before = np.where(outside, back + point.rounds - 1, 0)
            after = np.where(outside, out + arrival + point.rounds - 1, 0)
            found = [
                pair
                for first, last in found
                for pair in ((first, np.maximum(last, before)), (np.maximum(first, after), last))
            ]
        return found
