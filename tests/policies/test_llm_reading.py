"""Reading a reply: whatever a model writes becomes one call that can be recorded."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.evaluate.keeping import recorded
from agentworld_env.models.replies import Reply, ToolRequest
from agentworld_env.policies import Exchange
from agentworld_env.policies.reading import is_unusable, read_call, surplus_in
from agentworld_env.tools import TOOLS as ALL
from agentworld_env.tools import parse

TOOLS = ("chat", "sleep")
PIECES = st.lists(
    st.sampled_from(
        [
            '{"tool"',
            ": ",
            '"sleep"',
            '"chat"',
            ', "arguments"',
            "{",
            "}",
            "[",
            "]",
            '"',
            "1e999",
            "9" * 30,
            "null",
            "</think>",
        ]
    )
    | st.text(max_size=4),
    max_size=12,
).map("".join)
ARGUMENTS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.booleans(),
    max_size=3,
)
REQUESTS = st.lists(st.builds(ToolRequest, PIECES | st.sampled_from(TOOLS), PIECES), max_size=3).map(tuple)


@given(PIECES, REQUESTS)
def test_any_reply_becomes_a_recordable_call_that_is_usable_or_has_a_problem(
    text: str, requests: tuple[ToolRequest, ...]
) -> None:
    reading = read_call(Reply(text=text, requests=requests), TOOLS)
    assert set(reading.call) == {"tool", "arguments"}
    assert msgspec.json.decode(msgspec.json.encode(reading.call)) == reading.call
    legal = reading.call["tool"] in TOOLS and isinstance(reading.call["arguments"], dict)
    assert reading.usable == (legal and isinstance(parse(reading.call, ALL), tuple))
    assert reading.usable or reading.problem


@given(st.sampled_from(TOOLS), ARGUMENTS, st.text(st.characters(exclude_characters="{<"), max_size=10))
def test_a_call_reads_the_same_from_a_tool_request_and_from_text(
    tool: str, arguments: dict[str, object], around: str
) -> None:
    asked = Reply(requests=(ToolRequest(tool, json.dumps(arguments)),))
    written = Reply(text=around + json.dumps({"tool": tool, "arguments": arguments}) + around)
    expected = {"tool": tool, "arguments": arguments}
    assert read_call(asked, TOOLS).call == expected
    assert read_call(written, TOOLS).call == expected


def test_text_beside_a_tool_request_is_ignored() -> None:
    reply = Reply(text='{"tool": "chat", "arguments": {}}', requests=(ToolRequest("sleep", "{}"),))
    assert read_call(reply, TOOLS).call == {"tool": "sleep", "arguments": {}}
    assert read_call(reply, TOOLS).problem == ""


@given(st.integers(1, 5), st.booleans())
def test_surplus_calls_of_a_recorded_reply_are_counted_and_do_not_make_it_unusable(
    count: int, written: bool
) -> None:
    if written:
        reply = Reply(text='{"tool": "sleep", "arguments": {}}' * count)
    else:
        reply = Reply(requests=(ToolRequest("sleep", "{}"),) * count)
    reading = read_call(reply, TOOLS)
    assert (reading.usable, reading.problem, reading.surplus) == (True, "", count - 1)
    exchange = Exchange(model="m", reply={}, problem=reading.problem, surplus=reading.surplus)
    kept = recorded(exchange)
    assert surplus_in(kept) == count - 1
    assert not is_unusable(kept)
    assert msgspec.convert(kept, Exchange) == exchange


def test_what_a_model_or_another_policy_writes_into_a_problem_is_no_number() -> None:
    prose = "it holds 900000 tool calls, of which only the first counts"
    kept = {"model": "m", "reply": {"text": prose, "calls": [1, 2, 3]}, "problem": prose}
    assert (surplus_in(kept), is_unusable(kept)) == (0, True)


def test_a_reply_whose_first_call_is_unusable_has_its_others_counted_all_the_same() -> None:
    both = (ToolRequest("fly", "{}"), ToolRequest("sleep", "{}"))
    reading = read_call(Reply(requests=both), TOOLS)
    assert (reading.usable, reading.surplus) == (False, 1)
    assert "there is no tool 'fly'" in reading.problem


@pytest.mark.parametrize("odd", ["2", None, -3, 1.5, [1]])
def test_an_odd_count_in_somebody_elses_record_counts_as_none(odd: object) -> None:
    assert surplus_in({"model": "m", "reply": {}, "surplus": odd}) == 0


@pytest.mark.parametrize("finish", ["length", "stop"])
def test_a_draft_in_thoughts_that_came_to_no_end_is_no_call(finish: str) -> None:
    draft = '{"tool": "sleep", "arguments": {}}'
    reading = read_call(Reply(text=f"\n<think>Perhaps {draft}, or", finish=finish), TOOLS)
    assert (reading.usable, reading.call["tool"]) == (False, "")
    assert reading.problem == (
        "it was cut off before a tool call" if finish == "length" else "it holds no tool call"
    )
    assert read_call(Reply(text=f"<think>Perhaps.</think>{draft}", finish=finish), TOOLS).usable
