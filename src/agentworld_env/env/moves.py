"""The listed moves of one turn: strides in eight directions, everything seen, every place of the guide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from agentworld_env.env.view import View
from agentworld_env.world.geometry import DIRECTIONS, HEIGHT, WIDTH
from agentworld_env.world.near import NEAREST

STRIDES = (8, 30, 120)
"""How far the listed moves go (tiles)."""

_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))

Arguments = dict[str, Any]


def can_leave(view: View) -> bool:
    """Returns whether the agent can take a step in any direction."""
    x, y, is_walkable = view._me.x, view._me.y, view._sim.world.is_walkable
    return is_walkable(x + 1, y) or is_walkable(x - 1, y) or is_walkable(x, y + 1) or is_walkable(x, y - 1)


def moves(view: View) -> Iterator[Arguments]:
    """Yields the arguments of the listed moves."""
    me, agents, tiles = view._me, view._sim.state.agents, view._sim.world.node_tiles
    x, y = me.x, me.y
    things = [(agents[i].x, agents[i].y) for _, _, i in view.mate_rows]
    things += [(p.x, p.y) for _, p in view._people]
    things += [(mx, my) for _, _, mx, my in view.listed_mob_rows]
    things += [(thing.x, thing.y) for thing in view.ground[:NEAREST]]
    things += [(p.x, p.y) for _, p in view.portals]
    things += [tiles[i] for seen in view.nodes for _, i in seen.nearest]
    things += [(lx, ly) for _, lx, ly in view._landmarks]
    # A dict keeps the first of those that are named twice, in order.
    far = dict.fromkeys(things)
    # No need to walk to what one stands on or beside.
    for tile in ((x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
        if tile in far:
            del far[tile]
    listed = dict.fromkeys(_strides(view))
    listed.update(far)
    return iter([{"x": x, "y": y} for x, y in listed])


def _strides(view: View) -> list[tuple[int, int]]:
    """Returns the tiles some strides away in every direction in which a first step can be taken."""
    x, y, is_walkable = view._me.x, view._me.y, view._sim.world.is_walkable
    free = (is_walkable(x + 1, y), is_walkable(x - 1, y), is_walkable(x, y + 1), is_walkable(x, y - 1))
    far = STRIDES[-1]
    if far <= x < WIDTH - far and far <= y < HEIGHT - far:
        return [(x + dx, y + dy) for dx, dy, _, _ in _OFFSETS[free]]
    found: list[tuple[int, int]] = []
    for dx, dy, free_x, free_y in _OFFSETS[free]:
        # At the map's edge a stride ends there; one that then leads nowhere is left out.
        tx, ty = x + dx, y + dy
        if tx < 0:
            tx = 0
        elif tx >= WIDTH:
            tx = WIDTH - 1
        if ty < 0:
            ty = 0
        elif ty >= HEIGHT:
            ty = HEIGHT - 1
        if (free_x and tx != x) or (free_y and ty != y):
            found.append((tx, ty))
    return found


Free = tuple[bool, bool, bool, bool]
"""Whether one can step east, west, south and north."""


def _offsets(free: Free) -> tuple[tuple[int, int, bool, bool], ...]:
    """Returns the strides that such first steps allow: columns and rows, and whether each can be begun."""
    steps = dict(zip(_STEPS, free, strict=True))
    found: list[tuple[int, int, bool, bool]] = []
    for dx, dy in DIRECTIONS.values():
        free_x, free_y = dx != 0 and steps[dx, 0], dy != 0 and steps[0, dy]
        if free_x or free_y:
            lengths = [stride // (abs(dx) + abs(dy)) for stride in STRIDES]
            found.extend([(dx * length, dy * length, free_x, free_y) for length in lengths])
    return tuple(found)


_OFFSETS: dict[Free, tuple[tuple[int, int, bool, bool], ...]] = {
    (e, w, s, n): _offsets((e, w, s, n)) for e, w, s, n in product((False, True), repeat=4)
}


def offers_move(view: View) -> bool:
    """Returns whether there is any listed move."""
    return can_leave(view) or next(moves(view), None) is not None
