"""The action space: tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces

from agentworld_env.calls import Call
from agentworld_env.env.legal import LegalCalls
from agentworld_env.errors import InvalidValueError
from agentworld_env.tools import TOOLS, Parameter, Tool, call_schema, is_well_typed, openai_tools

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class ToolCallSpace(spaces.Space[Call]):
    """All well-typed tool calls: ``{"tool": name, "arguments": {...}}``.

    ``sample()`` draws a well-typed call, legal or not. ``sample(mask)`` with a ``LegalCalls`` object draws a
    legal one: first the tool, uniformly among those with legal calls and without ``complete``, then its
    arguments, uniformly.

    Args:
        tools: The tools that exist.
        seed: Seed of the sampler.
    """

    def __init__(self, tools: Mapping[str, Tool] = TOOLS, seed: int | None = None) -> None:
        self.tools = dict(tools)
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Calls are no arrays."""
        return False

    def contains(self, x: Any) -> bool:
        """Returns whether a call is well-typed, as ``json_schema`` has it; whether it is legal depends on the turn.

        ``step`` reads more kindly what models write, such as ``"5"`` for 5.
        """
        return is_well_typed(x, self.tools)

    def sample(self, mask: LegalCalls | None = None, probability: Any = None) -> Call:
        """Returns a random call.

        Args:
            mask: The legal calls of the turn, or None for any well-typed call.
            probability: Not supported.

        Raises:
            InvalidValueError: If ``probability`` is given, or nothing is legal since the agent has left.
        """
        if probability is not None:
            raise InvalidValueError("ToolCallSpace.sample takes no probability mask")
        if mask is not None:
            return sample_legal(mask, self._below)
        names = [name for name in self.tools if name != "complete"]
        tool = self.tools[names[self._below(len(names))]]
        return {"tool": tool.name, "arguments": {p.name: self._value(p) for p in tool.parameters}}

    def _below(self, limit: int) -> int:
        return int(self.np_random.integers(limit))

    def _value(self, parameter: Parameter) -> Any:
        if parameter.choices:
            return parameter.choices[self._below(len(parameter.choices))]
        if parameter.type == "integer":
            return parameter.least + self._below(parameter.most - parameter.least + 1)
        return "".join(_LETTERS[self._below(len(_LETTERS))] for _ in range(1 + self._below(12)))

    def json_schema(self) -> dict[str, Any]:
        """Returns the JSON Schema of the space: a call satisfies it if and only if the space contains the call."""
        return call_schema(self.tools.values())

    def openai_tools(self, legal: LegalCalls | None = None) -> list[dict[str, Any]]:
        """Returns the tools in OpenAI's function-calling form.

        Args:
            legal: The legal calls of a turn (``info["legal"]``), to get the tools that exist in it: while a team only
                discusses there are fewer, and a space cannot change within an episode. None for all of the episode.
        """
        return openai_tools((self.tools if legal is None else legal.present_tools).values())

    def to_jsonable(self, sample_n: Any) -> list[Call]:
        """Returns calls as they are: they are plain JSON values."""
        return [dict(call) for call in sample_n]

    def from_jsonable(self, sample_n: list[Any]) -> list[Call]:
        """Returns calls as they are."""
        return [dict(call) for call in sample_n]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolCallSpace) and list(self.tools) == list(other.tools)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ToolCallSpace({len(self.tools)} tools)"


def sample_legal(legal: LegalCalls, below: Any) -> Call:
    """Returns a random legal call: the tool first, without ``complete``, then its arguments.

    Args:
        legal: The legal calls of the turn.
        below: Function that returns a uniform number in 0..n-1 for n.

    Raises:
        InvalidValueError: If there is none, since the agent has left or is dead.
    """
    names = [name for name in legal if name != "complete"]
    if not names:
        if "complete" not in legal:
            raise InvalidValueError(
                "there is no legal call: the agent has left the episode, its action is None"
            )
        return {"tool": "complete", "arguments": dict(legal["complete"][0])}
    tool = names[below(len(names))]
    choices = legal[tool]
    return {"tool": tool, "arguments": dict(choices[below(len(choices))])}
