"""``certify`` as a verb: several processes, files of users, certificates on disk."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from agentworld_env.certify.problem import Problem
from agentworld_env.cli.main import main
from agentworld_env.cli.places import placed

Call = Callable[..., tuple[int, str, str]]
SMALL = ("t01_magic_staff", "t02_arrow_production")


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


@pytest.fixture
def mine(tmp_path: Path, called: Call) -> Path:
    path = tmp_path / "mine.yaml"
    called("new-task", "mine", "--out", path)
    return path


def test_two_processes_find_what_one_finds_in_the_order_asked_for(called: Call, tmp_path: Path) -> None:
    found = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        code, table, err = called("certify", *SMALL, "--seeds", "1", "--processes", jobs, "--out", out)
        assert code == 0
        assert "[2/2] " in err
        assert [line.split()[0] for line in table.splitlines()[2:]] == list(SMALL)
        found.append((table, [(out / f"{name}.json").read_bytes() for name in SMALL]))
    assert found[0] == found[1]


def test_a_written_certificate_is_the_printed_one_with_its_proof(called: Call, tmp_path: Path) -> None:
    _, out, _ = called("certify", SMALL[0], "--quick", "--json", "--out", tmp_path)
    printed = json.loads(out)[0]
    assert json.loads((tmp_path / f"{SMALL[0]}.json").read_text()) == printed
    assert printed["ok"] is True
    assert printed["proof"][0]["tool"]
    assert [path.name for path in tmp_path.iterdir()] == [f"{SMALL[0]}.json"]


def test_quick_uses_one_seed_and_leaves_the_close_figures_empty(called: Call) -> None:
    _, table, _ = called("certify", SMALL[0], "--quick")
    head, _, row = table.splitlines()
    assert row.split()[2] == "1/1"
    assert row[head.index("near") :].strip() == ""


def test_the_table_fits_110_columns_for_the_longest_id(called: Call) -> None:
    _, table, _ = called("certify", "t56_cross_region_trading_network", "--quick")
    assert max(map(len, table.splitlines())) <= 110


def test_a_problem_of_a_users_file_is_told_with_file_line_and_field(called: Call, mine: Path) -> None:
    lines = mine.read_text().splitlines()
    lines = [line.replace("recipes: [stick]", "recipes: []") for line in lines]
    mine.write_text("\n".join(lines))
    code, _, err = called("certify", mine, "--quick")
    team = lines.index("team:") + 1
    assert code == 1
    assert f"  {mine}:{team}: team: no guide names the recipe for stick\n" in err


@pytest.mark.parametrize(
    ("path", "field", "head"),
    [
        (("checkpoints", 0), "checkpoints[0]", "- {kind: gathered"),
        (("checkpoints", 2), "checkpoints[2]", "- {kind: crafted"),
        (("checkpoints",), "checkpoints", "checkpoints:"),
        (("max_rounds",), "max_rounds", "max_rounds:"),
        (("team", "carver"), "team.carver", "carver:"),
        (("team", "carver", "guide"), "team.carver.guide", "guide:"),
        (("constraints", 0), "constraints[0]", "- {kind: all_alive}"),
        (("waves", 1), "waves[1]", "- {mob: rat"),
    ],
)
def test_a_problem_stands_at_the_field_it_is_about(
    path: tuple[str | int, ...], field: str, head: str, mine: Path
) -> None:
    waves = (
        "\nwaves:\n  - {mob: wolf, at: [388, 10], appears: 3}\n  - {mob: rat, at: [388, 10], appears: 7}\n"
    )
    mine.write_text(mine.read_text() + waves)
    text = placed(Problem("wording", "something is wrong", path), mine)
    assert text.endswith(f": {field}: something is wrong")
    line = int(text.removeprefix(f"{mine}:").split(":")[0])
    assert mine.read_text().splitlines()[line - 1].strip().startswith(head)


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        ("Cut 2 logs", "Cut 3 logs", ["checkpoints[0]", "checkpoints[1]", "objective"]),
        ("recipes: [stick]", "recipes: []", ["team"]),
        ("max_rounds: 25", "max_rounds: 3", ["max_rounds"]),
        # The label speaks of the budget, of death and of a constraint; it is the checkpoint that is wrong.
        (
            "label: Shafts carved, item: stick, count: 8",
            "label: carver dies of a budget constraint, item: stick, count: 9",
            ["checkpoints[2]"],
        ),
    ],
)
def test_no_wording_of_a_task_moves_a_problem_to_another_field(
    called: Call, mine: Path, old: str, new: str, fields: list[str]
) -> None:
    text = mine.read_text()
    assert old in text
    mine.write_text(text.replace(old, new))
    code, _, err = called("certify", mine, "--quick")
    assert code == 1
    assert [line.split(": ")[1] for line in err.splitlines() if line.startswith(f"  {mine}:")] == fields


def test_a_tool_that_nobody_has_is_one_line_and_other_tasks_are_still_certified(
    called: Call, mine: Path
) -> None:
    other = mine.with_name("toolless.yaml")
    text = mine.read_text().replace("worn: [axe, leatherarmor]", "worn: [leatherarmor]")
    other.write_text(text.replace('id: "mine"', "id: toolless"))
    code, table, err = called("certify", other, mine, "--seeds", "2", "--processes", "1")
    number = 1 + next(i for i, line in enumerate(text.splitlines()) if "label: Logs cut" in line)
    assert code == 1
    assert f"  {other}:{number}: checkpoints[0]: nobody can provide 2 logs\n" in err
    assert err.count("nobody can provide") == 1
    assert [line.split()[:3] for line in table.splitlines()[2:]] == [
        ["toolless", "NO", "0/2"],
        ["mine", "yes", "2/2"],
    ]


def test_a_tool_in_hands_that_cannot_use_it_is_said_to_be_just_that(called: Call, mine: Path) -> None:
    text = mine.read_text().replace("worn: [axe, leatherarmor]", "worn: [leatherarmor]")
    before, keeper = text.split("  keeper:\n")
    keeper = keeper.replace("inventory: {apple: 5}", "inventory: {apple: 5, axe: 1}")
    mine.write_text(before + "  keeper:\n" + keeper)
    code, _, err = called("certify", mine, "--quick")
    said = "keeper holds the axe but lacks the skill, and the planner hands on no tool unless a checkpoint asks for it"
    assert code == 1
    assert f"checkpoints[0]: seed 0: nobody can provide 2 logs: {said}\n" in err
    asked = "checkpoints:\n  - {kind: delivered, label: Axe, item: axe, count: 1, to: logger1, origin: any}\n"
    mine.write_text(mine.read_text().replace("checkpoints:\n", asked))
    assert called("certify", mine, "--quick")[0] == 0


def test_a_file_that_cannot_be_read_is_refused_before_anything_is_examined(called: Call, mine: Path) -> None:
    bad = mine.with_name("bad.yaml")
    bad.write_text(mine.read_text().replace("item: logs", "item: lgos"))
    code, out, err = called("certify", mine, bad)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {bad}:")
    assert "checkpoints[0].item" in err
    assert "did you mean" in err


def test_a_folder_stands_for_the_task_files_in_it(
    called: Call, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = mine.with_name("another.yml")
    other.write_text(mine.read_text().replace('id: "mine"', "id: another"))
    mine.with_name("notes.txt").write_text("no task")
    code, table, _ = called("certify", mine.parent, "--quick", "--processes", "1")
    assert code == 0
    assert [line.split()[0] for line in table.splitlines()[2:]] == ["another", "mine"]
    monkeypatch.chdir(mine.parent)
    assert called("certify", ".", "--quick", "--processes", "1")[:2] == (0, table)


def test_a_folder_without_task_files_is_refused_in_one_line(called: Call, tmp_path: Path) -> None:
    code, out, err = called("certify", tmp_path)
    assert (code, out) == (2, "")
    assert err == f"error: {tmp_path}: expected task files (*.yaml) in this folder, or the path of one\n"


def test_a_mistake_of_the_package_is_not_passed_off_as_one_of_the_users(
    called: Call, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("min() arg is an empty sequence")

    monkeypatch.setattr("agentworld_env.certify.certify_task", broken)
    with pytest.raises(RuntimeError, match="a mistake of the package: mine cannot be examined"):
        main(["certify", str(mine), "--quick", "--processes", "1"])


def test_ctrl_c_is_ctrl_c_even_where_the_end_of_a_worker_is_noticed_first(
    called: Call, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        raise BrokenProcessPool

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    code, _, err = called("certify", mine, "t01_magic_staff", "--quick", "--processes", "2")
    assert code == 130
    assert err.splitlines()[-1] == "interrupted after 0 of 2 tasks"


def test_a_killed_worker_is_one_line(called: Call, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise BrokenProcessPool

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    code, out, err = called("certify", mine, "t01_magic_staff", "--quick", "--processes", "2")
    assert (code, out) == (2, "")
    assert err == "error: a process was killed, perhaps for want of memory; try fewer --processes\n"


def test_two_files_with_one_id_are_refused(called: Call, mine: Path) -> None:
    other = mine.with_name("other.yaml")
    other.write_text(mine.read_text())
    code, _, err = called("certify", mine, other, "--quick")
    assert code == 2
    assert "have the same id 'mine'" in err


def test_a_task_named_twice_is_examined_once(called: Call) -> None:
    _, table, _ = called("certify", SMALL[0], SMALL[0], "--quick")
    assert len(table.splitlines()) == 3


def test_a_suite_without_tasks_does_not_pass_silently(called: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentworld_env.tasks.list_tasks", lambda suite=None: ())
    code, out, err = called("certify", "--suite", "main")
    assert (code, out) == (2, "")
    assert err == "error: the suite 'main' has no tasks\n"
