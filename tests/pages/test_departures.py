"""The page of numbers that differ says what the task files say."""

from __future__ import annotations

from pathlib import Path

from pages.departures import departures_page

from agentworld_env.tasks import get_task, list_tasks

PAGE = Path(__file__).parents[2] / "docs" / "departures.md"


def test_the_checked_in_page_is_made_from_the_task_files() -> None:
    tasks = [get_task(info.id) for info in list_tasks("main")]
    assert PAGE.read_text(encoding="utf-8") == departures_page(tasks)


def test_every_recorded_number_stands_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for info in list_tasks("main"):
        for change in get_task(info.id).spec.changes:
            for key, (before, now) in change.numbers.items():
                row = f"| {key} | {before} | {now} |" in page or f"{key} {before} → {now}" in page
                assert row, (info.id, key)
