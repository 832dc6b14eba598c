"""Export of the tools as JSON Schema and in OpenAI's function-calling form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

from agentworld_env.tools.spec import TOOLS, Parameter, Tool


def parameter_schema(parameter: Parameter) -> dict[str, Any]:
    """Returns the JSON Schema of one argument."""
    schema: dict[str, Any] = {"type": parameter.type, "description": parameter.about}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    elif parameter.type == "integer":
        schema["minimum"] = parameter.least
        schema["maximum"] = parameter.most
    if parameter.default is not None:
        schema["default"] = parameter.default
    return schema


def arguments_schema(tool: Tool) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's arguments object."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter_schema(parameter) for parameter in tool.parameters},
        "required": _required(tool),
        "additionalProperties": False,
    }


def openai_tools(tools: Iterable[Tool] = TOOLS.values()) -> list[dict[str, Any]]:
    """Returns tools in the form of the ``tools`` field of a chat-completions request."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.about, "parameters": arguments_schema(tool)},
        }
        for tool in tools
    ]


def call_schema(tools: Iterable[Tool] = TOOLS.values()) -> dict[str, Any]:
    """Returns the JSON Schema of well-typed calls, which ``is_well_typed`` goes by without a library."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "oneOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": tool.name}, "arguments": arguments_schema(tool)},
                "required": ["tool", "arguments"] if _required(tool) else ["tool"],
                "additionalProperties": False,
            }
            for tool in tools
        ],
    }


def is_well_typed(call: object, tools: Mapping[str, Tool] = TOOLS) -> bool:
    """Returns whether a call, written as JSON, satisfies ``call_schema``.

    What is played is read more kindly (``parse``): there ``"5"`` is 5, and names may be in capitals.

    Args:
        call: Anything.
        tools: The tools that exist.
    """
    if not isinstance(call, Mapping) or not call.keys() <= {"tool", "arguments"}:
        return False
    name, arguments = call.get("tool"), call.get("arguments", {})
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None or not isinstance(arguments, Mapping):
        return False
    known = {parameter.name: parameter for parameter in tool.parameters}
    return set(_required(tool)) <= arguments.keys() <= known.keys() and all(
        _fits(known[key], value) for key, value in arguments.items()
    )


def _required(tool: Tool) -> list[str]:
    return [parameter.name for parameter in tool.parameters if parameter.default is None]


def _fits(parameter: Parameter, value: object) -> bool:
    if parameter.type == "string":
        return isinstance(value, str) and (not parameter.choices or value in parameter.choices)
    # To JSON Schema 5.0 is an integer as well, but no boolean is.
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool):
        return False
    if parameter.choices:
        return value in parameter.choices
    return parameter.least <= value <= parameter.most  # type: ignore[operator]
