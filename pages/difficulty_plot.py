"""The picture of the tasks' difficulty: every task as a bar of four parts, and how each figure spreads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentworld_env.errors import AgentWorldError, needs
from pages.difficulty import LEVELS, Figures, Parts, level, parts, score

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

_SCALE = 2
"""Pixels per unit of the layout; the picture is drawn at twice that and made smaller, for smooth edges."""
_FINE = 2 * _SCALE
_SIZE = (1040, 628)
_INK, _FAINT, _PAPER = (40, 44, 52), (222, 225, 230), (255, 255, 255)
_GREY = (110, 116, 126)
# Told apart by people with any colour vision (Okabe and Ito's set).
_COLOURS = {"time": (230, 159, 0), "team": (0, 114, 178), "talk": (0, 158, 115), "way": (204, 121, 167)}
_LEGEND = {
    "time": "budget used",
    "team": "necessary role groups",
    "talk": "hand-overs and joint acts",
    "way": "tiles walked",
}

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]


class _Panel(NamedTuple):
    """A histogram: title, what it counts, lower edges of the classes, whether each is one number, part of the score."""

    title: str
    value: Callable[[Figures], float]
    edges: tuple[int, ...]
    single: bool
    part: str


_PANELS = (
    _Panel(
        "planner's rounds / budget (%)",
        lambda figures: 100 * figures.use,
        (0, 10, 20, 30, 40, 50, 60, 70, 80, 90),
        False,
        "time",
    ),
    _Panel("necessary role groups", lambda figures: figures.groups, (2, 3, 4, 5, 6, 7, 8), True, "team"),
    _Panel(
        "hand-overs + joint acts",
        lambda figures: figures.handovers + figures.joint,
        (0, 2, 4, 6, 8, 12, 16, 24),
        False,
        "talk",
    ),
    _Panel(
        "tiles walked by the team",
        lambda figures: figures.tiles,
        (0, 50, 100, 250, 500, 1000, 2500, 5000),
        False,
        "way",
    ),
)


def draw(rows: Sequence[Figures], path: Path) -> None:
    """Draws the picture.

    Args:
        rows: Figures of the tasks.
        path: PNG file to write.

    Raises:
        AgentWorldError: Pillow is missing.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise AgentWorldError(needs("drawing", "pillow", "draw")) from error
    canvas = _Canvas()
    _title(canvas, rows)
    _bars(
        canvas, sorted(rows, key=lambda figures: (score(figures), sum(parts(figures)))), (56, 78, 1024, 370)
    )
    width = (_SIZE[0] - 56 - 16) // len(_PANELS)
    for i, panel in enumerate(_PANELS):
        _histogram(canvas, panel, rows, (56 + i * width, 458, 56 + (i + 1) * width - 26, 600))
    small = canvas.image.resize((_SIZE[0] * _SCALE, _SIZE[1] * _SCALE), Image.Resampling.LANCZOS)
    small.quantize(64).save(path, optimize=True)


