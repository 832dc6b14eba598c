"""The page of the augmented suite: how it compares with the main suite, task by task, and the list of its tasks.

``python -m pages.augmented CERTIFICATES`` reads the directory that ``agentworld-env certify
--suite augmented --out`` filled, writes ``docs/augmented.csv``, and from it and ``docs/difficulty.csv`` the page
``docs/augmented.md``; without a directory it makes the page anew from the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from agentworld_env.tasks import Task, get_task, list_tasks
from pages import difficulty
from pages.difficulty import Figures, from_csv, read_certificates, score, to_csv
from pages.tasks import overview, task_row

TABLE = Path("docs/augmented.csv")
PAGE = Path("docs/augmented.md")
SUFFIX = "_aug"
"""What the id of an augmented task appends to that of its main task."""

_INTRO = """# The augmented suite

Made by `python -m pages.augmented` from the task files and from certificates on seeds 0 to 9; a
test compares. Every main task has one augmented task, drawn by `python -m agentworld_env.variants.suite` from a fixed
seed and proven like a main task; [variants.md](variants.md) says how. Rounds and bounds are medians over these seeds;
those of the main suite come from [difficulty.csv](difficulty.csv), from seeds 0 to 2.
"""

MEASURES: dict[str, tuple[str, Callable[[Figures], float]]] = {
    "use": ("planner's rounds / budget", lambda figures: figures.use),
    "handovers": ("hand-overs without which the planner fails", lambda figures: figures.handovers),
    "joint": ("joint acts", lambda figures: figures.joint),
    "groups": ("necessary role groups", lambda figures: figures.groups),
    "agents": ("necessary agents", lambda figures: figures.agents),
    "smallest": ("agents of the smallest team found", lambda figures: figures.smallest),
    "tiles": ("tiles walked by the planner's team", lambda figures: figures.tiles),
    "score": ("difficulty score", lambda figures: float(score(figures))),
}
"""What the suites are compared by, without any model."""


def pairs(main: Mapping[str, Figures], augmented: Mapping[str, Figures]) -> list[tuple[Figures, Figures]]:
    """Returns the figures of each main task with those of its augmented task, where both were measured."""
    return [
        (main[name.removesuffix(SUFFIX)], figures)
        for name, figures in augmented.items()
        if name.removesuffix(SUFFIX) in main
    ]


def comparison(found: Sequence[tuple[Figures, Figures]]) -> list[str]:
    """Returns the paired comparison as lines of a Markdown table."""
    lines = [
        "| figure | main, mean | augmented, mean | mean difference | higher | equal | lower |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for meaning, measure in MEASURES.values():
        before = [measure(main) for main, _ in found]
        after = [measure(other) for _, other in found]
        apart = [b - a for a, b in zip(before, after, strict=True)]
        counts = [sum(d > 0 for d in apart), sum(d == 0 for d in apart), sum(d < 0 for d in apart)]
        lines.append(
            f"| {meaning} | {mean(before):.2f} | {mean(after):.2f} | {mean(apart):+z.2f} | "
            f"{counts[0]} | {counts[1]} | {counts[2]} |"
        )
    return lines


def augmented_page(
    tasks: Sequence[Task], main: Mapping[str, Figures], augmented: Mapping[str, Figures]
) -> str:
    """Returns the page in Markdown.

    Args:
        tasks: The augmented tasks, in the order of their numbers.
        main: Main task id -> figures.
        augmented: Augmented task id -> figures; those of another version of a task are left out.
    """
    fresh = {
        task.id: augmented[task.id]
        for task in tasks
        if task.id in augmented and augmented[task.id].content_hash == task.content_hash
    }
    found = pairs(main, fresh)
    missing = len(list_tasks("main")) - len(tasks)
    gap = ["", f"{missing} main tasks have no augmented task yet."] if missing else []
    lines = [_INTRO, *overview(tasks), *gap, "", "## Against the main suite", ""]
    if found:
        lines += [
            f"{len(found)} pairs of a main task and its augmented task, measured on the planner's episodes without any",
            "model. *Higher*, *equal* and *lower* count augmented tasks against their own main tasks.",
            "",
            *comparison(found),
        ]
    if len(found) < len(tasks):
        lines += ["", f"{len(tasks) - len(found)} tasks have changed since they were last measured."]
    lines += [
        "",
        "## All tasks",
        "",
        "| id | title | category | team | goal | budget | rounds | bound | difficulty |",
        "| --- | --- | --- | ---: | --- | ---: | ---: | ---: | --- |",
        *(task_row(task, fresh.get(task.id)) for task in tasks),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Writes the table, if a directory of certificates is given, and the page, in the working directory."""
    if arguments:
        TABLE.write_text(to_csv(read_certificates(Path(arguments[0]))), encoding="utf-8")
    tasks = [get_task(info.id) for info in list_tasks("augmented")]
    figures = from_csv(difficulty.TABLE.read_text(encoding="utf-8"))
    mine = from_csv(TABLE.read_text(encoding="utf-8"))
    PAGE.write_text(augmented_page(tasks, figures, mine), encoding="utf-8")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
