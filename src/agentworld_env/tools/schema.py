"""Export of the tools as JSON Schema and in OpenAI's function-calling form."""

from __future__ import annotations

from collections.abc import Iterable
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
        "required": [parameter.name for parameter in tool.parameters if parameter.default is None],
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
    """Returns one JSON Schema that every well-typed call satisfies."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "oneOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": tool.name}, "arguments": arguments_schema(tool)},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            }
            for tool in tools
        ],
    }
