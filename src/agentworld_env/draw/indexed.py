"""Small pictures of land: few colours, one byte a tile, no grain, written without pillow."""

from __future__ import annotations

import zlib
from struct import pack

import numpy as np

from agentworld_env.draw.relief import Pixels, relief
from agentworld_env.world.terrain import Terrain

_MOST_COLOURS = 256
_STEPS = (8, 10, 12, 16, 20, 24, 32)
"""How coarse colours may become until they are few enough."""

Box = tuple[int, int, int, int]


def land_png(terrain: Terrain, box: Box) -> bytes:
    """Returns a part of the land as a PNG of one pixel per tile, small enough to be embedded in a page.

    Args:
        terrain: The land.
        box: First column, first row, last column and last row (tiles), inclusive.
    """
    x0, y0, x1, y1 = box
    return indexed_png(relief(terrain, grain=False)[y0 : y1 + 1, x0 : x1 + 1])


def indexed_png(pixels: Pixels) -> bytes:
    """Returns a picture as a PNG of at most 256 colours, the finest of which are evened out.

    Args:
        pixels: Indexed [row, column, red/green/blue].
    """
    for step in _STEPS:
        # The middle of each step, so that nothing becomes darker on the whole.
        coarse = np.minimum(pixels.astype(np.uint32) // step * step + step // 2, 255)
        keys = coarse[..., 0] << 16 | coarse[..., 1] << 8 | coarse[..., 2]
        colours, index = np.unique(keys, return_inverse=True)
        if len(colours) <= _MOST_COLOURS:
            break
    rows, columns = pixels.shape[:2]
    index = index.reshape(rows, columns).astype(np.uint8)
    palette = b"".join(int(colour).to_bytes(3, "big") for colour in colours)
    lines = np.concatenate([np.zeros((rows, 1), dtype=np.uint8), index], axis=1).tobytes()
    header = pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return pack(">I", len(content)) + kind + content + pack(">I", zlib.crc32(kind + content))
