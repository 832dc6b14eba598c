"""The section on a whole suite shows the measured figures, and only for the tasks they were measured on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from pages.suite_figures import SuiteFigures, content_of, read_figures, section
from pages.tasks import task_page

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task

MEASURED = SuiteFigures(
    suite="main", content="", tasks=2, seeds=3, planner=6, slack=0.61, ratios=(1.5, 1.4, 1.6), ratio=1.5,
    idle=(0.0, 0.0), random=(0.0, 0.025), alone=0, agents=6, single=1, single_rounds=5, team_rounds=6,
    mutants=(13, 12), near_misses=(16, 16), groups={"capability": 3, "joint": 1, "named": 1, "none": 1},
    named=("t30_legendary_boss_hunt",), unnamed=(), shared=(2, 1),
    least_groups=2, group_share=0.75,
)  # fmt: skip


def test_the_section_says_every_figure() -> None:
    text = "\n".join(section(MEASURED))
    for said in (
        "6 of 6 solved", "| 0.61 |", "| 1.50 |", "1.50, 1.40, 1.60", "SR 0.000, PSR 0.025", "0 of 6 agents",
        "1 of 2 solved, in 5 rounds (median); the team takes 6", "12 of 13 told apart", "16 of 16 failed",
        "5 of 6: 3 by capability, 1 by joint, 1 by named",
        "only by *named* (1): `t30`.", "ground (0): none.", "at least 2; 0.75", "| 2 of 2 |", "| 1 of 2 |",
    ):  # fmt: skip
        assert said in text, said


def test_every_figure_says_on_which_seeds_it_holds() -> None:
    rows = [line.removeprefix("| ").split(" | ") for line in section(MEASURED) if line.count(" | ") == 2]
    told = {what.split(",")[0]: seeds for what, seeds, _ in rows}
    assert told["planner"] == told["idle team"] == told["share of the budget it leaves"] == "0-2"
    assert told["random legal calls"] == "0-4"
    for what in (
        "one agent", "setting `single_agent`: planner", "slightly wrong copies (mutants)", "near misses",
        "necessary role groups", "tasks with a hand-over that they fail without",
    ):  # fmt: skip
        assert told[what] == "0", what


def test_the_page_shows_figures_only_of_the_very_tasks_it_lists() -> None:
    tasks = [get_task("t03_silver_ring"), get_task("t30_legendary_boss_hunt")]
    fitting = msgspec.structs.replace(MEASURED, content=content_of(tasks))
    assert "## What is proven and measured" in task_page(tasks, {}, fitting)
    assert "## What is proven and measured" not in task_page(tasks, {}, MEASURED)
    assert "## What is proven and measured" not in task_page(tasks[:1], {}, fitting)


def test_figures_are_read_back_and_anything_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    path.write_bytes(msgspec.json.encode(MEASURED))
    assert read_figures(path) == MEASURED
    path.write_bytes(b"{}")
    with pytest.raises(AgentWorldError, match="expected the figures of a suite"):
        read_figures(path)
    with pytest.raises(AgentWorldError, match="nowhere"):
        read_figures(tmp_path / "nowhere")
