"""An endpoint that says the key, in whatever usual form, puts it before nobody's eyes."""

from __future__ import annotations

import asyncio
import base64
import json
import string
import urllib.parse
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.loopback import Answer, Loopback, calls, failure, message, text

from agentworld_env.errors import ModelError
from agentworld_env.models import ChatModel, Reply
from agentworld_env.models.endpoints import LOCAL_KEY_VARIABLE, ModelSpec
from agentworld_env.models.keys import masked, one_line, without_key

KEY = "sk-very+secret/0123456789"
LETTERS = string.ascii_letters + string.digits + string.punctuation


def ask(model: ChatModel) -> Reply:
    async def once() -> Reply:
        try:
            return await model.complete([{"role": "user", "content": "look"}])
        finally:
            await model.close()

    return asyncio.run(once())


def forms(key: str) -> list[str]:
    plain = key.encode()
    return [
        key,
        urllib.parse.quote(key),
        urllib.parse.quote(key, safe="").lower() if key.islower() else urllib.parse.quote(key, safe=""),
        "".join(f"%{byte:02x}" for byte in plain),
        json.dumps(key)[1:-1],
        json.dumps(json.dumps(key))[3:-3],
        key.replace("\\", "\\\\").replace('"', '\\"').replace("/", "\\/"),
        "".join(f"\\u{byte:04x}" for byte in plain),
        base64.b64encode(plain).decode(),
        base64.urlsafe_b64encode(plain).decode(),
        base64.b64encode(plain).decode().rstrip("="),
        urllib.parse.quote(base64.b64encode(plain).decode(), safe=""),
    ]


@given(st.text(LETTERS, min_size=16, max_size=60), st.integers(0, 11), st.integers(12, 60))
def test_no_usual_form_of_a_key_is_left_of_a_text(key: str, form: int, cut: int) -> None:
    assert without_key(f"<{forms(key)[form]}>", key) == "<[key]>"
    assert without_key(f"it begins {key[:cut]}", key) == "it begins [key]"


@given(st.text(LETTERS, min_size=16, max_size=60), st.binary(max_size=9), st.binary(max_size=9))
def test_a_key_within_something_in_base64_is_masked(key: str, before: bytes, after: bytes) -> None:
    shown = without_key(base64.b64encode(before + key.encode() + after).decode(), key)
    assert "[key]" in shown
    # What is left of the key is at most the bits that share a letter with what stands beside it.
    assert len(shown) - len("[key]") <= 4 * -(-len(before) // 3) + 4 * -(-(len(after) + 2) // 3) + 4


def test_what_only_resembles_a_key_stays() -> None:
    others = (KEY[:11], KEY[1:], KEY.upper(), "a reply without any key", "")
    assert [without_key(other, KEY) for other in others] == list(others)
    assert without_key("anything", "") == "anything"


def test_a_placeholder_is_no_secret_in_a_reply_but_is_in_an_error() -> None:
    reply = Reply(text="none of us")
    assert masked(reply, "none") == reply
    assert without_key("no such key: none", "none") == "no such key: [key]"


def test_a_huge_text_of_backslashes_takes_no_time() -> None:
    assert without_key("\\" * 2_000_000, KEY) == "\\" * 2_000_000


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("\x1b[31mred\x1b[0m\x07", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("left \u202e right\u2066\u200f", "left right"),
        ("two\r\nlines\x00\x9b31m", "two lines31m"),
        ("grüße ☃ 日本", "grüße ☃ 日本"),
    ],
)
def test_what_a_server_says_does_nothing_to_a_terminal(given_: str, shown: str) -> None:
    assert one_line(given_) == shown
    with Loopback(failure(400, given_)) as server, pytest.raises(ModelError) as caught:
        ask(ChatModel(server.model, retries=0))
    assert str(caught.value).endswith(f"HTTP 400: {shown}")


def test_a_key_in_a_reply_is_masked_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOCAL_KEY_VARIABLE, KEY)
    echo = calls((KEY, {"message": f"it is {KEY}"}))
    echo.body["choices"][0]["message"]["content"] = f"Authorization: Bearer {KEY}"
    echo.body["choices"][0]["finish_reason"] = KEY
    echo.body["usage"] = {"prompt_tokens": KEY}
    with Loopback(echo, message(refusal=f"not {KEY}")) as server:
        first, second = (ask(ChatModel(server.model)) for _ in range(2))
    assert first.text == "Authorization: Bearer [key]"
    assert first.requests[0].name == "[key]"
    assert json.loads(first.requests[0].arguments) == {"message": "it is [key]"}
    assert (first.finish, first.usage_problem) == ("[key]", "prompt_tokens is '[key]'")
    assert second.text == "not [key]"


@pytest.mark.parametrize("form", range(len(forms(KEY))))
def test_a_key_in_an_error_is_masked_in_every_usual_form(form: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOCAL_KEY_VARIABLE, KEY)
    with (
        Loopback(failure(400, f"bad key {forms(KEY)[form]}!")) as server,
        pytest.raises(ModelError) as caught,
    ):
        ask(ChatModel(server.model, retries=0))
    assert str(caught.value).endswith("HTTP 400: bad key [key]!")


def test_headers_of_ones_own_go_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Team: {KEY}\nAuthorization: Bearer {KEY}")
    with Loopback(text("ok")) as server:
        ask(ChatModel(server.model))
        spec = ModelSpec(provider="openai", name="m", base_url=server.url, key_variable="OPENAI_API_KEY")
        ask(ChatModel(spec))
    other, openai = (received.headers for received in server.received)
    assert KEY not in str(other)
    assert openai["x-team"] == KEY


def test_a_custom_header_of_any_spelling_neither_reaches_nor_breaks_another_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(LOCAL_KEY_VARIABLE, "mine")
    foreign = ("AUTHORIZATION", "content-type", "Accept", "X-team", "User-Agent", "openai-organization")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS", "\n".join(f"{name}: {KEY}" for name in foreign) + "\nno header"
    )
    with Loopback(text("ok")) as server:
        assert ask(ChatModel(server.model)).text == "ok"
    headers = server.received[0].headers
    assert KEY not in str(headers)
    assert "x-team" not in headers
    assert (headers["authorization"], headers["content-type"]) == ("Bearer mine", "application/json")


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b"[" * 200_000 + b"]" * 200_000,
        b'{"choices": ' * 50_000,
        b'{"usage": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    ],
)
@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
def test_an_answer_nested_too_deeply_is_malformed(body: bytes, status: int, content_type: str) -> None:
    answer: Any = Answer(body, status, content_type=content_type)
    with Loopback(answer) as server, pytest.raises(ModelError) as caught:
        ask(ChatModel(server.model, retries=0))
    assert "\n" not in str(caught.value)
    assert getattr(caught.value, "transient", None) is (status != 400)
