"""The scripts of benchmarks/ refuse numbers and tasks that make no sense before they measure anything."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from benchmarks.arguments import at_least, task_ids
from pages.suite_figures import SuiteFigures, content_of, read_figures

from agentworld_env.tasks import get_task

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("text", "least"), [("0", 1), ("-1", 0), ("-5", 1), ("x", 0), ("", 0), ("1.5", 0)])
def test_a_number_below_the_least_or_none_at_all_is_refused(text: str, least: int) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"at least {least}"):
        at_least(least)(text)


def test_a_number_that_makes_sense_is_taken() -> None:
    assert [at_least(1)("1"), at_least(0)("0"), at_least(1)("1000000")] == [1, 0, 1_000_000]


def test_no_script_takes_just_any_whole_number() -> None:
    free = [
        path.name for path in (ROOT / "benchmarks").glob("*.py") if re.search(r"type=int\b", path.read_text())
    ]
    assert free == []


def test_tasks_are_named_once_each_and_at_all() -> None:
    assert task_ids("t02_arrow_production, t01_magic_staff,") == ["t02_arrow_production", "t01_magic_staff"]
    with pytest.raises(argparse.ArgumentTypeError, match="t01_magic_staff is named twice"):
        task_ids("t01_magic_staff,t02_arrow_production,t01_magic_staff")
    for nothing in ("", " , "):
        with pytest.raises(argparse.ArgumentTypeError, match="expected ids of tasks"):
            task_ids(nothing)


def test_no_script_takes_just_any_text_for_tasks() -> None:
    taken = {
        (path.name, line)
        for path in (ROOT / "benchmarks").glob("*.py")
        for line in re.findall(r"add_argument\(\s*\"(--tasks?\",[^\n]*)", path.read_text())
    }
    assert {name for name, _ in taken} >= {"cce_laws.py", "soak_vector.py", "suite_figures.py"}
    assert [one for one in taken if not re.search(r"type=task_ids?\b", one[1])] == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("benchmarks/balance.py", "--seeds", "0"), "expected a whole number of at least"),
        (("-m", "benchmarks.fuzz", "--seed", "-1"), "expected a whole number of at least"),
        (("-m", "benchmarks.fuzz", "--calls", "-5"), "expected a whole number of at least"),
        (
            ("-m", "benchmarks.cce_laws", "--tasks", "t02_arrow_production,t01_magic_staf"),
            "unknown task 't01_magic_staf'; did you mean t01_magic_staff",
        ),
        (
            ("-m", "benchmarks.suite_figures", "--tasks", "t01_magic_staf"),
            "unknown task 't01_magic_staf'; did you mean t01_magic_staff",
        ),
        (("-m", "benchmarks.suite_figures", "mian"), "unknown suite 'mian'; did you mean main?"),
        (
            ("benchmarks/soak_vector.py", "--task", "t01_magic_staf"),
            "unknown task 't01_magic_staf'; did you mean t01_magic_staff",
        ),
    ],
)
def test_a_script_says_it_in_one_line_without_a_traceback(command: tuple[str, ...], said: str) -> None:
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=dict(os.environ, PYTHONPATH=paths),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert said in done.stderr.splitlines()[-1]


def test_grounds_of_necessity_are_measured_anew_only_into_figures_of_these_very_tasks(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    out.write_bytes((ROOT / "docs/suite_figures.json").read_bytes())
    stale = msgspec.json.decode(out.read_bytes(), type=SuiteFigures)

    def measure() -> subprocess.CompletedProcess[str]:
        script = ("-m", "benchmarks.suite_figures", "main", "--groups", "--processes", "1", "--out", str(out))
        return subprocess.run(
            [sys.executable, *script, "--tasks", "t13_bucket_crafting"],
            cwd=ROOT,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path)),
            capture_output=True,
            text=True,
        )

    refused = measure()
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"error: {out}: expected figures of these very tasks")
    assert read_figures(out) == stale
    about = msgspec.structs.replace(stale, content=content_of([get_task("t13_bucket_crafting")]))
    out.write_bytes(msgspec.json.encode(about))
    assert measure().returncode == 0
    # Without any one of the three the others could do as much: the checkpoints name who must.
    new = {"groups": {"named": 3}, "named": ("t13_bucket_crafting",), "unnamed": ("t13_bucket_crafting",)}
    assert read_figures(out) == msgspec.structs.replace(about, **new, least_groups=3, group_share=1.0)
