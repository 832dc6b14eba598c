"""Finds the trails that keep every way short: ``python -m agentworld_env.world.generate.trails`` rewrites trails.csv.

The roads are drawn by hand. Where the way between two known places is still too long a detour, this adds the trail
that crosses as few cliffs, thickets and rivers as it can.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agentworld_env.world.generate.build import generate
from agentworld_env.world.generate.check import detours, mainland_anchors
from agentworld_env.world.geometry import manhattan
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import Terrain

Tile = tuple[int, int]

_HARDSHIPS = (4, 2, 1)
_SHORT_PER_CENT = 122
_AT_ONCE = 12
_TRIES = 20
_HEADER = "name,width,points\n"


def main() -> None:
    """Rewrites trails.csv so that no way between known places is too long; prints how many trails it took."""
    path = Path(__file__).resolve().parent.parent / "data" / "trails.csv"
    path.write_text(_HEADER, "ascii")
    lines: list[str] = []
    for _ in range(_TRIES):
        terrain = Terrain(*generate())
        tiles = mainland_anchors(terrain, PathFinder(terrain))
        bad = [(start, end) for start, end, _ in detours(terrain, tiles, tiles) if start < end]
        sys.stdout.write(f"{len(lines)} trails, {len(bad)} pairs too far apart on foot\n")
        if not bad:
            return
        for start, end in _spread(bad):
            way = " ".join(f"{x}:{y}" for x, y in easiest_way(terrain, start, end))
            lines.append(f"trail {len(lines) + 1},2,{way}\n")
        path.write_text(_HEADER + "".join(lines), "ascii")
    raise RuntimeError(f"{_TRIES} rounds of trails were not enough; draw another road where they gather")


def easiest_way(terrain: Terrain, start: Tile, end: Tile) -> list[Tile]:
    """Returns the corners of the way that is short enough and crosses as little blocked ground as it can.

    Args:
        terrain: The land.
        start: First tile (x, y).
        end: Last tile (x, y).
    """
    tiles = [start]
    for hardship in _HARDSHIPS:
        tiles = _cheapest_way(terrain, start, end, hardship)
        if (len(tiles) - 1) * 100 <= _SHORT_PER_CENT * manhattan(*start, *end):
            break
    return [
        tile
        for i, tile in enumerate(tiles)
        if i in (0, len(tiles) - 1)
        or (tile[0] - tiles[i - 1][0], tile[1] - tiles[i - 1][1])
        != (tiles[i + 1][0] - tile[0], tiles[i + 1][1] - tile[1])
    ]


def _cheapest_way(terrain: Terrain, start: Tile, end: Tile, hardship: int) -> list[Tile]:
    """Returns the tiles of the way on which a blocked tile counts as ``hardship`` steps."""
    wide = terrain.width + 2
    price = np.zeros((terrain.height + 2, wide), dtype=np.int32)
    flags = np.frombuffer(terrain.walkable, dtype=np.uint8).reshape(terrain.height, terrain.width)
    price[1:-1, 1:-1] = np.where(flags == 1, 1, hardship)
    cost = _spend(price.reshape(-1), _index(end, wide), _index(start, wide), wide, hardship)
    place = _index(start, wide)
    tiles = [start]
    while tiles[-1] != end:
        x, y = tiles[-1]
        # Straight on where that is as cheap, so that trails do not look like stairs.
        ahead = (x - tiles[-2][0], y - tiles[-2][1]) if len(tiles) > 1 else (0, 0)
        steps = sorted(((1, 0), (-1, 0), (0, 1), (0, -1)), key=lambda step: step != ahead)
        costs = [int(cost[place + dx + dy * wide]) for dx, dy in steps]
        dx, dy = steps[costs.index(min(costs))]
        place += dx + dy * wide
        tiles.append((x + dx, y + dy))
    return tiles


def _spend(
    price: npt.NDArray[np.int32], source: int, target: int, wide: int, hardship: int
) -> npt.NDArray[np.int32]:
    """Returns the least cost from every tile to the source, as far as the target needs it."""
    far = np.iinfo(np.int32).max
    cost = np.full(price.size, far, dtype=np.int32)
    cost[source] = 0
    buckets: dict[int, list[npt.NDArray[np.int64]]] = {0: [np.array([source], dtype=np.int64)]}
    spent = 0
    while cost[target] > spent:
        reached = buckets.pop(spent, [])
        spent += 1
        if not reached:
            continue
        wave = np.unique(np.concatenate(reached))
        wave = wave[cost[wave] == spent - 1]
        for shift in (-wide, -1, 1, wide):
            beside = wave + shift
            beside = beside[price[beside] > 0]
            total = spent - 1 + price[beside]
            better = total < cost[beside]
            cost[beside[better]] = total[better]
            for value in {1, hardship}:
                chosen = beside[better & (price[beside] == value)]
                if chosen.size:
                    buckets.setdefault(spent - 1 + value, []).append(chosen)
    return cost


def _spread(bad: list[tuple[Tile, Tile]]) -> list[tuple[Tile, Tile]]:
    """Returns a few of the pairs, the shortest first, none beginning or ending near another."""
    chosen: list[tuple[Tile, Tile]] = []
    for pair in sorted(bad, key=lambda pair: (manhattan(*pair[0], *pair[1]), pair)):
        if len(chosen) < _AT_ONCE and all(
            manhattan(*mine, *other) > 24 for mine in pair for others in chosen for other in others
        ):
            chosen.append(pair)
    return chosen


def _index(tile: Tile, wide: int) -> int:
    return (tile[1] + 1) * wide + tile[0] + 1


if __name__ == "__main__":
    main()
