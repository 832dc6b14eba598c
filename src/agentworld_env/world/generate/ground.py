"""What grows on a region: the ground of every tile before roads, rivers and buildings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agentworld_env.world.generate.noise import Grid, fractal_noise, hash_grid, ridged_noise
from agentworld_env.world.generate.sketch import REGIONS
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.terrain import BIOME_CODE, GROUND_CODE

_SNOW_LINE = 260

Mask = npt.NDArray[np.bool_]
"""One truth value per tile, indexed [row, column]."""

BIOME_OF_REGION = {
    "~": "coastal",
    "l": "coastal",
    "g": "wilderness",
    "f": "wilderness",
    "D": "dark_forest",
    "m": "mountain",
    "M": "mountain",
    "s": "frozen",
    "k": "coastal",
    "d": "wilderness",
    "w": "wilderness",
    "v": "dragon_lair",
    "y": "magical",
    "r": "ruins",
    "c": "castle",
    "C": "castle",
}
"""Region of the sketch -> biome."""

OPEN_GROUND = {
    "~": "sand",
    "l": "sand",
    "g": "grass",
    "f": "forest floor",
    "D": "forest floor",
    "m": "rock floor",
    "M": "rock floor",
    "s": "snow",
    "k": "grass",
    "d": "dune",
    "w": "marsh",
    "v": "ash",
    "y": "glade",
    "r": "ruins floor",
    "c": "grass",
    "C": "snow",
}
"""Region -> the ground that can always be walked on there."""

BARRIER_GROUND = {
    "~": "cliff",
    "l": "shallow water",
    "g": "thicket",
    "f": "thicket",
    "D": "thicket",
    "m": "cliff",
    "M": "cliff",
    "s": "cliff",
    "k": "thicket",
    "d": "cliff",
    "w": "shallow water",
    "v": "lava",
    "y": "thicket",
    "r": "wall",
    "c": "thicket",
    "C": "cliff",
}
"""Region -> the ground that fills what nobody can reach there."""


def by_region(regions: Grid, names: dict[str, str], codes: dict[str, int]) -> Grid:
    """Returns a code per tile, looked up by its region.

    Args:
        regions: Region codes per tile.
        names: Region character -> name.
        codes: Name -> code.
    """
    table = np.array([codes[names[char]] for char in REGIONS], dtype=np.int64)
    found: Grid = table[regions]
    return found


def near(mask: Mask, reach: int) -> Mask:
    """Returns the tiles within a Manhattan distance of any tile of a mask.

    Args:
        mask: Tiles to start from.
        reach: Distance (tiles).
    """
    grown = mask.copy()
    for _ in range(reach):
        wider = grown.copy()
        wider[1:] |= grown[:-1]
        wider[:-1] |= grown[1:]
        wider[:, 1:] |= grown[:, :-1]
        wider[:, :-1] |= grown[:, 1:]
        grown = wider
    return grown


def biomes(regions: Grid) -> Grid:
    """Returns the biome code of every tile.

    Args:
        regions: Region codes per tile.
    """
    return by_region(regions, BIOME_OF_REGION, BIOME_CODE)


def cover(regions: Grid) -> Grid:
    """Returns the ground code of every tile as nature left it.

    Args:
        regions: Region codes per tile.
    """
    ground = by_region(regions, OPEN_GROUND, GROUND_CODE)
    region = {char: regions == i for i, char in enumerate(REGIONS)}
    broad = fractal_noise(3, 40, 4, WIDTH, HEIGHT)
    patch = fractal_noise(4, 14, 3, WIDTH, HEIGHT)
    ridge = ridged_noise(5, 30, 3, WIDTH, HEIGHT)

    def lay(name: str, where: Mask) -> None:
        ground[where] = GROUND_CODE[name]

    _lay_green(lay, region, broad, patch)
    _lay_fields(lay, region, broad)
    _lay_high(lay, region, broad, patch, ridge)
    _lay_hot(lay, region, broad, patch, ridge)
    _lay_wet(lay, region, broad, patch)
    _lay_ruins(lay, region, patch)
    return ground


Lay = Callable[[str, Mask], None]


def _lay_green(lay: Lay, region: dict[str, Mask], broad: Grid, patch: Grid) -> None:
    plain, forest, dark, coast, magic = (region[char] for char in "gfDky")
    lay("forest floor", (plain | coast) & (broad > 600) & (patch > 420))
    lay("thicket", (plain | coast) & (broad > 620) & (patch > 620))
    lay("thicket", plain & (patch > 720))
    lay("grass", forest & (broad < 390))
    lay("thicket", forest & (broad > 420) & (patch > 600))
    lay("marsh", dark & (broad < 350))
    lay("thicket", dark & (broad > 380) & (patch > 560))
    lay("forest floor", magic & (broad > 600))
    lay("thicket", magic & (patch > 650))


def _lay_fields(lay: Lay, region: dict[str, Mask], broad: Grid) -> None:
    # Strips of tilled land with grassy balks, where people live.
    x, y = np.arange(WIDTH)[None, :], np.arange(HEIGHT)[:, None]
    balk = (x % 13 < 2) | (y % 10 < 2)
    chosen = hash_grid(8, WIDTH // 13 + 1, HEIGHT // 10 + 1)[y // 10, x // 13] > 560
    lay("farmland", region["c"] & ~balk & chosen)
    lay("thicket", region["c"] & (broad > 660))


def _lay_high(lay: Lay, region: dict[str, Mask], broad: Grid, patch: Grid, ridge: Grid) -> None:
    mountain, massif, snow = region["m"], region["M"], region["s"] | region["C"]
    north = np.broadcast_to(np.arange(HEIGHT)[:, None] < _SNOW_LINE, broad.shape)
    lay("grass", mountain & (broad < 390))
    lay("snow", mountain & north & (broad > 620))
    lay("cliff", mountain & (ridge > 890) & (patch > 420))
    lay("cliff", massif & (ridge > 330))
    lay("snow", massif & (ridge <= 330) & (broad > 500))
    lay("ice", snow & (broad < 340))
    lay("cliff", snow & (ridge > 940) & (patch > 500))
    lay("thicket", snow & (broad > 540) & (patch > 630))


def _lay_hot(lay: Lay, region: dict[str, Mask], broad: Grid, patch: Grid, ridge: Grid) -> None:
    desert, volcano = region["d"], region["v"]
    # Crests of sand between the dunes, a few mesas, and scrub where it is least dry.
    lay("sand", desert & (ridge > 780))
    lay("rock floor", desert & (broad > 570) & (patch > 480))
    lay("cliff", desert & (broad > 590) & (patch > 590))
    lay("grass", desert & (broad < 330))
    lay("rock floor", volcano & (broad > 570))
    lay("cliff", volcano & (broad > 610) & (patch > 520))
    lay("lava", volcano & (ridge > 945) & (broad <= 610))


def _lay_wet(lay: Lay, region: dict[str, Mask], broad: Grid, patch: Grid) -> None:
    swamp, sea, lake = region["w"], region["~"], region["l"]
    lay("grass", swamp & (broad > 580))
    lay("forest floor", swamp & (broad > 620))
    lay("shallow water", swamp & (patch > 600) & (broad < 580))
    lay("thicket", swamp & (patch < 340))
    lay("deep water", sea)
    lay("shallow water", lake)
    shore = near(~(sea | lake), 3)
    for reach in range(3, 12):
        # The shelf is wide where the noise is high: shallows with bays instead of an even rim.
        lay("shallow water", sea & shore & (broad > 280 + (reach - 4) * 50))
        shore = near(shore, 1)
    lay("deep water", lake & ~near(~lake, 5))
    beach = near(sea, 2)
    soft = region["g"] | region["f"] | region["d"] | region["y"] | region["D"]
    for reach in range(2, 14):
        lay("sand", soft & beach & (patch > 250 + (reach - 2) * 70))
        lay("sand", region["k"] & beach & (patch > 200 + (reach - 2) * 35))
        beach = near(beach, 1)


def _lay_ruins(lay: Lay, region: dict[str, Mask], patch: Grid) -> None:
    ruins = region["r"]
    speck = hash_grid(6, WIDTH, HEIGHT)
    lay("grass", ruins & (patch < 440))
    # Broken walls stand on the lines of a lost street grid.
    x, y = np.arange(WIDTH)[None, :] % 11, np.arange(HEIGHT)[:, None] % 9
    street = ((x == 0) & (y > 1)) | ((y == 0) & (x > 2))
    lay("wall", ruins & street & (patch >= 440) & (speck > 300))
