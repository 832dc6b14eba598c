"""The page of all tasks says what the task files say."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from pages.difficulty import Figures, from_csv, level, score
from pages.tasks import practice_page, task_page

from agentworld_env.tasks import Task, get_task, list_tasks

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return [get_task(info.id) for info in list_tasks("main")]


@pytest.fixture(scope="module")
def rows() -> list[list[str]]:
    page = (DOCS / "tasks.md").read_text(encoding="utf-8")
    table = page.split("## All tasks")[1].split("\n\n")[2].splitlines()[2:]
    return [re.split(r" (?<!\\)\| ", row.removeprefix("| ").removesuffix(" |")) for row in table]


def test_the_checked_in_page_lists_every_task_as_its_file_has_it(
    tasks: list[Task], rows: list[list[str]]
) -> None:
    expected = [
        [
            f"`{task.id}`",
            task.spec.title,
            task.spec.category,
            str(len(task.team)),
            " ".join(task.objective.split()).replace("|", "\\|"),
            str(task.spec.max_rounds),
        ]
        for task in tasks
    ]
    assert [row[:6] for row in rows] == expected


def test_the_checked_in_page_counts_the_changes_of_the_files_by_kind(tasks: list[Task]) -> None:
    page = (DOCS / "tasks.md").read_text(encoding="utf-8").split("## Changes from the published tasks")[1]
    shown = {kind: int(count) for kind, count in re.findall(r"^\| ([a-z]+) \| (\d+) \| \d+ \|", page, re.M)}
    assert shown == Counter(change.kind for task in tasks for change in task.spec.changes)


def test_the_checked_in_figures_are_the_measured_ones(rows: list[list[str]]) -> None:
    measured = from_csv((DOCS / "difficulty.csv").read_text(encoding="utf-8"))
    for row in rows:
        if row[6] != "-":
            figures = measured[row[0].strip("`")]
            points = score(figures)
            assert row[6:] == [f"{figures.rounds:g}", str(figures.bound), f"{points} {level(points)}"]


def test_the_checked_in_practice_page_is_what_its_files_and_figures_make() -> None:
    found = [get_task(info.id) for info in list_tasks("practice")]
    figures = from_csv((DOCS / "practice.csv").read_text(encoding="utf-8"))
    assert {task.id: task.content_hash for task in found} == {k: v.content_hash for k, v in figures.items()}
    page = (DOCS / "practice.md").read_text(encoding="utf-8")
    assert page == practice_page(found, figures)
    assert "| `p01_corn_and_shrimp` | Corn and Shrimp | gathering | 2 |" in page


def test_figures_of_another_version_of_a_task_are_left_out() -> None:
    task = get_task("t01_magic_staff")
    figures = Figures(
        task=task.id,
        content_hash=task.content_hash,
        rounds=6,
        bound=4,
        use=0.24,
        groups=3,
        agents=3,
        smallest=3,
        handovers=4,
        joint=0,
        tiles=25,
    )
    assert "| 6 | 4 | " in task_page([task], {task.id: figures})
    stale = msgspec.structs.replace(figures, content_hash="0" * 32)
    page = task_page([task], {task.id: stale})
    assert "| - | - | - |" in page
    assert "1 tasks have changed since they were last measured" in page
