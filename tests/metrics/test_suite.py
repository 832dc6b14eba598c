from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage, verdict

from agentworld_env.metrics import FIGURES, clustered_mean, episode_metrics, mean_metrics, suite_metrics
from agentworld_env.metrics.statistics import resampled


def _row(won: bool) -> dict[str, Any]:
    stage = Stage(a=(0, 0), b=(1, 0))
    if not won:
        stage.say("a")
    ore = stage.harvest("a", "ore", 0, 0)
    stage.sleep("b")
    return episode_metrics(stage.episode(), verdict(ore, won=won), stage.turns)


def test_cce_over_successes_and_chat_in_failures_leave_the_others_out() -> None:
    means = mean_metrics([_row(True), _row(True), _row(False), _row(False)])
    assert means["cce_of_successes"] == 1 / 2
    assert means["cce"] == 1 / 4
    assert means["chat_share_of_failures"] == 1 / 3
    assert means["chat_share"] == 1 / 6
    assert means["first_chat_round"] == 1.0


def test_means_and_intervals_have_the_same_middle() -> None:
    rows = [("t1", _row(True)), ("t1", _row(False)), ("t2", _row(True))]
    means = mean_metrics(row for _, row in rows)
    for name, interval in suite_metrics(rows, samples=200).items():
        assert (interval is None) == (means[name] is None)
        if interval is not None:
            assert interval.mean == means[name]


def test_every_figure_of_a_suite_is_a_figure_of_an_episode() -> None:
    row = _row(True)
    assert all(figure in row for figure, _ in FIGURES.values())


def test_episodes_of_one_task_are_resampled_together() -> None:
    # Within each task all episodes are equal: a hundred of them say no more than one.
    few = clustered_mean([0.0, 1.0], ["a", "b"])
    many = clustered_mean([0.0] * 100 + [1.0] * 100, ["a"] * 100 + ["b"] * 100)
    assert few is not None
    assert many is not None
    assert (few.low, few.high) == (many.low, many.high) == (0.0, 1.0)
    assert (many.episodes, many.clusters) == (200, 2)


def test_trials_of_the_same_tasks_do_not_narrow_the_interval_as_new_tasks_do() -> None:
    def width(tasks: int, trials: int) -> float:
        clusters = [str(k) for k in range(tasks)] * trials
        found = clustered_mean([float(int(name) % 2) for name in clusters], clusters)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(20, 5) == pytest.approx(width(20, 1))
    # Standard errors are in proportion to 1 / sqrt(tasks).
    assert width(100, 1) == pytest.approx(width(20, 1) / 5**0.5, rel=0.15)


def test_a_bootstrap_interval_does_not_hang_on_the_order_of_the_episodes() -> None:
    values, clusters = [0.0, 1.0, 0.5, 1.0, 0.0], ["b", "a", "c", "a", "d"]
    assert clustered_mean(values, clusters) == clustered_mean(values[::-1], clusters[::-1])


def test_resamples_take_as_many_rows_as_there_are_and_each_row_equally_often() -> None:
    rows = np.eye(4)
    drawn = resampled(rows, 5_000, seed=3)
    assert set(drawn.sum(axis=1)) == {4.0}
    # 20,000 draws, a quarter each: 5,000 +- 4 standard deviations of 61.
    assert np.abs(drawn.sum(axis=0) - 5_000).max() < 250
    # A row is left out of a resample with probability (3/4)^4.
    assert float(np.mean(drawn == 0)) == pytest.approx(0.75**4, abs=0.02)


def test_one_task_alone_has_no_interval() -> None:
    found = clustered_mean([0.0, 1.0], ["a", "a"])
    assert found is not None
    assert (found.mean, found.low, found.high) == (0.5, None, None)


def test_a_figure_that_no_episode_has_has_no_mean() -> None:
    assert clustered_mean([None, None], ["a", "b"]) is None


def test_many_tasks_give_the_interval_of_a_mean() -> None:
    # 400 tasks, half 0 and half 1: standard error 0.5 / 20, so the interval is about 0.5 +- 0.049.
    found = clustered_mean([float(i % 2) for i in range(400)], [str(i) for i in range(400)], samples=4000)
    assert found is not None
    assert found.low == pytest.approx(0.451, abs=0.008)
    assert found.high == pytest.approx(0.549, abs=0.008)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcd")), min_size=1, max_size=30), st.integers(0, 9)
)
def test_an_interval_holds_its_mean_between_the_extremes_and_hangs_on_its_seed_alone(
    rows: list[tuple[float, str]], seed: int
) -> None:
    values, clusters = [value for value, _ in rows], [cluster for _, cluster in rows]
    found = clustered_mean(values, clusters, samples=100, seed=seed)
    assert found == clustered_mean(values, clusters, samples=100, seed=seed)
    assert found is not None
    if found.low is not None and found.high is not None:
        assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
