"""The plain form of a call: what is played is exactly what a record can hold and give back.

Policies may send anything: numbers of NumPy, NaN, integers of a million digits, text that no file can encode, objects.
A call is brought into plain JSON before it is played, so that the recorded call is the executed one. What cannot be
kept as it is becomes text in its place, which no tool mistakes for a valid argument of the original kind.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import msgspec

from agentworld_env.tools.spec import MAX_TEXT

LONGEST_NAME = 100
"""Longest tool or argument name that is kept (characters); no real one is as long."""

MOST_ENTRIES = 16
"""So many entries of an object or list are kept."""

DEEPEST = 3
"""So many levels of objects and lists are kept; no tool takes nested values."""

MOST_BYTES = 64 * 1024
"""Longest JSON text of a call's arguments that is kept (bytes)."""

LARGEST = 2**53
"""Greatest magnitude of a whole number that every reader of JSON keeps exactly."""


def canonical_call(call: Any) -> dict[str, Any]:
    """Returns a call in plain JSON: dicts with sorted text keys, lists, text, finite numbers, booleans, None.

    Applying it twice changes nothing. A call that is no mapping becomes one without a tool, which fails when played.

    Args:
        call: Whatever a policy sent.
    """
    if not isinstance(call, Mapping):
        call = {"tool": None, "arguments": {"sent": call}}
    plain: dict[str, Any] = {}
    tool = call.get("tool")
    plain["tool"] = _text(tool, LONGEST_NAME) if isinstance(tool, str) else _plain(tool, 1)
    if "arguments" in call:
        arguments = _plain(call["arguments"], DEEPEST)
        size = len(msgspec.json.encode(arguments))
        plain["arguments"] = arguments if size <= MOST_BYTES else f"arguments of {size} bytes"
    return plain


def _plain(value: Any, levels: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, MAX_TEXT)
    if isinstance(value, numbers.Integral):
        whole = int(value)
        return whole if abs(whole) <= LARGEST else f"a whole number of {whole.bit_length()} bits"
    if isinstance(value, numbers.Real):
        return _number(value)
    if isinstance(value, Mapping | list | tuple):
        if levels == 0:
            return "values nested too deeply"
        if isinstance(value, Mapping):
            return _object(value, levels - 1)
        return [_plain(part, levels - 1) for part in value[:MOST_ENTRIES]]
    # Never its repr: that may hold a memory address, and equal episodes must have equal records.
    return f"a {_text(type(value).__name__, LONGEST_NAME)}"


def _number(value: Any) -> Any:
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return "a number that is too large"
    return number if math.isfinite(number) else str(number)


def _object(value: Mapping[Any, Any], levels: int) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for key, part in value.items():
        name = _text(key if isinstance(key, str) else str(_plain(key, 0)), LONGEST_NAME)
        named[name] = _plain(part, levels)
        if len(named) == MOST_ENTRIES:
            break
    return dict(sorted(named.items()))


def _text(text: str, limit: int) -> str:
    cut = text[:limit]
    return str(cut) if cut.isascii() else cut.encode("utf-8", "replace").decode("utf-8")
