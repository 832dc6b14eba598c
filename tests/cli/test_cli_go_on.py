"""However a run ends early, the line that goes on with it can be typed as it stands, limits included."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.policies.loopback import Answer, Loopback, calls

from agentworld_env.cli.main import run_command
from agentworld_env.evaluate.ledger import Spent
from agentworld_env.report.evaluation import _cost

T01 = "t01_magic_staff"
NAP = calls(("sleep", {"rounds": 5}))
HEAD = "model,input,cached_input,output,as_of,source\n"
Out = pytest.CaptureFixture[str]


def line_in(said: str) -> list[str]:
    """Returns the words of the command that a run's last line gives."""
    command = shlex.split(said.strip().rpartition(": ")[2])
    assert command[:3] == ["agentworld-env", "evaluate", "--resume"]
    return command[1:]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_sigterm_ends_a_run_that_is_deaf_to_ctrl_c(processes: str, tmp_path: Path) -> None:
    with Loopback(Answer(calls(("sleep", {"rounds": 1})).body, delay=0.05)) as server:
        process = subprocess.Popen(
            [
                sys.executable, "-m", "agentworld_env.cli", "evaluate", "--model", server.model, "-q",
                "--tasks", f"{T01},t02_arrow_production", "--out", str(tmp_path), "--processes", processes,
            ],
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        )  # fmt: skip
        while len(server.received) < 4 and process.poll() is None:
            time.sleep(0.01)
        seen = len(server.received)
        process.send_signal(signal.SIGINT)
        while len(server.received) < seen + 4 and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None  # Ctrl-C is for what runs in the foreground
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert said.startswith("terminated; go on with: ")
    assert line_in(said) == ["evaluate", "--resume", str(tmp_path), "--processes", processes]


def test_the_line_that_goes_on_has_all_limits_and_none_that_was_not_given(
    tmp_path: Path, capsys: Out
) -> None:
    out, prices = str(tmp_path / "my run"), tmp_path / "my prices.csv"
    prices.write_text(f"{HEAD}local:tester,1,1,1,2026,me\n")
    with Loopback(NAP) as server:
        limits = ["--max-cost", "0.0002", "--max-tokens", "100000", "--prices", str(prices)]
        pace = ["--concurrency", "1", "--call-seconds", "7.5", "--turn-seconds", "60"]
        start = ["evaluate", "--model", server.model, "--tasks", T01, "--out", out, "-q", *limits]
        assert run_command([*start, *pace, "--retries", "3", "--episode-seconds", "600"]) == 1
        said = capsys.readouterr().err
        assert "not scored; to go on, raise the limit in: agentworld-env" in said
        again = line_in(said)
        assert again == [
            "evaluate", "--resume", out, *limits, "--concurrency", "1", "--call-seconds", "7.5",
            "--turn-seconds", "60", "--episode-seconds", "600", "--retries", "3",
        ]  # fmt: skip
        asked = len(server.received)
        assert run_command(again) == 1  # the limit still holds
        assert len(server.received) == asked
        capsys.readouterr()
        assert run_command(["evaluate", "--resume", out, "-q"]) == 0


def test_cost_is_a_dash_where_tokens_were_used_without_a_known_price(tmp_path: Path, capsys: Out) -> None:
    out, prices = str(tmp_path / "run"), tmp_path / "p.csv"
    prices.write_text(f"{HEAD}local:tester,10000,10000,10000,2026,me\n")
    with Loopback(NAP) as server:
        start = ["evaluate", "--model", server.model, "--tasks", T01, "--setting", "short_horizon", "-q"]
        assert run_command([*start, "--out", out]) == 0
        calls_ = len(server.received)
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    # Of each reply the server reports 120 + 7 tokens.
    tokens = 127 * calls_
    assert [f"{tokens:,}", "-"] in [cells[-2:] for cells in shown]
    assert run_command(["report", out, "--prices", str(prices)]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [f"{tokens:,}", f"{tokens / 100:.2f}"] in [cells[-2:] for cells in shown]
    assert run_command(["report", out, "--json"]) == 0
    spent = json.loads(capsys.readouterr().out)["runs"][0]["summary"]["spent"]
    assert (spent["cost"], spent["unpriced"]) == (0, tokens)


def test_cost_is_empty_where_no_model_played_and_a_dash_for_an_unknown_model() -> None:
    assert _cost(Spent()) == ""
    assert _cost(Spent(calls=1, prompt=10, cost=None, unpriced=10)) == "-"
    assert _cost(Spent(calls=1, prompt=10, cost=1.5)) == "1.50"
    assert (
        _cost(Spent(calls=2, prompt=20, cost=1.5, unpriced=10)) == "1.50"
    )  # a local model beside a paid one


def test_ctrl_c_ends_a_run_of_a_policy_that_never_waits_with_the_episode_at_hand(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text(
        "import os, signal\n"
        "class Once:\n"
        "    name, told = 'once', False\n"
        "    def act(self, turn):\n"
        "        if not Once.told:\n"
        "            Once.told = True\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "        return {'tool': 'sleep', 'arguments': {}}\n"
    )
    out = tmp_path / "run"
    process = subprocess.run(
        [
            sys.executable, "-m", "agentworld_env.cli", "evaluate", "-q",
            "--policy", f"python:{tmp_path / 'once.py'}:Once", "--suite", "practice", "--out", str(out),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )  # fmt: skip
    assert process.returncode == 130, process.stderr
    assert process.stderr.startswith("interrupted; go on with: ")
    assert len(list(out.rglob("*-once-*.jsonl"))) <= 1
