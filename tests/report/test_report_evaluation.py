"""Reports of runs: tables, files, and what is kept apart."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import msgspec
import pytest

from agentworld_env.evaluate.cast import Cast, Company
from agentworld_env.evaluate.executors import play_run
from agentworld_env.evaluate.folder import Failure, RunFolder
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import make_manifest
from agentworld_env.evaluate.results import RunResults, load_run
from agentworld_env.evaluate.runner import Limits
from agentworld_env.models import Prices
from agentworld_env.report.evaluation import COMPARED, compare_table, published_table, tables_of
from agentworld_env.report.export import as_json, markdown, write_report
from agentworld_env.report.summary import summarise

TASKS = ["t01_magic_staff", "t51_survival_challenge"]


def played(policy: str, out: Path, setting: str | None = None, trials: int = 2) -> RunResults:
    cast = Cast(members=(("*", policy),))
    playing = Company(cast).policy()
    described = {"name": playing.name, "settings": playing.config()}
    manifest = make_manifest(TASKS, cast, described, trials=trials, seed=0, setting=setting)
    with RunFolder(out) as folder:
        folder.begin(manifest)
        play_run(manifest, folder, Limits(), Ledger(Prices(), []))
    return load_run(out)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunResults]:
    out = tmp_path_factory.mktemp("runs")
    return {
        "planner": played("planner", out / "planner"),
        "idle": played("idle", out / "idle"),
        "muted": played("idle", out / "muted", "no_communication"),
        "short": played("planner", out / "short", "short_horizon"),
    }


def cells(table: object) -> dict[str, dict[str, str]]:
    rows, columns = table.rows, table.columns  # type: ignore[attr-defined]
    return {row[0]: dict(zip(columns, row, strict=True)) for row in rows}


def test_a_row_has_rates_with_intervals_and_pass_k(runs: dict[str, RunResults]) -> None:
    rows = cells(tables_of([summarise(runs["planner"]), summarise(runs["idle"])])[0])
    # Four of four: z^2 / (4 + z^2) is missing at the lower end.
    assert rows["planner"]["SR % [95 %]"] == "100.0 [51.0, 100.0]"
    assert rows["planner"]["pass^2 %"] == "100.0"
    assert rows["planner"]["n"] == "4"
    assert rows["idle"]["SR % [95 %]"] == "0.0 [0.0, 49.0]"
    assert rows["idle"]["PSR % [95 %]"] == "0.0 [0.0, 0.0]"
    assert rows["idle"]["CCE of successes"] == ""


def test_baselines_and_ablations_stand_in_tables_of_their_own(runs: dict[str, RunResults]) -> None:
    tables = {t.title: cells(t) for t in tables_of([summarise(run) for run in runs.values()])}
    assert "idle, no_communication" in tables["Baselines (as Table 3)"]
    assert "planner, short_horizon" in tables["Ablations (as Table 4)"]
    assert "planner, short_horizon" not in tables["Baselines (as Table 3)"]
    assert set(tables["SR % by category"]) == {"crafting", "survival"}
    assert tables["SR % by category"]["crafting"]["planner"].endswith("(2/2)")


def test_published_figures_are_never_in_a_column_with_ours(runs: dict[str, RunResults]) -> None:
    tables = tables_of([summarise(runs["planner"])], published=True)
    assert not any("Gemini" in str(table.rows) for table in tables[:-1])
    assert "not comparable" in tables[-1].title
    rows = [dict(zip(tables[-1].columns, row, strict=True)) for row in published_table().rows]
    (random,) = [row for row in rows if row["row"] == "random"]
    assert (random["n"], random["SR % [95 %]"]) == ("35", "5.7 [1.6, 18.6]")


def test_every_published_rate_is_a_whole_number_of_its_tasks() -> None:
    for row in published_table().rows:
        rate, of = float(row[2].split(" ")[0]), int(row[3])
        assert abs(rate - 100 * round(rate * of / 100) / of) < 0.06


def test_a_comparison_is_paired_by_task(runs: dict[str, RunResults]) -> None:
    table = compare_table([runs["idle"], runs["planner"]])
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert first["difference [95 %]"] == "+100.0 [+100.0, +100.0]"
    assert first["better/worse"] == "2/0"
    assert first["p"] == "0.500"  # two tasks: two of four assignments of signs are as extreme


def test_an_effect_beyond_all_bounds_and_a_tiny_p_are_not_shown_as_nothing(
    runs: dict[str, RunResults], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tasks differ by the same; of 12 tasks, 2 of 4096 assignments of signs are as extreme."""

    def shown(a: float, b: float) -> tuple[str, str]:
        figures = iter([{f"t{k}": [value] for k in range(12)} for value in (a, b)] * len(COMPARED))
        monkeypatch.setattr("agentworld_env.report.evaluation.by_task", lambda run, figure: next(figures))
        table = compare_table([runs["idle"], runs["planner"]])
        row = dict(zip(table.columns, table.rows[0], strict=True))
        return row["p"], row["effect d"]

    assert shown(0.0, 1.0) == ("<0.001", "inf")
    assert shown(1.0, 0.0) == ("<0.001", "-inf")
    assert shown(1.0, 1.0) == ("1.000", "")


