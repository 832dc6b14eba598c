"""Prompts: what a language model is told, rendered from two Jinja2 templates."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import DictLoader, StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agentworld_env.env.transforms import NO_ROLE
from agentworld_env.errors import AgentWorldError
from agentworld_env.files import read_text
from agentworld_env.policies.protocol import Brief

SYSTEM = "system.j2"
TURN = "turn.j2"

_HASH_BYTES = 16
_LONGEST_ARGUMENTS = 600

# What expressions in a template of the user's raise besides Jinja's own errors.
_MISTAKES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)

# The templates fence what comes from outside with these tags; nothing inside may look like one of them.
_FENCE = re.compile(r"<(?=[\s/]*(?:memory|observation|guide|tools)\b)", re.IGNORECASE)


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """One of an agent's own calls, as it remembers it.

    Attributes:
        round: Round of the call, counted from 1.
        tool: The tool's name; empty if the reply named none.
        arguments: The arguments as one line of JSON.
        ok: Whether the call succeeded.
        text: One line that describes the result.
    """

    round: int
    tool: str
    arguments: str
    ok: bool
    text: str


def remembered(round: int, last: Mapping[str, Any]) -> Memory:
    """Returns the memory of a call.

    Args:
        round: Round of the call.
        last: The call and its result, as in ``Turn.last``.
    """
    arguments = msgspec.json.encode(last["arguments"], order="sorted").decode()
    if len(arguments) > _LONGEST_ARGUMENTS:
        arguments = arguments[: _LONGEST_ARGUMENTS - 3] + "..."
    return Memory(
        round=round,
        tool=" ".join(str(last["tool"]).split()),
        arguments=arguments,
        ok=bool(last["ok"]),
        text=" ".join(str(last["text"]).split()),
    )


class Prompts:
    """The two templates of a language-model policy: what stays the same for an agent, what each turn adds.

    Text from the episode is data: it is never evaluated as a template, and cannot close the fence around it.

    Args:
        templates: Directory with ``system.j2`` and ``turn.j2``; None takes those of the package.

    Raises:
        AgentWorldError: A template is missing, has a syntax error, or cannot be rendered for a turn.
    """

    def __init__(self, templates: str | Path | None = None) -> None:
        self._where = "the package" if templates is None else str(templates)
        self._sources = {name: _read(templates, name) for name in (SYSTEM, TURN)}
        self.hash = digest(self._sources)
        self._compile()
        self._try_out()

    def __getstate__(self) -> dict[str, Any]:
        """Leaves the compiled templates behind, which cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if not isinstance(value, Template)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()

    def system(self, brief: Brief, tools: Sequence[Mapping[str, Any]] | None = None) -> str:
        """Returns the part that is the same in every turn of an agent in which the same tools exist.

        Args:
            brief: What the agent is told.
            tools: The tools that exist; None for those of the brief.
        """
        tools = brief.tools if tools is None else tools
        return self._render(
            self._system,
            agent=brief.agent,
            title=brief.title,
            objective=brief.objective,
            role=brief.role,
            has_role=not brief.role.startswith(NO_ROLE),
            told=brief.role.removeprefix(NO_ROLE).strip(),
            guide=brief.guide,
            team=brief.team,
            max_rounds=brief.max_rounds,
            tools=[signature(tool) for tool in tools],
            tool_names=[tool["function"]["name"] for tool in tools],
        )

    def turn(
        self, *, memory: Sequence[Memory], round: int, max_rounds: int, observation: str, problem: str = ""
    ) -> str:
        """Returns the part that belongs to one turn.

        Args:
            memory: The agent's last calls, oldest first.
            round: Round, counted from 1.
            max_rounds: Round budget.
            observation: The observation text.
            problem: Why the model's previous reply in the same turn was no usable call, or empty.
        """
        return self._render(
            self._turn,
            memory=memory,
            round=round,
            max_rounds=max_rounds,
            observation=str(observation),
            problem=problem,
        )

    def _compile(self) -> None:
        environment = ImmutableSandboxedEnvironment(
            loader=DictLoader(self._sources),
            undefined=StrictUndefined,
            finalize=_fenced,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # plain text for a model, not HTML
        )
        self._system = self._load(environment, SYSTEM)
        self._turn = self._load(environment, TURN)

    def _load(self, environment: ImmutableSandboxedEnvironment, name: str) -> Template:
        try:
            return environment.get_template(name)
        except TemplateError as error:
            raise self._complaint(name, error) from error

    def _render(self, template: Template, **values: Any) -> str:
        try:
            return template.render(values).strip()
        except (TemplateError, *_MISTAKES) as error:
            raise self._complaint(template.name or "", error) from error

    def _try_out(self) -> None:
        """Renders made-up turns with and without what a turn may have, so that mistakes show before play."""
        past = Memory(round=1, tool="sleep", arguments="{}", ok=True, text="You wait.")
        for memory in ((), (past,)):
            for problem in ("", "it holds no tool call"):
                self.turn(memory=memory, round=2, max_rounds=9, observation="Nothing.", problem=problem)

    def _complaint(self, name: str, error: Exception) -> AgentWorldError:
        line = getattr(error, "lineno", None)
        where = f"{name}, line {line}" if line else name
        said = " ".join(str(getattr(error, "message", None) or error or type(error).__name__).split())
        return AgentWorldError(f"prompt template {where} of {self._where}: {said}")


def signature(tool: Mapping[str, Any]) -> str:
    """Returns one line for people about a tool: name, arguments (optional ones with ``?``), description.

    Args:
        tool: A tool in OpenAI function-calling form.
    """
    function = tool["function"]
    parameters = function.get("parameters", {})
    required = parameters.get("required", ())
    arguments = ", ".join(
        f"{name}{'' if name in required else '?'}: {_kind(schema)}"
        for name, schema in parameters.get("properties", {}).items()
    )
    description = " ".join(function.get("description", "").split())
    return f"{function['name']}({arguments})" + (f": {description}" if description else "")


def digest(value: Any) -> str:
    """Returns BLAKE2b (hexadecimal, 128 bits) over a value's JSON with sorted keys."""
    return hashlib.blake2b(msgspec.json.encode(value, order="sorted"), digest_size=_HASH_BYTES).hexdigest()


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(choice) for choice in schema["enum"])
    return str(schema.get("type", "any"))


def _fenced(value: Any) -> Any:
    return _FENCE.sub("[", value) if isinstance(value, str) else value


def _read(templates: str | Path | None, name: str) -> str:
    if templates is None:
        return (resources.files("agentworld_env.policies") / "templates" / name).read_text(encoding="utf-8")
    path = Path(templates) / name
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AgentWorldError(f"cannot read the prompt template {path}: {reason}") from error
