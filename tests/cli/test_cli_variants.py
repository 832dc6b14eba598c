"""``variants`` as a verb: files, the table, repeatability, mistakes."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from tests.policies.loopback import Loopback, text

from agentworld_env.cli.main import main
from agentworld_env.tasks import load_task
from agentworld_env.variants import fingerprint, resolve

Call = Callable[..., tuple[int, str, str]]
SMALL = "t05_beryl_pendant"


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def test_the_files_are_the_variants_of_their_seeds_and_the_list_describes_them(
    called: Call, tmp_path: Path
) -> None:
    code, out, err = called(
        "variants", SMALL, "--seed", "3", "--count", "2", "--out", tmp_path, "--processes", "1"
    )
    assert code == 0
    assert "[2/2]" in err
    assert out.splitlines()[0].split() == ["candidates", "count", "share"]
    assert out.splitlines()[2].split()[:2] == ["certified", "2"]
    rows = list(csv.DictReader((tmp_path / "variants.csv").open(encoding="utf-8")))
    assert [row["file"] for row in rows] == [f"{SMALL}-s3.yaml", f"{SMALL}-s4.yaml"]
    for row in rows:
        task = load_task(tmp_path / row["file"])
        assert task == resolve(f"{SMALL}~seed={row['seed']}")
        assert row["fingerprint"] == fingerprint(task.spec)
    assert {path.suffix for path in tmp_path.iterdir()} == {".yaml", ".csv"}


def test_a_second_run_goes_on_where_files_are_and_gives_the_same(called: Call, tmp_path: Path) -> None:
    arguments = ("variants", SMALL, "--count", "2", "--out", tmp_path, "--processes", "1")
    called(*arguments)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / f"{SMALL}-s1.yaml").unlink()
    assert called(*arguments)[0] == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_another_task_of_the_same_name_is_never_replaced(called: Call, tmp_path: Path) -> None:
    path = tmp_path / f"{SMALL}-s0.yaml"
    path.write_text("id: mine\n")
    code, _, err = called("variants", SMALL, "--out", tmp_path, "--processes", "1")
    assert code == 2
    assert f"error: {path} exists and is another task; expected a directory without it" in err
    assert path.read_text() == "id: mine\n"


def test_json_tells_the_same_figures(called: Call, tmp_path: Path) -> None:
    code, out, _ = called(
        "variants", SMALL, "--out", tmp_path, "--processes", "1", "--json", "--harder", "0.1"
    )
    figures = json.loads(out)
    assert code == 0
    assert figures["certified"] == len(figures["variants"]) == 1
    assert figures["candidates"] == 1 + sum(figures["rejected"].values())
    assert figures["variants"][0]["file"] == f"{SMALL}-s0h10.yaml"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("t05_beryl_pendent",), "unknown task or suite 't05_beryl_pendent'; did you mean t05_beryl_pendant"),
        (("mian",), "unknown task or suite 'mian'; did you mean main"),
        ((SMALL, "--seed", "3000000"), "expected a variant's seed in 0-999999 (train)"),
        ((SMALL, "--seed", "999999", "--count", "3"), "seeds 999999-1000001 leave train (0-999999)"),
        ((SMALL, "--seed", "2999999", "--count", "3"), "seeds 2999999-3000001 leave test"),
        ((SMALL, "--harder", "0.201"), "expected harder in hundredths"),
        (("t62_weaponsmith_consortium", "--harder", "0.5", "--processes", "1"), "; expected at most 0.33"),
        ((SMALL, "--count", "0"), "--count"),
        ((SMALL, "--author", "opnai:x"), "unknown model provider 'opnai'; did you mean openai"),
        ((SMALL, "--author", "local:http://127.0.0.1:1/v1#m", "--harder", "0.1"), "--harder is for drawn"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    called: Call, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = called("variants", *arguments, "--out", tmp_path / "new")
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_an_author_s_variants_are_written_and_its_refused_ones_counted(called: Call, tmp_path: Path) -> None:
    good = {"starts": {"miner": "frost-field"}, "bags": {"miner": {"coal": 0}, "smith": {"coal": 2}}}
    with Loopback(text("nothing"), text(json.dumps(good))) as server:
        code, out, err = called("variants", "t03_silver_ring", "--author", server.model, "--out", tmp_path)
    assert code == 0
    assert load_task(tmp_path / "t03_silver_ring-a0.yaml").spec.team["smith"].inventory["coal"] == 2
    assert "certified" in out
    assert "expected one JSON object and found none" in out
    assert "local:tester: 2 requests" in err


def test_an_author_that_gives_nothing_makes_the_exit_code_1(called: Call, tmp_path: Path) -> None:
    with Loopback(text("nothing")) as server:
        code, _, err = called("variants", "t03_silver_ring", "--author", server.model, "--out", tmp_path)
    assert code == 1
    assert "only 0 of 1 variants passed" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_leaves_whole_files_only(tmp_path: Path) -> None:
    process = begun("variants", SMALL, "--count", "400", out=tmp_path)
    while not list(tmp_path.glob("*.yaml")):
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"interrupted after" in err
    for path in tmp_path.glob("*.yaml"):
        load_task(path)
    rows = list(csv.DictReader((tmp_path / "variants.csv").open(encoding="utf-8")))
    assert {row["file"] for row in rows} == {path.name for path in tmp_path.glob("*.yaml")}
    assert b"certified" in out


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "verb", [("variants", "main", "--count", "400"), ("certify", "--suite", "main")], ids=lambda verb: verb[0]
)
def test_a_plain_kill_leaves_no_process_behind(verb: tuple[str, ...], tmp_path: Path) -> None:
    process = begun(*verb, out=tmp_path)
    try:
        while len(session(process.pid)) < 4:  # itself, the tracker of resources, two workers
            assert process.poll() is None
            time.sleep(0.02)
        process.terminate()
        assert process.wait() == -signal.SIGTERM
        limit = time.monotonic() + 20
        while session(process.pid) and time.monotonic() < limit:
            time.sleep(0.02)
        assert session(process.pid) == []
    finally:
        for left in session(process.pid):
            os.kill(left, signal.SIGKILL)
        process.communicate()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_killed_worker_is_one_line_and_what_was_made_is_kept(tmp_path: Path) -> None:
    process = begun("variants", SMALL, "--count", "400", out=tmp_path)
    while not list(tmp_path.glob("*.yaml")):
        assert process.poll() is None
        time.sleep(0.02)
    workers = [
        pid
        for pid in session(process.pid)
        if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    ]
    os.kill(workers[0], signal.SIGKILL)
    _, err = process.communicate()
    assert process.returncode == 1
    assert b"Traceback" not in err
    made = len(list(tmp_path.glob("*.yaml")))
    last = err.decode().splitlines()[-1]
    assert last == f"a process was killed after {made} of 400 variants; the same command goes on"
    rows = list(csv.DictReader((tmp_path / "variants.csv").open(encoding="utf-8")))
    assert {row["file"] for row in rows} == {path.name for path in tmp_path.glob("*.yaml")}


def test_ctrl_c_is_ctrl_c_even_where_the_end_of_a_worker_is_noticed_first(
    called: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both reach parent and workers at once; which of the two the parent sees first is chance."""

    def broken(*_: object, **__: object) -> list[object]:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        raise BrokenProcessPool

    monkeypatch.setattr("agentworld_env.variants.many.make_variants", broken)
    code, _, err = called("variants", SMALL, "--count", "2", "--out", tmp_path)
    assert code == 130
    assert "interrupted after 0 of 2 variants" in err


