"""Writing to the terminal: rich where a person reads, plain lines in files and pipes, JSON on request."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from agentworld_env.report import Story, StoryLine, Table

_STYLES = {
    "title": "bold",
    "round": "bold cyan",
    "failed": "yellow",
    "said": "magenta",
    "asleep": "dim",
    "world": "red",
    "reached": "bold green",
    "broken": "bold red",
}


def line(text: str = "") -> None:
    """Writes a line to the standard output."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """Writes a remark to the standard error, so that the output stays what was asked for."""
    sys.stderr.write(text + "\n")


def data(value: Any) -> None:
    """Writes a value as indented JSON."""
    import msgspec

    line(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def table(value: Table) -> None:
    """Writes a table."""
    if _for_people():
        _console().print(value.rich())
    else:
        line(value.plain())


def story(teller: Story, entry: StoryLine) -> None:
    """Writes a line of a story."""
    text = teller.plain(entry)
    style = _STYLES.get(entry.kind)
    if style is not None and _for_people():
        _console().print(text, style=style, markup=False, highlight=False, emoji=False, soft_wrap=True)
    else:
        line(text)
    sys.stdout.flush()


def _for_people() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ


@cache
def _console() -> Console:
    from rich.console import Console

    return Console()
