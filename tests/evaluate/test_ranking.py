"""Means by which teams are ranked: over the tasks that all of them share, each task counting the same."""

from __future__ import annotations

import msgspec
import pytest

from agentworld_env import run_episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import CommonMeans, Score, common_means, score_of

ONE = score_of(run_episode("t01_magic_staff", "planner", seed=0))


def score(policy: str, task: str, cce: float, *, won: bool = True, setting: str = "default") -> Score:
    changed = {"policy": policy, "task": task, "success": won, "setting": setting}
    return msgspec.structs.replace(ONE, metrics={**ONE.metrics, "cce": cce}, **changed)  # type: ignore[arg-type]


def test_a_task_counts_once_however_often_it_was_played_and_only_if_every_team_has_it() -> None:
    scores = [
        score("a", "t1", 0.2),
        score("a", "t1", 0.4),  # 0.3 on t1
        score("a", "t2", 0.9),
        score("b", "t1", 0.5),
        score("b", "t2", 0.1),
        score("b", "t3", 1.0),  # a has not played it
    ]
    found = common_means(scores)
    assert found.means == {"a": pytest.approx(0.6), "b": pytest.approx(0.3)}
    assert (found.tasks, found.left_out) == (2, 1)


def test_with_several_settings_a_team_is_a_policy_under_a_setting() -> None:
    scores = [score("a", "t1", 0.2), score("a", "t1", 0.4, setting="no_docs")]
    assert common_means(scores) == CommonMeans({"a (default)": 0.2, "a (no_docs)": 0.4}, 1, 0)


def test_failures_can_be_left_out() -> None:
    scores = [score("a", "t1", 0.2), score("a", "t1", 0.0, won=False), score("b", "t1", 0.0, won=False)]
    assert common_means(scores).means == {"a": 0.1, "b": 0.0}
    assert common_means(scores, successes=True).means == {"a": 0.2}


def test_where_there_is_nothing_to_rank_by_it_is_said() -> None:
    with pytest.raises(AgentWorldError, match="no task that every one of a, b has played"):
        common_means([score("a", "t1", 0.2), score("b", "t2", 0.2)])
    with pytest.raises(AgentWorldError, match="no successful episode"):
        common_means([score("a", "t1", 0.0, won=False)], successes=True)
    with pytest.raises(AgentWorldError, match="no episode"):
        common_means([])
