"""Tiles, distances and directions. Distances between tiles are Manhattan everywhere."""

from __future__ import annotations

WIDTH = 1056
"""Columns of the map (tiles); x grows eastwards. Published figure."""

HEIGHT = 768
"""Rows of the map (tiles); y grows southwards. Published figure."""

DIRECTIONS: dict[str, tuple[int, int]] = {
    "north": (0, -1),
    "north-east": (1, -1),
    "east": (1, 0),
    "south-east": (1, 1),
    "south": (0, 1),
    "south-west": (-1, 1),
    "west": (-1, 0),
    "north-west": (-1, -1),
}
"""Eight compass directions as (dx, dy) of one tile."""


def manhattan(x0: int, y0: int, x1: int, y1: int) -> int:
    """Returns the Manhattan distance of two tiles (tiles)."""
    return abs(x0 - x1) + abs(y0 - y1)


def compass(dx: int, dy: int) -> str:
    """Returns the compass word for an offset, such as ``"north-east"``, or ``"here"`` for no offset.

    Args:
        dx: Tiles eastwards.
        dy: Tiles southwards.
    """
    if dx == 0 and dy == 0:
        return "here"
    ax, ay = abs(dx), abs(dy)
    vertical = "" if ax > 2 * ay else ("north" if dy < 0 else "south")
    horizontal = "" if ay > 2 * ax else ("west" if dx < 0 else "east")
    return f"{vertical}-{horizontal}" if vertical and horizontal else vertical or horizontal
