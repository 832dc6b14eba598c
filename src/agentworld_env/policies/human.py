"""The policy that asks a person at the terminal."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any

from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn

_HELP = 'Write a call as: tool name=value ..., or as {"tool": ..., "arguments": {...}}. "legal" lists legal calls.'


class HumanPolicy:
    """Shows each observation and reads one line for each call.

    Args:
        ask: Shows a prompt and returns the line that was entered.
        show: Shows a text.
    """

    name = "human"
    wants_text = True

    def __init__(
        self, ask: Callable[[str], str] = input, show: Callable[[str], object] | None = None
    ) -> None:
        self._ask = ask
        self._show = show if show is not None else _to_terminal
        self._briefs: Mapping[str, Brief] = {}
        self._briefed: set[str] = set()

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode.

        Args:
            briefs: Agent id -> brief; each is shown at the agent's first turn.
            seed: Not used.
        """
        self._briefs = briefs
        self._briefed = set()

    def act(self, turn: Turn) -> Call:
        """Shows what the agent sees and returns the call that was entered.

        Raises:
            AgentWorldError: The input has ended.
        """
        if turn.agent not in self._briefed:
            self._briefed.add(turn.agent)
            brief = self._briefs[turn.agent]
            self._show(
                f"\n=== {brief.title}: you play {turn.agent} ===\n{brief.objective}\n{brief.role}\n{brief.guide}"
            )
        self._show(f"\n{turn.observation}")
        while True:
            try:
                entered = self._ask(f"{turn.agent}, round {turn.round}> ").strip()
            except EOFError:
                raise AgentWorldError("the input has ended; the episode can be continued later") from None
            if entered in ("", "help", "?"):
                self._show(_HELP)
            elif entered == "legal":
                self._show(
                    "\n".join(f"{c['tool']} {_words(c['arguments'])}" for c in turn.info["legal"].calls())
                )
            else:
                try:
                    return read_entry(entered)
                except ValueError as error:
                    self._show(f"{error}\n{_HELP}")

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Counts the agent as briefed."""
        self._briefed.add(turn.agent)

    def config(self) -> dict[str, Any]:
        """Returns nothing: it has no settings."""
        return {}


def read_entry(entered: str) -> Call:
    """Returns the call that a person wrote.

    Args:
        entered: ``tool name=value ...`` (quotes as in a shell), or a call as JSON.

    Raises:
        ValueError: It is neither.
    """
    if entered.startswith("{"):
        try:
            call = json.loads(entered)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"this is no JSON: {error}") from error
        return dict(call)
    tool, *words = shlex.split(entered)
    arguments: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"expected name=value, got {quoted(word)}")
        arguments[name] = value
    return {"tool": tool, "arguments": arguments}


def _words(arguments: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={shlex.quote(str(value))}" for name, value in arguments.items())


def _to_terminal(text: str) -> None:
    sys.stdout.write(text + "\n")
