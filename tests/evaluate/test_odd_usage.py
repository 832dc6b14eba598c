"""Prompts that outgrow a model, and usage files that somebody or something has damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evaluate.running import FAST, NAP, THREE, bodies, play
from tests.evaluate.test_kept_exchanges import record
from tests.policies.loopback import Answer, Loopback, Received, calls, failure, text

from agentworld_env.cli.main import run_command
from agentworld_env.episodes import read_episode, read_usage, usage_path
from agentworld_env.evaluate.results import load_run

TASK = THREE[:1]
Out = pytest.CaptureFixture[str]


def test_a_prompt_beyond_the_context_is_a_failed_call_of_the_model_and_not_asked_again(
    tmp_path: Path,
) -> None:
    def respond(received: Received, number: int) -> Answer:
        if "Round 2 of" in received.body["messages"][1]["content"]:
            return failure(400, "This model's maximum context length is 10 tokens")
        return calls(("sleep", {"rounds": 1}))

    with Loopback(respond=respond) as server:
        state = play(server.model, tmp_path / "a", TASK, FAST, setting="short_horizon")
        asked = len(server.received)
        assert (state.done, state.failures) == (1, [])
        # Played on from the middle of such a turn, nothing is asked again either.
        play(server.model, tmp_path / "b", TASK, FAST, setting="short_horizon")
        path = record(tmp_path / "b")
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
        usage = usage_path(path)
        usage.write_bytes(b"".join(usage.read_bytes().splitlines(keepends=True)[:5]))
        before = len(server.received)
        play(server.model, tmp_path / "b", TASK, FAST, setting="short_horizon")
        assert len(server.received) - before == asked - 5
    assert bodies(tmp_path / "a") == bodies(tmp_path / "b")
    lines = [line for line in read_episode(record(tmp_path / "a")).lines if line.round == 2]
    assert len(lines) == 3
    for line in lines:
        assert not line.result.ok
        (reply,) = line.replies
        assert "the prompt is longer than the model's context" in reply["problem"]
        assert "maximum context length is 10" in reply["problem"]
    assert load_run(tmp_path / "a", verify=True).finished[0].unusable == 3


def played(folder: Path) -> Path:
    with Loopback(NAP) as server:
        play(server.model, folder, TASK)
    return usage_path(record(folder))


def test_damaged_lines_of_a_usage_file_are_said_and_the_rest_is_counted(tmp_path: Path, capsys: Out) -> None:
    usage = played(tmp_path)
    lines = usage.read_bytes().splitlines(keepends=True)
    usage.write_bytes(lines[0] + lines[1][:20] + b"\n" + b"".join(lines[2:]) + b"\xff\xfe")
    damaged: list[int] = []
    assert len(read_usage(record(tmp_path), damaged)) == len(lines) - 1
    assert damaged == [2, len(lines) + 1]
    assert run_command(["report", str(tmp_path), "--json"]) == 0
    shown = capsys.readouterr()
    said = f"{usage}: line 2, {len(lines) + 1} cannot be read and is not counted"
    assert said in shown.err.replace("\n", "")
    run = json.loads(shown.out)["runs"][0]
    assert run["damaged"] == [said]
    assert run["summary"]["spent"]["prompt"] == 120 * (len(lines) - 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("prompt_tokens", -1), ("completion_tokens", 10**12), ("seconds", -0.5), ("action", -1), ("ask", "x")],
)
def test_usage_that_cannot_be_is_refused_by_line(
    name: str, value: object, tmp_path: Path, capsys: Out
) -> None:
    usage = played(tmp_path)
    first, *others = usage.read_bytes().splitlines(keepends=True)
    usage.write_bytes(first + json.dumps({**json.loads(others[0]), name: value}).encode() + b"\n")
    for arguments in (["report", str(tmp_path)], ["evaluate", "--resume", str(tmp_path), "-q"]):
        assert run_command(arguments) == 2
        shown = capsys.readouterr()
        assert f"{usage}, line 2: expected a line of model usage" in shown.err
        assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (calls(("fly", {})), 1, "there is no tool 'fly'"),
        (calls(("sleep", {"rounds": 2}), ("sleep", {})), 0, "2 tool calls, of which only the first counts"),
        (calls(("sleep", {"rounds": "soon"})), 1, "rounds must be a whole number"),
        (text("Good night."), 1, "it holds no tool call"),
    ],
)
def test_doctor_gives_the_reason_why_a_call_is_not_usable(
    answer: Answer, code: int, said: str, capsys: Out
) -> None:
    with Loopback(answer) as server:
        assert run_command(["doctor", "--model", server.model]) == code
    assert said in " ".join(capsys.readouterr().out.split())


def test_doctor_says_that_a_usage_cannot_be(capsys: Out) -> None:
    answer = calls(("sleep", {"rounds": 2}))
    answer.body["usage"] = {"prompt_tokens": -3}
    with Loopback(answer) as server:
        assert run_command(["doctor", "--model", server.model]) == 1
    assert "prompt_tokens is -3" in " ".join(capsys.readouterr().out.split())
