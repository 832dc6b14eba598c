"""The page on writing tasks: its tour can be walked, and it leaves out no field, kind or problem."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from agentworld_env.cli.main import main
from agentworld_env.tasks import schema

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "writing_tasks.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(console|diff)\n(.*?)\n```", PAGE, re.S)


def shape(line: str) -> str:
    """Returns a line without the widths of its columns."""
    return re.sub(r"-{2,}", "--", re.sub(r"\s+", " ", line)).strip()


def edit(change: str, folder: Path) -> None:
    """Does to the task file what a diff of the page says."""
    old, new = (
        "\n".join(line[1:] for line in change.splitlines() if line.startswith(mark)) for mark in ("-", "+")
    )
    path = folder / "grove_bowls.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_tour_can_be_walked_and_shows_what_really_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [kind for kind, _ in BLOCKS].count("console") >= 7
    for kind, block in BLOCKS:
        if kind == "diff":
            edit(block, tmp_path)
            continue
        command, *shown = block.splitlines()
        prompt, name, *arguments = command.split()
        assert (prompt, name) == ("$", "agentworld-env")
        with pytest.raises(SystemExit):
            main(arguments)
        out, err = capsys.readouterr()
        happened = [shape(line) for line in (err + out).splitlines()]
        expected = [shape(line) for line in shown if line != "..."]
        assert [line for line in expected if line not in happened] == [], command
        if "..." not in shown:
            assert sorted(expected) == sorted(happened), command


def table(heading: str) -> dict[str, set[str]]:
    """Returns first cell -> names in code style of the second cell, of the table after a heading."""
    after = PAGE.split(heading, 1)[1].split("\n\n|", 1)[1]
    rows = [line.split(" | ") for line in ("|" + after).split("\n\n")[0].splitlines()[2:]]
    return {row[0].strip("|` "): set(re.findall(r"`(\w+)`", row[1])) for row in rows}


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("## The file", schema.TaskSpec),
        ("A role (`team`):", schema.Role),
        ("A guide (`guide`)", schema.Guide),
        ("A site (`sites`):", schema.Site),
        ("A wave (`waves`):", schema.Wave),
        ("An area (`area`", schema.Area),
        ("A change (`changes`):", schema.Change),
    ],
)
def test_every_field_of_a_task_file_is_documented(heading: str, model: type[BaseModel]) -> None:
    assert set(table(heading)) == set(model.model_fields)


@pytest.mark.parametrize(
    ("heading", "union", "common"),
    [
        ("## Checkpoints", schema.Checkpoint, {"kind", "label"}),
        ("## Constraints", schema.Constraint, {"kind"}),
    ],
)
def test_every_kind_is_documented_with_all_its_fields(heading: str, union: object, common: set[str]) -> None:
    kinds = {
        get_args(model.model_fields["kind"].annotation)[0]: set(model.model_fields) - common
        for model in get_args(get_args(union)[0])
    }
    assert table(heading) == kinds


def test_every_problem_of_the_table_is_one_that_certify_can_have() -> None:
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for room in ("certify", "planner")  # what the planner cannot provide for is a problem in its words
        for path in (ROOT / "src/agentworld_env" / room).glob("*.py")
    )
    problems = [
        problem
        for row in PAGE.split("| problem | what to do |\n")[1].split("\n\n")[0].splitlines()[1:]
        for problem in re.findall(r"`([^`]*)`", row.split(" | ")[0])
    ]
    assert len(problems) >= 12
    for problem in problems:
        longest = max(problem.split("…"), key=len).strip(" ,")
        assert longest in sources, problem
