"""What pictures are made of. Lengths are pixels, colours ``#rrggbb``."""

from __future__ import annotations

from typing import Literal

import msgspec

Point = tuple[float, float]


class Rectangle(msgspec.Struct, frozen=True, kw_only=True):
    """A rectangle with rounded corners; ``line`` is empty for none, ``note`` is shown on hovering."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    line: str = ""
    line_width: float = 1.0
    radius: float = 0.0
    note: str = ""


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A line of text; ``y`` is its middle."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """A cubic Bezier curve through four control points, with an arrow head at its end."""

    points: tuple[Point, Point, Point, Point]
    colour: str
    width: float
    note: str = ""


Shape = Rectangle | Text | Curve


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture: shapes in the order in which they are painted."""

    width: int
    height: int
    title: str
    shapes: tuple[Shape, ...]

    def __repr__(self) -> str:
        return f"<Picture {self.title!r}, {self.width} x {self.height} pixels>"

    def _repr_svg_(self) -> str:
        from agentworld_env.report.picture.svg import svg

        return svg(self)
