"""The laws of CCE on real episodes; ``benchmarks/cce_laws.py`` tries them on all tasks."""

from __future__ import annotations

import pytest
from benchmarks.cce_laws import NOISE, again, calls_of, insertions, removals
from tests.metrics.noisy import NoisyPlanner

from agentworld_env import run_episode
from agentworld_env.episodes import Episode

TASKS = ("t16_resource_protection", "t27_volcanic_forge", "t28_dark_forest_cleansing", "t38_trade_crafting")
"""Tasks with fights, which were the hard ones, and one without."""


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [run_episode(task, NoisyPlanner(noise), seed=0) for task in TASKS for noise in (0, NOISE)]


def test_a_call_that_is_put_in_and_does_not_contribute_never_raises_cce(episodes: list[Episode]) -> None:
    tried = [trial for episode in episodes for trial in insertions(episode, 8)]
    assert len(tried) >= 40
    assert [trial.what for trial in tried if trial.changed] == []


def test_taking_out_an_agents_useless_calls_never_changes_what_the_others_contributed(
    episodes: list[Episode],
) -> None:
    tried = [trial for episode in episodes for trial in removals(episode, 9) if trial.useless]
    assert len(tried) >= 10
    assert [trial.what for trial in tried if trial.changed] == []


def test_an_episode_that_is_played_again_unchanged_is_the_same(episodes: list[Episode]) -> None:
    for episode in episodes:
        played = again(episode, calls_of(episode))
        assert [line.hash for line in played.episode.lines] == [line.hash for line in episode.lines]
        assert played.success == episode.verdict.success
