"""``agentworld-env variants``: fresh, certified variants of tasks as task files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentworld_env.cli.codes import FAULT, INTERRUPTED
from agentworld_env.cli.folders import check_folder, folder_named, made
from agentworld_env.cli.interrupts import ctrl_c_follows

if TYPE_CHECKING:
    from agentworld_env.models import ChatModel
    from agentworld_env.tasks import Task
    from agentworld_env.tasks.schema import TaskSpec
    from agentworld_env.variants.generator import Variant
    from agentworld_env.variants.many import Harvest


_LONGEST_REASON = 60
"""Characters of a reason in the table of what became of the candidates, which then fits a terminal."""


def variants(
    task: Annotated[
        str, typer.Argument(help="Id or file of a task, or a suite: main, practice or augmented.")
    ],
    out: Annotated[
        Path, typer.Option(parser=folder_named, metavar="DIRECTORY", help="Directory for the task files.")
    ],
    seed: Annotated[int, typer.Option(min=0, help="First seed; its range decides the split.")] = 0,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many variants.")] = 1,
    harder: Annotated[
        float, typer.Option(min=0, max=0.99, help="At least so much more of the budget is used: 0.2 is 20 %.")
    ] = 0.0,
    author: Annotated[
        str | None, typer.Option(help="Ask a model for the changes: PROVIDER:MODEL or local:URL#MODEL.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes; as many as processors if not given.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Make certified variants of a task, or of the tasks of a suite in turn; same arguments, same files."""
    from concurrent.futures.process import BrokenProcessPool

    from agentworld_env.cli import output
    from agentworld_env.cli.progress import Progress
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.models import ChatModel
    from agentworld_env.variants import folder
    from agentworld_env.variants.many import Harvest, make_variants
    from agentworld_env.variants.splits import check_seeds
    from agentworld_env.workers import deaf, heard_once

    if author is not None and harder:
        raise AgentWorldError("--harder is for drawn variants; an author is asked without it")
    sources = _sources(task)
    check_seeds(seed, -(-count // len(sources)))
    check_folder(out)
    with output.writing(out):
        before, held = folder.listed(out), folder.held(out)
    harvest = Harvest()
    rows: list[dict[str, Any]] = []
    stopped = broken = False
    with contextlib.ExitStack() as ending:
        if author is None:
            ending.enter_context(heard_once())  # an author's event loop has its own way with Ctrl-C
        try:
            with Progress("variants", count) as progress:
                # Everything that can be refused is refused before the directory is made.
                asking: Generator[Variant, None, None]
                if author is None:
                    asking = make_variants(
                        sources,
                        seed,
                        count,
                        harder=harder,
                        jobs=processes,
                        held=held,
                        harvest=harvest,
                        tell=progress.say,
                    )
                else:
                    asking = _authored(
                        sources, ChatModel(author), seed, count, held, out, harvest, progress.say
                    )
                ending.enter_context(made(out))
                with contextlib.closing(asking):
                    for variant in asking:
                        with (
                            deaf(),
                            output.writing(out / f"{variant.task.id}.yaml"),
                        ):  # no file without its row
                            path = folder.keep(variant, out)
                            rows.append(folder.row(variant))
                        progress.done(f"{path.name}: {', '.join(variant.mutations)}")
        except KeyboardInterrupt:
            stopped = True
            output.note(f"interrupted after {len(rows)} of {count} variants; the same command goes on")
        except BrokenProcessPool:
            stopped = ctrl_c_follows()
            broken = not stopped
            what = "interrupted" if stopped else "a process was killed"
            output.note(f"{what} after {len(rows)} of {count} variants; the same command goes on")
        finally:
            if rows:
                with output.writing(out / folder.LIST):
                    folder.write_list(rows, before, out)
    if json:
        output.data({"variants": rows, **_figures(harvest)})
    else:
        _tell(harvest)
    if stopped:
        raise typer.Exit(INTERRUPTED)
    if broken:
        raise typer.Exit(FAULT)
    if harvest.variants < count:
        output.note(f"only {harvest.variants} of {count} variants passed")
        raise typer.Exit(FAULT)


def _sources(name: str) -> list[Task]:
    from agentworld_env.errors import UnknownNameError
    from agentworld_env.tasks import get_task, list_tasks
    from agentworld_env.tasks.registry import SUITES
    from agentworld_env.variants import resolve

    if name in SUITES:
        return [get_task(info.id) for info in list_tasks(name)]
    try:
        return [resolve(name)]
    except UnknownNameError as error:
        if error.name != name:
            raise
        known = [*SUITES, *(info.id for info in list_tasks())]
        raise UnknownNameError("task or suite", name, known, "agentworld-env tasks lists them") from None


def _authored(
    sources: list[Task],
    model: ChatModel,
    seed: int,
    count: int,
    held: Mapping[str, str],
    out: Path,
    harvest: Harvest,
    say: Callable[[str], None],
) -> Generator[Variant, None, None]:
    """Yields the variants that a model proposes and that pass, one question after the other.

    Those whose files are there are not asked for again: every question costs, and no answer comes twice.
    """
    import asyncio

    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.tasks import load_task
    from agentworld_env.variants.author import author_variant, authored_id

    taken = set(held)
    posed: list[TaskSpec] = []
    requests = tokens = 0
    try:
        with asyncio.Runner() as runner:
            for turn in range(count):
                source = sources[turn % len(sources)]
                number = seed + turn // len(sources)
                path = out / f"{authored_id(source, number)}.yaml"
                if path.exists():
                    if authored_id(source, number) not in held.values():
                        raise AgentWorldError(
                            f"{path} exists and is no task; expected a directory without it"
                        )
                    posed.append(load_task(path).spec)
                    say(f"{path.name} is there already")
                    harvest.variants += 1
                    continue
                found = runner.run(author_variant(source, model, number, taken=taken, posed=posed))
                requests += found.requests
                tokens += found.prompt_tokens + found.completion_tokens
                harvest.candidates += found.requests
                harvest.rejected.update(map(_short, found.refused))
                if found.variant is None:
                    harvest.given_up.append((source.id, number))
                    say(f"{source.id}: nothing passed for seed {number}")
                    continue
                taken.add(found.variant.fingerprint)
                posed.append(found.variant.task.spec)
                harvest.variants += 1
                yield found.variant
    finally:
        output.note(f"{model.spec.label}: {requests} requests, {tokens} tokens")


def _short(complaint: str) -> str:
    """Returns a complaint as it stands in the table: cut behind a word where it is long."""
    if len(complaint) <= _LONGEST_REASON:
        return complaint
    end = complaint.rfind(" ", 0, _LONGEST_REASON - 2)
    return f"{complaint[: end if end > 0 else _LONGEST_REASON - 3].rstrip(' ,;:')}..."


def _figures(harvest: Harvest) -> dict[str, Any]:
    return {
        "candidates": harvest.candidates,
        "certified": harvest.variants,
        "rejected": dict(harvest.rejected.most_common()),
        "given_up": [f"{source} seed {seed}" for source, seed in harvest.given_up],
        "exhausted": harvest.exhausted,
        "filled": harvest.filled,
    }


def _tell(harvest: Harvest) -> None:
    """Prints what became of the candidates."""
    from agentworld_env.cli import output
    from agentworld_env.report import Table

    rows = [("certified", harvest.variants), *harvest.rejected.most_common()]
    total = max(1, sum(number for _, number in rows))
    output.table(
        Table(
            columns=("candidates", "count", "share"),
            rows=tuple((what, str(n), f"{n / total:.0%}") for what, n in rows),
            right=frozenset({1, 2}),
        )
    )
    if harvest.filled:
        one = "variant was" if harvest.filled == 1 else "variants were"
        output.note(f"{harvest.filled} {one} made of other tasks in place of those given up")
