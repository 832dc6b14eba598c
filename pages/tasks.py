"""The pages of all tasks, made from their files and from measured figures.

``python -m pages.tasks`` writes ``docs/tasks.md`` from the main tasks, ``docs/difficulty.csv`` and,
if it is there and about these very tasks, ``docs/suite_figures.json``; and ``docs/practice.md`` from the practice tasks
and ``docs/practice.csv``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.tasks.schema import CATEGORIES
from pages.departures import page_cell
from pages.difficulty import (
    LEVELS,
    PART_MEANINGS,
    PRACTICE_TABLE,
    TABLE,
    Figures,
    from_csv,
    level,
    score,
)
from pages.suite_figures import FILE, SuiteFigures, content_of, read_figures, section

PAGE = Path("docs/tasks.md")
PRACTICE_PAGE = Path("docs/practice.md")

_INTRO = """# Tasks

Made from the task files by `python -m pages.tasks`; a test compares. The figures come from
certificates: `agentworld-env certify --suite main --out DIR`, then `python -m pages.difficulty DIR`
(its picture needs `[draw]`), and `python -m benchmarks.suite_figures main`.
To write a task of your own, see [writing_tasks.md](writing_tasks.md); `agentworld-env show ID --role ROLE` prints what
one agent of a task is told.
"""

_PRACTICE_INTRO = """# Practice tasks

Made from the task files by `python -m pages.tasks`; a test compares. The figures come from
certificates: `agentworld-env certify --suite practice --out DIR`, then `python -m pages.difficulty
DIR`.

Small tasks of the suite `practice`, to learn on: the same world, tools, rules and observations as in the
[main tasks](tasks.md), in rising order of what a team has to bring together. They are certified like these: the
planner solves each, no single member can, and idling reaches nothing. What is learned on them says nothing about the
main tasks; results of the two suites do not belong in one column.

`agentworld-env tasks --suite practice` lists them; [rl_libraries.md](rl_libraries.md) trains on one.
"""

_TABLE_INTRO = """## All tasks

*Rounds* is what the built-in planner needs, in the median over seeds; it sees everything and needs no talk. *Bound* is
a proven lower bound on anybody's rounds, in the median over the same seeds, *budget* the number of rounds a team has.

