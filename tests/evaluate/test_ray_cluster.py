"""A real Ray cluster of two nodes on this machine; skipped where Ray is not installed (``pip install -e ".[ray]"``)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.played_model import planner_calls, player
from tests.evaluate.running import (
    NAP,
    THREE,
    command,
    play,
    readable,
    records,
)
from tests.optional import optional
from tests.policies.loopback import Answer, Loopback

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.runner import Limits
from agentworld_env.models import Prices

ray = optional("ray", "ray")

KEY = "sk-of-the-nodes-0123456789"
ON_RAY = Limits(retries=20, attempts=1, executor="ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one processor each, which alone have the key in their environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("AGENTWORLD_LOCAL_API_KEY", KEY)
        from ray.cluster_utils import Cluster

        found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        found.add_node(num_cpus=1)
        found.wait_for_nodes()
        patch.delenv("AGENTWORLD_LOCAL_API_KEY")
        patch.setenv("RAY_ADDRESS", found.address)
        yield found
        found.shutdown()


def test_two_nodes_write_the_same_records_as_one_process(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes: set[str] = set()
    kill = ray.kill

    def noted(worker: Any) -> None:
        nodes.add(ray._private.state.actors(worker._actor_id.hex())["Address"]["NodeID"])
        kill(worker)

    monkeypatch.setattr(ray, "kill", noted)
    plan = planner_calls(THREE)
    with Loopback(respond=player(plan)) as server:
        one = play(server.model, tmp_path / "one", THREE, trials=2)
        before = len(server.received)
        two = play(server.model, tmp_path / "two", THREE, ON_RAY, trials=2)
        sent = {request.headers["authorization"] for request in server.received[before:]}
    assert len(nodes) == 2
    assert records(tmp_path / "one") == records(tmp_path / "two")
    assert (one.done, one.won, one.spent.tokens) == (two.done, two.won, two.spent.tokens)
    assert sent == {f"Bearer {KEY}"}  # the nodes' own: this process has none


def test_a_limit_stops_all_nodes(cluster: Any, tmp_path: Path) -> None:
    with Loopback(Answer(NAP.body, delay=0.05)) as server:
        ledger = Ledger(Prices(), [], max_tokens=1000)
        state = play(server.model, tmp_path, THREE, ON_RAY, ledger, trials=4)
        # 8 calls reach it; those on their way when it is reached are still counted.
        assert 8 <= len(server.received) < 60
    assert "the limit is 1000" in state.stopped
    assert state.done < 12


def test_a_key_that_a_node_lacks_is_named_with_the_node(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "only-here")
    with pytest.raises(AgentWorldError, match=r"^on \S+: .*set the environment variable OPENAI_API_KEY"):
        play("openai:gpt-5-mini", tmp_path, THREE[:1], ON_RAY)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_or_killed_run_stops_calling_and_is_resumed_at_the_very_turn(
    cluster: Any, tmp_path: Path, how: signal.Signals
) -> None:
    good = player(planner_calls(THREE))
    with Loopback(respond=lambda received, n: Answer(good(received, n).body, delay=0.05)) as server:
        out = tmp_path / "run"
        process = subprocess.Popen(
            command(
                "evaluate", "--model", server.model, "--tasks", ",".join(THREE), "--out", str(out),
                "--executor", "ray", "-q",
            ),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        until(lambda: len(server.received) > 30)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
        assert process.returncode == (130 if how == signal.SIGINT else -9)
        if how == signal.SIGINT:
            assert said.splitlines()[-1].endswith(f"evaluate --resume {out} --executor ray")
            assert "Traceback" not in said
        quiet(server)
        asked = len(server.received)
        resumed = subprocess.run(
            command("evaluate", "--resume", str(out), "--executor", "ray", "-q"),
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert resumed.returncode == 0, resumed.stderr
        again = len(server.received) - asked
        play(server.model, tmp_path / "whole", THREE)
        turns = len(server.received) - asked - again
    assert records(out) == records(tmp_path / "whole")
    # The call in flight of each episode is made again at most.
    assert turns <= asked + again <= turns + len(THREE)


def test_no_key_is_in_rays_logs_the_folder_or_a_process_title(cluster: Any, tmp_path: Path) -> None:
    titles: list[bytes] = []

    def respond(received: Any, number: int) -> Answer:
        if number == 0:
            titles.extend(p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline") if readable(p))
        return NAP

    with Loopback(respond=respond) as server:
        play(server.model, tmp_path, THREE[:1], ON_RAY)
    assert any(b"Worker" in title for title in titles)
    logs = [p for p in Path(cluster.head_node.get_session_dir_path()).rglob("*") if p.is_file()]
    assert len(logs) > 5
    for path in (*logs, *tmp_path.iterdir()):
        assert KEY.encode() not in path.read_bytes(), path
    assert not any(KEY.encode() in title for title in titles)


def test_a_cluster_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        command(
            "evaluate", "--policy", "idle", "--tasks", THREE[0], "--out", str(tmp_path), "--executor", "ray", "-q"
        ),
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "RAY_ADDRESS": "127.0.0.1:1"},
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "the Ray cluster at RAY_ADDRESS=127.0.0.1:1 cannot be reached" in line


def until(holds: Any) -> None:
    for _ in range(3_000):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it never came to hold")


def quiet(server: Loopback) -> None:
    """Waits until no call has come for a while; a cluster needs a moment to notice that its driver is gone."""
    for _ in range(60):
        seen = len(server.received)
        time.sleep(0.5)
        if len(server.received) == seen:
            return
    raise AssertionError("calls went on")
