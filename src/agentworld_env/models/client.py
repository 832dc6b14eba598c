"""A chat-completions client over the official SDK, with one-line errors that never hold a key."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from agentworld_env.errors import ModelError
from agentworld_env.models.endpoints import ModelSpec, parse_model
from agentworld_env.models.keys import masked, one_line, without_key
from agentworld_env.models.meter import Meter, ServiceError
from agentworld_env.models.pace import Pace, pause_before
from agentworld_env.models.replies import Reply, read_completion

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

logger = logging.getLogger(__name__)

CALL_SECONDS = 120.0
"""Longest wait for one reply (seconds), unless said otherwise: reasoning takes its time."""

RETRIES = 8
"""Attempts after a call without a reply, unless said otherwise."""

_TOLD_PAUSE = 4.0
"""Whoever waits for a single call is told of pauses from here on (seconds); a run's display counts them all."""

_NO_KEY = "no-key"
"""Sent to endpoints that need no key: without a value the SDK would look for other credentials."""

_CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"
_NO_JSON = "the answer is no JSON; is the address right?"
_TOO_DEEP = "the answer is nested too deeply to be read"
_CONNECT_SECONDS = 10.0
_REASON_LENGTH = 300
_NAMED_WITHIN = 500
_REJECTED = (400, 422)
_NO_MONEY = "insufficient_quota"
_BROKEN = 500
_BUSY = (429, 503, 529)
_NO_REPLY = "no reply"
_REQUIRED = "tool_choice=required"
"""Among the parameters that are left out: tools are offered, but no call is demanded."""

OVERFLOW = "context_length"
"""Kind of the error, and finish reason of the exchange, when a prompt is longer than the model's context."""

_TOO_LARGE = 413
_OVERFLOWING = re.compile(
    r"context[ _-]?(length|window|size)|exceeds? .{0,40}\bcontext\b|too many (input |prompt )?tokens"
    r"|\b(prompt|input|request|messages?)\b.{0,40}\btoo (long|large)\b",
    re.IGNORECASE,
)

_WITH_TOOLS = ("tool_choice", "parallel_tool_calls")

# Most specific first: a complaint about tool_choice often mentions tools as well.
_OPTIONAL = {
    "parallel_tool_calls": re.compile(r"\bparallel_tool_calls\b"),
    "tool_choice": re.compile(r"\btool[_ ]choice\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "max_completion_tokens": re.compile(r"\bmax_completion_tokens\b"),
    "max_tokens": re.compile(r"\bmax_tokens\b"),
    # The bare word is too common, as in a complaint about one tool's schema.
    "tools": re.compile(
        r"(support|enable|allow)\w*.{0,60}\b(tools?|function)\b|\b(tools?|function)\b.{0,60}(support|enable|allow)",
        re.IGNORECASE,
    ),
}


class Answerer(Protocol):
    """What can be asked for one reply; ``ChatModel`` is one, and tests have others."""

    @property
    def spec(self) -> ModelSpec:
        """The model."""

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        temperature: float | None = None,
    ) -> Reply:
        """Sends one request and returns the reply."""