class _Canvas:
    """Draws in units of the layout."""

    def __init__(self) -> None:
        from PIL import Image, ImageDraw

        self.image: Image.Image = Image.new("RGB", (_SIZE[0] * _FINE, _SIZE[1] * _FINE), _PAPER)
        self._pen: ImageDraw.ImageDraw = ImageDraw.Draw(self.image)
        self._fonts: dict[float, ImageFont.FreeTypeFont | ImageFont.ImageFont] = {}

    def rectangle(self, box: tuple[float, float, float, float], colour: Colour) -> None:
        x0, y0, x1, y1 = (round(v * _FINE) for v in box)
        if x1 > x0 and y1 > y0:
            self._pen.rectangle((x0, y0, x1 - 1, y1 - 1), fill=colour)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        anchor: str = "la",
        colour: Colour = _INK,
    ) -> None:
        self._pen.text((x * _FINE, y * _FINE), words, fill=colour, font=self._font(size), anchor=anchor)

    def width(self, words: str, size: float) -> float:
        """Returns how wide words are."""
        return float(self._font(size).getlength(words)) / _FINE

    def upright(self, x: float, y: float, words: str, size: float) -> None:
        """Writes upwards, so that the words end at a point."""
        from PIL import Image, ImageDraw

        font = self._font(size)
        left, top, right, bottom = font.getbbox(words)
        strip = Image.new("RGB", (int(right - left) + 2, int(bottom - top) + 2), _PAPER)
        ImageDraw.Draw(strip).text((1 - left, 1 - top), words, fill=_GREY, font=font)
        turned = strip.transpose(Image.Transpose.ROTATE_90)
        self.image.paste(turned, (round(x * _FINE - turned.width / 2), round(y * _FINE)))

    def _font(self, size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
        from PIL import ImageFont

        if size not in self._fonts:
            self._fonts[size] = ImageFont.load_default(size * _FINE)
        return self._fonts[size]


def _title(canvas: _Canvas, rows: Sequence[Figures]) -> None:
    canvas.text(56, 12, f"Difficulty of {len(rows)} tasks, from easy to hard", 19)
    x = 56.0
    for name, colour in _COLOURS.items():
        words = f"{name}: {_LEGEND[name]}"
        canvas.rectangle((x, 44, x + 11, 55), colour)
        canvas.text(x + 16, 50, words, 12, "lm")
        x += 36 + canvas.width(words, 12)


def _bars(canvas: _Canvas, rows: Sequence[Figures], box: Box) -> None:
    """Draws one stacked bar per task; its height is the score."""
    x0, y0, x1, y1 = box
    unit = (y1 - y0) / 100
    for points in range(0, 101, 20):
        y = y1 - points * unit
        canvas.rectangle((x0, y - 0.4, x1, y + 0.4), _FAINT)
        canvas.text(x0 - 8, y, str(points), 11, "rm", _GREY)
    step = (x1 - x0) / max(len(rows), 1)
    for i, figures in enumerate(rows):
        left, y = x0 + (i + 0.12) * step, float(y1)
        for part, colour in zip(parts(figures), _COLOURS.values(), strict=True):
            top = y - part * 100 * unit / len(Parts._fields)
            canvas.rectangle((left, top, left + 0.76 * step, y), colour)
            y = top
        name = figures.task.split("_")[0].lstrip("t").lstrip("0")
        canvas.upright(left + 0.38 * step, y1 + 5, name, min(9, 0.95 * step))
    first = 0
    for name, _ in LEVELS:
        count = sum(level(score(figures)) == name for figures in rows)
        if first:
            x = x0 + first * step
            canvas.rectangle((x - 0.6, y0, x + 0.6, y1), _GREY)
        canvas.text(x0 + first * step + 6, y0 + 6, f"{name}: {count} tasks", 13, "la")
        first += count
    canvas.text((x0 + x1) / 2, y1 + 26, "number of the task", 11, "ma", _GREY)


def _histogram(canvas: _Canvas, panel: _Panel, rows: Sequence[Figures], box: Box) -> None:
    x0, y0, x1, y1 = box
    counts = [0] * len(panel.edges)
    for figures in rows:
        value = panel.value(figures)
        counts[max(0, sum(value >= edge for edge in panel.edges) - 1)] += 1
    unit = (y1 - y0) / max(*counts, 1)
    step = (x1 - x0) / len(counts)
    canvas.text(x0, y0 - 36, panel.title, 12.5)
    for i, (count, edge) in enumerate(zip(counts, panel.edges, strict=True)):
        left = x0 + i * step
        canvas.rectangle((left + 1, y1 - count * unit, left + step - 1, y1), _COLOURS[panel.part])
        if count:
            canvas.text(left + step / 2, y1 - count * unit - 2, str(count), 10, "mb", _GREY)
        # A class of one number is named below its middle, a range by its edge.
        canvas.text(left + (step / 2 if panel.single else 0), y1 + 5, str(edge), 10, "ma", _GREY)
    canvas.rectangle((x0, y1, x1, y1 + 1), _GREY)
