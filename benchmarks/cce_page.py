"""Writing measured figures into docs/cce.md, between two marks, so that none is copied by hand."""

from __future__ import annotations

import argparse
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "cce.md"


def put(name: str, text: str, page: Path = PAGE) -> None:
    """Replaces what stands between the marks of a name.

    Args:
        name: The marks are ``<!-- measured: NAME -->`` and ``<!-- end of measured -->``.
        text: What is put there.
        page: The page.

    Raises:
        ValueError: The page has no such marks, or has them twice.
    """
    before, after = _around(name, page)
    page.write_text(f"{before}\n{text.strip()}\n\n{after}", encoding="utf-8")


def check(parser: argparse.ArgumentParser, *names: str) -> None:
    """Ends a script with one line if the page has no place for what it is to measure, before it does."""
    for name in names:
        try:
            _around(name, PAGE)
        except ValueError as error:
            parser.error(str(error))


def _around(name: str, page: Path) -> tuple[str, str]:
    """Returns what stands before and behind the figures of a name, marks included."""
    whole = page.read_text(encoding="utf-8")
    begin, end = f"<!-- measured: {name} -->\n", "<!-- end of measured -->\n"
    if whole.count(begin) != 1:
        raise ValueError(f"{page}: expected {begin.strip()} once, found it {whole.count(begin)} times")
    before, _, rest = whole.partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise ValueError(f"{page}: {begin.strip()} has no end")
    return before + begin, end + after
