"""Numbers and tasks from the command line: one that makes no sense ends the script with one line before it measures."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task, list_tasks


def at_least(least: int) -> Callable[[str], int]:
    """Returns what reads a whole number of at least so much, for ``argparse``."""

    def whole_number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, got {text!r}")
        return value

    return whole_number


def task_id(text: str) -> str:
    """Returns the id of a task of the package, for ``argparse``; of one that does not exist the nearest are named."""
    try:
        return get_task(text).id
    except AgentWorldError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def task_ids(text: str) -> list[str]:
    """Returns ids of tasks of the package that commas separate, each once, for ``argparse``."""
    names = [task_id(name.strip()) for name in text.split(",") if name.strip()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise argparse.ArgumentTypeError(f"{twice} is named twice; expected every task once")
    if not names:
        raise argparse.ArgumentTypeError(f"expected ids of tasks, separated by commas, got {text!r}")
    return names


def suite_name(text: str) -> str:
    """Returns the name of a suite, for ``argparse``."""
    try:
        list_tasks(text)
    except AgentWorldError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
