"""Whole runs against an endpoint that answers with traps, or says what it should keep to itself."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.evaluate.running import NAP, THREE, play
from tests.policies.loopback import Answer, Loopback, Received, calls, failure

from agentworld_env.cli.main import run_command
from agentworld_env.evaluate.results import load_run
from agentworld_env.evaluate.runner import Limits

KEY = "sk-very+secret/0123456789"
Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)
    monkeypatch.setattr("agentworld_env.evaluate.runner._BETWEEN_ATTEMPTS", 0.01)


def test_an_answer_nested_too_deeply_leaves_its_episode_unfinished_and_no_other(tmp_path: Path) -> None:
    def respond(received: Received, number: int) -> Answer:
        messenger = "Messenger Run" in received.body["messages"][0]["content"]
        return Answer(b"[" * 200_000) if messenger else NAP

    with Loopback(respond=respond) as server:
        limits = Limits(retries=2, attempts=1)
        state = play(server.model, tmp_path, THREE, limits, setting="short_horizon")
    assert state.done == 2
    (failed,) = state.failures
    assert failed.task == "t44_messenger_run"
    assert failed.reason.endswith("the answer is nested too deeply to be read")
    run = load_run(tmp_path)
    assert [one.task for one in run.unfinished] == ["t44_messenger_run"]


def test_an_answer_nested_too_deeply_once_is_asked_for_again(tmp_path: Path) -> None:
    with Loopback(Answer(b"[" * 200_000), NAP) as server:
        state = play(
            server.model, tmp_path, THREE[:1], Limits(retries=1, attempts=1), setting="short_horizon"
        )
    assert (state.done, state.failures) == (1, [])


def test_doctor_says_that_an_answer_is_nested_too_deeply(capsys: Out) -> None:
    with Loopback(Answer(b"[" * 200_000)) as server:
        assert run_command(["doctor", "--model", server.model]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "nested too deeply" in shown.err


def test_a_key_that_the_endpoint_echoes_is_in_no_file_and_no_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setenv("AGENTWORLD_LOCAL_API_KEY", KEY)

    def respond(received: Received, number: int) -> Answer:
        said = received.headers["authorization"]
        if number % 3 == 0:
            return failure(400, f"for {said}") if number > 12 else calls(("chat", {"message": said}))
        return calls((said, {})) if number % 3 == 1 else calls(("sleep", f'{{"rounds": 1}} {said}'))

    with Loopback(respond=respond) as server:
        run_command(
            [
                "evaluate",
                "--model",
                server.model,
                "--tasks",
                THREE[0],
                "--out",
                str(tmp_path),
                "--retries",
                "0",
            ]
        )
    shown = capsys.readouterr()
    files = [path.read_text() for path in tmp_path.iterdir()]
    assert "for Bearer [key]" in shown.err
    assert sum("Bearer [key]" in file for file in files) == 3  # record, usage, failures
    assert not [text for text in (shown.out, shown.err, *files) if "very+secret" in text]


def test_a_pause_that_outlasts_the_turn_is_cut_so_that_the_turn_can_be_had(tmp_path: Path) -> None:
    far = failure(429, "later", Retry_After="Fri, 31 Dec 9999 23:59:59 GMT")
    begun = time.monotonic()
    with Loopback(far, NAP) as server:
        limits = Limits(retries=3, attempts=1, turn_seconds=4.0)
        state = play(server.model, tmp_path, THREE[:1], limits, setting="short_horizon")
    assert (state.done, state.failures) == (1, [])
    assert time.monotonic() - begun < 60
