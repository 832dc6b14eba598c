"""HTML for notebooks, in which objects show themselves. Everything that is put in is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_block(title: str, *lines: str, body: str = "") -> str:
    """Returns a title, paragraphs below it, and what follows them.

    Args:
        title: The title, as plain text.
        lines: Paragraphs, as plain text; empty ones are left out.
        body: What follows, as HTML.
    """
    paragraphs = "".join(f'<p style="margin: 2px 0">{escape(line)}</p>' for line in lines if line)
    return f'<div style="max-width: 100ch"><b>{escape(title)}</b>{paragraphs}{body}</div>'


def html_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Iterable[int] = (),
    caption: str = "",
) -> str:
    """Returns a table.

    Args:
        columns: Heads of the columns.
        rows: Its rows; cells are shown as plain text.
        right: Columns that are set flush right, by index.
        caption: Its title, or empty.
    """
    sides = ["right" if i in set(right) else "left" for i in range(len(columns))]
    head = "".join(_cell("th", column, side) for column, side in zip(columns, sides, strict=True))
    lines = ["".join(_cell("td", cell, side) for cell, side in zip(row, sides, strict=True)) for row in rows]
    title = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(kind: str, value: object, side: str) -> str:
    # A style of its own for each cell: notebooks set table cells flush right.
    return f'<{kind} style="text-align: {side}">{escape(str(value))}</{kind}>'
