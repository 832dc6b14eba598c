"""The policy that asks a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentworld_env import run_episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.policies.human import HumanPolicy, read_entry


@pytest.mark.parametrize(
    ("entered", "call"),
    [
        ("sleep", {"tool": "sleep", "arguments": {}}),
        ("move_character x=3 y=4", {"tool": "move_character", "arguments": {"x": "3", "y": "4"}}),
        ("chat message='two words'", {"tool": "chat", "arguments": {"message": "two words"}}),
        ('{"tool": "sleep", "arguments": {"rounds": 2}}', {"tool": "sleep", "arguments": {"rounds": 2}}),
    ],
)
def test_a_call_is_written_as_words_or_as_json(entered: str, call: dict[str, Any]) -> None:
    assert read_entry(entered) == call


@pytest.mark.parametrize("entered", ["chat hello", "chat 'unclosed", "{", '{"tool"}'])
def test_what_is_no_call_is_said_to_be_none(entered: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_entry(entered)


def test_a_person_sees_brief_and_observation_and_is_asked_again_after_a_mistake() -> None:
    entries: Iterator[str] = iter(["help", "legal", "chat hello", "sleep rounds=5", *["sleep rounds=5"] * 99])
    shown: list[str] = []
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return next(entries)

    episode = run_episode("t01_magic_staff", HumanPolicy(ask, shown.append), seed=1)
    assert asked[:4] == ["lumberjack, round 1> "] * 4
    assert episode.lines[0].call == {"tool": "sleep", "arguments": {"rounds": "5"}}
    assert episode.lines[0].result.ok
    assert sum("you play lumberjack" in text for text in shown) == 1
    assert any("Round 1 of 25. You are lumberjack" in text for text in shown)
    assert any("expected name=value" in text for text in shown)
    assert any("sleep rounds=1" in text for text in shown)


def test_the_end_of_the_input_ends_the_run_with_one_clear_line() -> None:
    def ask(prompt: str) -> str:
        raise EOFError

    with pytest.raises(AgentWorldError, match="the input has ended"):
        run_episode("t01_magic_staff", HumanPolicy(ask, lambda text: None), seed=1)
