"""Only a run's own episodes count as its trials, each once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentworld_env import run_episode
from agentworld_env.cli.main import run_command

TASK = "t02_arrow_production"
Spoil = Callable[[Path], str]


def _other_policy(folder: Path) -> str:
    run_episode(TASK, "random", seed=1, setting="short_horizon", out=folder)
    return "its policy is random, the run's is idle"


def _other_setting(folder: Path) -> str:
    run_episode(TASK, "idle", seed=1, setting="short_horizon+no_docs", out=folder)
    return "its setting is short_horizon+no_docs"


def _other_seed(folder: Path) -> str:
    run_episode(TASK, "idle", seed=2, setting="short_horizon", out=folder)
    return "its seed is 2, the run's are 0 to 1"


def _other_task(folder: Path) -> str:
    run_episode("t01_magic_staff", "idle", seed=0, setting="short_horizon", out=folder)
    return "the run has no task t01_magic_staff"


def _other_settings_of_the_policy(folder: Path) -> str:
    return _edited(folder, b'"settings":{}', b'"settings":{"x":1}', 'its policy settings is {"x":1}')


def _other_task_hash(folder: Path) -> str:
    return _edited(folder, b'"task_hash":"', b'"task_hash":"0', "its task hash is 0")


def _other_rules(folder: Path) -> str:
    return _edited(folder, b'"rules":1', b'"rules":2', "its rules is 2, the run's is 1")


def _copy(folder: Path) -> str:
    record = next(folder.glob("*seed1.jsonl"))
    shutil.copy(record, folder / "copy.jsonl")
    return f"it is a copy of {record.name}"


def _copy_in_the_place_of_another(folder: Path) -> str:
    shutil.copy(next(folder.glob("*seed1.jsonl")), next(folder.glob("*seed0.jsonl")))
    return "it is a copy of"


def _renamed(folder: Path) -> str:
    next(folder.glob("*seed1.jsonl")).rename(folder / "a.jsonl")
    return "it is not called"


def _edited(folder: Path, old: bytes, new: bytes, said: str) -> str:
    record = next(folder.glob("*seed1.jsonl"))
    data = record.read_bytes()
    assert old in data
    record.write_bytes(data.replace(old, new, 1))
    return said


SPOILS = [
    _other_policy,
    _other_setting,
    _other_seed,
    _other_task,
    _other_settings_of_the_policy,
    _other_task_hash,
    _other_rules,
    _copy,
    _copy_in_the_place_of_another,
    _renamed,
]


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
def test_a_record_that_is_no_episode_of_the_run_is_named_by_every_reader(
    spoil: Spoil, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    start = ["--policy", "idle", "--tasks", TASK, "--trials", "2", "--setting", "short_horizon", "-q"]
    assert run_command(["evaluate", *start, "--out", str(run)]) == 0
    said = spoil(run)
    before = {path: path.read_bytes() for path in run.iterdir()}
    capsys.readouterr()
    for arguments in (
        ["report", str(run)],
        ["report", str(run), "--verify"],
        ["compare", str(run), str(run)],
        ["evaluate", "--resume", str(run), "-q"],
    ):
        assert run_command(arguments) == 2
        shown = capsys.readouterr()
        assert said in shown.err
        assert shown.err.count("\n") == 1
        assert str(run) in shown.err
        assert not shown.out
    assert {path: path.read_bytes() for path in run.iterdir()} == before


def test_a_record_whose_header_was_torn_by_a_kill_is_unfinished_not_foreign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["--policy", "idle", "--tasks", TASK, "--trials", "2", "--setting", "short_horizon", "-q"]
    assert run_command(["evaluate", *start, "--out", str(tmp_path)]) == 0
    record = next(tmp_path.glob("*seed1.jsonl"))
    whole = record.read_bytes()
    for length in (0, 20):
        record.write_bytes(whole[:length])
        capsys.readouterr()
        assert run_command(["report", str(tmp_path)]) == 0
        assert "Not scored: t02_arrow_production seed 1" in capsys.readouterr().out
    assert run_command(["evaluate", "--resume", str(tmp_path), "-q"]) == 0
    assert record.read_bytes() == whole
