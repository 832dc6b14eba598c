"""What the verbs of ``cce`` share: the records they are about, and what is said of faults and costs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from agentworld_env.cli.codes import USER_ERROR

if TYPE_CHECKING:
    from agentworld_env.evaluate import Fault, Score, Verified

Made = TypeVar("Made")
"""What is made of a record."""

Paths = Annotated[list[Path], typer.Argument(help="Records, or directories with records in them.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def read_records(paths: list[Path]) -> tuple[list[Verified], list[Fault]]:
    """Returns the records that can be used, and says what is wrong with the others."""
    return read_each(paths, lambda record: record)


def read_each(paths: list[Path], made: Callable[[Verified], Made]) -> tuple[list[Made], list[Fault]]:
    """Returns what is made of the records that can be used, each episode once, and says what else there is."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate import each_sound, sort_out, verified_record
    from agentworld_env.metrics.labels import episode_key

    def read(path: Path) -> tuple[str, Path, Made]:
        record = verified_record(path)
        return episode_key(record.episode), path, made(record)

    records, labels = sort_out(paths)
    with _unhurried_collector():
        sound, faults = each_sound(records, read)
    found: dict[str, tuple[Path, Made]] = {}
    again: list[str] = []
    for key, path, thing in sound:
        if key in found:
            again.append(f"{path} holds the same episode as {found[key][0]}")
        else:
            found[key] = path, thing
    if labels:
        output.note(f"Left out: {counted(len(labels), 'file')} of labels.")
    if again:
        more = f" (and {len(again) - 1} more like it)" if len(again) > 1 else ""
        output.note(f"Left out: {again[0]}{more}.")
    output.faults(faults)
    return [thing for _, thing in found.values()], faults


@contextmanager
def _unhurried_collector() -> Iterator[None]:
    """Lets the garbage collector run seldom: what is read stays, and going over it time and again costs a sixth."""
    before = gc.get_threshold()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def counted(number: int, thing: str) -> str:
    """Returns a number with the noun that it counts."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def end(faults: list[Fault]) -> None:
    """Lets the exit code tell whether all records could be used."""
    if faults:
        raise typer.Exit(USER_ERROR)


def notes_of(scores: Iterable[Score]) -> list[Mapping[str, Any]]:
    """Returns a method's notes on each episode."""
    return [score.metrics.get("cce_notes", {}) for score in scores]


def costs(found: Iterable[Mapping[str, Any]], name: str = "") -> list[str]:
    """Returns what a judge took and what it was not asked, line by line, if one was asked.

    Args:
        found: A method's notes on each episode.
        name: Name of the method, where several are used.
    """
    notes = [note for note in found if "requests" in note]
    if not notes:
        return []

    def total(name: str) -> int:
        return sum(int(note[name]) for note in notes)

    lines = [
        f"Judge{name and f' {name}'}: {counted(total('questions'), 'question')}, "
        f"{total('cached')} of them answered from the cache; {counted(total('requests'), 'request')} "
        f"({counted(total('asked_again'), 're-ask')}), {counted(total('prompt_tokens'), 'token')} in, "
        f"{total('completion_tokens')} out"
    ]
    dollars = [note["dollars"] for note in notes]
    if all(value is not None for value in dollars):
        lines.append(f"Cost: ${sum(dollars):.4f}")
    skipped = {name: total(name) for name in ("pruned", "beyond_window", "hidden")}
    if any(skipped.values()):
        lines.append(
            f"Skipped: {counted(skipped['pruned'], 'action')} pruned, {skipped['beyond_window']} beyond the window; "
            f"{counted(skipped['hidden'], 'time')} a contributing action was not shown"
        )
    unjudged = sum(not note["judged"] for note in notes)
    if unjudged:
        lines.append(f"Not judged: {counted(unjudged, 'failed episode')} (CCE 0)")
    return lines


def tell(lines: Iterable[str], json: bool) -> None:
    """Writes lines below tables; beside JSON they are remarks."""
    from agentworld_env.cli import output

    for line in lines:
        (output.note if json else output.line)(line)
