"""Roads and rivers: lines drawn by hand through a few points, which noise makes winding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from agentworld_env.world.generate.data import read_rows
from agentworld_env.world.generate.noise import hash_int

Tile = tuple[int, int]


def read_lines(name: str) -> list[tuple[str, int, list[Tile]]]:
    """Returns the lines of a data file as (name, width in tiles, points).

    Args:
        name: File name in the data folder; columns ``name,width,points``, points as ``x:y`` parted by spaces.
    """
    lines = []
    for row in read_rows(name):
        points = [(int(x), int(y)) for x, y in (point.split(":") for point in row["points"].split())]
        lines.append((row["name"], int(row["width"]), points))
    return lines


def winding(stream: int, points: list[Tile], sway: int) -> list[Tile]:
    """Returns the tiles of a line, each a 4-neighbour of the one before.

    Args:
        stream: Number of the noise stream.
        points: Corners; the line passes through each.
        sway: How far a stretch may bend, in per cent of its length.
    """
    bent: list[Tile] = [points[0]]
    for start, end in pairwise(points):
        bent.extend(_bend(stream, start, end, sway))
    tiles: list[Tile] = [bent[0]]
    for start, end in pairwise(bent):
        tiles.extend(_steps(start, end))
    return tiles


def _bend(stream: int, start: Tile, end: Tile, sway: int) -> Iterator[Tile]:
    (x0, y0), (x1, y1) = start, end
    span = abs(x1 - x0) + abs(y1 - y0)
    if span < 10:
        yield end
        return
    # The middle moves across the stretch by a drawn share of its length; then both halves bend in turn.
    share = (hash_int(stream, x0, y0, x1, y1) - 512) * sway
    middle = ((x0 + x1) // 2 - (y1 - y0) * share // 51_200, (y0 + y1) // 2 + (x1 - x0) * share // 51_200)
    yield from _bend(stream, start, middle, sway)
    yield from _bend(stream, middle, end, sway)


def _steps(start: Tile, end: Tile) -> Iterator[Tile]:
    (x, y), (x1, y1) = start, end
    wide, high = abs(x1 - x), abs(y1 - y)
    step_x, step_y = (1 if x1 > x else -1), (1 if y1 > y else -1)
    gone_x = gone_y = 0
    while gone_x < wide or gone_y < high:
        # Whichever axis lags behind its share of the way moves next.
        if gone_y >= high or (gone_x < wide and (2 * gone_x + 1) * high <= (2 * gone_y + 1) * wide):
            gone_x += 1
            x += step_x
        else:
            gone_y += 1
            y += step_y
        yield x, y
