"""Tables of runs in the shapes of the paper's Tables 2 to 4, by category, and how runs vary."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources

from agentworld_env.evaluate.ledger import Spent
from agentworld_env.evaluate.results import RunResults
from agentworld_env.evaluate.statistics import Paired, holm, paired, wilson
from agentworld_env.metrics import Interval
from agentworld_env.report.summary import RunSummary, by_task
from agentworld_env.report.tables import Table

BASELINES = ("shared_plan", "no_communication", "single_agent", "default", "oracle_view")
"""Settings of Table 3, besides random play."""

ABLATIONS = ("default", "no_roles", "short_horizon", "random_spawn", "no_docs")
"""Settings of Table 4."""

COMPARED = ("sr", "psr", "cce", "rounds", "chats", "actions")
"""Figures that two runs are compared by."""

_SHORT = ("run", "SR % [95 %]", "n", "rounds", "chats")


def result_table(runs: Sequence[RunSummary]) -> Table:
    """Returns one row per run: rates with intervals, behaviour, how models answered, cost (as Table 2)."""
    most = max((run.trials for run in runs), default=1)
    rows = [
        (
            run.label,
            str(run.episodes),
            str(run.unfinished),
            percent(run.sr),
            percent(run.psr),
            _share(run.cce),
            _number(run.cce_of_successes, 3),
            *([_percent_of(run.pass_hat.get(str(most)))] if most > 1 else []),
            _number(run.rounds),
            _number(run.chats),
            _number(run.actions),
            _number(run.failed_calls),
            *_asking(run),
            f"{run.spent.tokens:,}" if run.spent.tokens else "",
            _cost(run.spent),
        )
        for run in runs
    ]
    columns = (
        "run",
        "n",
        "unfinished",
        "SR % [95 %]",
        "PSR % [95 %]",
        "CCE [95 %]",
        "CCE of successes",
        *([f"pass^{most} %"] if most > 1 else []),
        "rounds",
        "chats",
        "actions",
        "failed calls",
        "re-asks",
        "surplus calls",
        "memory",
        "tokens",
        "cost $",
    )
    suites = ", ".join(sorted({run.suite for run in runs}))
    return Table(
        title=f"Results on {suites}",
        name="results",
        columns=columns,
        rows=tuple(rows),
        right=frozenset(range(1, len(columns))),
    )


def baseline_table(runs: Sequence[RunSummary]) -> Table | None:
    """Returns the runs under the settings of Table 3, and random play; None if there are fewer than two."""
    chosen = [run for run in runs if run.policy.startswith("random") and run.setting == "default"]
    chosen += [run for name in BASELINES for run in runs if run.setting == name and run not in chosen]
    if not any(run.setting != "default" or run.policy.startswith("random") for run in chosen):
        return None
    return _short_table("Baselines (as Table 3)", "baselines", chosen)


def ablation_table(runs: Sequence[RunSummary]) -> Table | None:
    """Returns the runs under the settings of Table 4; None if there are fewer than two."""
    chosen = [run for name in ABLATIONS for run in runs if run.setting == name]
    chosen += [run for run in runs if run.setting not in (*BASELINES, *ABLATIONS)]
    if all(run.setting == "default" for run in chosen):
        return None
    return _short_table("Ablations (as Table 4)", "ablations", chosen)


def category_table(runs: Sequence[RunSummary]) -> Table:
    """Returns success by category: one row per category, one column per run."""
    names = sorted({name for run in runs for name in run.categories})
    rows = []
    for name in names:
        cells = []
        for run in runs:
            found = run.categories.get(name)
            cells.append("" if found is None else f"{percent(found.sr)} ({found.successes}/{found.episodes})")
        rows.append((name, *cells))
    return Table(
        title="SR % by category",
        name="categories",
        columns=("category", *(run.label for run in runs)),
        rows=tuple(rows),
        right=frozenset(range(1, len(runs) + 1)),
    )


def variation_table(runs: Sequence[RunSummary]) -> Table | None:
    """Returns how means vary between trials; None if no run has several complete ones."""
    varied = [run for run in runs if run.variation["sr"] is not None]
    if not varied:
        return None
    rows = tuple(
        (
            run.label,
            str(run.trials),
            *(_percent_of(run.variation[name]) for name in ("sr", "psr")),
            *(_number(run.variation[name], 2) for name in ("rounds", "chats")),
        )
        for run in varied
    )
    return Table(
        title="Standard deviation between trials",
        name="variation",
        columns=("run", "trials", "SR (points)", "PSR (points)", "rounds", "chats"),
        rows=rows,
        right=frozenset(range(1, 6)),
    )


def published_table() -> Table:
    """Returns the paper's figures, marked as such and with what they are rates of."""
    text = resources.files("agentworld_env.report").joinpath("published.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = []
    for row in csv.DictReader(lines):
        of = int(row["of"])
        interval = wilson(round(float(row["sr"]) * of / 100), of)
        rows.append(
            (
                f"Table {row['table']}",
                row["row"],
                percent(interval),
                row["of"],
                row["psr"],
                row["cce"],
                row["rounds"],
                row["chats"],
            )
        )
    return Table(
        title="Published by the paper for its own tasks; shown for reference, not comparable",
        name="published",
        columns=("published in", "row", "SR % [95 %]", "n", "PSR %", "CCE", "rounds", "chats"),
        rows=tuple(rows),
        right=frozenset(range(2, 8)),
        keys=2,
    )


def tables_of(runs: Sequence[RunSummary], *, published: bool = False) -> list[Table]:
    """Returns all tables that some runs fill.

    Args:
        runs: The runs.
        published: Whether the paper's figures are shown as a table of their own.
    """
    found = [
        result_table(runs),
        baseline_table(runs),
        ablation_table(runs),
        category_table(runs),
        variation_table(runs),
        published_table() if published else None,
    ]
    return [table for table in found if table is not None]


def compare_table(runs: Sequence[RunResults]) -> Table:
    """Returns how later runs differ from the first, task by task; p values are corrected for their number.

    Args:
        runs: At least two runs.

    Raises:
        ValueError: Two runs have no task in common.
    """
    rows = []
    for figure in COMPARED:
        base = by_task(runs[0], figure)
        found = [paired(base, by_task(run, figure)) for run in runs[1:]]
        corrected = holm([one.p for one in found])
        unit, digits = (100.0, 1) if figure in ("sr", "psr") else (1.0, 3 if figure == "cce" else 1)
        for run, one, p in zip(runs[1:], found, corrected, strict=True):
            difference = f"{unit * one.difference:+z.{digits}f}"
            if one.low is not None and one.high is not None:
                difference += f" [{unit * one.low:+z.{digits}f}, {unit * one.high:+z.{digits}f}]"
            rows.append(
                (
                    figure.upper() if len(figure) < 4 else figure,
                    run.label,
                    str(one.tasks),
                    difference,
                    "<0.001" if p < 0.001 else f"{p:.3f}",
                    _effect(one),
                    f"{one.better}/{one.worse}",
                    _number(None if one.detectable is None else unit * one.detectable, digits),
                )
            )
    columns = ("figure", "run", "tasks", "difference [95 %]", "p", "effect d", "better/worse", "detectable")
    return Table(
        title=f"Against {runs[0].label}, paired by task (SR and PSR in points)",
        name="comparison",
        columns=columns,
        rows=tuple(rows),
        right=frozenset(range(2, 8)),
        keys=2,
    )


def not_compared(base: RunResults, run: RunResults) -> tuple[str, ...]:
    """Returns the tasks of two runs of which not both have a finished episode, sorted; a comparison leaves them out.

    Args:
        base: One run.
        run: The other.
    """
    tasks = {entry.id for one in (base, run) for entry in one.manifest.tasks}
    return tuple(sorted(tasks - (by_task(base, "sr").keys() & by_task(run, "sr").keys())))


# -- cells -------------------------------------------------------------------------------------------------------------


def percent(value: Interval | None) -> str:
    """Returns a rate in percent with its interval, if it has one."""
    return _with_interval(value, 100, 1)


def money(value: float | None) -> str:
    """Returns an amount in dollars, or a dash if it is unknown."""
    return "-" if value is None else f"{value:.2f}" if value >= 0.1 or not value else f"{value:.4f}"


def _cost(spent: Spent) -> str:
    """Returns what a run cost: empty without models, a dash where tokens were used of which nobody knows the price."""
    if not spent.calls:
        return ""
    return "-" if not spent.cost and spent.unpriced else money(spent.cost)


def _effect(one: Paired) -> str:
    """Returns the effect size; where all tasks differ by the same it is beyond all bounds."""
    if one.effect is None and one.tasks > 1 and one.difference:
        return "inf" if one.difference > 0 else "-inf"
    return _number(one.effect, 2)


def _asking(run: RunSummary) -> tuple[str, str, str]:
    """Returns how often models were asked again and said too much, and what they were shown; empty without models."""
    if run.memory is None:
        return "", "", ""
    return _number(run.reasks), _number(run.surplus), str(run.memory)


def _short_table(title: str, name: str, runs: Sequence[RunSummary]) -> Table | None:
    if len(runs) < 2:
        return None
    rows = tuple(
        (run.label, percent(run.sr), str(run.episodes), _number(run.rounds), _number(run.chats))
        for run in runs
    )
    return Table(title=title, name=name, columns=_SHORT, rows=rows, right=frozenset(range(1, 5)))


def _share(value: Interval | None) -> str:
    return _with_interval(value, 1, 3)


def _with_interval(value: Interval | None, unit: float, digits: int) -> str:
    if value is None:
        return ""
    mean = f"{unit * value.mean:z.{digits}f}"
    if value.low is None or value.high is None:
        return mean
    return f"{mean} [{unit * value.low:z.{digits}f}, {unit * value.high:z.{digits}f}]"


def _number(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:z.{digits}f}"


def _percent_of(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
