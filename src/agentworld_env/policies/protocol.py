"""What a policy is: something that sees one agent's observation and answers with one tool call."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

Call = dict[str, Any]
"""A tool call: ``{"tool": name, "arguments": {...}}``."""


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What one agent is told before its first turn; it never changes within an episode.

    Attributes:
        agent: The agent's id.
        title: Title of the task.
        objective: The team's objective, one sentence.
        role: What this agent is for.
        guide: The role's guide: recipes, places, mobs as far as this role is told.
        team: Ids of all agents, in turn order.
        max_rounds: Round budget.
        tools: The tools that exist in this episode, in OpenAI function-calling form.
    """

    agent: str
    title: str
    objective: str
    role: str
    guide: str
    team: tuple[str, ...]
    max_rounds: int
    tools: tuple[dict[str, Any], ...]


class Turn(msgspec.Struct, kw_only=True):
    """One turn of one agent.

    Attributes:
        agent: Whose turn it is.
        round: Round, counted from 1.
        observation: The observation text; empty if the policy does not read text (``wants_text = False``).
        info: The environment's info for the agent: ``view`` (structured facts), ``legal`` (legal calls), ``result``.
        last: The agent's previous call and what came of it, or None on its first turn.
    """

    agent: str
    round: int
    observation: str
    info: Mapping[str, Any]
    last: Mapping[str, Any] | None = None


class Exchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request to a model and its reply. Re-asks are exchanges of their own.

    Attributes:
        model: Name of the model.
        reply: Raw reply: text and tool calls as the endpoint gave them.
        finish: Finish reason, as the endpoint gave it.
        prompt_tokens: Tokens of the request.
        completion_tokens: Tokens of the reply.
        cached_tokens: Tokens of the request that the provider read from its cache.
        prompt_hash: BLAKE2b of the messages and tools that were sent (hexadecimal).
        problem: Why the reply was no legal call, or empty.
    """

    model: str
    reply: dict[str, Any]
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    prompt_hash: str = ""
    problem: str = ""


class Decision(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A policy's answer.

    Attributes:
        call: The tool call; anything malformed becomes a failed call with a reason.
        exchanges: Model exchanges that led to it, for the record.
        seconds: Wall-clock time per exchange (seconds); kept out of everything that is compared or hashed.
    """

    call: Any
    exchanges: tuple[Exchange, ...] = ()
    seconds: tuple[float, ...] = ()


@runtime_checkable
class Policy(Protocol):
    """A team of agents' decision maker, asked once per turn.

    One policy object plays all agents of an episode; it must keep what it remembers apart per agent. Implementations
    may answer synchronously or with an awaitable. A bare call dict is as good as a ``Decision``.
    """

    name: str
    """Short name for records and tables."""

    wants_text: bool
    """Whether ``Turn.observation`` is to be filled."""

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode.

        Args:
            briefs: Agent id -> brief.
            seed: Seed of the episode; any randomness of the policy must derive from it.
        """

    def act(self, turn: Turn) -> Decision | Call | Awaitable[Decision | Call]:
        """Returns the call for a turn."""

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Takes note of a recorded turn that is re-simulated on resuming, in place of ``act``.

        After recalling a prefix of an episode a policy must answer as if it had played that prefix.
        """

    def config(self) -> dict[str, Any]:
        """Returns the settings that decide its answers, for the record's header; no secrets."""
