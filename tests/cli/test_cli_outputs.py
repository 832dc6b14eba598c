"""What the command does when its output is narrow, gone, full or cut short, and when not all records are sound."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentworld_env import list_tasks, run_episode
from agentworld_env._version import __version__
from agentworld_env.cli.main import main
from agentworld_env.policies.idle import IdlePolicy
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.report import Table

SMALL = "t01_magic_staff"
COMMAND = [sys.executable, "-m", "agentworld_env.cli"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="terminals, signals and devices of POSIX")


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def on_terminal(columns: int, *arguments: str) -> list[str]:
    """Returns the lines that the command writes to a terminal of so many columns, without colours."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=theirs, stderr=subprocess.PIPE, env={**plain, "TERM": "xterm"}
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=30) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", written.decode()).replace("\r", "").splitlines()


# -- narrow terminals --------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("columns", [80, 60])
def test_the_list_of_tasks_fits_a_terminal_with_every_id_in_one_piece(columns: int) -> None:
    rows = on_terminal(columns, "tasks")
    assert max(map(len, rows)) <= columns
    for info in list_tasks():
        assert any(info.id in row.split() for row in rows)


@POSIX
def test_a_wide_terminal_shows_the_titles_too() -> None:
    rows = on_terminal(160, "tasks")
    assert any(list_tasks()[0].title in row and "main" in row for row in rows)


@POSIX
def test_a_task_is_shown_within_the_columns_of_a_terminal() -> None:
    rows = on_terminal(72, "show", SMALL)
    assert max(map(len, rows)) <= 72
    assert any(row.startswith("Round 1 of 25. You are lumberjack") for row in rows)


def test_in_a_pipe_every_fact_of_a_task_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "show", SMALL, "--json")
    facts = json.loads(out)
    _, out, _ = called(capsys, "show", SMALL)
    for text in (facts["objective"], facts["role"]["guide"], facts["role"]["observation"]):
        assert text in out


def test_a_table_drops_spare_columns_in_their_order_until_it_fits() -> None:
    table = Table(
        columns=("id", "a", "b"), rows=(("x" * 10, "y" * 10, "z" * 10),), right=frozenset({2}), spare=(1, 2)
    )
    assert table.fitted(40).columns == ("id", "a", "b")
    without = table.fitted(39)
    assert (without.columns, without.rows, without.right) == (
        ("id", "b"),
        (("x" * 10, "z" * 10),),
        frozenset({1}),
    )
    assert table.fitted(10).columns == ("id",)


def test_a_table_too_wide_for_a_terminal_is_stacked_and_every_part_says_what_its_rows_are_about() -> None:
    table = Table(
        title="T",
        columns=("run", "of", "a", "b", "c"),
        rows=(("one", "x", "aaaaa", "bbbbb", "ccccc"), ("two", "y", "1", "2", "3")),
        right=frozenset({2, 4}),
        keys=2,
    )
    # With borders the columns take 6, 5, 8, 8 and 8 characters, and one for the last border.
    assert table.stacked(36) == [table]
    first, second = table.stacked(35)
    assert (first.columns, second.columns) == (("run", "of", "a", "b"), ("run", "of", "c"))
    assert (first.title, second.title) == ("T", "")
    assert second.rows == (("one", "x", "ccccc"), ("two", "y", "3"))
    assert (first.right, second.right) == ({2}, {2})
    # A column that is too wide by itself is not lost.
    assert [part.columns[2:] for part in table.stacked(10)] == [("a",), ("b",), ("c",)]
    only = Table(columns=("run",), rows=(("one",),))
    assert only.stacked(3) == [only]


# -- outputs that go away or are full ----------------------------------------------------------------------------------


@POSIX
def test_a_recorded_episode_is_played_to_its_end_although_its_reader_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    process = subprocess.Popen(
        [*COMMAND, "run", SMALL, "--policy", "random", "--seed", "5", "--out", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=30) == 0
    run_episode(SMALL, RandomPolicy(), seed=5, out=tmp_path / "b.jsonl")
    assert path.read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("tasks",), ("--version",), ("run", SMALL, "--policy", "idle", "-q")])
