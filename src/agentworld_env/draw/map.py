"""The map of the world as a PNG: land, resources, mobs, people, portals, names and a legend."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agentworld_env.draw import palette
from agentworld_env.draw.palette import Colour
from agentworld_env.draw.relief import relief
from agentworld_env.errors import AgentWorldError, needs, quoted
from agentworld_env.world.world import World

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

Box = tuple[float, float, float, float]

LEGEND_HEIGHT = 84
"""Height of the legend below the land (pixels at scale 1)."""

_RANK = {"region": 0, "town": 1, "lair": 2, "coast": 3, "mine": 3, "cave": 4, "forest": 5, "camp": 6}
_GROUND_SHOWN = (
    *("grass", "forest floor", "thicket", "farmland", "sand", "dune", "marsh", "glade"),
    *("rock floor", "cliff", "snow", "ice", "ash", "lava", "ruins floor", "shallow water"),
    *("deep water", "road", "bridge", "wall"),
)


def world_map(world: World, path: str | Path, *, scale: int = 1) -> Path:
    """Writes the map of a world as a PNG and returns its path.

    Args:
        world: The world to draw.
        path: Where the picture goes; its directory is made if it does not exist.
        scale: Pixels per tile, 1 to 8. Names that would overlap others are left out; a larger scale shows more.

    Raises:
        AgentWorldError: Pillow is missing, the scale is out of range, or the path does not end in ``.png``.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise AgentWorldError(f"{quoted(str(path))}: expected a file that ends in .png, such as map.png")
    if not 1 <= scale <= 8:
        raise AgentWorldError(f"scale must be 1 to 8 pixels per tile, not {scale}")
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise AgentWorldError(needs("drawing", "pillow", "draw")) from error
    land = Image.fromarray(relief(world.terrain))
    width, height = land.width * scale, land.height * scale
    picture = Image.new("RGB", (width, height + LEGEND_HEIGHT * scale), palette.PAPER)
    picture.paste(land.resize((width, height), Image.Resampling.NEAREST), (0, 0))
    pen = ImageDraw.Draw(picture)
    _draw_markers(pen, world, scale)
    _draw_names(pen, world, scale, (width, height))
    _draw_legend(pen, world, scale, height)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, format="PNG")
    return path


def _draw_markers(pen: ImageDraw.ImageDraw, world: World, scale: int) -> None:
    for node, kind in zip(world.nodes, world.kind_of_node, strict=True):
        _dot(pen, node.x, node.y, scale, 0, palette.NODE_COLOURS[kind.family])
    for mob in world.mob_spawns:
        _dot(pen, mob.x, mob.y, scale, 0, palette.MOB_COLOUR)
    for portal in world.portals.values():
        _dot(pen, portal.x, portal.y, scale, 2, palette.PORTAL_COLOUR, palette.PAPER)
    for npc in world.npcs.values():
        _dot(pen, npc.x, npc.y, scale, 1, palette.NPC_COLOUR, palette.INK)
    for spawn in world.named_spawns.values():
        _dot(pen, spawn.x, spawn.y, scale, 2, palette.BOSS_COLOUR, palette.PAPER)


def _dot(
    pen: ImageDraw.ImageDraw,
    x: int,
    y: int,
    scale: int,
    reach: int,
    colour: Colour,
    rim: Colour | None = None,
) -> None:
    """Draws a marker on a tile that covers ``reach`` tiles each way."""
    box = ((x - reach) * scale, (y - reach) * scale, (x + reach + 1) * scale - 1, (y + reach + 1) * scale - 1)
    if rim is None:
        pen.rectangle(box, fill=colour)
    else:
        pen.ellipse(box, fill=colour, outline=rim)


def _draw_names(pen: ImageDraw.ImageDraw, world: World, scale: int, size: tuple[int, int]) -> None:
    taken: list[Box] = []
    for place in sorted(world.places.values(), key=lambda place: (_RANK[place.kind], place.key)):
        region = place.kind == "region"
        font = _font(15 if region else 9, scale)
        text = place.name.upper() if region else place.name
        for anchor_x, anchor_y, anchor in _spots(place.x * scale, place.y * scale, scale, region):
            left, top, right, bottom = pen.textbbox((anchor_x, anchor_y), text, font=font, anchor=anchor)
            box = (left - 2, top - 1, right + 2, bottom + 1)
            if _fits(box, size) and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                pen.text(
                    (anchor_x, anchor_y),
                    text,
                    fill=palette.INK,
                    font=font,
                    anchor=anchor,
                    stroke_width=scale if region else max(1, scale // 2),
                    stroke_fill=palette.PAPER,
                )
                break


def _spots(x: int, y: int, scale: int, region: bool) -> Iterator[tuple[int, int, str]]:
    """Yields where a name may go, the best first: beside its place, or upon it for regions."""
    if region:
        for dy in (0, -22, 22, -44, 44):
            yield x, y + dy * scale, "mm"
        return
    gap = 4 * scale
    yield x + gap, y, "lm"
    yield x - gap, y, "rm"
    yield x, y - gap, "mb"
    yield x, y + gap, "mt"


def _fits(box: Box, size: tuple[int, int]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _draw_legend(pen: ImageDraw.ImageDraw, world: World, scale: int, top: int) -> None:
    pen.line((0, top, world.width * scale, top), fill=palette.INK, width=scale)
    font = _font(9, scale)
    title = f"The world, {world.width} x {world.height} tiles"
    pen.text((8 * scale, top + 12 * scale), title, fill=palette.INK, font=_font(12, scale), anchor="lm")
    for i, name in enumerate(_GROUND_SHOWN):
        x, y = (8 + i % 10 * 104) * scale, top + (24 + i // 10 * 16) * scale
        box = (x, y, x + 12 * scale, y + 10 * scale)
        pen.rectangle(box, fill=palette.GROUND_COLOURS[name], outline=palette.INK)
        pen.text((x + 16 * scale, y + 5 * scale), name, fill=palette.INK, font=font, anchor="lm")
    markers = (
        [(family, colour, 0) for family, colour in palette.NODE_COLOURS.items()]
        + [("mob", palette.MOB_COLOUR, 0), ("named boss", palette.BOSS_COLOUR, 2)]
        + [("person or site", palette.NPC_COLOUR, 1), ("portal", palette.PORTAL_COLOUR, 2)]
    )
    for i, (name, colour, reach) in enumerate(markers):
        x, y = 14 + i * 104, top // scale + 68
        _dot(pen, x, y, scale, max(reach, 2), colour, palette.INK)
        pen.text(((x + 10) * scale, y * scale), name, fill=palette.INK, font=font, anchor="lm")


def _font(size: int, scale: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size * scale)
