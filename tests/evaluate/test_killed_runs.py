"""Runs that are killed, and what they must never give away: processes of their own against a real HTTP server."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from tests.evaluate.played_model import planner_calls, player
from tests.evaluate.running import NAP, THREE, TWELVE, command, play, readable, records
from tests.policies.loopback import Answer, Loopback, Received, failure

KILLS = int(os.environ.get("AGENTWORLD_KILLS", "3"))


def test_a_run_killed_again_and_again_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    tasks = TWELVE
    plan = planner_calls(tasks)
    good = player(plan)
    at_once = 4

    def slow(received: Received, number: int) -> Answer:
        return Answer(good(received, number).body, delay=0.02)

    with Loopback(respond=slow) as server:
        out = tmp_path / "killed"
        first = command(
            "evaluate", "--model", server.model, "--tasks", ",".join(tasks), "--out", str(out),
            "--concurrency", str(at_once), "-q",
        )  # fmt: skip
        later = command("evaluate", "--resume", str(out), "--concurrency", str(at_once), "-q")
        # Moments are spread over so many calls of each process that the run cannot end before the last kill.
        span = len(plan) // (KILLS + 1)
        for k in range(KILLS):
            seen = len(server.received)
            process = subprocess.Popen(first if k == 0 else later, stdout=subprocess.DEVNULL)
            while len(server.received) < seen + 1 + 37 * k % span and process.poll() is None:
                time.sleep(0.002)
            time.sleep(0.003 * (k % 7))  # between two calls of the model as well as within one
            process.kill()
            assert process.wait() == -9
        done = subprocess.run([*later, "--json"], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        asked = len(server.received)
        play(server.model, tmp_path / "whole", tasks)
        turns = len(server.received) - asked
        assert records(out) == records(tmp_path / "whole")
    # A kill repeats at most the call in flight of each episode.
    assert turns <= asked <= turns + KILLS * at_once
    assert json.loads(done.stdout)["runs"][0]["summary"]["sr"]["mean"] == 1.0


def test_workers_die_with_the_process_that_started_them(tmp_path: Path) -> None:
    with Loopback(Answer(NAP.body, delay=0.05)) as server:
        process = subprocess.Popen(
            command(
                "evaluate", "--model", server.model, "--tasks", ",".join(THREE), "--trials", "20",
                "--out", str(tmp_path), "--processes", "2", "--concurrency", "4", "-q",
            )
        )  # fmt: skip
        while len(server.received) < 10:
            time.sleep(0.01)
        process.kill()
        process.wait()
        time.sleep(0.5)
        seen = len(server.received)
        time.sleep(0.5)
        assert len(server.received) == seen


def test_no_key_is_in_any_file_output_or_process_title(tmp_path: Path) -> None:
    key = "sk-secret-0123456789"
    environment = {**os.environ, "AGENTWORLD_LOCAL_API_KEY": key}
    titles: list[bytes] = []

    def respond(received: Received, number: int) -> Answer:
        assert received.headers["authorization"] == f"Bearer {key}"
        if number == 0:
            titles.extend(p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline") if readable(p))
        return failure(400, f"the key {key} is odd") if number > 20 else NAP

    with Loopback(respond=respond) as server:
        done = subprocess.run(
            command(
                "evaluate", "--model", server.model, "--tasks", ",".join(THREE), "--out", str(tmp_path),
                "--setting", "short_horizon", "--trials", "2",
            ),
            capture_output=True, env=environment, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"[key] is odd" in done.stderr
    assert len(titles) > 1
    for text_ in (done.stdout, done.stderr, *titles, *(p.read_bytes() for p in tmp_path.iterdir())):
        assert key.encode() not in text_
