"""Writing to the terminal: rich where a person reads, plain lines in files and pipes, JSON on request."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from agentworld_env.errors import AgentWorldError, RecordWarning

if TYPE_CHECKING:
    from rich.console import Console

    from agentworld_env.evaluate import Fault
    from agentworld_env.report import Story, StoryLine, Table

_STYLES = {
    "title": "bold",
    "round": "bold cyan",
    "failed": "yellow",
    "said": "magenta",
    "asleep": "dim",
    "world": "red",
    "reached": "bold green",
    "broken": "bold red",
}

_LONGEST_WORD = 200
"""Longest word of an error (characters): what the system and the parser of options quote, and paths, may be longer."""
_LONGEST_ERROR = 2000
"""Longest error (characters)."""


class ReaderGoneError(Exception):
    """Whoever read the standard output has gone, as in "| head"."""


def line(text: str = "") -> None:
    """Writes a line to the standard output.

    Raises:
        ReaderGoneError: Whoever read it has gone.
        AgentWorldError: It cannot be written, as on a full disk.
    """
    with _standard_output():
        sys.stdout.write(text + "\n")


def flush() -> None:
    """Hands over what has been written so far; errors are as for ``line``."""
    with _standard_output():
        sys.stdout.flush()


@contextmanager
def _standard_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ReaderGoneError from None
    except OSError as error:
        hush(sys.stdout)  # otherwise Python tries, and complains, once more when it ends
        raise AgentWorldError(f"cannot write the standard output: {error.strerror or error}") from error


def note(text: str) -> None:
    """Writes a remark to the standard error, so that the output stays what was asked for.

    What is being done goes on if nobody reads the remarks any more.
    """
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        hush(sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Writes what is said of records as remarks, without the line of code that Python shows with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", RecordWarning)
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, RecordWarning):
                note(str(message))
            else:
                shown(message, category, *where, **more)

        warnings.showwarning = show
        yield


def error(message: str) -> None:
    """Writes what went wrong to the standard error, in one line, without most of what makes it endless."""
    text = _cut(" ".join(_cut(word, _LONGEST_WORD) for word in message.split()), _LONGEST_ERROR)
    note(f"error: {''.join(c if c.isprintable() else '?' for c in text)}")


def _cut(text: str, longest: int) -> str:
    """Returns a text without its middle if it is longer than so many characters."""
    if len(text) <= longest:
        return text
    return f"{text[: longest * 3 // 4 - 3]}...{text[-(longest // 4) :]}"


def faults(found: Iterable[Fault]) -> None:
    """Writes one line for each record that cannot be used."""
    for fault in found:
        error(fault.error)


def hush(stream: TextIO) -> None:
    """Lets everything that a stream still gets vanish: whoever read it has gone."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())
    os.close(sink)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Names the file in what goes wrong while it is written."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise AgentWorldError(f"cannot write {error.filename or path}: {error.strerror or error}") from error


def prose(text: str) -> None:
    """Writes lines of running text: folded to the width of a terminal, as they are to files and pipes."""
    width = _width()
    for one in text.split("\n"):
        if width is None or len(one) <= width:
            line(one)
            continue
        margin = one[: len(one) - len(one.lstrip())]
        line(textwrap.fill(one.strip(), width, initial_indent=margin, subsequent_indent=margin + "  "))


def data(value: Any) -> None:
    """Writes a value as indented JSON."""
    import msgspec

    line(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def table(value: Table) -> None:
    """Writes a table; on a narrow terminal without the columns that can be spared, and in several tables if need be."""
    width = _width()
    parts = [value] if width is None else value.fitted(width).stacked(width)
    for part in parts:
        if _for_people():
            with _standard_output():
                _console().print(part.rich())
        else:
            line(part.plain())


def story(teller: Story, entry: StoryLine) -> None:
    """Writes a line of a story."""
    text = teller.plain(entry)
    style = _STYLES.get(entry.kind)
    if style is not None and _for_people():
        with _standard_output():
            _console().print(text, style=style, markup=False, highlight=False, emoji=False, soft_wrap=True)
    else:
        line(text)
    flush()


def _width() -> int | None:
    """Returns the columns of the terminal that is written to, or None for a file or pipe."""
    return max(20, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def _for_people() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ


@cache
def _console() -> Console:
    from rich.console import Console

    class Raising(Console):
        def on_broken_pipe(self) -> None:
            raise

    return Raising()
