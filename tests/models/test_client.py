"""The chat-completions client, through the official SDK, against a real server on the loopback interface."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
import socket
import subprocess
import sys
import traceback
from typing import Any

import pytest
from tests.policies.loopback import Answer, Loopback, Received, calls, failure, message, text

from agentworld_env.errors import ModelError
from agentworld_env.models import ChatModel, Pace, Reply, ToolRequest
from agentworld_env.models.endpoints import LOCAL_KEY_VARIABLE, ModelSpec

NAP = calls(("sleep", {}))
KEY = "sk-very-secret-0123456789"
MESSAGES = [{"role": "system", "content": "rules"}, {"role": "user", "content": "look"}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "sleep",
            "description": "Waits.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        LOCAL_KEY_VARIABLE,
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    ):
        monkeypatch.delenv(variable, raising=False)


def ask(model: ChatModel, tools: list[dict[str, Any]] | None = None, **options: Any) -> Reply:
    async def once() -> Reply:
        try:
            return await model.complete(MESSAGES, TOOLS if tools is None else tools, **options)
        finally:
            await model.close()

    return asyncio.run(once())


def test_a_request_demands_exactly_one_tool_call_and_the_reply_carries_it() -> None:
    with Loopback(calls(("sleep", {"rounds": 2}))) as server:
        reply = ask(ChatModel(server.model), temperature=0.5)
    (received,) = server.received
    assert received.path == "/v1/chat/completions"
    assert received.body == {
        "model": "tester",
        "messages": MESSAGES,
        "tools": TOOLS,
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "temperature": 0.5,
    }
    assert reply.requests == (ToolRequest("sleep", '{"rounds": 2}'),)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (120, 7, 64)
    assert reply.finish == "tool_calls"


def test_a_request_without_tools_or_temperature_sends_only_model_and_messages() -> None:
    with Loopback(text("yes")) as server:
        reply = ask(ChatModel(server.model), tools=[])
    assert server.received[0].body == {"model": "tester", "messages": MESSAGES}
    assert (reply.text, reply.requests) == ("yes", ())


def test_http_429_is_repeated_after_the_pause_that_the_endpoint_asks_for() -> None:
    with Loopback(failure(429, "slow down", Retry_After="0.8"), text("ok")) as server:
        reply = ask(ChatModel(server.model, retries=1))
    assert reply.text == "ok"
    first, second = server.received
    assert second.at - first.at >= 0.8  # without the header the first pause is at most half a second


def test_http_500_is_repeated() -> None:
    with Loopback(failure(500, "oops", retry_after_ms="1"), text("ok")) as server:
        assert ask(ChatModel(server.model, retries=1)).text == "ok"
    assert len(server.received) == 2


def test_an_endpoint_that_keeps_failing_is_a_one_line_error_after_the_last_retry() -> None:
    with Loopback(failure(503, "over\nloaded", retry_after_ms="1")) as server:
        with pytest.raises(ModelError) as caught:
            ask(ChatModel(server.model, retries=2))
        assert str(caught.value) == f"model tester at {server.url}: HTTP 503: over loaded"
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("said", "param", "gone"),
    [
        ("Unsupported value: temperature does not support 0.5", "temperature", {"temperature"}),
        ("unknown field: parallel_tool_calls", None, {"parallel_tool_calls"}),
        ("This model does not support this tool_choice for its tools", None, {"tool_choice"}),
        ("tester does not support tools", None, {"tools", "tool_choice", "parallel_tool_calls"}),
    ],
)
def test_a_parameter_that_http_400_names_is_left_out_once_per_endpoint_with_one_warning(
    said: str, param: str | None, gone: set[str], caplog: pytest.LogCaptureFixture
) -> None:
    with Loopback(failure(400, said, param), text("ok")) as server, caplog.at_level(logging.WARNING):
        model = ChatModel(server.model)
        replies = [ask(model, temperature=0.5), ask(model, temperature=0.5)]
    first, *later = (set(received.body) for received in server.received)
    assert later == [first - gone, first - gone]  # the second request does not try again
    assert [reply.left_out for reply in replies] == [model.left_out, model.left_out]
    warnings = [record for record in caplog.records if record.name.startswith("agentworld_env")]
    assert len(warnings) == 1
    assert model.left_out[0] in warnings[0].getMessage()


def test_requests_that_are_rejected_at_the_same_time_give_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def both(model: ChatModel) -> list[Reply]:
        return await asyncio.gather(*(model.complete(MESSAGES, TOOLS) for _ in range(2)))

    rejection = failure(400, "no", "tool_choice")
    rejection.delay = 0.2  # so that both are under way before either is answered
    with Loopback(rejection, rejection, text("ok")) as server, caplog.at_level(logging.WARNING):
        replies = asyncio.run(both(ChatModel(server.model)))
    assert [reply.left_out for reply in replies] == [("tool_choice",)] * 2
    assert ["tool_choice" in received.body for received in server.received] == [True, True, False, False]
    assert len([record for record in caplog.records if record.name.startswith("agentworld_env")]) == 1


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ("Invalid schema for function 'sleep'; tools are not supported so", "tools[0].function.parameters"),
        ("maximum context length exceeded", None),
        ("the prompt mentions no parameter but is long " + "x" * 500 + " temperature", None),
    ],
)
def test_http_400_about_anything_else_is_an_error_and_not_repeated(said: str, param: str | None) -> None:
    with Loopback(failure(400, said, param)) as server, pytest.raises(ModelError, match="HTTP 400"):
        ask(ChatModel(server.model), temperature=0.5)
    assert len(server.received) == 1


def test_an_unreachable_endpoint_is_one_line_with_address_and_reason() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match=r"cannot be reached: .+") as caught:
            ask(ChatModel(f"local:{url}#m", retries=0))
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_reply_that_takes_too_long_is_one_line_with_the_limit() -> None:
    late = pytest.raises(ModelError, match=r"no reply within 0\.1 s")
    with Loopback(Answer({}, delay=0.6)) as server, late:
        ask(ChatModel(server.model, timeout=0.1, retries=0))


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>a web page</html>", content_type="text/html"),
        Answer(b"{broken"),
        Answer([1, 2]),
        Answer({"choices": "none"}),
        Answer({"choices": []}),
        Answer({"error": {"message": "upstream is down"}}),
        Answer({"choices": [{"message": None}]}),
    ],
)
def test_an_answer_that_is_no_completion_is_a_one_line_error(answer: Answer) -> None:
    with Loopback(answer) as server:
        with pytest.raises(ModelError, match="the answer") as caught:
            ask(ChatModel(server.model, retries=0))
        assert server.url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_replies_of_less_exact_servers_are_understood() -> None:
    lone = "half \ud800 pair"
    oddities = [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, Reply(text="ab")),
        ({"content": None, "refusal": "I will not"}, Reply(text="I will not")),
        ({"content": lone}, Reply(text="half ? pair")),
        (
            {"tool_calls": [{"function": {"name": "sleep", "arguments": {"rounds": 1}}}]},
            Reply(requests=(ToolRequest("sleep", '{"rounds":1}'),)),
        ),
        (
            {"tool_calls": [{"function": {"name": "sleep", "arguments": None}}]},
            Reply(requests=(ToolRequest("sleep", ""),)),
        ),
    ]
    with Loopback(*(message(**fields) for fields, _ in oddities)) as server:
        model = ChatModel(server.model)
        for _, expected in oddities:
            reply = ask(model)
            assert (reply.text, reply.requests) == (expected.text, expected.requests)


def test_a_completion_is_read_whatever_content_type_the_server_gives_it() -> None:
    answer = text("ok")
    answer.content_type = "text/plain"
    with Loopback(answer) as server:
        assert ask(ChatModel(server.model)).text == "ok"


def test_a_missing_key_is_reported_with_its_variable_before_any_call() -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        ChatModel("openai:gpt-5-mini")


def test_a_key_that_cannot_be_a_header_is_refused_without_printing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\nsecond-line")
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        ChatModel("openai:gpt-5-mini")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_the_key_is_sent_to_the_endpoint_and_appears_nowhere_else(
    status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(LOCAL_KEY_VARIABLE, KEY + "\n")  # as read from a file
    echo = failure(status, f"temperature: bad key {KEY}")
    with Loopback(echo, echo) as server, caplog.at_level(logging.DEBUG):
        model = ChatModel(server.model, retries=0)
        with pytest.raises(ModelError) as caught:
            ask(model, temperature=1.0)
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    shown = [
        "".join(traceback.format_exception(caught.value)),
        repr(caught.value.__context__),
        repr(model),
        repr(vars(model)),
        repr(model.spec),
        caplog.text,
        *(str(record.args) for record in caplog.records),
    ]
    assert caplog.records
    assert not [part for part in shown if KEY in part]


def test_openai_credentials_of_the_user_never_reach_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(variable, KEY)
    with Loopback(text("ok")) as server:
        ask(ChatModel(server.model))
    assert KEY not in str(server.received[0].headers)


def test_the_openai_endpoint_gets_key_and_organization(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    with Loopback(text("ok")) as server:
        spec = ModelSpec(provider="openai", name="m", base_url=server.url, key_variable="OPENAI_API_KEY")
        ask(ChatModel(spec))
    headers = server.received[0].headers
    assert (headers["authorization"], headers["openai-organization"]) == (f"Bearer {KEY}", "org-1")


def test_one_model_serves_several_event_loops_and_many_requests_at_once() -> None:
    async def several(model: ChatModel) -> list[Reply]:
        return await asyncio.gather(*(model.complete(MESSAGES, TOOLS) for _ in range(4)))

    with Loopback(text("ok")) as server:
        model = ChatModel(server.model)
        for _ in range(2):
            assert [reply.text for reply in asyncio.run(several(model))] == ["ok"] * 4
            assert len(model._clients) == 1  # those of closed loops are not hoarded
    assert len(server.received) == 8


def test_a_pickled_model_is_the_same_model_without_connections() -> None:
    with Loopback(failure(400, "no", "tool_choice"), text("ok")) as server:
        model = ChatModel(server.model, timeout=5.0, retries=1)
        asyncio.run(model.complete(MESSAGES, TOOLS))  # leaves its connection open
        twin = pickle.loads(pickle.dumps(model))
        assert ask(twin).text == "ok"
    assert (twin.spec, twin.timeout, twin.retries, twin.left_out) == (model.spec, 5.0, 1, ("tool_choice",))
    assert copy.deepcopy(model) is model


def test_importing_models_or_the_policy_loads_no_sdk() -> None:
    code = (
        "import sys; import agentworld_env.models, agentworld_env.policies.llm; "
        "sys.exit(' '.join(m for m in sys.modules if m.split('.')[0] in ('openai', 'httpx', 'httpx2')) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def demanding(received: Received, _: int) -> Answer:
    """Breaks down over every request that demands a call, as one small server does, and answers all others."""
    return failure(500, "") if received.body.get("tool_choice") == "required" else NAP


@pytest.mark.parametrize("paced", [True, False])
def test_an_endpoint_that_breaks_down_whenever_a_call_is_demanded_is_offered_the_tools_instead(
    paced: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)
    with Loopback(respond=demanding) as server, caplog.at_level(logging.WARNING):
        model = ChatModel(server.model, retries=1, pace=Pace() if paced else None)
        replies = [ask(model), ask(model)]
    assert [received.body["tool_choice"] for received in server.received] == ["required"] * 2 + ["auto"] * 2
    assert all(received.body["tools"] == TOOLS for received in server.received)
    assert [reply.left_out for reply in replies] == [("tool_choice=required",)] * 2
    warnings = [record for record in caplog.records if record.name.startswith("agentworld_env")]
    assert len(warnings) == 1


def test_a_breakdown_that_passes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)
    with Loopback(failure(500, "oops"), NAP) as server:
        model = ChatModel(server.model, pace=Pace())
        ask(model)
        assert model.left_out == ()
        # Demanding has worked once, so later breakdowns have another reason.
        server.script = [failure(500, "oops")]
        with pytest.raises(ModelError, match="HTTP 500"):
            ask(model)
    assert {received.body["tool_choice"] for received in server.received} == {"required"}
    assert model.left_out == ()


def test_an_endpoint_that_breaks_down_over_everything_keeps_the_demand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)
    with Loopback(failure(500, "oops")) as server:
        model = ChatModel(server.model, retries=2, pace=Pace())
        with pytest.raises(ModelError, match="HTTP 500"):
            ask(model)
    # Each later attempt tries without the demand as well, which does not help.
    assert [received.body["tool_choice"] for received in server.received] == [
        "required", "required", "auto", "required", "auto",
    ]  # fmt: skip
    assert model.left_out == ()


@pytest.mark.parametrize(("provider", "name"), [("openai", "max_completion_tokens"), ("local", "max_tokens")])
def test_a_longest_reply_is_sent_under_the_name_that_the_provider_knows(provider: str, name: str) -> None:
    with Loopback(NAP) as server:
        spec = ModelSpec(
            provider=provider, name="m", base_url=server.url, key_variable="NONE_AT_ALL", key_required=False
        )
        ask(ChatModel(spec), reply_tokens=77)
        assert server.received[0].body[name] == 77
        assert len({"max_tokens", "max_completion_tokens"} & set(server.received[0].body)) == 1
        server.script = [failure(400, f"unknown parameter: {name}"), NAP]
        server.received.clear()
        model = ChatModel(spec)
        ask(model, reply_tokens=77)
    assert [name in received.body for received in server.received] == [True, False]
    assert model.left_out == (name,)


@pytest.mark.parametrize(
    ("param", "left_out"),
    [
        ("tool_choice.type", {"tool_choice"}),
        ("tool_choice[0]", {"tool_choice"}),
        ("temperature.value", {"temperature"}),
    ],
)
def test_a_rejected_part_of_a_parameter_means_the_parameter(param: str, left_out: set[str]) -> None:
    with Loopback(failure(400, "no", param), text("ok")) as server:
        assert set(ask(ChatModel(server.model), temperature=0.5).left_out) == left_out


@pytest.mark.parametrize("param", ["tools.0.function", "tools[0].function.parameters", "messages.0"])
def test_a_rejected_tool_or_message_is_no_reason_to_leave_all_of_them_out(param: str) -> None:
    with Loopback(failure(400, "no", param)) as server, pytest.raises(ModelError, match="HTTP 400: no"):
        ask(ChatModel(server.model))
    assert len(server.received) == 1