def test_a_source_without_variants_in_a_split_is_told_with_the_splits_that_have_them(
    called: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that new-task writes has one errand, which is a test task's."""
    monkeypatch.chdir(tmp_path)
    assert called("new-task", "my_task")[0] == 0
    only = "this source has errands only for test (seeds 2000000-2999999)"
    code, out, err = called("show", "my_task.yaml~seed=3")
    assert (code, out) == (2, "")
    assert err == f"error: no variant of my_task with seed 3: {only}; try seed 2000003\n"
    code, _, err = called("variants", "my_task.yaml", "--seed", "3", "--out", "new", "--processes", "1")
    assert code == 1
    assert f"my_task: given up: {only}" in err
    assert err.count("given up") == 1
    assert "nothing passed for seed" not in err
    assert called("show", "my_task.yaml~seed=2000003")[0] == 0


def test_why_a_proposal_was_refused_is_cut_behind_a_word(called: Call, tmp_path: Path) -> None:
    with Loopback(text(json.dumps({"counts": {"Iron ore mined": 4}}))) as server:
        _, out, _ = called("variants", "t03_silver_ring", "--author", server.model, "--out", tmp_path)
    assert "it asks for the same as the given task, in other... " in out


def test_a_variant_of_a_variant_is_told_to_go_by_file(called: Call) -> None:
    code, _, err = called("show", f"{SMALL}~seed=3~seed=4")
    assert code == 2
    assert "variants of variants go by file" in err
    assert "DIRECTORY/FILE.yaml~seed=4" in err


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe with a name")
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_list_that_is_no_regular_file_is_refused(called: Call, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "variants.csv"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    code, _, err = called("variants", SMALL, "--out", tmp_path)
    assert code == 2
    assert f"{path} is no list of variants (no regular file)" in err
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_to_nothing_in_the_place_of_a_variant_is_named_and_left(called: Call, tmp_path: Path) -> None:
    path = tmp_path / f"{SMALL}-s0.yaml"
    path.symlink_to(tmp_path / "nowhere")
    code, _, err = called("variants", SMALL, "--out", tmp_path, "--processes", "1")
    assert code == 2
    assert err.endswith(f"{path} exists and is no regular file; expected a directory without it\n")
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_that_was_made_for_nothing_is_removed(called: Call, tmp_path: Path) -> None:
    with Loopback(text("nothing")) as server:
        code, _, _ = called("variants", SMALL, "--author", server.model, "--out", tmp_path / "a" / "b")
    assert code == 1
    assert list(tmp_path.iterdir()) == []


def begun(*verb: str, out: Path) -> subprocess.Popen[bytes]:
    """Returns a command that works in two processes, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "agentworld_env.cli", *verb, "--processes", "2", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def session(leader: int) -> list[int]:
    """Returns the living processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def test_tasks_given_up_are_named_with_what_was_made_in_their_place(
    called: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentworld_env.cli import variants as verb
    from agentworld_env.tasks import Task, get_task
    from agentworld_env.variants import many
    from agentworld_env.variants.generator import Search, find_variant

    def found(source: Task, seed: int, **_: float) -> Search:
        if source.id == SMALL:
            return find_variant(source, seed)
        return Search(source=source.id, seed=seed, variant=None, candidates=1, rejected={"bad": 1})

    monkeypatch.setattr(verb, "_sources", lambda _: [get_task("t02_arrow_production"), get_task(SMALL)])
    monkeypatch.setattr(many, "find_variant", found)
    code, _, err = called("variants", "main", "--count", "2", "--out", tmp_path, "--processes", "1")
    assert code == 0
    assert err.splitlines().count("t02_arrow_production: given up after 5 seeds in a row") == 1
    assert err.splitlines()[-1] == "1 variant was made of other tasks in place of those given up"
    assert sorted(path.name for path in tmp_path.glob("*.yaml")) == [f"{SMALL}-s0.yaml", f"{SMALL}-s1.yaml"]


def test_the_list_keeps_what_other_commands_made_as_long_as_its_files_are_there(
    called: Call, tmp_path: Path
) -> None:
    for seed in ("0", "5", "6"):
        assert called("variants", SMALL, "--seed", seed, "--out", tmp_path, "--processes", "1")[0] == 0
    (tmp_path / f"{SMALL}-s5.yaml").unlink()
    assert called("variants", SMALL, "--seed", "7", "--out", tmp_path, "--processes", "1")[0] == 0
    rows = list(csv.DictReader((tmp_path / "variants.csv").open(encoding="utf-8")))
    assert [row["seed"] for row in rows] == ["0", "6", "7"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "variants.csv",
            b"file,source,seed,mutations,fingerprint,rounds,budget,handovers,joint\n1,2\n",
            "variants.csv:2: no row of a list of variants; expected the columns file,",
        ),
        ("variants.csv", b"a,b\n1,2\n", "variants.csv is no list of variants; expected the columns file,"),
        ("variants.csv", b"my notes\n", "variants.csv is no list of variants; expected the columns file,"),
        ("variants.csv", b"", "variants.csv is no list of variants; expected the columns file,"),
        ("variants.csv", b"\xff", "variants.csv is no list of variants"),
        (f"{SMALL}-s0.yaml", b"\xff\xfe", f"{SMALL}-s0.yaml exists and is another task"),
    ],
)
def test_a_file_in_the_way_is_named_and_left_alone(
    called: Call, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    code, _, err = called("variants", SMALL, "--out", tmp_path, "--processes", "1")
    assert code == 2
    assert said in err
    assert (tmp_path / name).read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_instead_of_a_directory_is_refused(called: Call, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    for out in (tmp_path / "out", tmp_path / "out" / "deeper"):
        code, _, err = called("variants", SMALL, "--out", out)
        assert (code, err) == (2, f"error: {tmp_path / 'out'} is a file; expected a directory\n")


def test_a_disk_that_is_full_leaves_no_half_file(
    called: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, _: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "replace", full)
    code, _, err = called("variants", SMALL, "--out", tmp_path, "--processes", "1")
    assert code == 2
    assert "No space left on device" in err
    assert list(tmp_path.iterdir()) == []


def test_an_author_is_not_asked_again_for_what_is_there(called: Call, tmp_path: Path) -> None:
    good = {"starts": {"miner": "frost-field"}, "bags": {"miner": {"coal": 0}, "smith": {"coal": 2}}}
    arguments = ("variants", "t03_silver_ring", "--out", tmp_path, "--author")
    with Loopback(text(json.dumps(good))) as server:
        assert called(*arguments, server.model)[0] == 0
        asked = len(server.received)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        code, _, err = called(*arguments, server.model)
        assert len(server.received) == asked == 1
        assert code == 0
        assert "t03_silver_ring-a0.yaml is there already" in err
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
        # The same task under the next seed is not taken.
        code, out, _ = called(*arguments, server.model, "--seed", "1")
    assert code == 1
    assert "there is a task like it already" in out
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_author_without_a_key_leaves_no_directory(
    called: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, _, err = called("variants", SMALL, "--author", "openai:some-model", "--out", tmp_path / "new")
    assert code == 2
    assert "OPENAI_API_KEY" in err
    assert not (tmp_path / "new").exists()
