"""``agentworld-env score``: checks records by playing them again, and prints what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def score(
    paths: Annotated[list[Path], typer.Argument(help="Records, or directories of records.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Re-simulate and re-verify records, and print their scores."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate import records_in, score_record

    scores = [score_record(path) for path in records_in(paths)]
    if json:
        output.data(scores)
        return
    from agentworld_env.report import score_table

    output.table(score_table(scores))
