"""Records on disk: what is written is read back; whatever else lies there is refused by line."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentworld_env.episodes import (
    Episode,
    EpisodeWriter,
    UsageLine,
    UsageWriter,
    read_episode,
    read_usage,
    reader,
    scan_episode,
    usage_path,
)
from agentworld_env.errors import EpisodeFileError


def edited(line: bytes, **changes: Any) -> bytes:
    return msgspec.json.encode({**msgspec.json.decode(line), **changes}) + b"\n"


def complaint(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(EpisodeFileError) as caught:
        read_episode(path)
    text = str(caught.value)
    assert "\n" not in text
    assert str(path) in text
    return text


def test_an_episode_is_read_as_it_was_played(planned: Episode) -> None:
    assert planned.path is not None
    read = read_episode(planned.path)
    assert (read.header, read.lines, read.footer) == (planned.header, planned.lines, planned.footer)
    assert list(read.header.spec["team"]) == list(planned.team)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_record_cut_anywhere_gives_its_whole_lines(
    data: st.DataObject, lines: list[bytes], tmp_path: Path
) -> None:
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path / "cut.jsonl"
    path.write_bytes(whole[:cut])
    ends = [sum(map(len, lines[: k + 1])) for k in range(len(lines))]
    # A line that lacks nothing but its line end is whole.
    complete = sum(cut >= end - 1 for end in ends)
    found = scan_episode(path)
    assert found.size == (min(cut, ends[complete - 1]) if complete else 0)
    assert found.torn == (complete > 0 and cut == ends[complete - 1] - 1)
    if complete == 0:
        assert found.episode is None
    else:
        assert found.episode is not None
        assert len(found.episode.lines) == min(complete - 1, len(lines) - 2)
        assert (found.episode.footer is not None) == (complete == len(lines))


@pytest.mark.parametrize("spoilt", [b"{\n", b"\n", b"[1]\n", b"\xff\xfe\n", b'{"line":"turn"}\n', b"null\n"])
def test_a_spoilt_line_in_the_middle_is_named_by_its_number(
    spoilt: bytes, lines: list[bytes], tmp_path: Path
) -> None:
    said = complaint(tmp_path / "x.jsonl", b"".join([*lines[:3], spoilt, *lines[4:]]))
    assert "line 4: expected turn 2 or the footer" in said


def test_a_value_of_a_wrong_type_is_refused_with_its_field(lines: list[bytes], tmp_path: Path) -> None:
    said = complaint(tmp_path / "x.jsonl", b"".join([lines[0], edited(lines[1], round="one")]))
    assert "line 2" in said
    assert "round" in said


def test_an_unknown_event_is_refused(lines: list[bytes], tmp_path: Path) -> None:
    said = complaint(tmp_path / "x.jsonl", lines[0] + edited(lines[1], events=[{"event": "Teleported"}]))
    assert "line 2" in said


@pytest.mark.parametrize(
    ("order", "number", "expected"),
    [
        ((1,), 1, "the header"),
        ((-1,), 1, "the header"),
        ((0, 0), 2, "got a second header"),
        ((0, 2), 2, "got turn 1"),
        ((0, 1, 1), 3, "got turn 0"),
        ((0, -1, 1), 3, "nothing after the footer"),
        ((0, -1, -1), 3, "nothing after the footer"),
    ],
)
def test_lines_out_of_order_are_refused(
    order: tuple[int, ...], number: int, expected: str, lines: list[bytes], tmp_path: Path
) -> None:
    said = complaint(tmp_path / "x.jsonl", b"".join(lines[i] for i in order))
    assert f"line {number}: expected" in said
    assert expected in said


def test_another_format_is_refused(lines: list[bytes], tmp_path: Path) -> None:
    assert "format 99" in complaint(tmp_path / "x.jsonl", edited(lines[0], format=99))


def test_deep_nesting_is_refused_and_does_not_overflow(lines: list[bytes], tmp_path: Path) -> None:
    deep = b'{"line":"turn","call":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    assert "line 2" in complaint(tmp_path / "x.jsonl", lines[0] + deep)


def test_long_lines_and_large_files_are_refused(
    lines: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_LINE", len(lines[0]) - 1)
    assert "line 1: expected a line of at most" in complaint(tmp_path / "x.jsonl", b"".join(lines))
    monkeypatch.setattr(reader, "MAX_BYTES", 10)
    assert "at most 10 bytes" in complaint(tmp_path / "x.jsonl", b"".join(lines))


@pytest.mark.parametrize("content", [b"", b'{"line":"hea'])
def test_a_file_without_a_whole_header_is_no_episode(content: bytes, tmp_path: Path) -> None:
    assert "line 1: expected the header" in complaint(tmp_path / "x.jsonl", content)


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_cannot_be_opened_is_one_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(EpisodeFileError, match="expected a readable episode record"):
        read_episode(tmp_path / name)


def test_a_mistyped_record_offers_the_nearest_and_a_directory_those_that_it_holds(tmp_path: Path) -> None:
    for name in ("t01_magic_staff-idle-seed0.jsonl", "t01_magic_staff-idle-seed0.usage.jsonl", "notes.txt"):
        (tmp_path / name).write_text("")
    with pytest.raises(
        EpisodeFileError,
        match=r"\(No such file or directory\); did you mean t01_magic_staff-idle-seed0\.jsonl\?$",
    ):
        read_episode(tmp_path / "t01_magic_staf-idle-seed0.jsonl")
    with pytest.raises(EpisodeFileError, match=r"\(No such file or directory\)$"):
        read_episode(tmp_path / "x.html")
    with pytest.raises(EpisodeFileError, match=r"\(No such file or directory\)$"):
        read_episode(tmp_path / "nowhere" / "x.jsonl")
    with pytest.raises(
        EpisodeFileError, match=r"\(Is a directory\); it holds t01_magic_staff-idle-seed0\.jsonl$"
    ):
        read_episode(tmp_path)
    (tmp_path / "u.jsonl").write_text("")
    with pytest.raises(EpisodeFileError, match=r"seed0\.jsonl or u\.jsonl$"):
        read_episode(tmp_path)
    (tmp_path / "v.jsonl").write_text("")
    with pytest.raises(EpisodeFileError, match=r"seed0\.jsonl or 2 others$"):
        read_episode(tmp_path)


def test_every_line_is_on_disk_as_soon_as_it_is_written(planned: Episode, tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.jsonl"
    with EpisodeWriter.create(path, planned.header) as writer:
        for k, line in enumerate(planned.lines[:3]):
            assert len(read_episode(path).lines) == k
            writer.write(line)
        assert read_episode(path).lines == planned.lines[:3]


def test_a_new_record_never_overwrites_a_file(planned: Episode, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("mine")
    with pytest.raises(EpisodeFileError, match="cannot write"):
        EpisodeWriter.create(path, planned.header)
    assert path.read_text() == "mine"


def usage(action: int) -> UsageLine:
    return UsageLine(
        action=action,
        agent="a",
        ask=0,
        model="m",
        seconds=0.5,
        prompt_tokens=3,
        completion_tokens=2,
        cached_tokens=1,
    )


def test_usage_lies_beside_its_record_and_outlives_a_torn_line(tmp_path: Path) -> None:
    record = tmp_path / "x.jsonl"
    assert usage_path(record) == tmp_path / "x.usage.jsonl"
    assert read_usage(record) == []
    first = UsageWriter(record, fresh=True)
    first.write(usage(0))
    first.close()
    with usage_path(record).open("ab") as file:
        file.write(b'{"action":1,"ag')
    second = UsageWriter(record, fresh=False)
    second.write(usage(1))
    second.close()
    assert read_usage(record) == [usage(0), usage(1)]
    UsageWriter(record, fresh=True).close()
    assert not usage_path(record).exists()


# -- nothing beside what is checked ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1, -1])
def test_an_unknown_key_on_any_line_is_refused(number: int, lines: list[bytes], tmp_path: Path) -> None:
    lines[number] = edited(lines[number], remark="mine")
    said = complaint(tmp_path / "x.jsonl", b"".join(lines))
    assert f"line {number % len(lines) + 1}: expected" in said
    assert "remark" in said


def _deeper(line: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    plain = msgspec.json.decode(line)
    change(plain)
    return msgspec.json.encode(plain) + b"\n"


def _lengthen(plain: dict[str, Any]) -> None:
    plain["result"]["needs"][0].append(7)


SLIPPED_IN: list[Callable[[bytes], bytes]] = [
    lambda line: _deeper(line, lambda plain: plain["result"].update(remark="mine")),
    lambda line: _deeper(line, lambda plain: plain["result"].update(hint="")),
    lambda line: _deeper(line, lambda plain: plain["events"][0].update(remark="mine")),
    lambda line: _deeper(line, _lengthen),
    lambda line: _deeper(line, lambda plain: plain.pop("replies")),
    lambda line: line.replace(b'"round":', b'"round":9,"round":'),
    lambda line: line.replace(b'"agent":', b'"agent": '),
    lambda line: line.replace(b"\n", b" \n"),
    lambda line: line.replace(b"\n", b"\r\n"),
    lambda line: msgspec.json.encode(dict(sorted(msgspec.json.decode(line).items()))) + b"\n",
]


@pytest.mark.parametrize("slip", range(len(SLIPPED_IN)))
def test_nothing_is_read_that_is_not_exactly_as_it_is_written(
    slip: int, lines: list[bytes], tmp_path: Path
) -> None:
    number = next(k for k, line in enumerate(lines) if b'"needs":[[' in line and b'"event"' in line)
    changed = SLIPPED_IN[slip](lines[number])
    assert changed != lines[number]
    said = complaint(tmp_path / "x.jsonl", b"".join([*lines[:number], changed, *lines[number + 1 :]]))
    assert f"line {number + 1}: expected" in said
    assert "exactly as it is written" in said


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", Path("/dev/zero")):
        with pytest.raises(EpisodeFileError, match=f"{path}: expected a regular file"):
            read_episode(path)


def test_a_path_that_cannot_be_one_is_one_clear_error() -> None:
    for path in ("a\0b", "x" * 5000):
        with pytest.raises(EpisodeFileError, match="expected a readable episode record"):
            read_episode(path)


class Full(io.RawIOBase):
    """Stands for a file on a disk that takes a few bytes at a time, and then no more."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = bytes(data[: min(7, self.room)])
        self.taken += part
        self.room -= len(part)
        return len(part)


def test_a_full_disk_is_named_with_the_path_and_nothing_is_tried_again_at_the_end(
    planned: Episode, tmp_path: Path
) -> None:
    file = Full(100)
    path = tmp_path / "x.jsonl"
    writer = EpisodeWriter(path, file)  # type: ignore[arg-type]
    with pytest.raises(EpisodeFileError, match=f"cannot write {path}: No space left on device"):
        writer.write(planned.header)
    file.room = 100
    writer.close()
    assert file.taken == msgspec.json.encode(planned.header)[:100]


def test_a_line_that_is_taken_in_pieces_is_written_whole(planned: Episode, tmp_path: Path) -> None:
    file = Full(1 << 20)
    EpisodeWriter(tmp_path / "x.jsonl", file).write(planned.lines[0])  # type: ignore[arg-type]
    assert file.taken == msgspec.json.encode(planned.lines[0]) + b"\n"
