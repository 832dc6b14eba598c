"""``agentworld-env report`` and ``compare``: tables of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentworld_env.cli.folders import check_folder, folder_named

if TYPE_CHECKING:
    from agentworld_env.evaluate.results import RunResults

_NAMED = 5
"""So many tasks that a comparison leaves out are named; the rest are counted."""


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.")],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=folder_named, metavar="DIRECTORY", help="Directory for Markdown, CSV, JSON and PNG."
        ),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Show the paper's figures in a table of their own.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Re-simulate every record first.")] = False,
    prices: Annotated[Path | None, typer.Option(help="CSV file of prices.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print and write the tables of runs: success, PSR, CCE with intervals, behaviour, cost."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate.results import load_run
    from agentworld_env.models import Prices

    table = Prices(prices)
    if out is not None:
        check_folder(out)
    found = [load_run(run, prices=table, verify=verify) for run in runs]
    print_report(found, json=json, published=published)
    if out is not None:
        from agentworld_env.report.evaluation import tables_of
        from agentworld_env.report.export import write_report
        from agentworld_env.report.summary import summarise

        summaries = [summarise(run) for run in found]
        files = write_report(out, tables_of(summaries, published=published), summaries, found)
        output.note(f"wrote {', '.join(path.name for path in files)} to {out}")
        if not any(path.suffix == ".png" for path in files):
            from agentworld_env.errors import needs

            output.note(f"no picture was drawn: {needs('drawing', 'pillow', 'draw')}")


def print_report(runs: Sequence[RunResults], *, json: bool, published: bool = False) -> None:
    """Prints the tables of runs, and what is unfinished.

    Args:
        runs: The runs.
        json: Whether to print JSON.
        published: Whether to print the paper's figures.
    """
    from agentworld_env.cli import output
    from agentworld_env.report.evaluation import tables_of
    from agentworld_env.report.export import as_json
    from agentworld_env.report.summary import summarise

    for run in runs:
        for line in run.damaged:
            output.note(line)
    summaries = [summarise(run) for run in runs]
    if json:
        output.line(as_json(summaries, runs).decode().rstrip())
        return
    for k, table in enumerate(tables_of(summaries, published=published)):
        if k:
            output.line()
        output.table(table)
    for run in runs:
        for one in run.unfinished:
            why = f": {one.reason}" if one.reason else ""
            output.line(f"Not scored: {one.task} seed {one.seed}, unfinished after {one.turns} turns{why}")


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Two or more runs; all are compared with the first.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare runs task by task: difference, interval, paired test, effect size, detectable difference."""
    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.evaluate.results import load_run
    from agentworld_env.report.evaluation import COMPARED, compare_table, not_compared
    from agentworld_env.report.summary import by_task

    if len(runs) < 2:
        raise AgentWorldError("a comparison needs at least two runs")
    found = [load_run(run) for run in runs]
    suites = sorted({run.manifest.suite for run in found})
    if len(suites) > 1:
        raise AgentWorldError(f"runs on different suites cannot be compared: {', '.join(suites)}")
    rules = sorted({run.manifest.rules for run in found})
    if len(rules) > 1:
        raise AgentWorldError(
            f"runs under different rules cannot be compared: versions {rules[0]} and {rules[-1]}"
        )
    table = compare_table(found)
    left_out = [not_compared(found[0], run) for run in found[1:]]
    if not json:
        output.table(table)
        for run, names in zip(found[1:], left_out, strict=True):
            if names:
                more = ", ..." if len(names) > _NAMED else ""
                output.prose(
                    f"Left out because {found[0].name} and {run.name} do not both have a finished episode: "
                    f"{len(names)} task{'' if len(names) == 1 else 's'} ({', '.join(names[:_NAMED])}{more})"
                )
        return
    from agentworld_env.evaluate.statistics import paired

    output.data(
        {
            "base": found[0].name,
            "against": [
                {
                    "run": run.name,
                    "left_out": names,
                    "figures": {
                        name: paired(by_task(found[0], name), by_task(run, name)) for name in COMPARED
                    },
                }
                for run, names in zip(found[1:], left_out, strict=True)
            ],
        }
    )
