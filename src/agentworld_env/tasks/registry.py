"""The list of the package's tasks, read from a small index."""

from __future__ import annotations

import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from agentworld_env.errors import UnknownNameError, quoted
from agentworld_env.markup import html_table

if TYPE_CHECKING:
    from agentworld_env.tasks.task import Task

SUITES = ("main", "practice", "augmented")
"""Suites that come with the package, each a folder of task files."""


class TaskInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What the list of tasks says about a task.

    Attributes:
        id: Task id, such as ``"t01_magic_staff"``.
        title: Title for people.
        category: One of ``schema.CATEGORIES``.
        suite: Suite it belongs to: ``main``, ``practice``, ``augmented`` or ``user``.
        team_size: Number of agents.
        max_rounds: Round budget.
    """

    id: str
    title: str
    category: str
    suite: str
    team_size: int
    max_rounds: int


class TaskList(tuple[TaskInfo, ...]):
    """Tasks in the order of their numbers: a tuple that shows itself as a table in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        columns = ("id", "title", "category", "suite", "agents", "rounds")
        rows = [(t.id, t.title, t.category, t.suite, t.team_size, t.max_rounds) for t in self]
        return html_table(columns, rows, right=(4, 5))


@cache
def _index() -> TaskList:
    packed = resources.files("agentworld_env.tasks").joinpath("index.json").read_bytes()
    return TaskList(msgspec.json.decode(packed, type=tuple[TaskInfo, ...]))


def list_tasks(suite: str | None = None) -> TaskList:
    """Returns the package's tasks in the order of their numbers.

    Args:
        suite: Only tasks of this suite.

    Raises:
        UnknownNameError: There is no such suite.
    """
    if suite is None:
        return _index()
    if suite not in SUITES:
        raise UnknownNameError("suite", suite, SUITES)
    return TaskList(info for info in _index() if info.suite == suite)


@cache
def get_task(task_id: str) -> Task:
    """Returns a task of the package.

    Args:
        task_id: Task id, such as ``"t01_magic_staff"``.

    Raises:
        UnknownNameError: There is no such task; the nearest ids are offered.
    """
    from agentworld_env.tasks.load import load_text

    for info in _index():
        if info.id == task_id:
            entry = resources.files("agentworld_env.tasks").joinpath(info.suite, f"{task_id}.yaml")
            return load_text(entry.read_bytes(), f"{task_id}.yaml")
    if os.path.isfile(task_id):
        where = f"for the file of that name, write ./{task_id}"
    else:
        where = "agentworld-env tasks lists them"
    raise UnknownNameError("task", task_id, (info.id for info in _index()), where)


def resolve(task: str | Path | Task) -> Task:
    """Returns a task from whatever names it.

    Args:
        task: A task, the id of one, or the path of a task file. A string is taken for a path if it ends in
            ``.yaml`` or ``.yml`` or holds a slash.

    Raises:
        TypeError: It is none of these.
        AgentWorldError: There is no such task, or its file says something wrong.
    """
    if isinstance(task, Path):
        from agentworld_env.tasks.load import load_task

        return load_task(task)
    if isinstance(task, str):
        if task.endswith((".yaml", ".yml")) or "/" in task or "\\" in task:
            return resolve(Path(task))
        return get_task(task)
    from agentworld_env.tasks.task import Task

    if not isinstance(task, Task):
        raise TypeError(f"a task is an id, the path of a task file, or a Task, not {quoted(task)}")
    return task
