"""A mixed team: who plays whom, and what each policy is told."""

from __future__ import annotations

from typing import Any

import pytest

import agentworld_env
from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task

TEAM = list(get_task("t01_magic_staff").spec.team)


class Noting:
    name = "noting"
    wants_text = False

    def __init__(self) -> None:
        self.begun: list[list[str]] = []
        self.asked: list[str] = []
        self.closed = 0

    def begin(self, briefs: Any, seed: int) -> None:
        self.begun.append(list(briefs))

    def act(self, turn: Any) -> dict[str, Any]:
        self.asked.append(turn.agent)
        return {"tool": "sleep", "arguments": {"rounds": 1}}


class Bare:
    name = "bare"

    def act(self, turn: Any) -> dict[str, Any]:
        return {"tool": "sleep", "arguments": {"rounds": 1}}


@pytest.mark.parametrize("given", [Noting(), Bare(), agentworld_env.DiscretePolicy(lambda observation: 0)])
def test_one_policy_may_stand_under_several_patterns_and_plays_as_if_under_one(given: Any) -> None:
    """The middle agent of three is somebody else's, so that its two parts are not neighbours."""
    other = Noting()
    parts = [(TEAM[0], given), (TEAM[1], other), ("*", given)]
    mixed = agentworld_env.MixedPolicy(parts)
    episode = agentworld_env.run_episode("t01_magic_staff", mixed, seed=0)
    assert {line.agent for line in episode.lines} == set(TEAM)
    assert other.begun == [[TEAM[1]]]
    if isinstance(given, Noting):
        assert given.begun == [[TEAM[0], *TEAM[2:]]]
        assert set(given.asked) == {TEAM[0], *TEAM[2:]}
    assert [each["agents"] for each in mixed.config()["members"]] == [TEAM[0], TEAM[1], "*"]
    assert [line.call["tool"] for line in episode.lines] == ["sleep"] * len(episode.lines)


def test_a_learned_policy_within_a_team_within_a_team_that_has_it_too_is_one_clear_line() -> None:
    net = agentworld_env.DiscretePolicy(lambda observation: 0, name="net")
    inner = agentworld_env.MixedPolicy([("*", net)])
    nested = agentworld_env.MixedPolicy([(TEAM[0], net), ("*", inner)])
    with pytest.raises(AgentWorldError, match=f"net is asked for {TEAM[0]}, whom it was not begun for"):
        agentworld_env.run_episode("t01_magic_staff", nested, seed=0)


@pytest.mark.parametrize("members", [{"*": Bare()}, [Bare()], [("*",)], [(Bare(), "*")]])
def test_what_is_no_pair_of_pattern_and_policy_is_refused_in_one_line(members: Any) -> None:
    with pytest.raises(AgentWorldError, match=r"a member of a mixed team is a pair such as") as said:
        agentworld_env.MixedPolicy(members)
    assert "\n" not in str(said.value)


def test_a_class_in_place_of_a_policy_is_refused_in_one_line() -> None:
    with pytest.raises(AgentWorldError, match="pass Bare"):
        agentworld_env.MixedPolicy([("*", Bare)])  # type: ignore[list-item]
