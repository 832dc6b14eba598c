"""Agents of the user's own in a run: as many at once as models, with deadlines, each closed after its episode."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.evaluate.running import THREE, manifest_for, play, records

from agentworld_env.evaluate.beforehand import check_beforehand, describe_cast
from agentworld_env.evaluate.cast import Cast
from agentworld_env.evaluate.runner import Limits
from agentworld_env.evaluate.share import shares_of

OWN = """
import asyncio

at_once = most = made = closed = 0
CALL = {"tool": "sleep", "arguments": {"rounds": 5}}

class Sync:
    name = "own"
    pause = 0.0

    def __init__(self):
        global made
        made += 1

    def act(self, turn):
        return CALL

    def close(self):
        global closed
        closed += 1

class Async(Sync):
    async def act(self, turn):
        global at_once, most
        at_once += 1
        most = max(most, at_once)
        try:
            await asyncio.sleep(self.pause)
        finally:
            at_once -= 1
        return CALL

    async def close(self):
        await asyncio.sleep(0)
        Sync.close(self)

class Slow(Async):
    pause = 60.0

class Later(Sync):
    # Not written as a coroutine function, but must be waited for all the same.
    def act(self, turn):
        return Async.act(self, turn)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.path", [*sys.path])
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def _module(file: Path) -> ModuleType:
    return sys.modules[f"agentworld_env_own:{file}"]


@pytest.mark.parametrize("name", ["Async", "Later"])
def test_as_many_asynchronous_agents_play_at_once_as_the_run_allows(file: Path, name: str) -> None:
    state = play(f"python:{file}:{name}", file.parent / "run", THREE, Limits(concurrency=4), trials=3)
    assert (state.done, state.failures) == (9, [])
    assert _module(file).most == 4


def test_agents_of_both_kinds_leave_the_same_records(file: Path) -> None:
    for name in ("Sync", "Async"):
        play(f"python:{file}:{name}", file.parent / name, THREE, Limits(concurrency=3), trials=2)
    assert records(file.parent / "Sync") == records(file.parent / "Async")


@pytest.mark.parametrize("name", ["Sync", "Async"])
def test_every_policy_of_a_run_is_closed_after_its_episode(file: Path, name: str) -> None:
    manifest = manifest_for(f"python:{file}:{name}", THREE)
    module = _module(file)
    unclosed = module.made - module.closed
    describe_cast(manifest.cast)
    check_beforehand(manifest, Limits())
    assert module.made - module.closed == unclosed
    play(f"python:{file}:{name}", file.parent / "run", THREE)
    # The run's own three, and none of those that this test has made to describe them.
    assert module.closed >= 3
    assert module.made - module.closed == unclosed + 1


def test_a_turn_that_is_waited_for_too_long_is_given_up_and_its_policy_closed(file: Path) -> None:
    limits = Limits(turn_seconds=0.05, attempts=1)
    state = play(f"python:{file}:Slow", file.parent / "run", THREE[:1], limits)
    assert [failed.reason for failed in state.failures] == ["no answer within 0.05 s for a turn"]
    assert (_module(file).closed, _module(file).at_once) == (1, 0)


def test_shares_of_agents_that_may_wait_hold_one_episode_at_least(file: Path) -> None:
    limits = Limits(concurrency=2)
    own = manifest_for(f"python:{file}:Async", THREE, trials=4)
    assert [len(jobs) for jobs in shares_of(own, limits, 8)] == [6, 6]
    assert len(shares_of(manifest_for("random", THREE, trials=4), limits, 8)) == 8


def test_only_the_packages_own_policies_are_known_never_to_wait() -> None:
    def waits(*names: str) -> bool:
        return Cast(members=tuple(("*", name) for name in names)).waits

    assert not waits("planner", "random", "replay:a.jsonl")
    assert waits("planner", "python:own.py:Agent")
    assert waits("local:http://127.0.0.1:9/v1#m")
    assert waits("installed:thing")
