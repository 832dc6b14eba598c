"""What came back from a chat-completions endpoint, read without trust in its shape."""

from __future__ import annotations

from typing import Any

import msgspec

MOST_TOKENS = 100_000_000
"""Most tokens of one request or reply that a server is believed to have counted."""


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
        usage_problem: What the endpoint said about its usage that cannot be, and is counted otherwise; or empty.
        seconds: Time from request to reply, without waiting and failed attempts (seconds); not part of what it says.
    """

    text: str = ""
    requests: tuple[ToolRequest, ...] = ()
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    left_out: tuple[str, ...] = ()
    usage_problem: str = ""
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


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: Any = None
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
    prompt, written, cached, problem = _counted(completion.usage)
    return Reply(
        text=_clean(_text(message.content) or message.refusal or ""),
        requests=tuple(
            ToolRequest(_clean(call.function.name or ""), _clean(_arguments(call.function.arguments)))
            for call in message.tool_calls or ()
            if call.function is not None
        ),
        finish=_clean(choice.finish_reason or ""),
        prompt_tokens=prompt,
        completion_tokens=written,
        cached_tokens=cached,
        left_out=left_out,
        usage_problem=problem,
    )


def _counted(usage: Any) -> tuple[int, int, int, str]:
    """Returns tokens of the request, of the reply, and cached ones, and what about them cannot be.

    What a server says about its usage does not make its reply any worse: what cannot be counts as 0, and is said.
    """
    problems: list[str] = []

    def count(fields: Any, name: str) -> int:
        value = fields.get(name)
        if value is None:
            return 0
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TOKENS:
            problems.append(f"{name} is {value!r:.40}")
            return 0
        return value

    if usage is None:
        return 0, 0, 0, ""
    if not isinstance(usage, dict):
        return 0, 0, 0, f"usage is {usage!r:.40}"
    prompt, written = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    details = usage.get("prompt_tokens_details")
    cached = count(details, "cached_tokens") if isinstance(details, dict) else 0
    cached = cached or count(usage, "prompt_cache_hit_tokens")
    if cached > prompt:
        problems.append(f"{cached} of {prompt} tokens are cached")
        cached = prompt
    return prompt, written, cached, _clean(", ".join(problems))


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
