"""What a model has answered is on disk at once: no interruption makes a run pay for it twice, or change by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluate.running import FAST, NAP, THREE, bodies, play
from tests.policies.loopback import Answer, Loopback, Received, failure, text

from agentworld_env import make
from agentworld_env.episodes import read_usage
from agentworld_env.evaluate.keeping import kept_exchanges
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.results import load_run
from agentworld_env.evaluate.runner import Limits
from agentworld_env.models import Prices

TASK = THREE[:1]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)


def is_reask(received: Received) -> bool:
    return "could not be used" in received.body["messages"][-1]["content"]


def respond(received: Received, number: int) -> Answer:
    return NAP if is_reask(received) else text("Let me think.")


def record(folder: Path) -> Path:
    (found,) = [p for p in folder.glob("*.jsonl") if ".usage." not in p.name]
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    with Loopback(respond=respond) as server:
        assert play(server.model, folder, TASK).done == 1
    return bodies(folder)


@pytest.mark.parametrize("cause", ["budget", "endpoint", "deadline"])
def test_a_first_answer_survives_when_its_reask_does_not_come_through(
    cause: str, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    stopping = True

    def stop(received: Received, number: int) -> Answer:
        if stopping and is_reask(received) and cause != "budget":
            return failure(500, "down") if cause == "endpoint" else Answer({}, hang=True)
        return respond(received, number)

    with Loopback(respond=stop) as server:
        limits = Limits(retries=0, attempts=1, turn_seconds=3.0 if cause == "deadline" else 60.0)
        budget = Ledger(Prices(), [], max_tokens=127 if cause == "budget" else None)
        assert play(server.model, tmp_path, TASK, limits, budget).done == 0
        (kept,) = read_usage(record(tmp_path))
        assert (kept.ask, kept.prompt_tokens) == (0, 120)
        assert kept.exchange["problem"] == "it holds no tool call"
        assert load_run(tmp_path).spent.tokens == 127
        stopping = False
        before = len(server.received)
        assert play(server.model, tmp_path, TASK, FAST).done == 1
        again = server.received[before:]
        answered = len(again) + 1
    assert is_reask(again[0])
    assert bodies(tmp_path) == whole
    assert load_run(tmp_path, verify=True).spent.tokens == 127 * answered
    assert len(read_usage(record(tmp_path))) == answered


def test_an_answer_whose_turn_a_kill_kept_from_being_recorded_is_played_unasked(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    with Loopback(respond=respond) as server:
        play(server.model, tmp_path, TASK)
        asked = len(server.received)
        path = record(tmp_path)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-2]))  # neither the last turn nor the footer
        assert len(kept_exchanges(path, len(lines) - 3)) == 2
        assert play(server.model, tmp_path, TASK).done == 1
        assert len(server.received) == asked
    assert bodies(tmp_path) == whole
    assert load_run(tmp_path).spent.tokens == 127 * asked


def test_a_torn_answer_is_asked_for_again(tmp_path: Path, whole: dict[str, bytes]) -> None:
    with Loopback(respond=respond) as server:
        play(server.model, tmp_path, TASK)
        asked = len(server.received)
        path = record(tmp_path)
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
        usage = path.with_name(path.name.replace(".jsonl", ".usage.jsonl"))
        usage.write_bytes(usage.read_bytes()[:-30])
        assert play(server.model, tmp_path, TASK).done == 1
        assert len(server.received) == asked + 1
    assert bodies(tmp_path) == whole


def test_while_a_team_discusses_no_model_is_offered_or_told_of_anything_else(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        play(server.model, tmp_path, TASK, setting="discussion_rounds(2)+short_horizon")
        requests = [received.body for received in server.received]
    seen = set()
    for body in requests:
        first = "Round 1 of" in body["messages"][1]["content"]
        names = {tool["function"]["name"] for tool in body["tools"]}
        listed = body["messages"][0]["content"].split("<tools>")[1].split("</tools>")[0]
        assert all(f"- {name}(" in listed for name in names)
        assert listed.count("\n- ") == len(names)
        assert (names == {"chat", "send_chat_message", "sleep"}) == first
        seen.add(first)
    assert seen == {True, False}


def test_the_schema_of_a_turn_holds_only_the_tools_that_exist_in_it() -> None:
    env = make(TASK[0], setting="discussion_rounds(1)")
    env.reset(seed=0)
    agent = env.agent_selection
    space = env.action_space(agent)
    offered = space.openai_tools(env.infos[agent]["legal"])
    assert [each["function"]["name"] for each in offered] == ["chat", "send_chat_message", "sleep"]
    env.step({"tool": "complete", "arguments": {"response": "x"}})
    assert env.agents[0] == agent  # it failed: nobody has left
    for _ in env.agents[1:]:
        env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    assert env.round == 2
    assert len(space.openai_tools(env.infos[env.agent_selection]["legal"])) == 13
