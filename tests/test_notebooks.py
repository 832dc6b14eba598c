"""The notebooks run from top to bottom, and objects show themselves well in them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.optional import go_without

import agentworld_env
from agentworld_env import run_episode
from agentworld_env.evaluate import score_of
from agentworld_env.markup import html_block, html_table
from agentworld_env.report import score_table
from agentworld_env.report.graphs import graph_picture
from agentworld_env.tasks import Task
from agentworld_env.tasks.registry import get_task

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SMALL = "t01_magic_staff"


def executed(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Returns what the cells of a notebook put out, run in an empty directory."""
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbclient import NotebookClient
    except ImportError:
        go_without("notebooks cannot be run: pip install -e '.[notebooks]'")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_there_are_five_notebooks() -> None:
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
    assert path.stat().st_size < 12_000
    assert cells[0]["cell_type"] == "markdown"


PROMISES = {
    "01": ("Round 1 of 25. You are lumberjack", "Magic Staff", "6 of 6 checkpoints"),
    "02": ("by greedy", "by crew, seed 0: success", "there is no tool 'craft'"),
    "03": ("&lt;!DOCTYPE html&gt;", "image/png", "Round 1 of 45"),
    "04": ("Paired(tasks=3", "Against random, paired by task", "9 of 9 finished episodes"),
    "05": ("image/svg+xml", "success actions:", "CCE 0.43"),
}
"""Start of a notebook's name -> what it shows, beside running to its end."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_promises(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = executed(path, tmp_path, monkeypatch)
    assert not [output for output in outputs if output.get("name") == "stderr"]
    shown = json.dumps(outputs, ensure_ascii=False)
    for promise in PROMISES[path.stem[:2]]:
        assert promise in shown
    assert " at 0x" not in shown


# -- objects -----------------------------------------------------------------------------------------------------------


class Marked:
    name = "<b>bold</b>"
    wants_text = False

    def act(self, turn: Any) -> dict[str, Any]:
        return {"tool": "sleep", "arguments": {"rounds": 5}}


def test_tasks_verdicts_and_episodes_show_themselves_escaped() -> None:
    episode = run_episode(SMALL, Marked(), seed=0)
    spec = get_task(SMALL).spec
    task = Task(spec.model_copy(update={"title": "<i>A & B</i>"}))
    for shown, expected in (
        (task._repr_html_(), "t01_magic_staff: &lt;i&gt;A &amp; B&lt;/i&gt;"),
        (episode._repr_html_(), "&lt;b&gt;bold&lt;/b&gt;"),
        (score_table([score_of(episode)])._repr_html_(), "&lt;b&gt;bold&lt;/b&gt;"),
        (episode.verdict._repr_html_(), "Logs cut"),
    ):
        assert expected in shown
        assert "<b>bold" not in shown
        assert "<i>" not in shown


def test_plain_forms_are_one_line_that_tells_the_outcome() -> None:
    won, lost = (run_episode(SMALL, policy, seed=0) for policy in ("planner", "idle"))
    assert repr(won) == (
        "<Episode of t01_magic_staff by planner, seed 0: success, 6 rounds, 18 calls, PSR 1.00, 6 of 6 checkpoints>"
    )
    assert "seed 0: failure, 25 rounds" in repr(lost)
    assert repr(lost.verdict).startswith("<Verdict: PSR 0.00, 0 of 6 checkpoints: [ ] Logs cut 0/2; ")
    assert repr(won.verdict).startswith("<Verdict: success, PSR 1.00, 6 of 6 checkpoints: [x] Logs cut 2/2; ")
    assert repr(agentworld_env.replay(won)).startswith(
        "<Replay of t01_magic_staff by planner, seed 0: 18 calls"
    )
    assert repr(graph_picture(won)).startswith("<Picture 'Magic Staff (t01_magic_staff)'")
    assert graph_picture(won)._repr_svg_().startswith("<svg ")


def test_results_of_a_run_show_themselves(tmp_path: Path) -> None:
    from agentworld_env.cli.main import main
    from agentworld_env.evaluate.results import load_run

    arguments = ("evaluate", "--policy", "idle", "--tasks", SMALL, "--trials", "2", "--quiet")
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--out", str(tmp_path / "run")])
    assert ended.value.code == 0
    run = load_run(tmp_path / "run")
    assert repr(run) == "<RunResults of run (idle): 0 of 2 finished episodes are successes, 0 unfinished>"
    assert run._repr_html_().count("<tr>") == 3


def test_html_escapes_titles_lines_heads_cells_and_captions() -> None:
    bad = "<script>&"
    made = html_block(bad, bad, "", body=html_table([bad, "n"], [[bad, 1]], right=(1,), caption=bad))
    assert made.count("&lt;script&gt;&amp;") == 5
    assert "<script>" not in made
    assert made.count("<p ") == 1
    assert made.count('style="text-align: right">') == 2
