"""Reads a model's reply as one tool call, or says why it is none."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from agentworld_env.errors import hint
from agentworld_env.models.replies import Reply
from agentworld_env.models.thoughts import CLOSE, OPEN
from agentworld_env.policies.protocol import Call
from agentworld_env.sim.events import Result
from agentworld_env.tools import TOOLS, parse

_LONGEST_NAME = 100
_LONGEST_ARGUMENTS = 2_000
_LONGEST_TEXT = 20_000
_MOST_BRACES = 200
_DEEPEST = 16
_LARGEST = 2**53

_DECODER = json.JSONDecoder()


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A reply, read.

    Attributes:
        call: The tool call; if not ``usable``, as much of it as there was, in a shape that fails as a call.
        usable: Whether it is a well-formed call of a tool that exists; whether the world allows it, only playing tells.
        problem: Why the reply is not usable; empty if it is.
        surplus: Calls that the reply held beyond the first, which alone counts.
    """

    call: Call
    usable: bool
    problem: str = ""
    surplus: int = 0


def read_call(reply: Reply, tools: Collection[str]) -> Reading:
    """Reads a reply as one tool call.

    The first tool call counts. A reply without any may hold it in its text, as
    ``{"tool": ..., "arguments": ...}``. Arguments that the tool's schema does not allow make it no legal call, by the
    same rules by which the environment reads them; what the world makes of it is for the environment to judge.

    Args:
        reply: The model's reply.
        tools: Names of the tools that exist in the turn.
    """
    asked: list[tuple[Any, Any]] = [(request.name, request.arguments) for request in reply.requests]
    if not asked:
        asked = [(found["tool"], found.get("arguments", {})) for found in _objects(reply.text)]
    if not asked:
        cut = reply.finish == "length"
        problem = "it was cut off before a tool call" if cut else "it holds no tool call"
        return Reading(call={"tool": "", "arguments": {}}, usable=False, problem=problem)
    surplus = len(asked) - 1
    tool, given = asked[0]
    arguments = _arguments(given)
    name = tool[:_LONGEST_NAME] if isinstance(tool, str) else ""
    # Arguments that are no object stay as they are, so that the call fails instead of running without them.
    call: Call = {"tool": name, "arguments": _excerpt(given) if arguments is None else arguments}
    if name not in tools:
        problem = f"there is no tool {name!r}{hint(name, tools)}"
        return Reading(call=call, usable=False, problem=problem, surplus=surplus)
    if arguments is None:
        problem = f"the arguments of {name} are no JSON object of plain values"
        return Reading(call=call, usable=False, problem=problem, surplus=surplus)
    read = parse(call, TOOLS) if name in TOOLS else None
    if isinstance(read, Result):
        about = f" ({read.hint.rstrip('.')})" if read.hint else ""
        problem = f"the arguments are not allowed: {read.reason}{about}"
        return Reading(call=call, usable=False, problem=problem, surplus=surplus)
    return Reading(call=call, usable=True, surplus=surplus)


def surplus_in(reply: Mapping[str, Any]) -> int:
    """Returns how many tool calls beyond the first a recorded reply held.

    Args:
        reply: A reply as a record keeps it; whoever wrote it may have put anything in it.
    """
    surplus = reply.get("surplus", 0)
    return max(0, surplus) if isinstance(surplus, int) else 0


def is_unusable(reply: Mapping[str, Any]) -> bool:
    """Returns whether a recorded reply was no legal call; one with several calls is one."""
    return bool(reply.get("problem"))


def _arguments(given: Any) -> dict[str, Any] | None:
    if isinstance(given, str):
        if not given.strip():
            return {}  # how several endpoints write a call without arguments
        given = _strict(given)
    return given if isinstance(given, dict) else None


def _excerpt(given: Any) -> str:
    text = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    return text[:_LONGEST_ARGUMENTS]


def _strict(text: str) -> Any:
    """Returns decoded JSON, or None for what is malformed, too deep, or holds numbers that JSON lacks."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if _recordable(value, _DEEPEST) else None


def _recordable(value: Any, levels: int) -> bool:
    # No tool takes deeply nested values or huge numbers, and not every reader of a record could take them.
    if isinstance(value, int):
        return abs(value) <= _LARGEST
    if not isinstance(value, (dict, list)):
        return True
    return levels > 0 and all(
        _recordable(part, levels - 1) for part in (value.values() if isinstance(value, dict) else value)
    )


def _objects(text: str) -> list[dict[str, Any]]:
    """Returns the JSON objects with a ``tool`` in a text, in order."""
    # What a model thinks aloud before its answer may hold drafts of calls, also where it never came to its answer.
    _, closed, answer = text.rpartition(CLOSE)
    if not closed and text.lstrip().startswith(OPEN):
        return []
    text = answer[:_LONGEST_TEXT]
    found: list[dict[str, Any]] = []
    start = text.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            break
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            value = _strict(text[start:end])
            if isinstance(value, dict) and "tool" in value:
                found.append(value)
        start = text.find("{", end)
    return found
