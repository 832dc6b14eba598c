"""``agentworld-env certify``: proves that tasks are solvable, collaborative and honest."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentworld_env.cli.codes import FAULT, INTERRUPTED
from agentworld_env.cli.folders import folder_named, made
from agentworld_env.cli.interrupts import ctrl_c_follows
from agentworld_env.errors import AgentWorldError, quoted

if TYPE_CHECKING:
    from agentworld_env.certify import Certificate
    from agentworld_env.cli.progress import Progress
    from agentworld_env.tasks import Task


def certify(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Ids of tasks, task files, or folders of these.")
    ] = None,
    suite: Annotated[str | None, typer.Option(help="All tasks of this suite.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="So many seeds, counted from 0.")] = 3,
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed; no single agents, near misses or mutants.")
    ] = False,
    processes: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes; as many as processors if not given.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=folder_named,
            metavar="DIRECTORY",
            help="Directory for the certificates, one JSON file each.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the certificates as JSON.")] = False,
) -> None:
    """Certify tasks (all of the package if none is named); any that fails makes the exit code 1."""
    from agentworld_env.cli import output
    from agentworld_env.cli.progress import Progress
    from agentworld_env.report.certificates import certificate_table, legend
    from agentworld_env.tasks import list_tasks
    from agentworld_env.variants import resolve
    from agentworld_env.workers import heard_once

    named = [file for name in tasks or () for file in _files(name)]
    if suite is not None or not named:
        listed = [info.id for info in list_tasks(suite)]
        if not listed:
            raise AgentWorldError(f"the suite {quoted(suite)} has no tasks")
        named += listed
    named = list(dict.fromkeys(named))
    found = [resolve(name) for name in named]
    _refuse_namesakes(named, found)
    certificates: dict[int, Certificate] = {}
    place = contextlib.nullcontext() if out is None else made(out)
    try:
        with (
            heard_once(),
            place,
            Progress("certify", len(found)) as progress,
            contextlib.closing(_examine(found, seeds, quick, processes or os.cpu_count() or 1)) as examined,
        ):
            for number, certificate in examined:
                certificates[number] = certificate
                _announce(progress, certificate, found[number], named[number])
                if out is not None:
                    _write(out / f"{certificate.task}.json", certificate)
    except KeyboardInterrupt:
        output.note(f"interrupted after {len(certificates)} of {len(found)} tasks")
        raise typer.Exit(INTERRUPTED) from None
    done = [certificates[number] for number in sorted(certificates)]
    if json:
        output.data([_plain(certificate) for certificate in done])
    else:
        # The heads are too many for a frame around every cell.
        output.line(certificate_table(done).plain())
        output.note(legend())
        output.note(f"{sum(certificate.ok for certificate in done)} of {len(done)} certified")
    if not all(certificate.ok for certificate in done):
        raise typer.Exit(FAULT)


def _files(name: str) -> list[str]:
    """Returns the task files of a folder, by name, or what was given if it names no folder.

    Raises:
        AgentWorldError: There are none.
    """
    from agentworld_env.tasks import list_tasks

    folder = Path(name)
    if not name or not folder.is_dir() or name in {info.id for info in list_tasks()}:
        return [name]
    files = (path for path in folder.iterdir() if path.suffix in (".yaml", ".yml") and path.is_file())
    found = sorted(str(path) for path in files if not path.name.startswith("."))
    if not found:
        raise AgentWorldError(f"{name}: expected task files (*.yaml) in this folder, or the path of one")
    return found


def _refuse_namesakes(named: Sequence[str], tasks: Sequence[Task]) -> None:
    """Refuses two files with one id: rows and certificates could not be told apart."""
    taken: dict[str, str] = {}
    for name, task in zip(named, tasks, strict=True):
        if task.id in taken:
            raise AgentWorldError(
                f"{taken[task.id]} and {name} have the same id {quoted(task.id)}; give one of them another"
            )
        taken[task.id] = name


def _examine(
    tasks: Sequence[Task], seeds: int, quick: bool, processes: int
) -> Generator[tuple[int, Certificate], None, None]:
    """Yields (index of a task, its certificate) as they are done."""
    processes = min(processes, len(tasks))
    # Large teams take longest; begun last, one of them would keep the other processes waiting.
    order = sorted(range(len(tasks)), key=lambda number: -len(tasks[number].team))
    if processes <= 1:
        for number in order:
            yield number, _certificate(tasks[number], seeds, quick)
        return
    from concurrent.futures import BrokenExecutor, as_completed

    from agentworld_env.workers import WorkerPool

    pool = WorkerPool(processes)
    try:
        futures = {pool.submit(_certificate, tasks[number], seeds, quick): number for number in order}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenExecutor as error:
        if ctrl_c_follows():
            raise KeyboardInterrupt from None
        raise AgentWorldError(
            "a process was killed, perhaps for want of memory; try fewer --processes"
        ) from error
    finally:
        pool.end()


def _certificate(task: Task, seeds: int, quick: bool) -> Certificate:
    from agentworld_env.certify import certify_task

    try:
        return certify_task(task, range(seeds), quick=quick)
    except ValueError as error:
        # A task that could be read is no mistake of the user's: nobody should look for one in a line about values.
        raise RuntimeError(
            f"a mistake of the package: {task.id} cannot be examined; please report it"
        ) from error


def _announce(progress: Progress, certificate: Certificate, task: Task, name: str) -> None:
    from agentworld_env.cli.places import placed

    progress.done(f"{certificate.task}: {'certified' if certificate.ok else 'not certified'}")
    for note in certificate.notes:
        progress.say(f"  {note}")
    for problem in certificate.problems:
        # Whatever is no id of the package is the path of a file.
        progress.say(f"  {problem.text if name == task.id else placed(problem, Path(name))}")


def _plain(certificate: Certificate) -> dict[str, Any]:
    """Returns a certificate as plain data, with what follows from its figures."""
    import msgspec

    follows = {"ok": certificate.ok, "slack": certificate.slack, "ratio": certificate.ratio}
    return {**msgspec.to_builtins(certificate, str_keys=True), **follows}


def _write(path: Path, certificate: Certificate) -> None:
    """Writes a certificate; a half-written file never stands under the final name."""
    import msgspec

    from agentworld_env.cli import output
    from agentworld_env.files import write_whole

    with output.writing(path):
        write_whole(path, msgspec.json.format(msgspec.json.encode(_plain(certificate)), indent=1) + b"\n")
