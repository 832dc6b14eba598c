"""``agentworld-env doctor``: one cheap call that says whether a model can be used."""

from __future__ import annotations

from typing import Annotated

import typer

from agentworld_env.cli.codes import FAULT


def doctor(
    model: Annotated[str, typer.Option(help="PROVIDER:MODEL or local:URL#MODEL.")],
    seconds: Annotated[float, typer.Option(min=0.1, help="Longest wait for the reply.")] = 60.0,
) -> None:
    """Ask a model once whether key, endpoint, tool calls and limits work. Exit code 1: not all; 2: no answer at all."""
    import asyncio

    from agentworld_env.cli import output
    from agentworld_env.errors import ModelError
    from agentworld_env.evaluate.checkup import examine
    from agentworld_env.report import row_table

    try:
        findings = asyncio.run(examine(model, seconds))
    except ModelError as error:
        raise ModelError(f"{error}; nothing else was tried") from error
    output.table(row_table([{"check": f.check, "fine": f.fine, "found": f.found} for f in findings]))
    if not all(finding.fine for finding in findings):
        raise typer.Exit(FAULT)
