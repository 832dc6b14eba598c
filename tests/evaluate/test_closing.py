"""A policy is closed once its episode is over, however it ended, synchronously or not, alone or in a mixed team."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from agentworld_env import run_episode, run_episode_async
from agentworld_env.errors import AgentWorldError, ModelError
from agentworld_env.policies import Call, Turn
from agentworld_env.policies.mixed import MixedPolicy

TASK = "t01_magic_staff"
SLEEP: Call = {"tool": "sleep", "arguments": {"rounds": 5}}


class Sync:
    """Answers and closes without waiting."""

    def __init__(self, name: str = "sync") -> None:
        self.name = name
        self.closed: list[object] = []
        self.breaks = False

    def act(self, turn: Turn) -> Any:
        if self.breaks:
            raise ModelError("no answer")
        return SLEEP

    def close(self) -> Any:
        self.closed.append(None)


class Async(Sync):
    """Must be waited for, both ways; notes the loop in which it is closed."""

    async def act(self, turn: Turn) -> Any:
        self.loop = asyncio.get_running_loop()
        return Sync.act(self, turn)

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.closed.append(asyncio.get_running_loop())


class Halfway(Sync):
    """Answers at once, and must be waited for when it closes."""

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.closed.append(asyncio.get_running_loop())


@pytest.mark.parametrize("kind", [Sync, Async, Halfway])
@pytest.mark.parametrize("breaks", [False, True])
def test_a_policy_is_closed_once_however_its_episode_ends(kind: type[Sync], breaks: bool) -> None:
    policy = kind()
    policy.breaks = breaks
    if breaks:
        with pytest.raises(ModelError):
            run_episode(TASK, policy, seed=1)
    else:
        assert len(run_episode(TASK, policy, seed=1).lines) > 10
    assert len(policy.closed) == 1
    assert not isinstance(policy, Async) or policy.closed == [policy.loop]


def test_a_policy_whose_record_is_complete_is_closed_unasked(tmp_path: Path) -> None:
    run_episode(TASK, Sync(), seed=1, out=tmp_path)
    again = Sync()
    run_episode(TASK, again, seed=1, out=tmp_path)
    assert again.closed == [None]


@pytest.mark.parametrize("kind", [Sync, Halfway])
def test_inside_a_running_loop_what_need_not_be_waited_for_plays_and_is_closed(kind: type[Sync]) -> None:
    async def inside() -> Sync:
        policy = kind()
        assert run_episode(TASK, policy, seed=1).footer is not None
        return policy

    assert len(asyncio.run(inside()).closed) == 1


def test_a_mixed_team_of_all_kinds_ends_its_episode_and_closes_every_member_once() -> None:
    members = {"lumberjack": Async("a"), "wood*": Sync("b"), "*": Halfway("c")}
    episode = run_episode(TASK, MixedPolicy(list(members.items())), seed=1)
    assert episode.footer is not None
    assert [len(member.closed) for member in members.values()] == [1, 1, 1]


def test_a_team_that_need_not_be_waited_for_is_closed_in_the_thread_that_played_it() -> None:
    threads: list[int] = []

    class Bound(Sync):
        def close(self) -> None:
            threads.append(threading.get_ident())

    async def inside() -> None:
        run_episode(TASK, MixedPolicy([("w*", Bound()), ("*", Bound())]), seed=1)

    asyncio.run(inside())
    assert threads == [threading.get_ident()] * 2


@pytest.mark.parametrize("last", [Sync, Async])
def test_one_member_that_cannot_close_keeps_no_other_from_closing(last: type[Sync]) -> None:
    class Broken(Sync):
        def close(self) -> None:
            raise AgentWorldError("cannot close")

    members: list[tuple[str, Sync]] = [("lumberjack", Sync()), ("wood*", Broken()), ("*", last())]
    with pytest.raises(AgentWorldError, match="cannot close"):
        run_episode(TASK, MixedPolicy(members), seed=1)
    assert [len(member.closed) for _, member in members] == [1, 0, 1]


def test_in_the_callers_loop_only_a_policy_given_by_name_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Async()
    given = Async()
    monkeypatch.setattr("agentworld_env.evaluate.run.policy_by_name", lambda name: made)
    asyncio.run(run_episode_async(TASK, "mine", seed=1))
    asyncio.run(run_episode_async(TASK, given, seed=1))
    assert (made.closed, given.closed) == ([made.loop], [])