class ChatModel:
    """A model at an OpenAI-compatible endpoint. One object may serve many episodes and event loops at once.

    The API key is read from the environment for each connection; it is in no attribute, message or log. A reply that
    quotes it has ``[key]`` in its place.

    Args:
        spec: The model, or its name as ``parse_model`` reads it.
        timeout: Longest wait for one reply (seconds).
        retries: So many more attempts after HTTP 408, 409, 429, 5xx, a broken connection or a malformed answer, with
            growing pauses or after the pause that the endpoint asks for (``Retry-After``, seconds or a date; two
            minutes at most).
        pace: Decides how many calls are in flight at once, over all models that share it; None does not limit them.
            Calls are tried again alike with and without one.
        meter: Asked before every request and told of every reply.

    Raises:
        ModelError: The endpoint needs a key and its environment variable holds none.
    """

    def __init__(
        self,
        spec: ModelSpec | str,
        *,
        timeout: float = CALL_SECONDS,
        retries: int = RETRIES,
        pace: Pace | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.spec = parse_model(spec) if isinstance(spec, str) else spec
        self.timeout = timeout
        self.retries = retries
        self.pace = pace
        self.meter = meter
        self._left_out: set[str] = set()
        self._demands = False
        self._doubted_usage = False
        self._clients: dict[asyncio.AbstractEventLoop, AsyncOpenAI] = {}
        self._key()

    @property
    def left_out(self) -> tuple[str, ...]:
        """Request parameters that the endpoint has rejected and that are no longer sent, sorted."""
        return tuple(sorted(self._left_out))

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        temperature: float | None = None,
        reply_tokens: int | None = None,
    ) -> Reply:
        """Sends one request and returns the reply.

        With tools, exactly one tool call is demanded, as far as the endpoint can do that. An endpoint that
        rejects an optional parameter by name is asked again without it, now and in future; a warning says so. So is one
        that breaks down (HTTP 500) whenever a call is demanded, and does not when tools are only offered.

        Args:
            messages: Chat messages, each with ``role`` and ``content``.
            tools: Tools in OpenAI function-calling form.
            temperature: Sampling temperature; None leaves it to the endpoint.
            reply_tokens: Longest reply (tokens); None leaves it to the endpoint.

        Raises:
            ServiceError: The endpoint cannot be reached, refuses, or answers with something else; one line. Its kind is
                ``OVERFLOW`` if the request is longer than the model's context.
        """
        attempt = 0
        while True:
            if self.meter is not None:
                self.meter.allow()
            started = 0.0 if self.pace is None else await self.pace.enter()
            answered = False
            sent = time.perf_counter()
            try:
                body = self._body(messages, tools, temperature, reply_tokens)
                reply = await self._ask(body, again=attempt > 0 or self.retries == 0)
                reply = msgspec.structs.replace(reply, seconds=time.perf_counter() - sent)
                answered = True
            except ServiceError as error:
                failed = error
            finally:
                if self.pace is not None:
                    self.pace.leave(started, answered=answered)
            if answered:
                if self.meter is not None:
                    self.meter.count(self.spec.label, reply)
                return reply
            attempt += 1
            if not failed.transient or attempt > self.retries:
                raise failed from None
            await self._pause(attempt, failed, started)

    async def _pause(self, attempt: int, failed: ServiceError, started: float) -> None:
        """Waits before a call is made again."""
        pace = self.pace
        if pace is None:
            seconds = pause_before(attempt, failed.retry_after)
            if seconds >= _TOLD_PAUSE:
                logger.warning("%s; trying again in %.0f s", failed, seconds)
            await asyncio.sleep(seconds)
            return
        if failed.status in _BUSY or failed.kind == _NO_REPLY:
            pace.refused(started, failed.retry_after)
        reason = f"HTTP {failed.status}" if failed.status else failed.kind
        pace.retrying[reason] += 1
        try:
            await asyncio.sleep(pace.pause(attempt, failed.retry_after))
        finally:
            pace.retrying[reason] -= 1

    async def _ask(self, body: dict[str, Any], *, again: bool) -> Reply:
        """Sends a request, and sends it again without what the endpoint rejects.

        Args:
            body: The request.
            again: Whether the endpoint has broken down over it before, or is not asked again, so that the demand for a
                call is in doubt.
        """
        import openai

        client = self._client()
        doubted = ""
        while True:
            left_out = self.left_out
            status, kind, transient, retry_after = 0, "", False, None
            try:
                # Untyped both ways: the SDK's typed create() costs several times the CPU, and a typed result
                # would be built without validation, so the shape has to be checked here anyhow.
                answer = await client.post(
                    "/chat/completions",
                    body=body,
                    cast_to=object,
                    options={"security": {"bearer_auth": True}},
                )
                if doubted:
                    self._leave_out(_REQUIRED, doubted)
                    left_out = self.left_out
                self._demands |= body.get("tool_choice") == "required"
                reply = masked(read_completion(_decoded(answer), left_out), self.spec.key)
                if reply.usage_problem:
                    self._doubt_usage(reply.usage_problem)
                return reply
            except openai.APIStatusError as error:
                rejected = _rejected(error, body)
                reason = self._refusal(error)
                status, transient = error.status_code, _passes(error)
                if _overflows(error, rejected):
                    rejected, kind = None, OVERFLOW
                retry_after = _retry_after(error.response.headers)
            except openai.APITimeoutError:
                rejected, reason = None, f"no reply within {self.timeout:g} s"
                kind, transient = _NO_REPLY, True
            except openai.APIConnectionError as error:
                rejected, reason = None, f"cannot be reached: {_root(error)}"
                kind, transient = "no connection", True
            except json.JSONDecodeError:
                rejected, reason = None, _NO_JSON
                kind, transient = "malformed answer", True
            except (openai.OpenAIError, ValueError) as error:
                rejected, reason = None, str(error)
                kind, transient = "malformed answer", True
            except RecursionError:
                # Both the SDK and the reading of what it hands over go as deep as the answer does.
                rejected, reason = None, _TOO_DEEP
                kind, transient = "malformed answer", True
            # Raised outside the handlers, so that the SDK's exception, which holds the request and its
            # headers, is not attached.
            reason = self._line(reason)
            if status == _BROKEN and again and not self._demands and body.get("tool_choice") == "required":
                doubted, body = reason, {**body, "tool_choice": "auto"}
                continue
            if rejected is None:
                raise ServiceError(
                    f"model {self.spec.name} at {self.spec.base_url}: {reason}",
                    status=status,
                    kind=kind,
                    transient=transient,
                    retry_after=retry_after,
                    model=self.spec.name,
                )
            self._leave_out(rejected, reason)
            body = self._reduced(body)

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def __repr__(self) -> str:
        return f"ChatModel({self.spec.label!r}, base_url={self.spec.base_url!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Leaves connections behind: a copy in another process opens its own."""
        return {**self.__dict__, "_clients": {}, "_left_out": set(self._left_out)}

    def __deepcopy__(self, memo: dict[int, object]) -> ChatModel:
        """Returns itself: it holds nothing of any episode."""
        return self

    def _body(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        temperature: float | None,
        reply_tokens: int | None = None,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.spec.name, "messages": list(messages)}
        if temperature is not None:
            body["temperature"] = temperature
        if reply_tokens is not None:
            # OpenAI's newer models know this name only, and most others the old one only.
            limit = "max_completion_tokens" if self.spec.provider == "openai" else "max_tokens"
            body[limit] = reply_tokens
        if tools:
            body.update(tools=list(tools), tool_choice="required", parallel_tool_calls=False)
        return self._reduced(body)

    def _reduced(self, body: dict[str, Any]) -> dict[str, Any]:
        """Returns a request without what the endpoint rejects."""
        body = {name: value for name, value in body.items() if name not in self._left_out}
        if "tools" not in body:
            body = {name: value for name, value in body.items() if name not in _WITH_TOOLS}
        elif _REQUIRED in self._left_out and "tool_choice" in body:
            body["tool_choice"] = "auto"
        return body

    def _client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, Timeout

        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            key = self._key() or _NO_KEY
            foreign = self.spec.provider != "openai"
            # Pooled connections belong to their event loop; those of a closed loop cannot be used again.
            for old in [known for known in self._clients if known.is_closed()]:
                del self._clients[old]
            client = AsyncOpenAI(
                api_key=key,
                base_url=self.spec.base_url,
                timeout=Timeout(self.timeout, connect=min(_CONNECT_SECONDS, self.timeout)),
                max_retries=0,  # what is tried again, and when, is decided in one place
                default_headers=_without_custom_headers(key) if foreign else None,
            )
            if foreign:
                # The SDK reads these from OPENAI_* variables; they are nobody else's business.
                client.organization = None
                client.project = None
            self._clients[loop] = client
        return client

    def _key(self) -> str:
        variable = self.spec.key_variable
        key = self.spec.key
        if not key and self.spec.key_required:
            raise ModelError(
                f"model {self.spec.label} needs an API key: set the environment variable {variable}"
            )
        if any(not "!" <= letter <= "~" for letter in key):
            # The HTTP library would print the whole header in its complaint.
            raise ModelError(
                f"the environment variable {variable} holds no API key: blanks or special characters"
            )
        return key

    def _leave_out(self, name: str, reason: str) -> None:
        if name not in self._left_out:
            self._left_out.add(name)
            logger.warning(
                "%s rejects the parameter %s, which is left out from now on (%s)",
                self.spec.base_url,
                name,
                reason,
            )

    def _doubt_usage(self, problem: str) -> None:
        if not self._doubted_usage:
            self._doubted_usage = True
            logger.warning(
                "%s reports a usage that cannot be, which is counted as 0 or cut: %s; this is said once",
                self.spec.base_url,
                self._line(problem),
            )

    def _refusal(self, error: APIStatusError) -> str:
        if error.status_code == 401:
            # The endpoint's own words often quote the key, or parts of it.
            return f"HTTP 401, the key in {self.spec.key_variable} is missing or not accepted"
        said = _message(error).strip()
        return f"HTTP {error.status_code}: {said}" if said else f"HTTP {error.status_code}"

    def _line(self, text: str) -> str:
        line = one_line(without_key(text, self.spec.key))
        return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 3] + "..."


