"""Of a policy only a name and ``act`` are compulsory; what is no policy is refused in one clear line."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentworld_env import gym_env, run_episode, run_episode_async
from agentworld_env.errors import AgentWorldError
from agentworld_env.policies import (
    Assignment,
    Call,
    CheckingPolicy,
    ClosingPolicy,
    Policy,
    SeeingPolicy,
    Turn,
    as_policy,
)
from agentworld_env.policies.idle import IdlePolicy

TASK = "t01_magic_staff"
SLEEP: Call = {"tool": "sleep", "arguments": {"rounds": 1}}


class Bare:
    """Has what is compulsory and nothing else."""

    name = "bare"

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def act(self, turn: Turn) -> Call:
        self.turns.append(turn)
        return SLEEP


def test_a_policy_with_a_name_and_act_plays_and_is_given_text() -> None:
    policy = Bare()
    episode = run_episode(TASK, policy, seed=1)
    assert episode.header.policy == {"name": "bare", "settings": {}}
    assert len(policy.turns) == len(episode.lines) == 75
    assert policy.turns[0].observation.startswith("Round 1 of 25")


def test_a_bare_policy_is_resumed_to_the_uninterrupted_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    run_episode(TASK, Bare(), seed=1, out=path)
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:11]))
    policy = Bare()
    run_episode(TASK, policy, seed=1, out=path)
    assert len(policy.turns) == 65
    assert path.read_bytes() == whole


def test_a_bare_policy_plays_inside_a_running_loop() -> None:
    assert len(asyncio.run(run_episode_async(TASK, Bare(), seed=1)).lines) == 75


@pytest.mark.parametrize(
    "members",
    [
        {"wants_text": False},
        {"begin": lambda self, briefs, seed: None},
        {"recall": lambda self, turn, decision: None},
        {"config": lambda self: {"answer": 1}},
    ],
    ids=lambda members: next(iter(members)),
)
def test_each_optional_member_is_used_where_it_is_present(members: dict[str, Any]) -> None:
    policy = as_policy(type("Some", (Bare,), members)())
    (name,) = members
    if name == "wants_text":
        assert policy.wants_text is False
    elif name == "config":
        assert policy.config() == {"answer": 1}
    else:
        assert getattr(policy, name).__func__ is members[name]
    assert (policy.wants_text, policy.config()) != (None, None)


def test_a_whole_policy_stays_the_object_it_is() -> None:
    policy = IdlePolicy()
    assert as_policy(policy) is policy


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda policy: pickle.loads(pickle.dumps(policy))]
)
def test_a_completed_policy_is_copied_and_pickled_as_one(again: Callable[[Any], Any]) -> None:
    class Copied(Bare):
        def __deepcopy__(self, memo: Any) -> Bare:
            return Bare()

    for given in (Bare(), Copied()):
        if isinstance(given, Copied) and again is not copy.deepcopy:
            continue  # a class within a function cannot be pickled
        policy = as_policy(given)
        other = again(policy)
        assert other is not policy
        assert (other.name, other.wants_text, other.config()) == ("bare", True, {})
        assert not hasattr(other, "attach")
        assert len(run_episode(TASK, other, seed=1).lines) == 75


def test_a_member_may_change_while_the_episode_is_played() -> None:
    class Lazy(Bare):
        wants_text = True

        def act(self, turn: Turn) -> Call:
            self.wants_text = False
            return super().act(turn)

    policy = Lazy()
    run_episode(TASK, policy, seed=1)
    assert [bool(turn.observation) for turn in policy.turns[:3]] == [True, False, False]


class Picky(Bare):
    """Plays one task only, and says so when asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def check(self, assignment: Assignment) -> None:
        self.calls.append("check")
        if assignment.task != TASK:
            raise AgentWorldError(f"picky plays {TASK} only, not {assignment.task} ({assignment.setting})")

    def begin(self, briefs: Any, seed: int) -> None:
        self.calls.append("begin")


def test_a_policy_is_asked_whether_it_can_play_before_it_is_begun_and_anything_is_written(
    tmp_path: Path,
) -> None:
    policy = Picky()
    run_episode(TASK, policy, seed=1)
    assert policy.calls == ["check", "begin"]
    refusing = Picky()
    with pytest.raises(AgentWorldError, match=r"picky plays .* only, not p03_small_bowl \(no_roles\)"):
        run_episode("p03_small_bowl", refusing, seed=1, setting="no_roles", out=tmp_path)
    assert refusing.calls == ["check"]
    assert list(tmp_path.iterdir()) == []


def test_gym_env_asks_its_mates_whether_they_can_play_when_it_is_made() -> None:
    with pytest.raises(AgentWorldError, match=r"picky plays .* only"):
        gym_env("p03_small_bowl", mates=Picky())
    mates = Picky()
    gym_env(TASK, mates=mates)
    assert mates.calls == ["check"]


def test_the_readme_lists_every_optional_member_of_the_protocols_and_no_other() -> None:
    protocols: tuple[Any, ...] = (Policy, CheckingPolicy, SeeingPolicy, ClosingPolicy)
    declared = {
        member
        for protocol in protocols
        for member in [*protocol.__annotations__, *vars(protocol)]
        if not member.startswith("_")
    }
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    table = readme.split("All optional members", 1)[1].split("\n\n", 2)[1]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    listed = {name for row in rows for name in re.findall(r"`(\w+)", row)}
    assert listed == declared


def _function(turn: Turn) -> Call:
    return SLEEP


class Nameless:
    def act(self, turn: Turn) -> Call:
        return SLEEP


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (_function, "_function has no name"),
        (Nameless(), "Nameless has no name"),
        (None, "NoneType has no name"),
        (5, "int has no name"),
        (type("Blank", (Bare,), {"name": "  "})(), "Blank has no name"),
        (type("Counted", (Bare,), {"name": 5})(), "Counted has no name"),
        (Bare, "not a class: pass Bare(...)"),
        (IdlePolicy, "not a class: pass IdlePolicy(...)"),
        (type("Mute", (), {"name": "mute"})(), "the policy mute has no method act"),
        (type("Odd", (Bare,), {"begin": None})(), "the policy bare has no method begin"),
        (type("Odd", (Bare,), {"config": {}})(), "the policy bare has no method config"),
        (type("Odd", (Bare,), {"check": True})(), "the policy bare has no method check"),
        (type("Odd", (Bare,), {"close": None})(), "the policy bare has no method close"),
        (type("Seer", (Bare,), {"needs_state": True})(), "no method attach"),
        (type("Odd", (Bare,), {"config": lambda self: {"x": object()}})(), "must return plain JSON"),
        (type("Odd", (Bare,), {"config": lambda self: {"x": "\ud800"}})(), "must return plain JSON"),
        (type("Odd", (Bare,), {"config": lambda self: None})(), "must return a dict, not None"),
    ],
)
def test_what_is_no_policy_is_refused_with_what_it_lacks(given: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError) as caught:
        run_episode(TASK, given, seed=1, out=tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_plain_close_is_called_and_not_waited_for() -> None:
    closed: list[str] = []

    class Closing(Bare):
        def act(self, turn: Turn) -> Any:
            async def later() -> Call:
                return SLEEP

            return later()

        def close(self) -> None:
            closed.append(self.name)

    run_episode(TASK, Closing(), seed=1)
    assert closed == ["bare"]
