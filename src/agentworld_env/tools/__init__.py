"""The thirteen tools as data: argument models, schema export, parsing of what a policy sent."""

from agentworld_env.tools.parse import execute, parse
from agentworld_env.tools.schema import arguments_schema, call_schema, is_well_typed, openai_tools
from agentworld_env.tools.spec import TOOLS, Parameter, Tool

__all__ = [
    "TOOLS",
    "Parameter",
    "Tool",
    "arguments_schema",
    "call_schema",
    "execute",
    "is_well_typed",
    "openai_tools",
    "parse",
]
