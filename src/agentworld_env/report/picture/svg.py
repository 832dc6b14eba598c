"""Pictures as SVG."""

from __future__ import annotations

from html import escape

from agentworld_env.report.picture.shapes import Curve, Picture, Rectangle, Shape, Text


def svg(picture: Picture) -> str:
    """Returns a picture as an SVG document; hovering over a box or an edge tells what it is.

    Args:
        picture: The picture.
    """
    colours = sorted({shape.colour for shape in picture.shapes if isinstance(shape, Curve)})
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{picture.width}" height="{picture.height}" '
        f'viewBox="0 0 {picture.width} {picture.height}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(picture.title)}</title>",
        "<defs>",
    ]
    lines += [
        f'<marker id="head-{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.8 L8 4 L0 7.2 z" fill="{colour}"/></marker>'
        for colour in colours
    ]
    lines.append("</defs>")
    lines += [_shape(shape) for shape in picture.shapes]
    return "\n".join([*lines, "</svg>", ""])


def _shape(shape: Shape) -> str:
    if isinstance(shape, Rectangle):
        line = f' stroke="{shape.line}" stroke-width="{_n(shape.line_width)}"' if shape.line else ""
        return (
            f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}" '
            f'rx="{_n(shape.radius)}" fill="{shape.fill}"{line}{_closed("rect", shape.note)}'
        )
    if isinstance(shape, Text):
        weight = ' font-weight="bold"' if shape.bold else ""
        return (
            f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}" fill="{shape.colour}"'
            f'{weight} text-anchor="{shape.anchor}" dominant-baseline="central">{escape(shape.text)}</text>'
        )
    start, *others = (f"{_n(x)} {_n(y)}" for x, y in shape.points)
    return (
        f'<path d="M{start} C{" ".join(others)}" fill="none" stroke="{shape.colour}" '
        f'stroke-width="{_n(shape.width)}" marker-end="url(#head-{shape.colour[1:]})"'
        f"{_closed('path', shape.note)}"
    )


def _closed(tag: str, note: str) -> str:
    return f"><title>{escape(note)}</title></{tag}>" if note else "/>"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
