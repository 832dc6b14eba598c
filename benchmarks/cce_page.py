"""Writing measured figures into docs/cce.md, between two marks, so that none is copied by hand."""

from __future__ import annotations

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
    whole = page.read_text(encoding="utf-8")
    begin, end = f"<!-- measured: {name} -->\n", "<!-- end of measured -->\n"
    if whole.count(begin) != 1:
        raise ValueError(f"{page} holds {whole.count(begin)} times {begin.strip()}")
    before, _, rest = whole.partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise ValueError(f"{page}: {begin.strip()} has no end")
    page.write_text(f"{before}{begin}\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
