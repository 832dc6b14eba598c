"""What people made or dug: roads, bridges, rivers' fords, buildings, caves, and the clearings around known places."""

from __future__ import annotations

import numpy as np

from agentworld_env.world.generate.data import read_rows
from agentworld_env.world.generate.ground import Mask, near
from agentworld_env.world.generate.lines import Tile, read_lines, winding
from agentworld_env.world.generate.noise import Grid, fractal_noise, hash_int
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.terrain import BIOME_CODE, GROUND_CODE

CLEARING = 4
"""Around every anchor so many tiles each way are kept walkable, since starts vary by three."""

_FORD_EVERY = 46
_BLOCKERS = ("thicket", "cliff", "lava", "wall")


def anchors() -> list[Tile]:
    """Returns the tiles that the published tasks and places name."""
    return [(int(row["x"]), int(row["y"])) for row in read_rows("anchors.csv")]


def is_any(ground: Grid, *names: str) -> Mask:
    """Returns where the ground is one of some kinds.

    Args:
        ground: Ground codes per tile.
        names: Kinds of ground.
    """
    return np.isin(ground, [GROUND_CODE[name] for name in names])


def dig_rivers(ground: Grid) -> None:
    """Lays the rivers, with a sandy ford now and then.

    Args:
        ground: Ground codes per tile; changed in place.
    """
    for number, (_, width, points) in enumerate(read_lines("rivers.csv")):
        tiles = winding(40 + number, points, 26)
        for step, (x, y) in enumerate(tiles):
            swell = width + (hash_int(70 + number, step // 9) > 640)
            ford = step % _FORD_EVERY < 4 and step > 12
            patch = _square(x, y, swell)
            wet = is_any(ground[patch], "deep water", "shallow water", "sand") if ford else None
            if wet is None:
                ground[patch] = GROUND_CODE["shallow water"]
            else:
                ground[patch] = np.where(
                    ground[patch] == GROUND_CODE["deep water"], ground[patch], GROUND_CODE["sand"]
                )


def build_roads(ground: Grid, open_ground: Grid) -> None:
    """Lays roads and trails, bridges where they cross water, and clears what stands on them or close to a road.

    Args:
        ground: Ground codes per tile; changed in place.
        open_ground: Walkable ground per tile, for the verges.
    """
    lane = np.zeros((HEIGHT, WIDTH), dtype=np.bool_)
    for number, (_, width, points) in enumerate(read_lines("roads.csv")):
        for x, y in winding(100 + number, points, 10):
            lane[_square(x, y, width)] = True
    trail = np.zeros((HEIGHT, WIDTH), dtype=np.bool_)
    for _, width, points in read_lines("trails.csv"):
        for x, y in winding(0, points, 0):
            trail[_square(x, y, width)] = True
    verge = (near(lane, 2) | trail) & is_any(ground, *_BLOCKERS)
    ground[verge] = open_ground[verge]
    wet = is_any(ground, "deep water", "shallow water")
    ground[(lane | trail) & wet] = GROUND_CODE["bridge"]
    ground[lane & ~wet] = GROUND_CODE["road"]


def clear_places(ground: Grid, open_ground: Grid) -> None:
    """Makes the surroundings of every anchor walkable.

    Args:
        ground: Ground codes per tile; changed in place.
        open_ground: Walkable ground per tile.
    """
    places = np.zeros((HEIGHT, WIDTH), dtype=np.bool_)
    for x, y in anchors():
        places[y, x] = True
    keep = near(places, CLEARING + 2)
    for x, y in anchors():
        keep[_around(x, y, CLEARING)] = True
    keep &= is_any(ground, "deep water", "shallow water", *_BLOCKERS)
    ground[keep] = open_ground[keep]


def raise_buildings(ground: Grid) -> None:
    """Builds walls with a floor inside and gates in the middle of the sides.

    Args:
        ground: Ground codes per tile; changed in place.
    """
    for row in read_rows("buildings.csv"):
        x0, y0, x1, y1, gate = (int(row[key]) for key in ("x0", "y0", "x1", "y1", "gate"))
        ground[y0 : y1 + 1, x0 : x1 + 1] = GROUND_CODE["wall"]
        floor = ground[y0 + 1 : y1, x0 + 1 : x1]
        floor[:] = GROUND_CODE[row["floor"]]
        middle_x, middle_y = (x0 + x1) // 2, (y0 + y1) // 2
        gates = [(slice(y1, y1 + 1), slice(middle_x - gate + 1, middle_x + gate + 1))]
        if gate > 1:
            across, along = (
                slice(middle_x - gate, middle_x + gate + 1),
                slice(middle_y - gate, middle_y + gate + 1),
            )
            gates = [
                (slice(y0, y0 + 1), across),
                (slice(y1, y1 + 1), across),
                (along, slice(x0, x0 + 1)),
                (along, slice(x1, x1 + 1)),
            ]
        for where in gates:
            ground[where] = GROUND_CODE[row["floor"]]


def dig_caves(ground: Grid, biome: Grid) -> None:
    """Digs closed caves, each an oval with a rim of cliffs.

    Args:
        ground: Ground codes per tile; changed in place.
        biome: Biome codes per tile; changed in place.
    """
    wobble = fractal_noise(9, 10, 2, WIDTH, HEIGHT)
    for row in read_rows("caves.csv"):
        middle, size = (int(row["x"]), int(row["y"])), (int(row["rx"]), int(row["ry"]))
        hall, rim = _oval(*middle, *size, wobble), _oval(*middle, size[0] + 6, size[1] + 6, wobble)
        rim |= near(hall, 3)
        ground[rim] = GROUND_CODE["cliff"]
        ground[hall] = GROUND_CODE[row["ground"]]
        biome[rim] = BIOME_CODE[row["biome"]]


def raise_volcanoes(ground: Grid, biome: Grid) -> None:
    """Raises cones: ash slopes, a ring of cliffs and a crater of lava, with tongues of lava that run down.

    Args:
        ground: Ground codes per tile; changed in place.
        biome: Biome codes per tile; changed in place.
    """
    wobble = fractal_noise(9, 10, 2, WIDTH, HEIGHT)
    tongues = fractal_noise(10, 12, 2, WIDTH, HEIGHT)
    for row in read_rows("volcanoes.csv"):
        x, y, reach = int(row["x"]), int(row["y"]), int(row["r"])
        slope, ring, crater = (
            _oval(x, y, reach * part // 8, reach * part // 8, wobble) for part in (8, 6, 3)
        )
        ground[slope] = GROUND_CODE["ash"]
        ground[slope & (tongues > 610)] = GROUND_CODE["lava"]
        ground[ring] = GROUND_CODE["cliff"]
        ground[crater] = GROUND_CODE["lava"]
        biome[slope] = BIOME_CODE["dragon_lair"]


def _oval(cx: int, cy: int, rx: int, ry: int, wobble: Grid) -> Mask:
    x = np.arange(WIDTH, dtype=np.int64)[None, :]
    y = np.arange(HEIGHT, dtype=np.int64)[:, None]
    # The noise moves the rim by up to a third of the radius.
    inside: Mask = ((x - cx) ** 2 * ry * ry + (y - cy) ** 2 * rx * rx) * 1024 <= rx * rx * ry * ry * (
        512 + wobble
    )
    return inside


def _square(x: int, y: int, width: int) -> tuple[slice, slice]:
    left, top = max(0, x - width // 2), max(0, y - width // 2)
    return slice(top, max(top, y - width // 2 + width)), slice(left, max(left, x - width // 2 + width))


def _around(x: int, y: int, reach: int) -> tuple[slice, slice]:
    return slice(max(0, y - reach), y + reach + 1), slice(max(0, x - reach), x + reach + 1)
