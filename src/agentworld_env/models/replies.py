"""What came back from a chat-completions endpoint, read without trust in its shape."""

from __future__ import annotations

from typing import Any

import msgspec


class ToolRequest(msgspec.Struct, frozen=True):
    """A tool call that a model asks for.

    Attributes:
        name: The tool's name, as the model wrote it.
        arguments: The arguments' JSON text, as the model wrote it; it may be malformed.
    """

    name: str
    arguments: str


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's reply to one request.

    Attributes:
        text: Text of the message, or of its refusal.
        requests: Tool calls, in the order given.
        finish: Finish reason, as the endpoint gave it.
        prompt_tokens: Tokens of the request.
        completion_tokens: Tokens of the reply.
        cached_tokens: Tokens of the request that the provider read from its cache.
        left_out: Request parameters that were left out because the endpoint rejects them.
        seconds: Time from request to reply, without waiting and failed attempts (seconds); not part of what it says.
    """

    text: str = ""
    requests: tuple[ToolRequest, ...] = ()
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    function: _Function | None = None


class _Message(msgspec.Struct):
    content: Any = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


def read_completion(body: object, left_out: tuple[str, ...] = ()) -> Reply:
    """Reads the decoded body of a successful response.

    Args:
        body: The decoded JSON.
        left_out: Request parameters that were left out.

    Raises:
        ValueError: The body is no chat completion; the message says why.
    """
    try:
        completion = msgspec.convert(body, _Completion)
    except msgspec.ValidationError as error:
        raise ValueError(f"the answer is no chat completion: {error}") from None
    if not completion.choices:
        # Some gateways report a failure of the provider behind them with status 200.
        why = f": {completion.error}" if completion.error else ""
        raise ValueError(f"the answer holds no choice{why}")
    choice = completion.choices[0]
    message = choice.message
    usage = completion.usage or _Usage()
    details = usage.prompt_tokens_details or _Details()
    return Reply(
        text=_clean(_text(message.content) or message.refusal or ""),
        requests=tuple(
            ToolRequest(_clean(call.function.name or ""), _clean(_arguments(call.function.arguments)))
            for call in message.tool_calls or ()
            if call.function is not None
        ),
        finish=_clean(choice.finish_reason or ""),
        prompt_tokens=usage.prompt_tokens or 0,
        completion_tokens=usage.completion_tokens or 0,
        cached_tokens=details.cached_tokens or usage.prompt_cache_hit_tokens or 0,
        left_out=left_out,
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # a list of parts, of which only texts matter
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    # A few servers send the object itself instead of its JSON text.
    return "" if arguments is None else msgspec.json.encode(arguments).decode()


def _clean(text: str) -> str:
    # Half a surrogate pair is legal in JSON but cannot be written to a record.
    return text.encode("utf-8", "replace").decode("utf-8")
