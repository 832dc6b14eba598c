"""What a server says beside its reply, or instead of one, is neither believed blindly nor held against the reply."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.test_client import TOOLS, ask
from tests.policies.loopback import Answer, Loopback, calls, failure, text

from agentworld_env.errors import ModelError
from agentworld_env.models import ChatModel, ServiceError
from agentworld_env.models.client import OVERFLOW, _retry_after
from agentworld_env.models.replies import MOST_TOKENS, read_completion

CHOICE = {"message": {"content": "hi"}, "finish_reason": "stop"}
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just([1])
USAGE = VALUES | st.dictionaries(
    st.sampled_from(["prompt_tokens", "completion_tokens", "prompt_cache_hit_tokens"]), VALUES
)


@given(USAGE, VALUES)
def test_no_usage_whatever_makes_a_good_reply_a_failure_or_a_count_absurd(usage: Any, cached: Any) -> None:
    if isinstance(usage, dict):
        usage = {**usage, "prompt_tokens_details": {"cached_tokens": cached}}
    reply = read_completion({"choices": [CHOICE], "usage": usage})
    assert reply.text == "hi"
    for count in (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens):
        assert type(count) is int
        assert 0 <= count <= MOST_TOKENS
    assert reply.cached_tokens <= reply.prompt_tokens


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        ({"prompt_tokens": "many"}, "prompt_tokens is 'many'"),
        ({"completion_tokens": -7}, "completion_tokens is -7"),
        ({"prompt_tokens": 10**30}, "prompt_tokens is 1000"),
        ({"prompt_tokens": 5, "prompt_cache_hit_tokens": 6}, "6 of 5 tokens are cached"),
        ("lots", "usage is 'lots'"),
    ],
)
def test_an_absurd_usage_is_said_once(usage: Any, said: str, caplog: pytest.LogCaptureFixture) -> None:
    answer = calls(("sleep", {}))
    answer.body["usage"] = usage
    with Loopback(answer) as server, caplog.at_level(logging.WARNING):
        model = ChatModel(server.model)
        replies = [ask(model), ask(model)]
    assert all(said in reply.usage_problem for reply in replies)
    assert [record.getMessage().count(said) for record in caplog.records] == [1]


def test_a_sound_usage_has_no_problem() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2.0, "prompt_tokens_details": {"cached_tokens": 4}}
    reply = read_completion({"choices": [CHOICE], "usage": usage})
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (10, 2, 4)
    assert reply.usage_problem == read_completion({"choices": [CHOICE]}).usage_problem == ""


def test_retry_after_may_be_a_date() -> None:
    ahead = _retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90), True)})
    assert ahead is not None
    assert 60 < ahead <= 90
    assert _retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    assert _retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00"}) == 0.0
    for other in ("soon", "", "-5", "nan", "inf", "Wed, 99 Oct 2015"):
        assert _retry_after({"retry-after": other}) is None
    assert _retry_after({}) is None


@pytest.mark.parametrize(
    ("status", "said", "code"),
    [
        (400, "no", "context_length_exceeded"),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000.", None),
        (400, "Requested tokens (5120) exceed context window of 4096", None),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", None),
        (413, "Request too large", None),
        (422, "the request exceeds the available context size", None),
    ],
)
def test_a_prompt_beyond_the_context_is_told_from_other_refusals(
    status: int, said: str, code: str | None
) -> None:
    answer = failure(status, said)
    answer.body["error"]["code"] = code
    with Loopback(answer) as server, pytest.raises(ServiceError) as caught:
        ask(ChatModel(server.model, retries=0))
    assert caught.value.kind == OVERFLOW
    assert not caught.value.transient


@pytest.mark.parametrize(
    ("status", "said"), [(400, "unknown model"), (500, "context length"), (400, "the schema is too deep")]
)
def test_other_refusals_stay_infrastructure(status: int, said: str) -> None:
    with Loopback(failure(status, said, retry_after_ms="1")) as server, pytest.raises(ModelError) as caught:
        ask(ChatModel(server.model, retries=0))
    assert getattr(caught.value, "kind", "") != OVERFLOW


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no such model"}}, ": no such model"),
        ({"error": "no such model"}, ": no such model"),
        ({"message": "no such model"}, ": no such model"),
        ({"detail": "no such model"}, ": no such model"),
        ("no such model", ": no such model"),
        (b"no such model", ": no such model"),
        ([{"error": {"message": "x"}}], ""),
        (b"<html>502</html>", ""),
        (b"\xff\xfe\x00", None),
        ({}, ""),
        (b"", ""),
    ],
)
def test_an_error_says_what_the_endpoint_said_wherever_it_stands(body: Any, said: str | None) -> None:
    with Loopback(Answer(body, 400)) as server, pytest.raises(ModelError) as caught:
        ask(ChatModel(server.model, retries=0))
    _, marked, rest = str(caught.value).partition("HTTP 400")
    assert marked
    assert str(caught.value).isprintable()
    if said is not None:
        assert rest == said


def test_a_parameter_that_is_rejected_in_a_bare_text_is_left_out() -> None:
    with Loopback(Answer({"error": "this model does not support tools"}, 400), text("ok")) as server:
        assert "tools" in ask(ChatModel(server.model), TOOLS).left_out
