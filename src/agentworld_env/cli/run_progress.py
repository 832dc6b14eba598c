"""The progress of a run on the standard error: one live line for people, a line now and then for files."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from agentworld_env.cli import output

if TYPE_CHECKING:
    from agentworld_env.evaluate.runner import RunState

_PLAIN_SECONDS = 30.0


class RunProgress:
    """Shows where a run stands; to be called with its state.

    Args:
        quiet: Whether to show nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._status: Any = None
        self._told_at = 0.0
        self._told = ""

    def __enter__(self) -> RunProgress:
        if not self._quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console

            self._status = Console(stderr=True).status("starting")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, state: RunState) -> None:
        """Shows a state."""
        if self._quiet:
            return
        text = progress_line(state)
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(text))
        elif text != self._told and (
            state.done == state.total or time.monotonic() - self._told_at >= _PLAIN_SECONDS
        ):
            self._told, self._told_at = text, time.monotonic()
            output.note(text)


def progress_line(state: RunState) -> str:
    """Returns a state in one line: episodes, calls in flight, retries and why, tokens, cost, time left."""
    parts = [f"{state.done}/{state.total} episodes, {state.won} won"]
    if state.failures:
        parts.append(f"{len(state.failures)} unfinished because of infrastructure")
    if state.in_flight:
        parts.append(f"{state.in_flight} calls in flight")
    if state.retrying:
        why = ", ".join(f"{count} after {reason}" for reason, count in sorted(state.retrying.items()))
        parts.append(f"retrying {why}")
    spent = state.spent
    if spent.calls:
        cost = "unknown cost" if spent.cost is None else f"{spent.cost:.4f} dollars"
        parts.append(f"{spent.calls} calls, {spent.tokens} tokens, {cost}")
    left = state.seconds_left
    if left:
        parts.append(f"about {_duration(left)} left")
    return "; ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
