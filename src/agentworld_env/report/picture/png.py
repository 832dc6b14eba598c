"""Pictures as PNG. Pillow is loaded only when one is drawn."""

from __future__ import annotations

from functools import cache
from math import atan2, cos, sin
from pathlib import Path
from typing import TYPE_CHECKING

from agentworld_env.errors import AgentWorldError, needs
from agentworld_env.report.picture.shapes import Curve, Picture, Point, Rectangle, Text

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

_FINER = 2
"""Drawn so many times as large and then scaled down, which smooths all edges."""

LARGEST = 60_000_000
"""Most pixels of a picture."""

_STEPS = 28
_HEAD = 7.0


def require_pillow() -> None:
    """Makes sure that a picture can be drawn, before it is worked out.

    Raises:
        AgentWorldError: Pillow is not installed; the message says how to get it.
    """
    try:
        import PIL.Image  # noqa: F401 - asked for by its effect
    except ImportError as error:
        raise AgentWorldError(needs("a PNG picture", "pillow", "draw") + "; or write .svg") from error


def png(picture: Picture, path: str | Path) -> None:
    """Draws a picture into a PNG file.

    Args:
        picture: The picture.
        path: The file.

    Raises:
        AgentWorldError: Pillow is not installed, or the picture is too large.
    """
    require_pillow()
    from PIL import Image, ImageDraw

    size = picture.width * picture.height
    if size > LARGEST:
        raise AgentWorldError(
            f"the picture would have {size} pixels, more than {LARGEST}; write .svg instead"
        )
    finer = _FINER if size * _FINER**2 <= LARGEST else 1
    image = Image.new("RGB", (picture.width * finer, picture.height * finer), "#ffffff")
    draw = ImageDraw.Draw(image)
    for shape in picture.shapes:
        if isinstance(shape, Rectangle):
            _rectangle(draw, shape, finer)
        elif isinstance(shape, Curve):
            _curve(draw, shape, finer)
        else:
            _text(draw, shape, finer)
    image.resize((picture.width, picture.height), Image.Resampling.LANCZOS).save(path, format="PNG")


def _rectangle(draw: ImageDraw, shape: Rectangle, finer: int) -> None:
    x0, y0 = shape.x * finer, shape.y * finer
    x1, y1 = x0 + shape.width * finer - 1, y0 + shape.height * finer - 1
    draw.rounded_rectangle(
        (x0, y0, max(x0, x1), max(y0, y1)),
        radius=shape.radius * finer,
        fill=shape.fill,
        outline=shape.line or None,
        width=round(shape.line_width * finer),
    )


def _curve(draw: ImageDraw, shape: Curve, finer: int) -> None:
    points = [_at(shape.points, step / _STEPS) for step in range(_STEPS + 1)]
    (bx, by), (ex, ey) = points[-3], points[-1]
    angle = atan2(ey - by, ex - bx)
    points[-1] = (ex - 0.7 * _HEAD * cos(angle), ey - 0.7 * _HEAD * sin(angle))
    scaled = [(x * finer, y * finer) for x, y in points]
    draw.line(scaled, fill=shape.colour, width=max(1, round(shape.width * finer)), joint="curve")
    wings = [(ex - _HEAD * cos(angle + turn), ey - _HEAD * sin(angle + turn)) for turn in (-0.42, 0.42)]
    draw.polygon([(x * finer, y * finer) for x, y in ((ex, ey), *wings)], fill=shape.colour)


def _at(points: tuple[Point, Point, Point, Point], t: float) -> Point:
    """Returns the point of a Bezier curve at a share of its course."""
    s = 1 - t
    weights = (s**3, 3 * s * s * t, 3 * s * t * t, t**3)
    return (
        sum(w * x for w, (x, _) in zip(weights, points, strict=True)),
        sum(w * y for w, (_, y) in zip(weights, points, strict=True)),
    )


def _text(draw: ImageDraw, shape: Text, finer: int) -> None:
    anchor = {"start": "lm", "middle": "mm", "end": "rm"}[shape.anchor]
    draw.text(
        (shape.x * finer, shape.y * finer),
        shape.text,
        fill=shape.colour,
        font=_font(round(shape.size * finer)),
        anchor=anchor,
        # The built-in face has one weight; a thin outline in the same colour makes it look bold.
        stroke_width=0.3 * finer if shape.bold else 0,
    )


@cache
def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)  # type: ignore[return-value]
