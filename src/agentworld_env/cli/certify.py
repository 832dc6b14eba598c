"""``agentworld-env certify``: proves that tasks are solvable, collaborative and honest."""

from __future__ import annotations

from typing import Annotated

import typer

from agentworld_env.cli.codes import FAULT


def certify(
    tasks: Annotated[list[str] | None, typer.Argument(help="Ids of tasks, or paths of task files.")] = None,
    suite: Annotated[str | None, typer.Option(help="All tasks of this suite.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="So many seeds, counted from 0.")] = 3,
    json: Annotated[bool, typer.Option("--json", help="Print the certificates as JSON.")] = False,
) -> None:
    """Certify tasks (all of the package if none is named); any that fails makes the exit code 1."""
    from agentworld_env.certify import Certificate, certify_task
    from agentworld_env.cli import output
    from agentworld_env.tasks import list_tasks, resolve

    named = list(tasks or ())
    if suite is not None or not named:
        named += [info.id for info in list_tasks(suite)]
    found: list[Certificate] = []
    for task in [resolve(name) for name in named]:
        certificate = certify_task(task, range(seeds))
        found.append(certificate)
        output.note(f"{certificate.task}: {'certified' if certificate.ok else 'not certified'}")
        for problem in certificate.problems:
            output.note(f"  {problem}")
    if json:
        output.data(found)
    else:
        from agentworld_env.report import row_table

        output.table(row_table([certificate.row() for certificate in found]))
    if not all(certificate.ok for certificate in found):
        raise typer.Exit(FAULT)
