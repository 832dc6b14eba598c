from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env import run_episode
from agentworld_env.cli.main import main

SMALL = "t01_magic_staff"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "a.jsonl"
    run_episode(SMALL, "scripted", seed=0, out=path)
    return path


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_replay_writes_a_page_and_says_where(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "deeper" / "page.html"
    code, out, err = called(capsys, "replay", record, "--out", page)
    assert (code, err) == (0, "")
    assert out.startswith(f"Replay: {page} (")  # and no word of its being unfinished
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def broken(record: Path, tmp_path: Path, how: str) -> Path:
    lines = record.read_bytes().splitlines(keepends=True)
    path = tmp_path / "b.jsonl"
    made = {
        "empty": b"",
        "foreign": b'{"some": "other json"}\n',
        "binary": bytes(range(256)),
        "forged": b"".join([*lines[:2], lines[2].replace(b'"round":1', b'"round":2', 1), *lines[3:]]),
        "page": b"<!DOCTYPE html>\n",
    }
    path.write_bytes(made[how])
    return path


@pytest.mark.parametrize("how", ["empty", "foreign", "binary", "forged", "page"])
def test_a_damaged_or_foreign_record_is_one_clear_line_and_no_page(
    how: str, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = broken(record, tmp_path, how), tmp_path / "page.html"
    code, out, err = called(capsys, "replay", path, "--out", page)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {path}")
    assert not page.exists()


def test_what_is_no_file_or_no_page_is_one_clear_line(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, expected in (
        ((tmp_path / "none.jsonl", "--out", tmp_path / "a.html"), "none.jsonl"),
        ((record, "--out", tmp_path / "a.jsonl"), "ends in .html"),
        ((record, "--out", record.parent), "ends in .html"),
        ((record,), "--out"),
        ((record, "--out", record / "a.html"), "a.jsonl/a.html: Not a directory"),
    ):
        code, out, err = called(capsys, "replay", *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert expected in err
    assert not (tmp_path / "a.html").exists()


def test_ctrl_c_leaves_no_page_and_no_traceback(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    page = tmp_path / "page.html"
    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    code, out, err = called(capsys, "replay", record, "--out", page)
    assert (code, out) == (130, "")
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_torn_record_is_shown_as_far_as_it_goes(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(record.read_bytes()[:9000])
    code, out, _ = called(capsys, "replay", torn, "--out", tmp_path / "page.html")
    assert code == 0
    assert out.startswith("The episode is unfinished: its record ends before its verdict.\nReplay: ")
    assert int(out.rsplit("(", 1)[1].split(", ")[1].split(" ")[0]) < 21
