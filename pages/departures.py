"""The page of all numbers in which tasks differ from the published ones, made from the task files.

``python -m pages.departures`` writes ``docs/departures.md`` from what the files list under ``changes``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.tasks.schema import Change

PAGE = Path("docs/departures.md")

_GOAL = ("gathered", "crafted", "killed", "delivered")

_INTRO = """# Numbers that differ from the published tasks

Made from the task files by `python -m pages.departures`; a test compares, and another one compares
every number of every file with a table of the published ones: how many units are to be gathered, crafted, killed and
handed over, team sizes, round budgets, what each agent starts with, and its skill levels. Every number that differs
stands here, with the published one; all others are kept. Changes that concern no number are listed under `changes:` in
the task files only.

A number of units counts as kept if no success is possible without exactly so many: because a checkpoint counts them as
gathered or crafted, or because they must be handed over, built in or held and can come from nowhere else. Items that
have another name here (`goldore` is `goldnugget`, `heavysword` is `sword2`, `sword` is `sword1`, `bow` is `woodenbow`,
`bowl` is `bowlmedium`) are the same items.
"""


def departures_page(tasks: Sequence[Task]) -> str:
    """Returns the page in Markdown.

    Args:
        tasks: The tasks, in the order of their numbers.
    """
    goals = [
        f"| `{task.id}` | {key} | {before} | {now} | {page_cell(change.what)} {page_cell(change.why)} |"
        for task, change in _changes(tasks)
        for key, (before, now) in change.numbers.items()
        if _of_goal(key)
    ]
    starts = []
    for task, change in _changes(tasks):
        numbers = [f"{key} {b} → {n}" for key, (b, n) in change.numbers.items() if not _of_goal(key)]
        if numbers:
            starts.append(f"| `{task.id}` | {', '.join(numbers)} | {page_cell(change.why)} |")
    count = sum(not _of_goal(key) for _, change in _changes(tasks) for key in change.numbers)
    lines = [
        _INTRO,
        "## Goals",
        "",
        f"{len(goals)} numbers in {_tasks(goals)} tasks.",
        "",
        "| task | number | published | here | what and why |",
        "| --- | --- | ---: | ---: | --- |",
        *goals,
        "",
        "## Starting goods and skills",
        "",
        f"{count} numbers in {_tasks(starts)} tasks. Things worn count as well; skills that are not listed count as 0.",
        "",
        "| task | published → here | why |",
        "| --- | --- | --- |",
        *starts,
    ]
    return "\n".join(lines) + "\n"


def _changes(tasks: Sequence[Task]) -> Iterator[tuple[Task, Change]]:
    for task in tasks:
        for change in task.spec.changes:
            yield task, change


def _of_goal(key: str) -> bool:
    return key.split(".")[0] in _GOAL


def _tasks(rows: Sequence[str]) -> int:
    return len({row.split("`")[1] for row in rows})


def page_cell(text: str) -> str:
    """Returns a text as it can stand in a table of a page."""
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Writes the page in the working directory."""
    PAGE.write_text(departures_page([get_task(info.id) for info in list_tasks("main")]), encoding="utf-8")


if __name__ == "__main__":
    main()
