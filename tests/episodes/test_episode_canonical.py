"""What a policy sends becomes plain JSON before it is played."""

from __future__ import annotations

import enum
import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env import make
from agentworld_env.episodes import canonical_call
from agentworld_env.episodes.canonical import MOST_BYTES


class _Thing:
    pass


class _Colour(enum.IntEnum):
    RED = 3


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**60, max_value=2**200),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=8),
    st.binary(max_size=4),
    st.sampled_from([_Thing(), np.int64(7), np.float32(0.5), np.nan, {1, 2}, _Colour.RED]),
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.text(max_size=4), st.integers()), inner, max_size=4),
    ),
    max_leaves=12,
)
CALLS = st.one_of(
    ANYTHING,
    st.fixed_dictionaries(
        {"tool": st.one_of(ANYTHING, st.sampled_from(["move_character", "sleep", "chat"]))},
        optional={"arguments": ANYTHING, "more": ANYTHING},
    ),
)


def typed(value: Any) -> Any:
    """Returns a value in which equal numbers of different types differ."""
    if isinstance(value, dict):
        return {key: typed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [typed(part) for part in value]
    return type(value).__name__, value


@given(CALLS)
def test_a_canonical_call_survives_its_record_unchanged(call: Any) -> None:
    plain = canonical_call(call)
    assert typed(msgspec.json.decode(msgspec.json.encode(plain))) == typed(plain)


@given(CALLS)
def test_canonical_form_is_reached_in_one_step(call: Any) -> None:
    plain = canonical_call(call)
    assert typed(canonical_call(plain)) == typed(plain)


@settings(max_examples=40)
@given(st.lists(CALLS, min_size=1, max_size=4))
def test_no_call_whatever_it_is_stops_an_episode(calls: list[Any]) -> None:
    env = make("t01_magic_staff")
    env.reset(seed=1)
    for call in calls:
        before = env.sim.state.actions
        env.step(canonical_call(call))
        assert env.sim.state.actions == before + 1


def test_a_well_formed_call_stays_as_it_is() -> None:
    call = {"tool": "transfer_items", "arguments": {"count": 2, "item": "logs", "to": "wizard"}}
    assert canonical_call(call) == call


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (np.int64(7), 7),
        (np.float64(2.5), 2.5),
        (_Colour.RED, 3),
        (True, True),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (2**53, 2**53),
        (2**53 + 1, "a whole number of 54 bits"),
        pytest.param(-(2**20000), "a whole number of 20001 bits", id="huge"),
        ("\ud800", "?"),
        (b"x", "a bytes"),
        ((1, 2), [1, 2]),
    ],
)
def test_a_value_json_lacks_becomes_one_it_has(sent: Any, kept: Any) -> None:
    plain = canonical_call({"tool": "sleep", "arguments": {"rounds": sent}})
    assert typed(plain["arguments"]["rounds"]) == typed(kept)


def test_objects_are_named_by_their_type_and_never_by_their_address() -> None:
    assert canonical_call({"tool": "chat", "arguments": {"message": _Thing()}})["arguments"] == {
        "message": "a _Thing"
    }


@pytest.mark.parametrize("call", [None, 5, "sleep", ["sleep"], b"{}"])
def test_what_is_no_mapping_names_no_tool(call: Any) -> None:
    assert canonical_call(call)["tool"] is None


def test_deep_values_are_cut() -> None:
    deep: Any = 1
    for _ in range(10_000):
        deep = [deep]
    text = msgspec.json.encode(canonical_call({"tool": "chat", "arguments": {"message": deep}}))
    assert b"nested too deeply" in text


def test_a_call_takes_no_more_than_its_share_of_a_record() -> None:
    wide = {f"k{i}": ["x" * 10**5] * 100 for i in range(100)}
    plain = canonical_call({"tool": "y" * 10**6, "arguments": wide})
    assert len(msgspec.json.encode(plain)) <= MOST_BYTES + 1000
