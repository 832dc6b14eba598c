"""``agentworld-env tasks``: the list of tasks."""

from __future__ import annotations

from typing import Annotated

import typer


def tasks(
    suite: Annotated[str | None, typer.Option(help="Only tasks of this suite, such as main.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tasks."""
    from agentworld_env.cli import output
    from agentworld_env.tasks import list_tasks

    found = list_tasks(suite)
    if json:
        output.data(found)
        return
    from agentworld_env.report import task_table

    output.table(task_table(found))
