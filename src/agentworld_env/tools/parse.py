"""Reading what a policy sent: a tool and its arguments, or a failed result that says what was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from numbers import Integral
from typing import Any

from agentworld_env.errors import nearest
from agentworld_env.sim.events import Result, fail
from agentworld_env.sim.simulation import Simulation
from agentworld_env.tools.spec import MAX_NAME, MAX_TEXT, Parameter, Tool

_MISSING = object()


def parse(call: Mapping[str, Any], tools: Mapping[str, Tool]) -> tuple[Tool, list[Any]] | Result:
    """Returns the tool of a call and its arguments in the rule's order, or a failed result.

    Args:
        call: ``{"tool": name, "arguments": {...}}``; ``arguments`` may be left out for tools that need none.
        tools: The tools that exist in this episode.
    """
    read = _parse(call, tools)
    return read if isinstance(read, Result) else (read[0], list(read[1].values()))


def _parse(call: Mapping[str, Any], tools: Mapping[str, Tool]) -> tuple[Tool, dict[str, Any]] | Result:
    """Returns the tool of a call and its arguments by name, in the rule's order, or a failed result."""
    name = call.get("tool")
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None:
        return _unknown_tool(name, tools)
    arguments = call.get("arguments")
    if arguments is None:
        arguments = {}
    elif type(arguments) is not dict and not isinstance(arguments, Mapping):
        return fail("arguments", f"arguments of {name} must be an object of named values")
    values: dict[str, Any] = {}
    used = 0
    for parameter in tool.parameters:
        key = parameter.name
        value = arguments.get(key, _MISSING)
        if value is _MISSING:
            if parameter.default is None:
                return fail("arguments", f"{name} needs {key!r}", parameter.about)
            values[key] = parameter.default
            continue
        used += 1
        read = values[key] = _read(parameter, value)
        if type(read) is Result:
            return read
    if used != len(arguments):
        known = [parameter.name for parameter in tool.parameters]
        extra = next(key for key in arguments if key not in known)
        takes = ", ".join(known) or "no arguments"
        return fail("arguments", f"{name} has no argument {_kept(extra, 40)!r}", f"it takes {takes}")
    return tool, values


def _unknown_tool(name: object, tools: Mapping[str, Tool]) -> Result:
    if not isinstance(name, str):
        return fail("unknown_tool", "the call names no tool", f"tools: {', '.join(tools)}")
    close = nearest(name[:60], tools)
    hint = f"did you mean {close[0]}?" if close else f"tools: {', '.join(tools)}"
    return fail("unknown_tool", f"there is no tool {name[:60]!r}", hint)


def _read(parameter: Parameter, value: object) -> Any:
    name = parameter.name
    if parameter.type == "integer":
        if type(value) is not int:
            whole = _whole(value)
            if whole is None:
                return fail("arguments", f"{name} must be a whole number", parameter.about)
            value = whole
        if parameter.choices:
            if value not in parameter.choices:
                return fail("arguments", f"{name} must be one of {parameter.choices}", parameter.about)
        elif not parameter.least <= value <= parameter.most:
            return fail("arguments", f"{name} must be {parameter.least}..{parameter.most}", parameter.about)
        return value
    if not isinstance(value, str):
        return fail("arguments", f"{name} must be text", parameter.about)
    if parameter.sort == "text":
        return plain_text(value, MAX_TEXT)
    value = plain_text(value.strip(), MAX_NAME)
    if parameter.choices:
        value = value.lower()
        if value not in parameter.choices:
            return fail("arguments", f"{name} must be one of {', '.join(parameter.choices)}", parameter.about)
    return value


def _whole(value: object) -> int | None:
    """Models write 5.0 or "5" for 5, NumPy has integers of its own; all are read, booleans are not."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and len(value) < 16 and value.strip().lstrip("-").isdecimal():
        try:
            return int(value)
        except ValueError:
            return None
    return None


def execute(sim: Simulation, call: object, tools: Mapping[str, Tool]) -> Result:
    """Plays the present agent's turn with whatever its policy sent.

    Args:
        sim: The simulation.
        call: A call as a mapping. Anything else than a mapping is a programming error.
        tools: The tools that exist in this episode.

    Raises:
        TypeError: If the call is no mapping.
    """
    # The exact type is asked first: asking for the abstract one takes longer than reading the call.
    if type(call) is not dict and not isinstance(call, Mapping):
        raise TypeError(f"an action is a mapping with 'tool' and 'arguments', not {type(call).__name__}")
    parsed = _parse(call, tools)
    if type(parsed) is tuple:
        tool, values = parsed
        return sim.perform(tool.name, values, tool.run, *values.values())
    assert isinstance(parsed, Result)
    return sim.perform(*_as_sent(call), parsed)


def _as_sent(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Returns what can be kept of a malformed call: names and plain values, cut to a sane length."""
    name = call.get("tool")
    arguments = call.get("arguments")
    kept: dict[str, Any] = {}
    if isinstance(arguments, Mapping):
        for key, value in islice(arguments.items(), 8):
            kept[str(_kept(key, 40))] = _kept(value, 200)
    elif arguments is not None:
        kept["arguments"] = _kept(arguments, 200)
    return (plain_text(name, 60) if isinstance(name, str) else "", kept)


def _kept(value: object, limit: int) -> str | int | float | bool | None:
    """Returns a plain value as it can be stored and shown; of anything else only its type is kept.

    Nothing is asked to describe itself: nested values may be endless, and long integers refuse it.
    """
    if isinstance(value, str):
        return plain_text(value, limit)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and abs(value) < 2**53:
        return value
    return f"<{type(value).__name__}>"


def plain_text(text: str, limit: int) -> str:
    """Returns text cut to a length (characters), with spaces for what cannot be printed.

    Line breaks, control characters and lone surrogates could forge an observation's lines or break a file.
    """
    if len(text) > limit:
        text = text[:limit]
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