| id | title | category | team | goal | budget | rounds | bound | difficulty |
| --- | --- | --- | ---: | --- | ---: | ---: | ---: | --- |"""


def task_page(
    tasks: Sequence[Task], figures: Mapping[str, Figures], measured: SuiteFigures | None = None
) -> str:
    """Returns the page in Markdown.

    Args:
        tasks: The tasks, in the order of their numbers.
        figures: Task id -> figures; those of another version of a task are left out.
        measured: Figures of the whole suite; left out if they are about other tasks.
    """
    fresh = {
        task.id: figures[task.id]
        for task in tasks
        if task.id in figures and figures[task.id].content_hash == task.content_hash
    }
    lines = [_INTRO, *overview(tasks), "", *_difficulty(tasks, fresh), "", _TABLE_INTRO]
    lines += [task_row(task, fresh.get(task.id)) for task in tasks]
    if measured is not None and measured.content == content_of(tasks):
        lines += ["", *section(measured)[:-1]]
    lines += ["", *_changes(tasks)]
    return "\n".join(lines) + "\n"


def practice_page(tasks: Sequence[Task], figures: Mapping[str, Figures]) -> str:
    """Returns the page of the practice tasks in Markdown.

    Args:
        tasks: The tasks, in the order of their numbers.
        figures: Task id -> figures; those of another version of a task are left out.
    """
    sizes, budgets = [len(task.team) for task in tasks], [task.spec.max_rounds for task in tasks]
    lines = [
        _PRACTICE_INTRO,
        f"{len(tasks)} tasks for teams of {min(sizes)} to {max(sizes)}, with {min(budgets)} to {max(budgets)} rounds.",
        "",
        _TABLE_INTRO,
    ]
    for task in tasks:
        known = figures.get(task.id)
        lines.append(task_row(task, known if known and known.content_hash == task.content_hash else None))
    return "\n".join(lines) + "\n"


def overview(tasks: Sequence[Task]) -> list[str]:
    """Returns how many tasks, agents and rounds there are, and the tasks by category, in Markdown."""
    sizes = [len(task.team) for task in tasks]
    budgets = [task.spec.max_rounds for task in tasks]
    count = Counter(str(task.spec.category) for task in tasks)
    return [
        f"{len(tasks)} tasks for teams of {min(sizes)} to {max(sizes)}, with {min(budgets)} to {max(budgets)} rounds.",
        "",
        "| category | tasks |",
        "| --- | ---: |",
        *(f"| {category} | {count[category]} |" for category in CATEGORIES),
    ]


def _difficulty(tasks: Sequence[Task], figures: Mapping[str, Figures]) -> list[str]:
    count = Counter(level(score(row)) for row in figures.values())
    spans = [*(least for _, least in LEVELS[1:]), 101]
    levels = [
        f"| {name} | {least} to {upper - 1} | {count[name]} |"
        for (name, least), upper in zip(LEVELS, spans, strict=True)
    ]
    lines = [
        "## Difficulty",
        "",
        "Measured on the planner's episodes, without any model. The score is the mean of four parts, 0 to 100 each:",
        "",
        *(f"- **{name}**: {meaning}" for name, meaning in PART_MEANINGS.items()),
        "",
        "![Difficulty of the tasks](difficulty.png)",
        "",
        "| level | score | tasks |",
        "| --- | --- | ---: |",
        *levels,
    ]
    if len(figures) < len(tasks):
        lines += ["", f"{len(tasks) - len(figures)} tasks have changed since they were last measured."]
    return lines


def task_row(task: Task, figures: Figures | None) -> str:
    """Returns a task as a row of a Markdown table."""
    spec = task.spec
    measured = ["-"] * 3
    if figures is not None:
        points = score(figures)
        measured = [f"{figures.rounds:g}", str(figures.bound), f"{points} {level(points)}"]
    cells = [
        f"`{task.id}`",
        page_cell(spec.title),
        spec.category,
        str(len(task.team)),
        page_cell(task.objective),
    ]
    return "| " + " | ".join([*cells, str(spec.max_rounds), *measured]) + " |"


def _changes(tasks: Sequence[Task]) -> list[str]:
    """Returns how often each kind of deviation from the published tasks occurs."""
    changes = Counter(change.kind for task in tasks for change in task.spec.changes)
    touched = Counter(kind for task in tasks for kind in {change.kind for change in task.spec.changes})
    unit = max(changes.values(), default=1) / 40
    lines = [
        "## Changes from the published tasks",
        "",
        "Ids, titles, team sizes and budgets are the published ones. Wherever a task could not be solved, needed no",
        "team or passed an idle one, the smallest change that mends it is recorded under `changes:` in its file. Every",
        "number that differs from the published one is listed in [departures.md](departures.md).",
        "",
        "| kind | changes | tasks | |",
        "| --- | ---: | ---: | --- |",
    ]
    for kind, count in changes.most_common():
        lines.append(f"| {kind} | {count} | {touched[kind]} | {'█' * max(1, round(count / unit))} |")
    return lines


def main() -> None:
    """Writes the pages in the working directory."""
    measured = read_figures(FILE) if FILE.exists() else None
    main_tasks, practice = (
        [get_task(info.id) for info in list_tasks(suite)] for suite in ("main", "practice")
    )
    PAGE.write_text(task_page(main_tasks, _table(TABLE), measured), encoding="utf-8")
    PRACTICE_PAGE.write_text(practice_page(practice, _table(PRACTICE_TABLE)), encoding="utf-8")


def _table(file: Path) -> dict[str, Figures]:
    return from_csv(file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
