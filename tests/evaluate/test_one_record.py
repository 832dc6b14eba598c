"""One process at a time writes a record, and what a finished one says is checked before it is believed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentworld_env import run_episode
from agentworld_env.episodes import EpisodeWriter, read_episode, scan_episode
from agentworld_env.errors import EpisodeFileError
from agentworld_env.evaluate import score_record
from agentworld_env.policies import Call, Turn
from agentworld_env.policies.idle import IdlePolicy
from agentworld_env.policies.random_play import RandomPolicy

TASK = "t01_magic_staff"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.jsonl"
    run_episode(TASK, RandomPolicy(), seed=5, out=path)
    return path.read_bytes()


def _partial(path: Path, whole: bytes, kept: int) -> bytes:
    begun = b"".join(whole.splitlines(keepends=True)[:kept])
    path.write_bytes(begun)
    return begun


# -- one writer --------------------------------------------------------------------------------------------------------


@POSIX
def test_a_record_that_is_being_written_is_refused_and_left_as_it_is(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    begun = _partial(path, whole, 9)
    with (
        EpisodeWriter.resume(path, scan_episode(path)),
        pytest.raises(EpisodeFileError, match=f"another process is writing {path}"),
    ):
        run_episode(TASK, RandomPolicy(), seed=5, out=path)
    assert path.read_bytes() == begun
    run_episode(TASK, RandomPolicy(), seed=5, out=path)
    assert path.read_bytes() == whole


@POSIX
def test_a_second_episode_begun_while_the_first_is_played_does_not_touch_its_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    refused: list[str] = []

    class Doubled(IdlePolicy):
        def act(self, turn: Turn) -> Call:
            if turn.round == 3 and turn.agent == "wizard":
                with pytest.raises(EpisodeFileError) as caught:
                    run_episode(TASK, IdlePolicy(), seed=1, out=path)
                refused.append(str(caught.value))
            return super().act(turn)

    run_episode(TASK, Doubled(), seed=1, out=path)
    assert refused == [f"another process is writing {path}"]
    run_episode(TASK, IdlePolicy(), seed=1, out=tmp_path / "b.jsonl")
    assert path.read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@POSIX
def test_of_two_that_create_a_record_at_once_the_second_is_told_why(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    header = read_episode(_written(tmp_path / "other.jsonl", whole)).header
    with (
        EpisodeWriter.create(path, header),
        pytest.raises(EpisodeFileError, match="another process is writing"),
    ):
        EpisodeWriter.create(path, header)
    with pytest.raises(EpisodeFileError, match="exists already"):
        EpisodeWriter.create(path, header)


def test_a_record_that_grew_after_it_was_looked_at_is_not_cut(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    _partial(path, whole, 3)
    found = scan_episode(path)
    grown = _partial(path, whole, 5)
    with pytest.raises(EpisodeFileError, match="another process has changed it meanwhile"):
        EpisodeWriter.resume(path, found)
    assert path.read_bytes() == grown


@POSIX
def test_processes_that_start_at_once_leave_one_whole_record(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    code = (
        "import sys, time; from agentworld_env import run_episode; from agentworld_env.errors import AgentWorldError\n"
        "from agentworld_env.policies.random_play import RandomPolicy\n"
        "class Slow(RandomPolicy):\n"
        "    def act(self, turn): time.sleep(0.02); return super().act(turn)\n"
        "sys.stdin.readline()\n"
        "try: run_episode('t01_magic_staff', Slow(), seed=5, out=sys.argv[1])\n"
        "except AgentWorldError as error: sys.exit(str(error))\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[1].strip() for process in running]
    assert path.read_bytes() == whole
    for process, text in zip(running, said, strict=True):
        assert process.returncode == 0 or text in (
            f"another process is writing {path}",
            f"cannot write {path}: another process has changed it meanwhile",
            f"cannot write {path}: it exists already",
        )
    assert 0 in [process.returncode for process in running]


# -- finished records --------------------------------------------------------------------------------------------------


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _edit(whole: bytes, number: int, change: Callable[[dict[str, Any]], object]) -> bytes:
    lines = whole.splitlines(keepends=True)
    plain = msgspec.json.decode(lines[number])
    change(plain)
    lines[number] = msgspec.json.encode(plain) + b"\n"
    return b"".join(lines)


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (-1, lambda line: line["verdict"].update(success=True, psr=1.0)),
        (-1, lambda line: line["metrics"].update(cce=0.9)),
        (5, lambda line: line.update(hash="0" * 32)),
    ],
)
def test_an_edited_finished_record_is_not_believed(
    number: int, change: Callable[[dict[str, Any]], object], whole: bytes, tmp_path: Path
) -> None:
    path = _written(tmp_path / "a.jsonl", _edit(whole, number, change))
    before = path.read_bytes()
    with pytest.raises(EpisodeFileError, match="deviates"):
        run_episode(TASK, RandomPolicy(), seed=5, out=path)
    assert path.read_bytes() == before


def test_a_finished_record_without_its_turns_is_not_believed(whole: bytes, tmp_path: Path) -> None:
    lines = whole.splitlines(keepends=True)
    path = _written(tmp_path / "a.jsonl", lines[0] + lines[-1])
    with pytest.raises(EpisodeFileError, match="the footer comes too early"):
        run_episode(TASK, RandomPolicy(), seed=5, out=path)


def test_a_finished_record_that_lacks_its_last_line_end_is_given_it(whole: bytes, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.jsonl", whole[:-1])
    episode = run_episode(TASK, RandomPolicy(), seed=5, out=path)
    assert episode.footer is not None
    assert path.read_bytes() == whole


def test_a_torn_line_behind_the_footer_is_no_part_of_a_record(whole: bytes, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.jsonl", whole + b'{"line":"tu')
    with pytest.raises(EpisodeFileError, match="expected nothing after the footer"):
        score_record(path)