def test_a_full_output_is_one_line_and_no_success(arguments: Sequence[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the standard output: No space left on device\n"


@POSIX
def test_a_record_that_cannot_be_written_on_is_named_and_continued_later(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    arguments = ["run", SMALL, "--policy", "random", "--seed", "5", "--out", str(path), "-q"]
    limited = (
        "import resource, signal, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)); "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from agentworld_env.cli.main import main; main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: cannot write {path}: ")
    assert done.stderr.count("\n") == 1
    subprocess.run([*COMMAND, *arguments], capture_output=True, check=True)
    run_episode(SMALL, RandomPolicy(), seed=5, out=tmp_path / "b.jsonl")
    assert path.read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_text_that_the_terminal_cannot_write_is_spelt_out(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    subprocess.run([*COMMAND, "new-task", "odd", "--out", str(path)], check=True, capture_output=True)
    path.write_text(path.read_text("utf-8").replace("objective:", "objective: Ж", 1), encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "show", str(path)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert rb"\u0416" in done.stdout


@POSIX
def test_a_closed_output_is_no_traceback() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -m agentworld_env.cli tasks >&-', sys.executable],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("where", ["typer", "agentworld_env.errors"])
def test_ctrl_c_while_the_command_is_loaded_is_no_traceback(where: str) -> None:
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {where!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from agentworld_env.cli.entry import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, "tasks"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_the_package_starts_the_command_where_ctrl_c_is_heeded() -> None:
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    assert 'agentworld-env = "agentworld_env.cli.entry:main"' in project
    code = "import sys, agentworld_env.cli.entry; print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_ctrl_c_in_any_verb_is_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.jsonl").write_text("")
    monkeypatch.setattr("agentworld_env.evaluate.score_record", interrupted)
    monkeypatch.setattr("agentworld_env.evaluate.verified_record", interrupted)
    for verb in ("score", "cce"):
        assert called(capsys, verb, tmp_path)[:2] == (130, "")


# -- records of which some are not sound -------------------------------------------------------------------------------


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Two good records, one of them further down, and two bad ones."""
    run_episode(SMALL, IdlePolicy(), seed=1, out=tmp_path)
    run_episode(SMALL, IdlePolicy(), seed=2, out=tmp_path / "deeper")
    (tmp_path / "a.jsonl").write_text("no record\n")
    (tmp_path / "z.jsonl").write_text('{"line":"hea')
    return tmp_path


def _complaints(err: str, mixed: Path) -> None:
    rows = err.splitlines()
    assert [
        row.startswith(f"error: {mixed / name}, line 1")
        for row, name in zip(rows, ("a.jsonl", "z.jsonl"), strict=True)
    ] == [True, True]


def test_score_prints_the_good_records_and_names_each_bad_one(
    mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "score", mixed)
    assert code == 2
    assert [row.split()[3] for row in out.splitlines() if row.startswith(SMALL)] == ["2", "1"]
    _complaints(err, mixed)
    code, out, err = called(capsys, "score", mixed, "--json")
    printed = json.loads(out)
    assert code == 2
    assert [row["seed"] for row in printed["episodes"]] == [2, 1]
    assert [row["path"] for row in printed["errors"]] == [str(mixed / "a.jsonl"), str(mixed / "z.jsonl")]
    _complaints(err, mixed)


def test_cce_prints_the_good_records_and_names_each_bad_one(
    mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", mixed)
    assert code == 2
    assert sum(row.startswith(SMALL) for row in out.splitlines()) == 2
    _complaints(err, mixed)
    code, out, _ = called(capsys, "cce", mixed, "--json")
    printed = json.loads(out)
    assert code == 2
    assert len(printed["episodes"]) == len(printed["errors"]) == 2


@pytest.mark.parametrize("verb", ["agree", "ranks"])
def test_comparing_methods_goes_on_without_the_bad_records(
    verb: str, mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    between = ("--between", "events", "--between", "events+chat")
    code, out, err = called(capsys, "cce", verb, mixed, *between, "--json")
    assert code == 2
    assert json.loads(out)
    _complaints(err, mixed)


@pytest.mark.parametrize("verb", ["score", "cce"])
def test_nothing_but_bad_records_gives_no_table(
    verb: str, mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, verb, mixed / "a.jsonl")
    assert (code, out, err.count("\n")) == (2, "", 1)
    code, out, _ = called(capsys, verb, mixed / "a.jsonl", "--json")
    printed = json.loads(out)
    assert (code, printed["episodes"], len(printed["errors"])) == (2, [], 1)


# -- small things ------------------------------------------------------------------------------------------------------


def test_the_version_is_printed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, "--version")
    assert (code, err) == (0, "")
    assert out.startswith(f"agentworld-env {__version__} ")


def test_an_episode_without_a_record_has_no_path_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "run", SMALL, "--policy", "idle", "--json")
    assert json.loads(out)["score"]["path"] is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("run", SMALL, "--policy", "zzz"), "expected one of idle, random"),
        (("run", SMALL, "--policy", "idle", "--setting", "zzz"), "expected one of default, "),
        (("tasks", "--suite", "zzz"), "expected one of main, practice, augmented"),
        (("show", SMALL, "--role", "zzz"), "expected one of lumberjack, woodworker, wizard"),
        (("show", "zzz"), "agentworld-env tasks lists them"),
    ],
)
def test_a_name_that_is_near_to_none_is_answered_with_all_or_with_where_to_look(
    arguments: Sequence[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, *arguments)
    assert (code, out) == (2, "")
    assert expected in err


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "a.jsonl"
    run_episode("p01_corn_and_shrimp", IdlePolicy(), seed=0, out=path)
    return path


OUTPUTS = {
    "page.html": ["replay", "RECORD", "--out"],
    "graph.json": ["cce", "graph", "RECORD", "--out"],
    "map.png": ["world", "map", "--out"],
    "task.yaml": ["new-task", "mine", "--out"],
    "a.jsonl": ["run", "p01_corn_and_shrimp", "--policy", "idle", "-q", "--out"],
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_is_made_together_with_the_directories_that_it_lies_in(
    name: str, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some" / "where" / name
    command = [str(record) if part == "RECORD" else part for part in OUTPUTS[name]]
    code, _, err = called(capsys, *command, path)
    assert (code, err) == (0, "")
    assert path.stat().st_size > 0


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("where", ["/proc/new", "/proc/new/er", "file", "file/er"])
def test_an_output_that_cannot_be_written_is_one_line_and_leaves_nothing(
    name: str, where: str, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if where.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("needs /proc")
    (tmp_path / "file").write_text("content")
    path = tmp_path / where / name  # an absolute one stays as it is
    command = [str(record) if part == "RECORD" else part for part in OUTPUTS[name]]
    code, out, err = called(capsys, *command, path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: cannot write {path}: ")
    assert err.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "content"


@pytest.mark.parametrize("command", [["world", "map"], ["new-task", "mine"], ["replay", "RECORD"]])
def test_an_output_with_a_wrong_ending_is_refused_before_its_directory_is_made(
    command: list[str], record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(record) if part == "RECORD" else part for part in command]
    code, _, err = called(capsys, *given, "--out", tmp_path / "some" / "a.txt")
    assert code == 2
    assert "ends in" in err
    assert list(tmp_path.iterdir()) == []
