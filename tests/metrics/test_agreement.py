from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.metrics import Finding, Trace, agreement, cohen_kappa, rankings


def _finding(*chosen: int, method: str = "m", decided: frozenset[int] | None = None) -> Finding:
    return Finding(method=method, trace=Trace((), chosen, ()), decided=decided)


def test_kappa_of_a_textbook_table() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: seen 0.7, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    assert cohen_kappa(20, 5, 10, 15) == pytest.approx(0.4)


def test_kappa_is_one_for_full_agreement_and_nought_for_chance() -> None:
    assert cohen_kappa(3, 0, 0, 7) == 1.0
    assert cohen_kappa(25, 25, 25, 25) == 0.0
    assert cohen_kappa(0, 5, 5, 0) == -1.0


def test_kappa_says_nothing_where_both_say_the_same_of_everything() -> None:
    assert cohen_kappa(9, 0, 0, 0) is None
    assert cohen_kappa(0, 0, 0, 0) is None


def test_the_table_counts_actions_over_all_episodes() -> None:
    first = [_finding(0, 1), _finding(2)]
    second = [_finding(1, 2), _finding(2)]
    found = agreement(first, second, [4, 3])
    assert (found.both, found.first_only, found.second_only, found.neither) == (2, 1, 1, 3)
    assert found.raw == 5 / 7
    assert (found.actions, found.episodes, found.resampled) == (7, 2, "episode")


def test_only_actions_that_both_decided_about_are_compared() -> None:
    found = agreement([_finding(0, 1, 2)], [_finding(0, decided=frozenset({0, 3}))], [5])
    assert (found.actions, found.both, found.neither) == (2, 1, 1)
    assert found.resampled == "action"


def test_an_episode_that_one_method_did_not_judge_does_not_count() -> None:
    unjudged = _finding(decided=frozenset())
    found = agreement([_finding(0), _finding(0)], [unjudged, _finding(0)], [2, 2])
    assert found.episodes == 1
    with pytest.raises(ValueError, match="no action that both"):
        agreement([_finding(0)], [unjudged], [2])


def test_the_interval_of_kappa_covers_it_and_narrows_with_more_actions() -> None:
    def of(times: int) -> tuple[float, float]:
        first = _finding(*range(25 * times))
        second = _finding(*range(20 * times), *range(25 * times, 35 * times))
        found = agreement([first], [second], [50 * times])
        assert found.kappa == pytest.approx(0.4)
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    wide, narrow = of(1), of(16)
    assert wide[0] < 0.4 < wide[1]
    # The asymptotic standard error of this table is about 0.126, a quarter of that with 16 times as many actions.
    assert wide[1] - wide[0] == pytest.approx(2 * 1.96 * 0.126, rel=0.12)
    assert narrow[1] - narrow[0] == pytest.approx((wide[1] - wide[0]) / 4, rel=0.12)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_kappa_is_symmetric_in_methods_and_in_yes_and_no(a: int, b: int, c: int, d: int) -> None:
    kappa = cohen_kappa(a, b, c, d)
    for other in (cohen_kappa(a, c, b, d), cohen_kappa(d, c, b, a)):
        assert other == (None if kappa is None else pytest.approx(kappa))
    assert kappa is None or -1 <= kappa <= 1


def test_ranks_are_preserved_if_no_pair_changes_places() -> None:
    means = {
        "one": {"x": 0.31, "y": 0.24, "z": 0.10},
        "two": {"x": 0.28, "y": 0.26, "z": 0.11},
        "three": {"x": 0.20, "y": 0.26, "z": 0.11},
    }
    first, second, third = rankings(means)
    assert (first.tau, first.preserved, first.shift) == (1.0, True, 0.0)
    assert (second.order, second.tau, second.preserved) == (("x", "y", "z"), 1.0, True)
    assert second.shift == pytest.approx(0.03)
    # One of three pairs is turned round: (2 - 1) / 3.
    assert (third.order, third.preserved) == (("y", "x", "z"), False)
    assert third.tau == pytest.approx(1 / 3)


def test_a_tie_that_comes_or_goes_does_not_preserve_ranks() -> None:
    _, tied = rankings({"one": {"x": 0.3, "y": 0.2}, "two": {"x": 0.2, "y": 0.2}})
    assert (tied.tau, tied.preserved) == (None, False)


def test_methods_must_have_measured_the_same_teams() -> None:
    with pytest.raises(ValueError, match="same teams"):
        rankings({"one": {"x": 0.3}, "two": {"y": 0.3}})
