"""One cheap call that tells whether a model can play."""

from __future__ import annotations

import time

import msgspec

from agentworld_env.models import ChatModel, ModelSpec, Prices, parse_model
from agentworld_env.policies.reading import read_call

_TOOL = {
    "type": "function",
    "function": {
        "name": "sleep",
        "description": "Waits for some rounds.",
        "parameters": {
            "type": "object",
            "properties": {"rounds": {"type": "integer", "minimum": 1, "maximum": 5}},
            "required": ["rounds"],
            "additionalProperties": False,
        },
    },
}

_MESSAGES = (
    {
        "role": "system",
        "content": "Answer with exactly one tool call. If you cannot make tool calls, write one JSON object and "
        'nothing else: {"tool": "<name>", "arguments": {...}}.',
    },
    {"role": "user", "content": "Call sleep with rounds = 2."},
)


class Diagnosis(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        check: What.
        fine: Whether a run can do with it.
        found: What was found.
    """

    check: str
    fine: bool
    found: str


def _key(spec: ModelSpec) -> str:
    if spec.key_required:
        return f"accepted ({spec.key_variable})"
    if spec.key:
        return f"sent ({spec.key_variable}), needed or not"
    return "none needed"


async def examine(name: str, seconds: float) -> list[Diagnosis]:
    """Asks a model for one call and returns what that shows.

    Args:
        name: The model, as ``parse_model`` reads it.
        seconds: Longest wait for the reply (seconds).

    Raises:
        ModelError: The key is missing, or the endpoint does not answer.
    """
    spec = parse_model(name)
    model = ChatModel(spec, timeout=seconds, retries=0)
    started = time.perf_counter()
    try:
        reply = await model.complete(_MESSAGES, [_TOOL])
    finally:
        await model.close()
    took = time.perf_counter() - started
    reading = read_call(reply, {"sleep"})
    if not reading.usable:
        calls = f"no usable call: {reading.problem}"
    else:
        calls = "answers with tool calls" if reply.requests else "answers in JSON instead of tool calls"
        if reading.surplus:
            calls += f"; it holds {reading.surplus + 1} tool calls, of which only the first counts"
    rejected = ", ".join(reply.left_out)
    price = Prices().of(spec.label)
    used = reply.prompt_tokens + reply.completion_tokens
    return [
        Diagnosis("endpoint", True, f"{spec.base_url} answers in {took:.1f} s"),
        Diagnosis("key", True, _key(spec)),
        Diagnosis("calls", reading.usable, calls),
        Diagnosis("parameters", True, f"rejected and left out: {rejected}" if rejected else "all accepted"),
        Diagnosis(
            "usage",
            not reply.usage_problem,
            f"cannot be and is not counted: {reply.usage_problem}; no limit on tokens or cost can be trusted"
            if reply.usage_problem
            else f"{reply.prompt_tokens} + {reply.completion_tokens} tokens"
            if used
            else "not reported: tokens and cost will be 0, and no limit on them can stop a run",
        ),
        Diagnosis(
            "price",
            True,
            "unknown, give one with --prices"
            if price is None
            else f"{price.input:g} in, {price.output:g} out per million tokens ({price.as_of or price.source})",
        ),
    ]
