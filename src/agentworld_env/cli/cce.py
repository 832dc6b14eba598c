"""``agentworld-env cce``: how much of what a team did contributed to its success."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def cce(
    paths: Annotated[list[Path], typer.Argument(help="Records, or directories of records.")],
    method: Annotated[str, typer.Option(help="How edges are drawn, such as events.")] = "events",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute CCE and the share of each agent (PAC) from re-simulated records."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate import cce_record, records_in
    from agentworld_env.metrics import mean_metrics

    scores = [cce_record(path, method) for path in records_in(paths)]
    means = mean_metrics(score.metrics for score in scores)
    if json:
        output.data({"method": method, "means": means, "episodes": scores})
        return
    from agentworld_env.report import cce_table

    output.table(cce_table(scores))
    won = means["cce_of_successes"]
    output.line(f"Mean CCE over successes: {'none succeeded' if won is None else f'{won:.2f}'}")
    output.line(f"Mean CCE over all: {means['cce']:.2f} (a failed episode counts 0)")
    if len(scores) == 1:
        for agent, share in scores[0].metrics["pac"].items():
            output.line(f"  {agent}: PAC {share:.2f}")
