"""A model is asked in the same way wherever it plays: in one episode, in a run, from Python or by a command."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from tests.evaluate.running import NAP
from tests.policies.loopback import Answer, Loopback, failure

from agentworld_env import run_episode
from agentworld_env.cli.evaluate import evaluate
from agentworld_env.evaluate import policy_by_name
from agentworld_env.evaluate.cast import Cast, Company
from agentworld_env.evaluate.run import described
from agentworld_env.evaluate.runner import Limits
from agentworld_env.policies.llm import LLMPolicy

MODEL = "local:http://127.0.0.1:9/v1#m"


def _model(policy: Any) -> Any:
    assert isinstance(policy, LLMPolicy)
    return policy.model


def test_one_episode_and_a_run_ask_with_the_same_patience() -> None:
    limits = Limits()
    alone, run = policy_by_name(MODEL), Company(Cast(members=(("*", MODEL),))).policy()
    for policy in (alone, run):
        model = _model(policy)
        assert (model.timeout, model.retries) == (limits.call_seconds, limits.retries) == (120.0, 8)
    assert described(alone) == described(run)


def test_the_options_of_the_command_have_the_defaults_of_python() -> None:
    given = {name: each.default for name, each in inspect.signature(evaluate).parameters.items()}
    limits = Limits()
    for name in ("concurrency", "call_seconds", "turn_seconds", "episode_seconds", "retries", "processes"):
        assert given[name] == getattr(limits, name), name


@pytest.mark.parametrize(
    "once",
    [Answer(b"<html>a proxy's page</html>"), Answer({}, cut=True), failure(503, "busy")],
    ids=["malformed", "cut", "busy"],
)
def test_what_goes_wrong_once_costs_one_episode_a_second_request(
    once: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)
    with Loopback(NAP, once, NAP) as server:
        episode = run_episode("p03_small_bowl", server.model, seed=0)
        turns = len(episode.lines)
        assert episode.footer is not None
        assert len(server.received) == turns + 1


def test_whoever_waits_long_for_one_call_is_told_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("agentworld_env.models.client._TOLD_PAUSE", 0.05)
    with Loopback(
        failure(503, "busy", retry_after_ms="10"), failure(503, "busy", retry_after_ms="60"), NAP
    ) as server:
        run_episode("p03_small_bowl", server.model, seed=0)
        (said,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert said == f"model tester at {server.url}: HTTP 503: busy; trying again in 0 s"
