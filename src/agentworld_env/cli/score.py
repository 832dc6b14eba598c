"""``agentworld-env score``: checks records by playing them again, and prints what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentworld_env.cli.codes import USER_ERROR


def score(
    paths: Annotated[
        list[Path], typer.Argument(help="Records, or directories with records in them or further down.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Re-simulate and re-verify records, and print their scores; any that cannot be used makes the exit code 2."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate import each_sound, records_in, score_record

    scores, faults = each_sound(records_in(paths), score_record)
    if json:
        output.data({"episodes": scores, "errors": faults})
    elif scores:
        from agentworld_env.report import score_table

        output.table(score_table(scores))
    output.faults(faults)
    if faults:
        raise typer.Exit(USER_ERROR)
