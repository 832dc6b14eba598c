"""Whoever gets a record that was there already, in place of an episode that is played, is told."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agentworld_env
from agentworld_env.errors import AgentWorldError

SOURCE = Path(__file__).parents[2] / "src"
TASK = "p01_corn_and_shrimp"


class Own:
    name = "own"

    def __init__(self, rounds: int = 1) -> None:
        self.rounds, self.asked = rounds, 0

    def act(self, turn: Any) -> dict[str, Any]:
        self.asked += 1
        return {"tool": "sleep", "arguments": {"rounds": self.rounds}}


def play(policy: Any, out: Path, **more: Any) -> Any:
    return agentworld_env.run_episode(TASK, policy, seed=0, out=out, **more)


def test_a_complete_record_is_returned_with_a_warning_at_the_line_that_asked_for_it(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        play(Own(), tmp_path)
    changed = Own(rounds=5)
    with pytest.warns(agentworld_env.RecordWarning) as told:
        episode = play(changed, tmp_path)
    assert changed.asked == 0
    assert {line.call["arguments"]["rounds"] for line in episode.lines} == {1}
    assert [str(each.message) for each in told] == [
        f"{tmp_path / f'{TASK}-own-seed0.jsonl'} is complete already: it was checked and returned, and the policy own "
        "was not asked; to play anew, delete it or choose another place"
    ]
    assert told[0].filename == __file__


def test_an_interrupted_record_goes_on_with_a_warning_that_says_from_where(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    play(Own(), path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    with pytest.warns(agentworld_env.RecordWarning, match=r"a\.jsonl holds 3 turns of this episode already"):
        play(Own(), path)


def test_the_warning_comes_every_time_as_in_a_cell_that_is_run_again(tmp_path: Path) -> None:
    code = "import agentworld_env\nfor _ in range(3): "
    code += f"agentworld_env.run_episode('{TASK}', 'idle', seed=0, out='runs')"
    for filters, said in (((), 2), (("-W", "ignore"), 0)):
        done = subprocess.run(
            [sys.executable, *filters, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.count("RecordWarning: runs/") == said
        shutil.rmtree(tmp_path / "runs")


def test_inside_a_running_loop_the_warning_is_the_same(tmp_path: Path) -> None:
    play(Own(), tmp_path)

    async def again() -> None:
        await agentworld_env.run_episode_async(TASK, Own(), seed=0, out=tmp_path)

    with pytest.warns(agentworld_env.RecordWarning, match="is complete already") as told:
        asyncio.run(again())
    assert told[0].filename == __file__


def test_a_learned_policy_with_other_settings_is_refused_and_without_any_is_warned_of(tmp_path: Path) -> None:
    def network(index: int, **told: Any) -> Any:
        return agentworld_env.DiscretePolicy(lambda observation: index, name="net", settings=told)

    play(network(0, network="a"), tmp_path)
    with pytest.raises(AgentWorldError, match=r"holds another episode .*network"):
        play(network(1, network="b"), tmp_path)
    play(network(0), tmp_path / "plain")
    with pytest.warns(agentworld_env.RecordWarning, match="the policy net was not asked"):
        play(network(1), tmp_path / "plain")


@pytest.mark.parametrize("api", ["parallel", "aec"])
@pytest.mark.parametrize("changed", ["the function", "unseeded"])
def test_an_interrupted_record_does_not_go_on_with_another_network(
    tmp_path: Path, api: Any, changed: str
) -> None:
    rng = np.random.default_rng(0)
    indices = {"the function": lambda: 1, "unseeded": lambda: int(rng.integers(1, 25))}
    path = tmp_path / "a.jsonl"
    play(agentworld_env.DiscretePolicy(lambda observation: 0, api=api), path)
    begun = b"".join(path.read_bytes().splitlines(keepends=True)[:4])
    path.write_bytes(begun)
    other = agentworld_env.DiscretePolicy(lambda observation: indices[changed](), api=api)
    with pytest.raises(
        AgentWorldError, match="learned would now play otherwise than its record does, in round 1"
    ):
        play(other, path)
    assert path.read_bytes() == begun
