"""The messages that policies without language can send, and how they are read: plain sentences for everybody."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_PLACE = "I am at ({x}, {y})."
_NEED = "I need {item} at ({x}, {y})."
_HAVE = "I have {count} {item} at ({x}, {y})."
_HELP = "I need help at ({x}, {y})."
_HELP_WITH = "I need help with {target} at ({x}, {y})."

_AT = r"at \((?P<x>\d{1,4}), (?P<y>\d{1,4})\)\."
_FORMS = (
    ("place", re.compile(rf"I am {_AT}")),
    ("help", re.compile(rf"I need help (?:with (?P<target>[a-z0-9_-]+) )?{_AT}")),
    ("need", re.compile(rf"I need (?P<item>[a-z0-9_-]+) {_AT}")),
    ("have", re.compile(rf"I have (?P<count>\d{{1,6}}) (?P<item>[a-z0-9_-]+) {_AT}")),
)


class Words(NamedTuple):
    """What a message says.

    Attributes:
        topic: One of ``TOPICS``.
        item: Item key, or empty.
        target: Entity id, or empty.
        units: Units, or 0.
        x: Column of the tile named, or -1.
        y: Row of the tile named, or -1.
    """

    topic: str
    item: str = ""
    target: str = ""
    units: int = 0
    x: int = -1
    y: int = -1


def say_place(x: int, y: int) -> str:
    """Returns "I am here"."""
    return _PLACE.format(x=x, y=y)


def say_need(item: str, x: int, y: int) -> str:
    """Returns "I need such an item, bring it here"."""
    return _NEED.format(item=item, x=x, y=y)


def say_have(item: str, count: int, x: int, y: int) -> str:
    """Returns "I have so many units of an item"."""
    return _HAVE.format(item=item, count=count, x=x, y=y)


def say_help(target: str, x: int, y: int) -> str:
    """Returns "help me here", with a creature if one is named.

    Args:
        target: Entity id, or empty.
        x: Column (tiles).
        y: Row (tiles).
    """
    return _HELP_WITH.format(target=target, x=x, y=y) if target else _HELP.format(x=x, y=y)


@lru_cache(maxsize=4_096)
def read_words(text: str) -> Words:
    """Returns what a message says; whatever is not of the vocabulary has the topic ``other``."""
    for topic, form in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            said = found.groupdict()
            x, y, count = int(said["x"]), int(said["y"]), int(said.get("count") or 0)
            return Words(topic, said.get("item") or "", said.get("target") or "", count, x, y)
    return Words("other")
