from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.sim.worlds import agent, do, start

from agentworld_env.sim.events import Result, to_builtins
from agentworld_env.tools import TOOLS, execute, parse
from agentworld_env.tools.parse import plain_text

NESTED: list[Any] = []
for _ in range(100_000):
    NESTED = [NESTED]
LOOP: dict[str, Any] = {}
LOOP["again"] = LOOP

NASTY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=30),
    st.sampled_from(
        (
            math.nan, math.inf, -math.inf, 10**5_000, -(10**5_000), 2**63, 1e308,
            "\ud800", "a\x00b\nc\u202e", "9" * 5_000,
            "x" * 1_000_000, LOOP, b"bytes", object(), {1: 2}, [], (), set(), "-", "--5", "5.5", "\u0665",
        )
    ),
)  # fmt: skip
KNOWN = st.sampled_from(tuple(TOOLS))
NAMES = st.sampled_from(
    ("x", "y", "target", "to", "item", "count", "skill", "message", "rounds", "response", "zzz")
)
CALLS = st.one_of(
    st.fixed_dictionaries({"tool": KNOWN, "arguments": st.dictionaries(NAMES, NASTY, max_size=4)}),
    st.fixed_dictionaries({"tool": NASTY, "arguments": NASTY}),
    st.fixed_dictionaries({"tool": KNOWN, "arguments": NASTY}),
    st.dictionaries(st.one_of(st.text(max_size=5), st.integers(), st.none()), NASTY, max_size=3),
)


@settings(max_examples=500, deadline=None)
@given(call=CALLS)
@example(call={"tool": "move_character", "arguments": {"x": 10**5_000, "y": [[]]}})
@example(call={"tool": "chat", "arguments": {"message": "x" * 1_000_000}})
@example(call={"tool": "chat", "arguments": {"message": "\ud800\ud800 hi", 10**5_000: LOOP}})
@example(call={"tool": "\ud800" * 100})
def test_no_mapping_however_malformed_raises_and_all_that_is_kept_of_it_can_be_written(
    call: dict[Any, Any],
) -> None:
    sim = start(agent("a", bag={"apple": 2}), agent("b"))
    result = execute(sim, call, TOOLS)
    assert isinstance(result, Result)
    assert result.ok or (result.code and result.reason)
    last = sim.state.agents[0].last
    assert last is not None
    written = json.dumps(
        [last.tool, last.arguments, to_builtins(result), to_builtins(sim.state.events)], allow_nan=True
    )
    assert len(written) < 20_000
    assert (last.tool + result.reason + result.hint).isprintable()
    assert sim.state.actions == 1


def test_values_nested_too_deep_to_be_shown_fail_like_any_others() -> None:
    for call in (
        {"tool": "chat", "arguments": NESTED},
        {"tool": "chat", "arguments": {"message": NESTED}},
        {"tool": "chat", "arguments": {"message": "hi", "more": NESTED}},
        {"tool": NESTED},
    ):
        assert not execute(start(agent("a"), agent("b")), call, TOOLS).ok


@pytest.mark.parametrize("action", [7, "chat", ["chat"], ("tool", "chat"), b"{}", 1.5, object()])
def test_what_is_no_mapping_is_a_programming_error(action: object) -> None:
    sim = start(agent("a"))
    with pytest.raises(TypeError, match="mapping"):
        execute(sim, action, TOOLS)
    assert sim.state.actions == 0


@pytest.mark.parametrize("value", [5, 5.0, "5", " 5 ", np.int64(5)])
def test_whole_numbers_are_read_however_a_model_writes_them(value: object) -> None:
    parsed = parse({"tool": "sleep", "arguments": {"rounds": value}}, TOOLS)
    assert not isinstance(parsed, Result)
    assert parsed[1] == [5]
    assert type(parsed[1][0]) is int


@pytest.mark.parametrize("value", [True, 5.5, "five", None, [5], math.nan, math.inf, "5" * 40, 6, 0, -1])
def test_anything_else_is_no_number_of_rounds(value: object) -> None:
    parsed = parse({"tool": "sleep", "arguments": {"rounds": value}}, TOOLS)
    assert isinstance(parsed, Result)
    assert parsed.code == "arguments"


def test_a_mistyped_tool_gets_the_nearest_name_as_a_hint() -> None:
    result = do(start(agent("a")), "a", "harvest_resorce", target="oak-0001")
    assert (result.code, "harvest_resource" in result.hint) == ("unknown_tool", True)


def test_missing_and_unknown_arguments_are_named() -> None:
    sim = start(agent("a"))
    assert "'y'" in do(sim, "a", "move_character", x=5).reason
    assert "'z'" in do(sim, "a", "move_character", x=5, y=5, z=5).reason


def test_arguments_may_be_left_out_where_none_are_needed() -> None:
    assert not isinstance(parse({"tool": "enter_portal"}, TOOLS), Result)
    assert not isinstance(parse({"tool": "sleep", "arguments": None}, TOOLS), Result)


def test_a_skill_is_read_in_any_case() -> None:
    parsed = parse({"tool": "craft_item", "arguments": {"skill": "Smithing", "item": "axe"}}, TOOLS)
    assert not isinstance(parsed, Result)
    assert parsed[1] == ["smithing", "axe", 1]


def test_a_failed_call_costs_the_turn_and_is_recorded() -> None:
    sim = start(agent("a"))
    do(sim, "a", "fly", height=3)
    last = sim.state.agents[0].last
    assert last is not None
    assert (sim.state.agents[0].turns, last.tool, last.arguments, last.result.ok) == (
        1,
        "fly",
        {"height": 3},
        False,
    )


@given(st.text(max_size=60))
def test_text_that_is_kept_has_no_control_characters_and_can_be_encoded(text: str) -> None:
    kept = plain_text(text, 40)
    assert len(kept) <= 40
    assert kept.isprintable()
    kept.encode("utf-8")
    if text.isprintable():
        assert kept == text[:40]