def _without_custom_headers(key: str) -> dict[str, Any]:
    """Returns headers that win over those of OPENAI_CUSTOM_HEADERS, which the SDK would send to any endpoint."""
    from openai import Omit

    lines = os.environ.get(_CUSTOM_HEADERS, "").split("\n")
    names = [line.partition(":")[0].strip() for line in lines if ":" in line]
    own = {"authorization": f"Bearer {key}", "content-type": "application/json", "accept": "application/json"}
    # Named as the user has spelt them, since the SDK takes what differs in case for another header.
    return {"Authorization": own["authorization"], **{name: own.get(name.lower(), Omit()) for name in names}}


def _passes(error: APIStatusError) -> bool:
    """Returns whether an HTTP error may be gone on the next attempt; an account without credit stays so."""
    status = error.status_code
    return error.code != _NO_MONEY and (status in (408, 409, 429) or status >= 500)


def _overflows(error: APIStatusError, rejected: str | None) -> bool:
    """Returns whether an endpoint says that the request is longer than the model's context."""
    if error.status_code not in (*_REJECTED, _TOO_LARGE):
        return False
    if error.code == "context_length_exceeded":
        return True
    return rejected is None and _OVERFLOWING.search(_message(error)[:_NAMED_WITHIN]) is not None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns how long an endpoint asks to wait (seconds, or a date), or None."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    # A date without a zone is in UTC, as HTTP wants it.
    until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def _decoded(answer: object) -> object:
    # The SDK hands over the text when the content type is not JSON; some small servers forget that header.
    if isinstance(answer, str):
        try:
            return msgspec.json.decode(answer)
        except msgspec.DecodeError:
            raise ValueError(_NO_JSON) from None
    return answer


