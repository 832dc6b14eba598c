"""What a policy is shown is its own: whatever it does with it, no later turn, agent or episode is shown another."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

from agentworld_env import make, run_episode
from agentworld_env.evaluate.seating import turn_of
from agentworld_env.policies import Brief, Call, Turn
from agentworld_env.policies.idle import IdlePolicy

TASK = "t01_magic_staff"


class Tidy:
    """Plays the first legal call of a tool that changes with the round, and notes what it was shown."""

    name = "notes"
    spoils = False

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        for brief in briefs.values():
            self._see(brief.tools, brief.facts)

    def act(self, turn: Turn) -> Call:
        legal = turn.info["legal"]
        tools = [name for name in legal if name != "complete"]
        tool = tools[turn.round % len(tools)]
        call = copy.deepcopy({"tool": tool, "arguments": legal[tool][0]})
        facts = turn.info["view"].to_dict()
        self._see(turn.tools, turn.last, facts, dict(legal), turn.observation)
        return call

    def _see(self, *shown: Any) -> None:
        self.shown.append(copy.deepcopy(shown))
        if self.spoils:
            spoil(shown)


class Spoiler(Tidy):
    """Plays the same, and writes into everything that it was shown."""

    spoils = True


def spoil(value: Any) -> None:
    """Changes whatever can be changed within a value."""
    if isinstance(value, dict):
        for part in value.values():
            spoil(part)
        value["name"] = "spoiled"
    elif isinstance(value, list | tuple):
        for part in value:
            spoil(part)
        if isinstance(value, list):
            value.append("spoiled")


def test_a_policy_that_writes_into_what_it_is_shown_is_shown_nothing_else_afterwards() -> None:
    tidy, spoiler = Tidy(), Spoiler()
    expected = run_episode(TASK, tidy, seed=3)
    for _ in range(2):
        spoiler.shown.clear()
        played = run_episode(TASK, spoiler, seed=3)
        assert spoiler.shown == tidy.shown
        assert played.lines == expected.lines
    assert len(tidy.shown) > 40  # it may sleep
    after = Tidy()
    assert run_episode(TASK, after, seed=3).lines == expected.lines
    assert after.shown == tidy.shown


def test_the_tools_of_a_turn_are_one_value_that_is_copied_and_pickled_with_it() -> None:
    env = make(TASK, setting="no_communication")
    env.reset(seed=0)
    turn = turn_of(env, IdlePolicy())
    assert turn.tools is not None
    assert turn.tools == tuple(env.action_space(turn.agent).openai_tools())
    assert turn.tools is turn.tools
    bare = copy.copy(turn)
    bare.info = {}
    assert pickle.loads(pickle.dumps(bare)).tools == turn.tools


def test_what_came_of_the_last_call_is_told_in_values_that_are_no_part_of_the_episode() -> None:
    env = make(TASK)
    env.reset(seed=0)
    agent = env.agent_selection
    env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    told = env.view(agent).to_dict()["last"]
    spoil(told)
    assert env.view(agent).to_dict()["last"]["arguments"] == {"rounds": 1}
    while env.agent_selection != agent:
        env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    before = env.state_hash()
    spoil(dict(turn_of(env, IdlePolicy()).last or {}))
    last = turn_of(env, IdlePolicy()).last
    assert last is not None
    assert (last["tool"], last["arguments"], last["ok"]) == ("sleep", {"rounds": 1}, True)
    assert env.state_hash() == before
