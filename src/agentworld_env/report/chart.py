"""A picture of success rates with their intervals; needs Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from agentworld_env.report.summary import RunSummary

_LEFT, _RIGHT, _TOP, _ROW, _BOTTOM = 330, 60, 40, 36, 40
_WIDTH = 560
_INK, _GRID, _BAR = (30, 30, 30), (215, 215, 215), (88, 129, 172)


def draw_rates(runs: Sequence[RunSummary], path: str | Path) -> None:
    """Draws one bar per run: its success rate and the 95 % interval.

    Args:
        runs: The runs.
        path: The PNG file.
    """
    height = _TOP + _ROW * len(runs) + _BOTTOM
    image = Image.new("RGB", (_LEFT + _WIDTH + _RIGHT, height), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(14)
    draw.text((12, 10), "Success rate in percent, with 95 % interval", fill=_INK, font=font)
    for mark in range(0, 101, 20):
        x = _LEFT + _WIDTH * mark // 100
        draw.line((x, _TOP, x, height - _BOTTOM), fill=_GRID)
        draw.text((x, height - _BOTTOM + 8), str(mark), fill=_INK, font=font, anchor="ma")
    for k, run in enumerate(runs):
        y = _TOP + _ROW * k + _ROW // 2
        draw.text((_LEFT - 10, y), f"{run.label[:38]} ({run.episodes})", fill=_INK, font=font, anchor="rm")
        if run.sr is None:
            continue
        mean = _LEFT + round(_WIDTH * run.sr.mean)
        draw.rectangle((_LEFT, y - 9, mean, y + 9), fill=_BAR)
        if run.sr.low is None or run.sr.high is None:
            continue
        low, high = (_LEFT + round(_WIDTH * value) for value in (run.sr.low, run.sr.high))
        draw.line((low, y, high, y), fill=_INK, width=2)
        for x in (low, high):
            draw.line((x, y - 5, x, y + 5), fill=_INK, width=2)
    image.save(path, "PNG")