def _rejected(error: APIStatusError, body: Mapping[str, Any]) -> str | None:
    """Returns the optional parameter that an error complains about, if it was sent."""
    if error.status_code not in _REJECTED:
        return None
    parameter = error.param
    if isinstance(parameter, str) and parameter:
        # A part of it, as in tool_choice.type, means the whole; but a part of the tools is one tool's schema.
        whole = parameter if parameter.startswith("tools") else re.split(r"[.\[]", parameter, maxsplit=1)[0]
        return whole if whole in _OPTIONAL and whole in body else None
    # Only the beginning: some servers quote the whole request behind it.
    complaint = _message(error)[:_NAMED_WITHIN]
    return next((name for name, named in _OPTIONAL.items() if name in body and named.search(complaint)), None)


def _message(error: APIStatusError) -> str:
    """Returns what an endpoint says in an error, in whichever of the usual places; empty if nothing readable."""
    body = error.body
    if isinstance(body, dict):
        said = (body.get(name) for name in ("message", "error", "detail"))
        return next((text for text in said if isinstance(text, str)), "")
    if isinstance(body, str) and not body.lstrip().startswith(
        "<"
    ):  # the page of a proxy says nothing in one line
        return body
    return ""


def _root(error: BaseException) -> str:
    """Returns the innermost cause of a connection error that says anything."""
    said = str(error)
    cause: BaseException | None = error
    while cause is not None:
        said = str(cause) or said
        cause = cause.__cause__ or cause.__context__
    return said
