"""Figures as tables show them: what rounds to nothing has no sign."""

from __future__ import annotations

import re
from pathlib import Path

import agentworld_env
from agentworld_env.evaluate.statistics import Paired
from agentworld_env.metrics import Agreement, Interval, Ranking
from agentworld_env.report import agreement_table, ranking_table, row_table, suite_table
from agentworld_env.report.evaluation import percent

NOUGHT = -1e-9
"""What is left where sums of floats ought to be nothing."""


def test_kappa_and_its_bounds_are_not_below_nothing_by_rounding() -> None:
    found = Agreement(
        first="events",
        second="counterfactual",
        actions=9,
        episodes=2,
        both=1,
        first_only=2,
        second_only=2,
        neither=4,
        raw=5 / 9,
        kappa=NOUGHT,
        low=-0.004,
        high=-0.006,
        resampled="episode",
    )
    assert agreement_table([found]).rows[0][4:] == ("0.56", "0.00", "0.00", "-0.01")


def test_no_other_figure_is_below_nothing_by_rounding() -> None:
    tau = Ranking(method="m", means={"a": 0.0}, order=("a",), tau=NOUGHT, preserved=True, shift=0.0)
    assert ranking_table([tau]).rows[0][2] == "0.00"
    spread = Interval(mean=NOUGHT, low=-0.0, high=NOUGHT, episodes=2, clusters=2)
    assert suite_table({"skew_of_successes": spread}).rows[0][1:4] == ("0.00",) * 3
    assert percent(spread) == "0.0 [0.0, 0.0]"
    assert row_table([{"agent": "a", "Shapley": NOUGHT}]).rows == (("a", "0.00"),)
    paired = Paired(
        tasks=3,
        difference=NOUGHT,
        low=NOUGHT,
        high=0.1,
        p=1.0,
        effect=NOUGHT,
        better=1,
        worse=1,
        detectable=0.1,
    )
    assert re.findall(r"-0\.0+\b", paired._repr_html_()) == []


def test_every_signed_figure_of_a_table_drops_the_sign_of_nothing() -> None:
    """A sign that is asked for goes with the ``z`` that drops it."""
    folders = (Path(agentworld_env.__file__).parent, Path(__file__).parents[2] / "pages")
    signed = [
        (path.name, found)
        for folder in folders
        for path in folder.rglob("*.py")
        for found in re.findall(r":(\+[^{}]*(?:\{\w+\})?f)\}", path.read_text(encoding="utf-8"))
    ]
    assert len(signed) >= 4
    assert [one for one in signed if not one[1].startswith("+z")] == []
