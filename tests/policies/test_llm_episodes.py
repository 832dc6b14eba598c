"""Whole episodes with a language model: an endpoint that fails, and going on later without paying twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.policies.loopback import Loopback, calls, failure

from agentworld_env import run_episode
from agentworld_env.episodes import read_episode, read_usage, verify
from agentworld_env.errors import ModelError
from agentworld_env.metrics import episode_metrics
from agentworld_env.models import ChatModel
from agentworld_env.policies.llm import LLMPolicy

TASK = "t01_magic_staff"
NAP = calls(("sleep", {"rounds": 5}))
GONE = failure(401, "no")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentworld_env.cli", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "AGENTWORLD_LOCAL_API_KEY": ""},
        timeout=60,
        check=False,
    )


def test_an_endpoint_that_fails_is_one_line_and_the_same_command_goes_on_later(tmp_path: Path) -> None:
    with Loopback(NAP, NAP, NAP, NAP, GONE, NAP) as server:
        arguments = (
            "run",
            TASK,
            "--policy",
            server.model,
            "--seed",
            "2",
            "--out",
            str(tmp_path / "a.jsonl"),
            "-q",
        )
        first = command(*arguments)
        assert first.returncode == 2
        assert first.stdout == ""
        assert first.stderr.count("\n") == 1
        for part in (server.url, "HTTP 401", "run the same command again to continue"):
            assert part in first.stderr
        assert len(read_episode(tmp_path / "a.jsonl").lines) == 4
        second = command(*arguments)
        assert (second.returncode, second.stderr.count("\n")) == (0, 1)
        assert "a.jsonl holds 4 turns of this episode already" in second.stderr
        # Fifteen naps of five rounds fill 25 rounds of three agents; one request more was refused.
        assert len(server.received) == 16
    episode = read_episode(tmp_path / "a.jsonl")
    assert len(episode.lines) == 15
    verify(episode, episode_metrics)
    assert len(read_usage(tmp_path / "a.jsonl")) == 15


def test_an_interrupted_model_run_sends_the_prompts_of_an_uninterrupted_one(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        run_episode(TASK, LLMPolicy(server.model), seed=2, out=tmp_path / "a.jsonl")
        whole = [request.body["messages"] for request in server.received]
        text = (tmp_path / "a.jsonl").read_bytes()
        server.received.clear()
        cut = tmp_path / "b.jsonl"
        cut.write_bytes(b"".join(text.splitlines(keepends=True)[:8]))
        run_episode(TASK, LLMPolicy(server.model), seed=2, out=cut)
        assert [request.body["messages"] for request in server.received] == whole[7:]
    assert cut.read_bytes() == text


def test_an_endpoint_out_of_reach_is_named_and_leaves_a_record_to_continue(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        model = server.model
    policy = LLMPolicy(ChatModel(model, retries=0))
    with pytest.raises(ModelError, match=r"127\.0\.0\.1.*cannot be reached"):
        run_episode(TASK, policy, seed=2, out=tmp_path / "a.jsonl")
    assert read_episode(tmp_path / "a.jsonl").lines == []


def test_raw_replies_are_in_the_record_and_no_key_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTWORLD_LOCAL_API_KEY", "secret-key-123")
    with Loopback(NAP) as server:
        episode = run_episode(TASK, LLMPolicy(server.model), seed=2, out=tmp_path / "a.jsonl")
    (reply,) = episode.lines[0].replies
    assert reply["reply"]["calls"] == [{"name": "sleep", "arguments": '{"rounds": 5}'}]
    assert "prompt_tokens" not in reply
    for path in tmp_path.iterdir():
        assert b"secret-key-123" not in path.read_bytes()
