"""The ground of the world: what every tile is, which biome it belongs to, and where an agent may walk."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from importlib import resources

from agentworld_env.errors import AgentWorldError
from agentworld_env.world.geometry import HEIGHT, WIDTH

BIOMES: tuple[str, ...] = (
    "wilderness",
    "coastal",
    "mountain",
    "frozen",
    "magical",
    "dragon_lair",
    "ruins",
    "castle",
    "dark_forest",
)
"""The nine published biomes. The code of a tile is the index here; the sea is coastal."""

_KINDS: tuple[tuple[str, bool], ...] = (
    ("deep water", False),
    ("shallow water", False),
    ("sand", True),
    ("grass", True),
    ("forest floor", True),
    ("thicket", False),
    ("marsh", True),
    ("rock floor", True),
    ("cliff", False),
    ("snow", True),
    ("ice", True),
    ("lava", False),
    ("ash", True),
    ("ruins floor", True),
    ("wall", False),
    ("road", True),
    ("bridge", True),
    ("cave floor", True),
    ("dune", True),
    ("glade", True),
    ("paving", True),
    ("farmland", True),
)
GROUND: tuple[str, ...] = tuple(name for name, _ in _KINDS)
"""Names of the kinds of ground. The code of a tile is the index here."""

GROUND_CODE: dict[str, int] = {name: i for i, name in enumerate(GROUND)}
BIOME_CODE: dict[str, int] = {name: i for i, name in enumerate(BIOMES)}

WALKABLE_GROUND: frozenset[str] = frozenset(name for name, walkable in _KINDS if walkable)
"""The kinds of ground that an agent may stand on."""

WATER_GROUND: frozenset[str] = frozenset({"deep water", "shallow water"})
"""The kinds of ground that are water; fishing spots lie in it."""

_WALKABLE_TABLE = bytes(1 if i < len(_KINDS) and _KINDS[i][1] else 0 for i in range(256))


class Terrain:
    """An immutable map of tiles, row-major: tile (x, y) has index ``y * width + x``.

    Args:
        ground: One code per tile, an index into ``GROUND``.
        biome: One code per tile, an index into ``BIOMES``.
        walkable: One byte per tile, 1 where an agent may stand; None derives it from the ground.
        width: Columns (tiles).
        height: Rows (tiles).
    """

    __slots__ = ("biome", "ground", "height", "walkable", "width")

    def __init__(
        self,
        ground: bytes,
        biome: bytes,
        walkable: bytes | None = None,
        *,
        width: int = WIDTH,
        height: int = HEIGHT,
    ) -> None:
        if walkable is None:
            walkable = ground.translate(_WALKABLE_TABLE)
        if not len(ground) == len(biome) == len(walkable) == width * height:
            raise ValueError(f"every plane of the terrain must hold {width} x {height} tiles")
        self.ground = ground
        self.biome = biome
        self.walkable = walkable
        self.width = width
        self.height = height

    def biome_at(self, x: int, y: int) -> str:
        """Returns the name of a tile's biome.

        Args:
            x: Column (tiles).
            y: Row (tiles).
        """
        return BIOMES[self.biome[self._index(x, y)]]

    def ground_at(self, x: int, y: int) -> str:
        """Returns the name of a tile's ground.

        Args:
            x: Column (tiles).
            y: Row (tiles).
        """
        return GROUND[self.ground[self._index(x, y)]]

    def is_walkable(self, x: int, y: int) -> bool:
        """Returns whether an agent may stand on a tile; False outside the map.

        Args:
            x: Column (tiles).
            y: Row (tiles).
        """
        return 0 <= x < self.width and 0 <= y < self.height and self.walkable[y * self.width + x] == 1

    def is_water(self, x: int, y: int) -> bool:
        """Returns whether a tile is water; False outside the map.

        Args:
            x: Column (tiles).
            y: Row (tiles).
        """
        return 0 <= x < self.width and 0 <= y < self.height and self.ground_at(x, y) in WATER_GROUND

    def with_blocked(self, tiles: Iterable[tuple[int, int]]) -> Terrain:
        """Returns the same land with more tiles that nobody can walk on, such as those of trees and rocks.

        Args:
            tiles: Tiles (x, y) to block.
        """
        walkable = bytearray(self.walkable)
        for x, y in tiles:
            walkable[self._index(x, y)] = 0
        return Terrain(self.ground, self.biome, bytes(walkable), width=self.width, height=self.height)

    def _index(self, x: int, y: int) -> int:
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f"tile ({x}, {y}) lies outside the map of {self.width} x {self.height} tiles")
        return y * self.width + x


def pack_terrain(ground: bytes, biome: bytes) -> bytes:
    """Returns the content of ``terrain.bin``: both planes, compressed.

    Args:
        ground: One code per tile, an index into ``GROUND``.
        biome: One code per tile, an index into ``BIOMES``.
    """
    return zlib.compress(ground + biome, 9)


def unpack_terrain(packed: bytes) -> tuple[bytes, bytes]:
    """Returns the ground plane and the biome plane of a ``terrain.bin``.

    Args:
        packed: Content of the file.

    Raises:
        AgentWorldError: The content does not hold two planes of the world's size.
    """
    try:
        planes = zlib.decompress(packed)
    except zlib.error as error:
        raise AgentWorldError(f"terrain.bin cannot be unpacked: {error}; install the package anew") from error
    if len(planes) != 2 * WIDTH * HEIGHT:
        raise AgentWorldError(f"terrain.bin must hold two planes of {WIDTH} x {HEIGHT} tiles")
    return planes[: WIDTH * HEIGHT], planes[WIDTH * HEIGHT :]


def load_terrain() -> Terrain:
    """Returns the terrain that ships with the package, without the trees and rocks on it."""
    packed = (resources.files("agentworld_env.world") / "data" / "terrain.bin").read_bytes()
    ground, biome = unpack_terrain(packed)
    return Terrain(ground, biome)
