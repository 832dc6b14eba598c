"""The scaffold: what it writes is sound, and it never spoils anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env import list_tasks, load_task
from agentworld_env.certify import certify_task
from agentworld_env.cli.main import main


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("agents", range(2, 21))
def test_a_scaffold_of_any_size_loads_with_that_team_and_certifies(
    agents: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    code, out, _ = called(capsys, "new-task", "mine", "--out", path, "--agents", str(agents))
    assert code == 0
    assert f"agentworld-env certify {path}" in out
    task = load_task(path)
    assert (task.id, len(task.team)) == ("mine", agents)
    assert certify_task(task, quick=agents not in (2, 3)).problems == ()


def test_the_file_is_named_after_the_task_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert called(capsys, "new-task", "river-crossing")[0] == 0
    assert load_task("river-crossing.yaml").spec.title == "River Crossing"


@pytest.mark.parametrize("name", ["no", "null", "123", "1e5", "0x1f", "2020-01-01"])
def test_an_id_that_yaml_would_take_for_something_else_stays_text(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    called(capsys, "new-task", name, "--out", tmp_path / "a.yaml")
    assert load_task(tmp_path / "a.yaml").id == name


def test_a_file_that_exists_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    code, out, err = called(capsys, "new-task", "mine", "--out", path)
    assert (code, out, path.read_text()) == (2, "", "precious")
    assert err == f"error: {path} exists already; expected a file that does not\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("My Task",), "lower-case letters"),
        (("../evil",), "lower-case letters"),
        (("x" * 49,), "at most 48"),
        ((list_tasks()[0].id,), "is a task of the package"),
        (("a", "--out", "a.txt"), "ends in .yaml"),
        (("a", "--agents", "1"), "--agents"),
        (("a", "--agents", "21"), "--agents"),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(
    arguments: tuple[str, ...],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = called(capsys, "new-task", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
    assert list(tmp_path.iterdir()) == []
