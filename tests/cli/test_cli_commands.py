"""The command, called as a user calls it: in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.optional import optional

from agentworld_env import list_tasks
from agentworld_env.cli.main import main

TASK = "t86_forge_vanguard"
SMALL = "t01_magic_staff"


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentworld_env.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Calls the command in this process, which is quicker."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def refused(outcome: tuple[int, str, str], *expected: str) -> None:
    code, out, err = outcome
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for part in expected:
        assert part in err


# -- what works --------------------------------------------------------------------------------------------------------


def test_tasks_lists_every_task_in_both_forms(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "tasks")
    ids = [info.id for info in list_tasks()]
    assert code == 0
    assert [row.split()[0] for row in out.splitlines()[2:]] == ids
    _, out, _ = called(capsys, "tasks", "--json")
    assert [row["id"] for row in json.loads(out)] == ids


def test_show_tells_team_goal_guide_and_first_observation(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "show", SMALL, "--role", "wizard")
    assert code == 0
    for part in ("Cut 2 logs", "lumberjack", "[ ] Logs cut 0/2", "wizard is told", "You are wizard at"):
        assert part in out
    _, out, _ = called(capsys, "show", SMALL, "--json")
    facts = json.loads(out)
    assert list(facts["team"]) == ["lumberjack", "woodworker", "wizard"]
    assert facts["role"]["name"] == "lumberjack"
    assert facts["role"]["observation"].startswith("Round 1 of 25. You are lumberjack")


def test_run_tells_every_round_in_80_columns_and_ends_with_the_verdict(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = called(capsys, "run", SMALL, "--policy", "planner", "--seed", "3")
    rows = out.splitlines()
    assert (code, err) == (0, "")
    assert rows[0] == "t01_magic_staff: Magic Staff"
    assert max(map(len, rows)) <= 80
    assert rows[-1].startswith("Success: PSR 1.00 after ")
    rounds = sum(row.startswith("-- Round ") for row in rows)
    assert f"after {rounds} rounds" in rows[-1]


def test_quiet_prints_the_verdict_only(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "run", SMALL, "--policy", "idle", "--seed", "1", "--quiet")
    assert "Round 1" not in out
    assert out.splitlines()[-1] == "Failure: PSR 0.00 after 25 rounds and 75 calls."


def test_json_prints_the_score_and_nothing_else(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, err = called(capsys, "run", SMALL, "--policy", "idle", "--seed", "1", "--out", tmp_path, "--json")
    printed = json.loads(out)
    assert err == ""
    assert printed["score"]["psr"] == 0
    assert Path(printed["score"]["path"]).exists()
    _, out, _ = called(capsys, "score", tmp_path, "--json")
    assert json.loads(out) == {"episodes": [printed["score"]], "errors": []}


def test_a_record_is_the_same_whatever_the_hash_seed_of_the_process(tmp_path: Path) -> None:
    found = []
    for hash_seed in ("1", "77"):
        out = tmp_path / hash_seed
        done = command(
            "run", TASK, "--policy", "random", "--seed", "5", "--out", out, "-q", PYTHONHASHSEED=hash_seed
        )
        assert done.returncode == 0, done.stderr
        found.append((out / f"{TASK}-random-seed5.jsonl").read_bytes())
    assert found[0] == found[1]


def test_running_a_complete_record_again_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ("run", SMALL, "--policy", "idle", "--seed", "1", "--out", tmp_path)
    called(capsys, *arguments)
    for more in ((), ("--quiet",), ("--json",)):
        code, out, err = called(capsys, *arguments, *more)
        assert code == 0
        assert "is complete already" in err
        assert len(err.splitlines()) == 1
        assert '"psr"' in out if more == ("--json",) else "Failure: PSR 0.00" in out


def test_cce_prints_means_and_shares(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    called(capsys, "run", SMALL, "--policy", "planner", "--seed", "1", "--out", tmp_path, "-q")
    code, out, _ = called(capsys, "cce", tmp_path)
    assert code == 0
    assert "Mean CCE over successes: 0." in out
    assert "wizard: PAC " in out
    _, out, _ = called(capsys, "cce", tmp_path, "--json", "--method", "events")
    printed = json.loads(out)
    assert printed["method"] == "events"
    assert 0 < printed["means"]["cce"] <= 1


def test_certify_prints_a_row_and_exits_with_0_for_a_sound_task(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, "certify", SMALL, "--seeds", "1")
    assert code == 0
    assert out.splitlines()[-1].startswith(SMALL)
    assert f"{SMALL}: certified" in err


def test_certify_exits_with_1_for_a_task_that_one_agent_can_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "alone.yaml"
    path.write_text(
        "id: alone\ntitle: Alone\ncategory: gathering\nmax_rounds: 20\nobjective: Cut a log.\n"
        "team:\n"
        "  a: {group: as, about: Cuts., start: [388, 3], skills: {lumberjacking: 25}, worn: [axe]}\n"
        "  b: {group: bs, about: Cuts too., start: [388, 3], skills: {lumberjacking: 25}, worn: [axe]}\n"
        "checkpoints:\n  - {kind: gathered, label: Logs cut, item: logs, count: 1}\n"
    )
    code, out, err = called(capsys, "certify", path, "--seeds", "1", "--json")
    assert code == 1
    assert json.loads(out)[0]["problems"]
    assert "alone: not certified" in err


def test_the_world_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "world", "check")
    assert code == (0 if out == "The world has no faults.\n" else 1)


def test_the_map_is_a_png(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    optional("PIL", "draw")
    code, _, _ = called(capsys, "world", "map", "--out", tmp_path / "map.png")
    assert code == 0
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("run", "t86_forge_vangard", "--policy", "idle"), "did you mean t86_forge_vanguard"),
        (("show", "t1_magic_staff"), "did you mean t01_magic_staff"),
        (("run", TASK, "--policy", "randon"), "did you mean random"),
        (("run", TASK, "--policy", "openapi:x"), "'openapi'; did you mean openai"),
        (("run", TASK), "--policy"),
        (("run", TASK, "--policy", "idle", "--sed", "4"), "--seed"),
        (("run", TASK, "--policy", "idle", "--seed", "five"), "--seed"),
        (("run", TASK, "--policy", "idle", "--seed", "-1"), "--seed"),
        (("run", TASK, "--policy", "idle", "--seed", str(2**63)), "a seed is a whole number"),
        (("run", TASK, "--policy", "idle", "--setting", "no_comunication"), "did you mean no_communication"),
        (("run", "missing.yaml", "--policy", "idle"), "missing.yaml"),
        (("rnu",), "Did you mean 'run'"),
        (("score", "missing.jsonl"), "missing.jsonl does not exist"),
        (("show", SMALL, "--seed", "-1"), "--seed"),
        (("show", SMALL, "--seed", str(2**63)), "a seed is a whole number"),
        (("show", SMALL, "--role", "wizzard"), "did you mean wizard"),
        (("tasks", "--suite", "mian"), "did you mean main"),
        (("cce", "missing.jsonl"), "missing.jsonl does not exist"),
        (("certify", "t01_magic_staf"), "did you mean t01_magic_staff"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_was_expected(
    arguments: Sequence[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(called(capsys, *arguments), expected)


def test_a_mistake_in_a_process_of_its_own_shows_no_traceback() -> None:
    done = command("run", "t86_forge_vangard", "--policy", "idle")
    refused((done.returncode, done.stdout, done.stderr), "did you mean t86_forge_vanguard")


def test_a_malformed_task_file_is_named_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("id: x\ntitle: [unclosed\n")
    refused(called(capsys, "run", path, "--policy", "idle"), f"{path}:3: expected")


def test_a_truncated_record_is_named_with_what_it_lacks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    called(capsys, "run", SMALL, "--policy", "idle", "--seed", "1", "--out", tmp_path, "-q")
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-300])
    refused(called(capsys, "score", path), str(path), "expected a complete record")


def test_an_edited_record_is_named_with_the_turn_that_deviates(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    called(capsys, "run", SMALL, "--policy", "planner", "--seed", "1", "--out", tmp_path, "-q")
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    turn = msgspec.json.decode(lines[1])
    turn["call"] = {"tool": "sleep", "arguments": {}}
    path.write_bytes(b"".join([lines[0], msgspec.json.encode(turn) + b"\n", *lines[2:]]))
    refused(called(capsys, "score", path), str(path), "turn 0 (round 1, lumberjack) deviates")


def test_a_place_that_cannot_be_written_is_refused_and_left_as_it_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("mine")
    out = blocker / "inside"
    refused(
        called(capsys, "run", SMALL, "--policy", "idle", "--seed", "1", "--out", out, "-q"), "cannot write"
    )
    assert blocker.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [blocker]


def test_another_episode_in_the_same_file_is_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    called(capsys, "run", SMALL, "--policy", "idle", "--seed", "1", "--out", path, "-q")
    before = path.read_bytes()
    refused(
        called(capsys, "run", SMALL, "--policy", "idle", "--seed", "2", "--out", path), "seed 1 instead of 2"
    )
    assert path.read_bytes() == before


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "agentworld_env.cli", "run", TASK, "--policy", "random", "--seed", "5"],
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


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_run_exits_with_130_and_is_continued_by_the_same_command(tmp_path: Path) -> None:
    arguments: Any = [
        sys.executable,
        "-m",
        "agentworld_env.cli",
        "run",
        SMALL,
        "--policy",
        "human",
        "--seed",
        "1",
    ]
    arguments += ["--out", str(tmp_path / "a.jsonl"), "-q"]
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"sleep\nsleep\n")
    process.stdin.flush()
    deadline = time.monotonic() + 20
    record = tmp_path / "a.jsonl"
    while not record.exists() or record.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"run the same command again to continue" in said
    assert b"Traceback" not in said
    done = subprocess.run(arguments, input=b"sleep\n" * 100, capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    assert record.read_bytes().count(b"\n") == 77
