"""The tables of features and of the menu in ``docs/reinforcement_learning.md``, made from the code."""

from __future__ import annotations

from agentworld_env.env.discrete.slots import SEGMENTS, SIZE, START
from agentworld_env.env.features.layout import STATUS, layout_of
from agentworld_env.world import load_world

_TYPES = {"f4": "float32", "i4": "int32", "u1": "uint8"}


def feature_table() -> str:
    """Returns the fields of an observation as a table in Markdown."""
    layout = layout_of(load_world())
    lines = ["| field | shape | type | range | holds |", "| --- | --- | --- | --- | --- |"]
    for field in layout.fields:
        shape = " x ".join(map(str, field.shape))
        about = "the agent itself, see below" if field.name == "status" else field.about.replace("``", "`")
        spread = f"{field.low:g} to {field.high:g}"
        lines.append(f"| `{field.name}` | {shape} | {_TYPES[field.dtype]} | {spread} | {about} |")
    lines += ["", f"One agent's features are {layout.size:,} bytes. The entries of `status`:", ""]
    lines += ["| index | name | holds |", "| ---: | --- | --- |"]
    lines += [f"| {k} | {name} | {about} |" for k, (name, about) in enumerate(STATUS)]
    return "\n".join(lines)


def menu_table() -> str:
    """Returns the segments of the menu as a table in Markdown."""
    lines = [
        "| indices | segment | tool | axes, last one fastest | does |",
        "| --- | --- | --- | --- | --- |",
    ]
    for segment in SEGMENTS:
        start = START[segment.name]
        last = start + segment.size - 1
        indices = f"{start}" if segment.size == 1 else f"{start}-{last}"
        shape = " x ".join(map(str, segment.shape)) if segment.slots else ""
        axes = f"{shape}: {segment.slots}" if shape else "one"
        lines.append(f"| {indices} | `{segment.name}` | `{segment.tool}` | {axes} | {segment.about} |")
    lines += ["", f"The menu has {SIZE:,} indices."]
    return "\n".join(lines)


TABLES = {"features": feature_table, "menu": menu_table}
"""Name of the mark in the page -> what makes the table after it."""


def with_tables(page: str) -> str:
    """Returns a page with the tables between its marks made anew.

    Args:
        page: Markdown in which every table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.

    Raises:
        ValueError: If a mark is missing.
    """
    for name, table in TABLES.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"the page needs {begin} and {end}, once each")
        before, rest = page.split(begin)
        after = rest.split(end)[1]
        page = f"{before}{begin}\n\n{table()}\n\n{end}{after}"
    return page


def main() -> None:
    """Makes the tables of ``docs/reinforcement_learning.md`` in the working directory anew."""
    from pathlib import Path

    path = Path("docs/reinforcement_learning.md")
    path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