def test_an_unfinished_episode_is_neither_won_nor_lost(tmp_path: Path) -> None:
    run = played("planner", tmp_path, trials=1)
    record = next(tmp_path.glob("t01*.jsonl"))
    record.write_bytes(b"".join(record.read_bytes().splitlines(keepends=True)[:5]))
    with RunFolder(tmp_path) as folder:
        folder.note(Failure(task=TASKS[0], seed=0, reason="HTTP 500"))
    run = load_run(tmp_path)
    summary = summarise(run)
    assert summary.sr is not None
    assert (summary.episodes, summary.unfinished, summary.sr.mean) == (1, 1, 1.0)
    assert summary.pass_hat == {"1": None}  # a task is missing
    assert [(one.task, one.turns, one.reason) for one in run.unfinished] == [(TASKS[0], 4, "HTTP 500")]


def test_the_file_of_a_table_does_not_depend_on_its_title(
    runs: dict[str, RunResults], tmp_path: Path
) -> None:
    chosen = [runs["planner"]]
    summaries = [summarise(run) for run in chosen]
    table = msgspec.structs.replace(tables_of(summaries)[0], title="Something else: a/b")
    assert (tmp_path / "results.csv") in write_report(tmp_path, [table], summaries, chosen)
    for wrong in ([table, table], [msgspec.structs.replace(table, name="")]):
        with pytest.raises(ValueError, match="names of their own"):
            write_report(tmp_path / "new", wrong, summaries, chosen)
    assert not (tmp_path / "new").exists()


def test_a_report_is_written_in_four_forms(runs: dict[str, RunResults], tmp_path: Path) -> None:
    chosen = [runs["planner"], runs["idle"]]
    summaries = [summarise(run) for run in chosen]
    files = write_report(tmp_path, tables_of(summaries), summaries, chosen)
    names = ["report.md", "report.json", "episodes.csv", "results.csv", "categories.csv", "variation.csv"]
    assert [path.name for path in files] == [*names, "sr.png"]
    assert (tmp_path / "sr.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "episodes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert {row["success"] for row in rows if row["policy"] == "planner"} == {"True"}
    figures = json.loads((tmp_path / "report.json").read_bytes())["runs"]
    assert figures[0]["summary"]["sr"]["mean"] == 1.0
    text = (tmp_path / "report.md").read_text()
    assert "## Results on agentworld-env-main" in text
    assert "| planner | 4 |" in text


def test_a_bar_in_a_name_does_not_break_a_markdown_table(runs: dict[str, RunResults]) -> None:
    (first, *_) = tables_of([summarise(runs["planner"])])
    odd = type(first)(columns=("a",), rows=(("x|y",),))
    assert markdown([odd]).splitlines()[-1] == r"| x\|y |"


def test_json_holds_every_figure_and_what_is_missing(runs: dict[str, RunResults]) -> None:
    found = json.loads(as_json([summarise(runs["idle"])], [runs["idle"]]))["runs"][0]
    assert found["unfinished"] == []
    assert found["summary"]["variation"]["sr"] == 0.0
    assert found["summary"]["suite"].startswith("agentworld-env-main")


def test_verifying_finds_a_record_that_was_tampered_with(tmp_path: Path) -> None:
    from agentworld_env.errors import EpisodeFileError

    played("idle", tmp_path, trials=1)
    record = next(tmp_path.glob("t01*.jsonl"))
    record.write_bytes(record.read_bytes().replace(b'"success":false', b'"success":true'))
    with pytest.raises(EpisodeFileError, match="footer deviates"):
        load_run(tmp_path, verify=True)
