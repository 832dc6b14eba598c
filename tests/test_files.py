"""Files are read within limits, and written in one piece or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from agentworld_env.files import read_text, read_whole, write_whole


def test_a_text_is_written_as_utf_8_with_its_line_ends_and_bytes_as_they_are(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "é\r\nb\n")
    write_whole(tmp_path / "b", b"\x00\r", lasting=True)
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\r\nb\n"
    assert (tmp_path / "b").read_bytes() == b"\x00\r"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "a")
    (tmp_path / "b").write_text("b")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_whole(path, "a")
    assert path.read_text() == "a"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interruption_leaves_the_old_file_and_nothing_beside_it(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def interrupted(number: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(type(error)) as caught:
        write_whole(path, "new", lasting=True)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    if isinstance(caught.value, OSError):
        assert (caught.value.errno, caught.value.filename) == (28, str(path))


@pytest.mark.parametrize("where", ["", "missing/a", "file/a"])
def test_what_cannot_be_written_is_named_as_it_was_asked_for(where: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    path = tmp_path / where
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        write_whole(path, "new")
    assert caught.value.filename == str(path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_readers_meet_whole_files_while_several_write_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a"
    contents = [bytes([65 + k]) * 200_000 for k in range(4)]
    write_whole(path, contents[0])

    def write(content: bytes) -> None:
        for _ in range(20):
            write_whole(path, content)

    writers: list[Any] = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_read_up_to_the_limit_and_refused_beyond(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_whole(tmp_path / "a", 18) == (tmp_path / "a").read_bytes()
    assert read_text(tmp_path / "a", encoding="utf-8-sig") == "one\ntwo\nthree\n"
    with pytest.raises(OSError, match="longer than 17 bytes"):
        read_whole(tmp_path / "a", 17)


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe with a name")
def test_what_is_no_regular_file_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="no regular file"):
            read_whole(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path)
