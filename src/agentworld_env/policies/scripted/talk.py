"""The fixed chat protocol: a few sentence forms that every seat writes and reads.

A message is one or more of these sentences; whatever fits none of them is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"([\w-]+)"
_FORMS = {
    "place": re.compile(_NAME + r" is at \((\d+), (\d+)\)\."),
    "where": re.compile(r"Where is " + _NAME + r"\?"),
    "need": re.compile(r"Need (\d+) " + _NAME + r"\."),
    "share": re.compile(_NAME + r" takes (\d+) " + _NAME + r"\."),
    "killed": re.compile(r"Killed 1 " + _NAME + r"\."),
    "ready": re.compile(r"Ready for " + _NAME + r"\."),
    "strike": re.compile(r"Strike " + _NAME + r" from round (\d+)\."),
    "search": re.compile(r"Search x (\d+)-(\d+), y (\d+)-(\d+)\."),
}
"""Kind of sentence -> how it is written."""


def place(name: str, x: int, y: int) -> str:
    """Returns where somebody or something is, or where to meet."""
    return f"{name} is at ({x}, {y})."


def where(name: str) -> str:
    """Returns the question for a place."""
    return f"Where is {name}?"


def need(count: int, item: str) -> str:
    """Returns what the speaker waits for."""
    return f"Need {count} {item}."


def share(agent: str, count: int, item: str) -> str:
    """Returns what part of a quota falls to an agent."""
    return f"{agent} takes {count} {item}."


def killed(mob: str) -> str:
    """Returns the report of a kill."""
    return f"Killed 1 {mob}."


def ready(mob: str) -> str:
    """Returns that the speaker stands where it can open a fight."""
    return f"Ready for {mob}."


def strike(mob: str, round_: int) -> str:
    """Returns the order to strike in every round from one on."""
    return f"Strike {mob} from round {round_}."


def search(columns: tuple[int, int], rows: tuple[int, int]) -> str:
    """Returns the order to search a box of the map."""
    return f"Search x {columns[0]}-{columns[1]}, y {rows[0]}-{rows[1]}."


def sentences(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields the sentences of a message as (kind, what it names), kind by kind.

    Args:
        text: The message.
    """
    for kind, form in _FORMS.items():
        for match in form.finditer(text):
            yield kind, match.groups()
