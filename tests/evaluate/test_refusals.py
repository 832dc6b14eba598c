"""A refused prompt is its episode's failure; a run stops where an endpoint cannot be expected to answer at all."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tests.evaluate.played_model import key_of
from tests.evaluate.running import NAP, THREE, play
from tests.policies.loopback import Answer, Loopback, Received, failure

from agentworld_env.evaluate.refusals import Refusals
from agentworld_env.evaluate.results import load_run
from agentworld_env.evaluate.runner import Limits
from agentworld_env.models import ServiceError

ONE = Limits(concurrency=1)
SHORT = "short_horizon"


def _flags(title: str, round_: int, status: int) -> Loopback:
    """Returns a server that refuses what one task asks from a round on."""

    def respond(received: Received, number: int) -> Answer:
        task, _, now = key_of(received.body)
        return failure(status, "your input was flagged") if task == title and now >= round_ else NAP

    return Loopback(respond=respond)


@pytest.mark.parametrize("status", [403, 404])
def test_a_prompt_that_is_refused_after_good_replies_fails_its_episode_and_no_other(
    tmp_path: Path, status: int
) -> None:
    with _flags("Magic Staff", 2, status) as server:
        for _ in range(2):  # a resumed run meets the same refusal, and does not stop there either
            state = play(server.model, tmp_path, THREE, ONE, setting=SHORT)
            assert (state.stopped, state.done) == ("", 2)
            (failed,) = state.failures
            assert failed.task == "t01_magic_staff"
            assert f"HTTP {status}: your input was flagged" in failed.reason
    assert [left.task for left in load_run(tmp_path).unfinished] == ["t01_magic_staff"]


def test_the_very_first_prompt_of_a_run_may_be_flagged_without_stopping_it(tmp_path: Path) -> None:
    with _flags("Magic Staff", 1, 403) as server:
        for _ in range(2):
            state = play(server.model, tmp_path, THREE, ONE, setting=SHORT)
            assert (state.stopped, state.done, len(state.failures)) == ("", 2, 1)


@pytest.mark.parametrize(("concurrency", "asked"), [(1, 3), (4, 4)])
def test_an_endpoint_that_forbids_everything_stops_the_run(
    tmp_path: Path, concurrency: int, asked: int
) -> None:
    with Loopback(failure(403, "no rights")) as server:
        state = play(server.model, tmp_path, THREE, Limits(concurrency=concurrency), trials=5)
        assert asked <= len(server.received) < asked + concurrency
    assert "HTTP 403: no rights" in state.stopped
    assert state.done == 0


def test_replies_before_a_resume_show_that_an_address_is_right(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        play(server.model, tmp_path, THREE, ONE, setting=SHORT)
    answered, closed = Refusals(tmp_path, 1), Refusals(tmp_path / "other", 1)
    missing = ServiceError("no such model", status=404, model="tester")
    assert not answered.end_the_run(missing)
    assert closed.end_the_run(missing)
    # Another model's replies say nothing about this one.
    assert answered.end_the_run(ServiceError("no such model", status=404, model="another"))
    assert answered.end_the_run(ServiceError("bad key", status=401, model="tester"))


def test_an_error_in_another_process_still_says_which_model_was_asked() -> None:
    error = ServiceError("no", status=403, kind="k", transient=True, retry_after=2.0, model="m")
    back = pickle.loads(pickle.dumps(error))
    assert (back.status, back.kind, back.transient, back.retry_after, back.model) == (
        403,
        "k",
        True,
        2.0,
        "m",
    )
