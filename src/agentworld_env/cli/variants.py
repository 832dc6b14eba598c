"""``agentworld-env variants``: fresh, certified variants of tasks as task files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentworld_env.cli.codes import FAULT, INTERRUPTED

if TYPE_CHECKING:
    from agentworld_env.tasks import Task
    from agentworld_env.variants.generator import Variant
    from agentworld_env.variants.many import Harvest

_LIST = "variants.csv"


def variants(
    task: Annotated[str, typer.Argument(help="Id or file of a task, or a suite: main or augmented.")],
    out: Annotated[Path, typer.Option(help="Directory for the task files.")],
    seed: Annotated[int, typer.Option(min=0, help="First seed; its range decides the split.")] = 0,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many variants.")] = 1,
    harder: Annotated[
        float, typer.Option(min=0, max=0.99, help="At least so much more of the budget is used: 0.2 is 20 %.")
    ] = 0.0,
    author: Annotated[
        str | None, typer.Option(help="Ask a model for the changes: PROVIDER:MODEL or local:URL#MODEL.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes; as many as processors if not given.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Make certified variants of a task, or of the tasks of a suite in turn; same arguments, same files."""
    from agentworld_env.cli import output
    from agentworld_env.cli.progress import Progress
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.variants.many import Harvest, make_variants
    from agentworld_env.variants.splits import split_of_seed

    if author is not None and harder:
        raise AgentWorldError("--harder is for drawn variants; an author is asked without it")
    sources = _sources(task)
    split_of_seed(seed)
    with output.writing(out):
        out.mkdir(parents=True, exist_ok=True)
    harvest = Harvest()
    rows: list[dict[str, Any]] = []
    try:
        with Progress("variants", count) as progress:
            made: Iterator[Variant]
            if author is None:
                made = make_variants(sources, seed, count, harder=harder, jobs=jobs, harvest=harvest)
            else:
                made = _authored(sources, author, seed, count, harvest)
            for variant in made:
                path = _keep(variant, out)
                rows.append(_row(variant, path.name))
                progress.done(f"{path.name}: {', '.join(variant.mutations)}")
    except KeyboardInterrupt:
        output.note(f"interrupted after {len(rows)} of {count} variants; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    _write_list(rows, out / _LIST)
    if json:
        output.data({"variants": rows, **_figures(harvest)})
    else:
        _tell(harvest)
    if len(rows) < count:
        output.note(f"only {len(rows)} of {count} variants passed")
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


def _authored(sources: list[Task], author: str, seed: int, count: int, harvest: Harvest) -> Iterator[Variant]:
    """Yields the variants that a model proposes and that pass, one question after the other."""
    import asyncio

    from agentworld_env.cli import output
    from agentworld_env.models import ChatModel
    from agentworld_env.variants.author import author_variant

    model = ChatModel(author)
    taken: set[str] = set()
    requests = tokens = 0
    with asyncio.Runner() as runner:
        for turn in range(count):
            source = sources[turn % len(sources)]
            number = seed + turn // len(sources)
            found = runner.run(author_variant(source, model, number, taken=taken))
            requests += found.requests
            tokens += found.prompt_tokens + found.completion_tokens
            harvest.candidates += found.requests
            harvest.rejected.update(complaint[:60] for complaint in found.refused)
            if found.variant is None:
                harvest.given_up.append((source.id, number))
                continue
            taken.add(found.variant.fingerprint)
            harvest.variants += 1
            yield found.variant
    output.note(f"{model.spec.label}: {requests} requests, {tokens} tokens")


def _keep(variant: Variant, out: Path) -> Path:
    """Writes a variant's file, or leaves an equal one that is there; another one is never replaced."""
    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.variants.write import to_yaml, write_task

    path = out / f"{variant.task.id}.yaml"
    remark = f"Variant of {variant.source}: seed {variant.seed}, {', '.join(variant.mutations)}."
    with output.writing(path):
        if path.exists():
            if path.read_text(encoding="utf-8") != to_yaml(variant.task.spec, remark):
                raise AgentWorldError(f"{path} exists and is another task; expected a directory without it")
        else:
            write_task(variant.task.spec, path, remark)
    return path


def _row(variant: Variant, name: str) -> dict[str, Any]:
    certificate = variant.certificate
    return {
        "file": name,
        "source": variant.source,
        "seed": variant.seed,
        "mutations": " ".join(variant.mutations),
        "fingerprint": variant.fingerprint,
        "rounds": next(iter(certificate.rounds.values())),
        "budget": certificate.max_rounds,
        "handovers": certificate.handovers,
        "joint": certificate.joint,
    }


def _write_list(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes the list of the variants; a half-written one never stands under the final name."""
    import csv

    from agentworld_env.cli import output

    if not rows:
        return
    part = path.with_suffix(".part")
    with output.writing(path):
        with part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        part.replace(path)


def _figures(harvest: Harvest) -> dict[str, Any]:
    return {
        "candidates": harvest.candidates,
        "certified": harvest.variants,
        "rejected": dict(harvest.rejected.most_common()),
        "given_up": [f"{source} seed {seed}" for source, seed in harvest.given_up],
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
    for source, seed in harvest.given_up:
        output.note(f"{source}: nothing passed for seed {seed}")
