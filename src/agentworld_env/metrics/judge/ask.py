"""Putting one question to a model: from the cache if it is there, asked again once if the answer is unusable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from agentworld_env.errors import ModelError
from agentworld_env.metrics.judge.cache import JudgeCache, Kept, question_key
from agentworld_env.metrics.judge.prompts import VERSION, again
from agentworld_env.metrics.judge.reading import Unusable
from agentworld_env.models import Answerer, Reply

TEMPERATURE = 0.0

Read = TypeVar("Read")


class JudgeError(ModelError):
    """A judge whose answer is of no use, even after it was told what was wrong."""


class Usage(msgspec.Struct, kw_only=True):
    """What judging took.

    Attributes:
        questions: Questions put, those answered from the cache included.
        cached: Of these, answered from the cache.
        requests: Requests sent, re-asks included.
        asked_again: Of these, re-asks.
        prompt_tokens: Tokens of the requests sent.
        completion_tokens: Tokens of the replies to them.
    """

    questions: int = 0
    cached: int = 0
    requests: int = 0
    asked_again: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, other: Usage) -> None:
        """Adds what something else took."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Asker:
    """Asks one model, and keeps count.

    Args:
        model: The model.
        cache: Where answers are kept, or None to ask everything anew.
    """

    def __init__(self, model: Answerer, cache: JudgeCache | None) -> None:
        self.model = model
        self.cache = cache
        self.usage = Usage()

    async def ask(self, question: str, read: Callable[[str], Read], about: str) -> Read:
        """Puts a question and returns what the answer says.

        Args:
            question: The question.
            read: Reads an answer; raises ``Unusable`` if it cannot be used.
            about: What the question is about, for messages.

        Raises:
            ModelError: The model cannot be reached.
            JudgeError: The answer was of no use, twice.
            AgentWorldError: What is answered could not be kept.
        """
        spec, usage = self.model.spec, self.usage
        messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
        key = question_key(spec.label, spec.base_url, messages, TEMPERATURE, VERSION)
        usage.questions += 1
        kept = None if self.cache is None else self.cache.get(key)
        if self.cache is not None and kept is not None:
            usage.cached += 1
            try:
                return read(kept.answer)
            except Unusable as problem:
                raise JudgeError(
                    f"judge {spec.label} on {about}: the answer kept in {self.cache.path(key)} is of no use: "
                    f"{problem}; delete it, or use --no-cache"
                ) from None
        if self.cache is not None and not usage.requests:
            self.cache.prepare()
        before = (usage.requests, usage.prompt_tokens, usage.completion_tokens)
        reply = await self._send(messages)
        try:
            found = read(reply.text)
        except Unusable as problem:
            usage.asked_again += 1
            messages += [
                {"role": "assistant", "content": reply.text},
                {"role": "user", "content": again(str(problem))},
            ]
            reply = await self._send(messages)
            try:
                found = read(reply.text)
            except Unusable as second:
                cut = " (the reply was cut off at its token limit)" if reply.finish == "length" else ""
                raise JudgeError(
                    f"judge {spec.label} on {about}: no usable answer though asked twice; "
                    f"of the last one: {second}{cut}"
                ) from None
        if self.cache is not None:
            self.cache.put(
                key,
                Kept(
                    model=spec.label,
                    answer=reply.text,
                    prompt_tokens=usage.prompt_tokens - before[1],
                    completion_tokens=usage.completion_tokens - before[2],
                    requests=usage.requests - before[0],
                ),
            )
        return found

    async def _send(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        reply = await self.model.complete(messages, temperature=TEMPERATURE)
        self.usage.requests += 1
        self.usage.prompt_tokens += reply.prompt_tokens
        self.usage.completion_tokens += reply.completion_tokens
        return reply
