"""The policy that asks a language model for every call."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.models.client import OVERFLOW, ChatModel
from agentworld_env.models.endpoints import ModelSpec
from agentworld_env.models.meter import ServiceError
from agentworld_env.models.replies import Reply, ToolRequest
from agentworld_env.policies.prompts import Memory, Prompts, digest, remembered
from agentworld_env.policies.protocol import Assignment, Brief, Decision, Exchange, Turn
from agentworld_env.policies.reading import Reading, read_call


class _Seat:
    """What the policy keeps for one agent of the running episode."""

    def __init__(self, brief: Brief, prompts: Prompts, memory: int) -> None:
        self.brief = brief
        self._prompts = prompts
        self._systems: dict[tuple[str, ...], str] = {}
        self.system(brief.tools)  # a template that cannot be rendered is refused before anything is played
        self.memory: deque[Memory] = deque(maxlen=memory)
        self.round = 0

    def tools(self, turn: Turn) -> tuple[dict[str, Any], ...]:
        """Returns the tools that exist in a turn: what does not exist is in no schema and no prompt."""
        return self.brief.tools if turn.tools is None else turn.tools

    def system(self, tools: tuple[dict[str, Any], ...]) -> str:
        """Returns the unchanging part of the prompt with some tools."""
        names = _names(tools)
        if names not in self._systems:
            self._systems[names] = self._prompts.system(self.brief, tools)
        return self._systems[names]

    def notice(self, turn: Turn) -> None:
        """Remembers what came of the previous call. Seeing the same turn again changes nothing."""
        if turn.round == self.round:
            return
        if turn.last is not None:
            self.memory.append(remembered(self.round, turn.last))
        self.round = turn.round


def _names(tools: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(tool["function"]["name"] for tool in tools)


class LLMPolicy:
    """Asks a language model for every call of every agent; each agent has a memory of its own.

    A prompt is the agent's unchanging part (rules, goal, role, guide, tools), then its last calls with their
    results, then the observation. Nothing of another agent enters it but what the observation shows.

    Args:
        model: The model, its specification, or its name as ``parse_model`` reads it.
        memory: So many of the agent's own last calls are shown to it.
        reasks: So often a reply without a usable call is asked for again, within the same turn and with the
            reason; after that the malformed call stands and fails.
        temperature: Sampling temperature; None leaves it to the endpoint.
        reply_tokens: Longest reply (tokens, a model's unseen reasoning included); None leaves it to the endpoint.
        templates: Directory with other prompt templates, ``system.j2`` and ``turn.j2``.
        shared: Whether other episodes of the same event loop ask the same model object: ``close`` then leaves its
            connections to whoever made it.

    Raises:
        AgentWorldError: A setting is out of range, or the model or a template cannot be used.
    """

    wants_text = True

    def __init__(
        self,
        model: ChatModel | ModelSpec | str,
        *,
        memory: int = 8,
        reasks: int = 1,
        temperature: float | None = None,
        reply_tokens: int | None = None,
        templates: str | Path | None = None,
        shared: bool = False,
    ) -> None:
        if memory < 0 or reasks < 0:
            raise AgentWorldError(f"memory and reasks cannot be negative (got {memory} and {reasks})")
        if temperature is not None and not 0 <= temperature <= 2:
            raise AgentWorldError(f"a temperature lies between 0 and 2, not {temperature}")
        if reply_tokens is not None and reply_tokens < 1:
            raise AgentWorldError(f"a reply has at least one token, not {reply_tokens}")
        self.model = model if isinstance(model, ChatModel) else ChatModel(model)
        self.memory = memory
        self.reasks = reasks
        self.temperature = temperature
        self.reply_tokens = reply_tokens
        self.shared = shared
        self.prompts = Prompts(templates)
        self.name = self.model.spec.label
        self._seats: dict[str, _Seat] = {}

    def check(self, assignment: Assignment) -> None:
        """Makes sure that the prompts can be rendered; asks no model.

        Raises:
            AgentWorldError: A template cannot be rendered.
        """
        self._seated(assignment.briefs)

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode with empty memories.

        Args:
            briefs: Agent id -> brief.
            seed: Not used: the policy itself draws nothing, and endpoints promise nothing for a seed.
        """
        self._seats = self._seated(briefs)

    def _seated(self, briefs: Mapping[str, Brief]) -> dict[str, _Seat]:
        return {agent: _Seat(brief, self.prompts, self.memory) for agent, brief in briefs.items()}

    async def act(self, turn: Turn) -> Decision:
        """Asks the model, again if need be, and returns its call with all exchanges.

        Args:
            turn: The turn.

        Raises:
            ModelError: The endpoint does not answer; the same turn may be asked for again.
        """
        seat = self._seats[turn.agent]
        seat.notice(turn)
        tools = seat.tools(turn)
        asked = list(turn.asked)
        exchanges: list[Exchange] = []
        seconds: list[float] = []
        problem = ""
        while True:
            messages = self.messages(turn, problem)
            sent = digest({"messages": messages, "tools": tools})
            if asked and asked[0].prompt_hash == sent:
                exchange = asked.pop(0)
                seconds.append(0.0)
                reply = _reply_of(exchange)
                reading = _read(reply, tools, exchange.problem)
            else:
                asked.clear()  # answers to another prompt are none to this one
                reply, problem = await self._ask(messages, tools)
                reading = _read(reply, tools, problem)
                exchange = self._exchange(sent, reply, reading)
                seconds.append(reply.seconds)
                if turn.note is not None:
                    turn.note(len(exchanges), exchange, reply.seconds)
            exchanges.append(exchange)
            # What was too long once is not asked again: with the reason it would be longer.
            if reading.usable or len(exchanges) > self.reasks or reply.finish == OVERFLOW:
                return Decision(call=reading.call, exchanges=tuple(exchanges), seconds=tuple(seconds))
            problem = reading.problem

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Takes note of a recorded turn, so that later prompts are those of the uninterrupted episode.

        Args:
            turn: The turn.
            decision: What was decided then; its result arrives with the agent's next turn.
        """
        self._seats[turn.agent].notice(turn)

    def messages(self, turn: Turn, problem: str = "") -> list[dict[str, str]]:
        """Returns the chat messages for a turn that has been noticed: the unchanging part first.

        Args:
            turn: The turn.
            problem: Why the previous reply in the same turn was no usable call, or empty.
        """
        seat = self._seats[turn.agent]
        text = self.prompts.turn(
            memory=tuple(seat.memory),
            round=turn.round,
            max_rounds=seat.brief.max_rounds,
            observation=turn.observation,
            problem=problem,
        )
        return [
            {"role": "system", "content": seat.system(seat.tools(turn))},
            {"role": "user", "content": text},
        ]

    def config(self) -> dict[str, Any]:
        """Returns the settings that decide the prompts and the model; no key."""
        return {
            "policy": "llm",
            "model": self.model.spec.name,
            "provider": self.model.spec.provider,
            "base_url": self.model.spec.base_url,
            "memory": self.memory,
            "reasks": self.reasks,
            "temperature": self.temperature,
            "reply_tokens": self.reply_tokens,
            "templates": self.prompts.hash,
        }

    async def close(self) -> None:
        """Closes the connections to the model, unless it is shared; the policy can be used again afterwards."""
        if not self.shared:
            await self.model.close()

    async def _ask(
        self, messages: list[dict[str, str]], tools: tuple[dict[str, Any], ...]
    ) -> tuple[Reply, str]:
        """Returns the model's reply, and what is wrong if it could not even take the prompt in."""
        try:
            reply = await self.model.complete(
                messages, tools, temperature=self.temperature, reply_tokens=self.reply_tokens
            )
        except ServiceError as error:
            if error.kind != OVERFLOW:
                raise
            # A limit of the model's, not of the line: taken for infrastructure, it would leave the hardest turns out.
            return Reply(finish=OVERFLOW), f"the prompt is longer than the model's context ({error})"
        return reply, ""

    def _exchange(self, sent: str, reply: Reply, reading: Reading) -> Exchange:
        raw: dict[str, Any] = {
            "text": reply.text,
            "calls": [{"name": request.name, "arguments": request.arguments} for request in reply.requests],
        }
        if reply.left_out:
            raw["left_out"] = list(reply.left_out)
        return Exchange(
            model=self.model.spec.name,
            reply=raw,
            finish=reply.finish,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cached_tokens=reply.cached_tokens,
            prompt_hash=sent,
            problem=reading.problem,
            surplus=reading.surplus,
        )


def _read(reply: Reply, tools: tuple[dict[str, Any], ...], problem: str) -> Reading:
    if reply.finish == OVERFLOW:
        return Reading(call={"tool": "", "arguments": {}}, usable=False, problem=problem)
    return read_call(reply, _names(tools))


def _reply_of(exchange: Exchange) -> Reply:
    """Returns the reply of an exchange that was kept, as far as it decides the call."""
    raw = exchange.reply
    return Reply(
        text=raw.get("text", ""),
        requests=tuple(ToolRequest(call["name"], call["arguments"]) for call in raw.get("calls", ())),
        finish=exchange.finish,
    )
