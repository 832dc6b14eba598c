"""Progress of long work, on the standard error: a bar where a person watches, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING

from agentworld_env.cli import output

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """Counts pieces of work that are done.

    Args:
        what: What is being done, one word.
        total: How many pieces there are.
    """

    def __init__(self, what: str, total: int) -> None:
        self._total = total
        self._count = 0
        self._bar = _bar() if total > 1 and _watched() else None
        self._work = None if self._bar is None else self._bar.add_task(what, total=total)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def done(self, text: str) -> None:
        """Counts one piece and says what came of it."""
        self._count += 1
        width = len(str(self._total))
        self.say(f"[{self._count:{width}}/{self._total}] {text}" if self._total > 1 else text)
        if self._bar is not None and self._work is not None:
            self._bar.advance(self._work)

    def say(self, text: str) -> None:
        """Writes a line, above the bar if there is one."""
        if self._bar is None:
            output.note(text)
        else:
            self._bar.console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _watched() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
