"""Intervals and tests, against textbook values and their own laws."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.evaluate.statistics import holm, paired, pass_hat, spread, wilson

rates = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4)
runs = st.dictionaries(st.sampled_from("abcdefgh"), rates, min_size=1)


@pytest.mark.parametrize(
    ("won", "of", "low", "high"),
    [
        # The published counts and the intervals worked out for them by hand.
        (2, 35, 0.016, 0.186),
        (6, 34, 0.083, 0.335),
        (8, 35, 0.121, 0.390),
        # z^2 / (n + z^2) is the upper end without any success.
        (0, 10, 0.0, 3.8415 / 13.8415),
        (10, 10, 10 / 13.8415, 1.0),
    ],
)
def test_wilson_gives_the_textbook_interval(won: int, of: int, low: float, high: float) -> None:
    found = wilson(won, of)
    assert found.mean == won / of
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-3)


@pytest.mark.parametrize(("won", "of"), [(1, 0), (3, 2), (-1, 2)])
def test_impossible_counts_are_refused(won: int, of: int) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        wilson(won, of)


def test_pass_hat_is_the_share_of_k_subsets_that_all_succeed() -> None:
    tasks = {"a": [True, True, False, True], "b": [True, False, False, False]}
    for k in (1, 2, 3, 4):
        expected = fmean(fmean(all(s) for s in combinations(won, k)) for won in tasks.values())
        assert pass_hat(tasks, k) == pytest.approx(expected)
    assert pass_hat(tasks, 5) is None
    assert pass_hat({}, 1) is None


@settings(max_examples=25, deadline=None)
@given(runs, runs)
def test_a_comparison_turns_round_with_its_runs(a: dict[str, list[float]], b: dict[str, list[float]]) -> None:
    if not set(a) & set(b):
        with pytest.raises(ValueError, match="no task in common"):
            paired(a, b)
        return
    one, other = paired(a, b), paired(b, a)
    assert one.difference == pytest.approx(-other.difference)
    assert (one.better, one.worse) == (other.worse, other.better)
    assert one.p == pytest.approx(other.p)


def test_the_sign_flip_test_is_exact_for_few_tasks() -> None:
    a = {str(k): [0.0] for k in range(5)}
    b = {str(k): [1.0] for k in range(5)}
    # Of 2^5 assignments of signs only all plus and all minus are as extreme.
    assert paired(a, b).p == 2 / 32
    assert paired(a, b).effect is None  # nothing varies
    assert paired(a, a).p == 1.0


def test_effect_and_detectable_difference_follow_from_the_spread_of_differences() -> None:
    a = {str(k): [0.0] for k in range(4)}
    b = {"0": [1.0], "1": [1.0], "2": [0.0], "3": [0.0]}
    found = paired(a, b)
    deviation = sqrt(4 * 0.25 / 3)
    assert found.effect == pytest.approx(0.5 / deviation)
    # (1.95996 + 0.84162) standard errors: 5 % two-sided, power 80 %.
    assert found.detectable == pytest.approx(2.80158 * deviation / 2, rel=1e-4)


def test_a_comparison_on_one_task_claims_no_interval() -> None:
    found = paired({"a": [0.0]}, {"a": [1.0]})
    assert (found.difference, found.low, found.high, found.tasks) == (1.0, None, None, 1)


def test_many_tasks_without_a_difference_give_no_small_p() -> None:
    a = {str(k): [float(k % 2)] for k in range(40)}
    b = {str(k): [float((k + 1) % 2)] for k in range(40)}
    assert paired(a, b).p > 0.9


def test_holm_corrects_step_down() -> None:
    # 3 x 0.01, then 2 x 0.02, then max with the one before.
    assert holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_spread_is_the_sample_standard_deviation_as_the_paper_takes_it() -> None:
    # The paper's three means of rounds and their published deviation.
    assert spread([18.77, 15.25, 18.91]) == pytest.approx(2.07, abs=0.005)
    assert spread([1.0]) is None


def test_a_comparison_shows_itself_as_a_table_in_notebooks() -> None:
    """B is better by one on one task of two: 0.5 in the mean, and an effect of 0.5 over sqrt(0.5)."""
    html = paired({"a": [0.0], "b": [1.0]}, {"a": [1.0], "b": [1.0]})._repr_html_()
    for cell in ("on 2 tasks", ">0.500<", ">0.71<", ">1, 0, 1<"):
        assert cell in html
    assert "<table>" in html
    assert "-" in paired({"a": [0.0]}, {"a": [1.0]})._repr_html_()  # an interval takes two tasks
