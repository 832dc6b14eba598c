"""Whole evaluations against a real HTTP server: what the endpoint does wrong must not change what is measured."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from tests.evaluate.played_model import key_of, planner_calls, player
from tests.evaluate.running import (
    FAST,
    NAP,
    THREE,
    TWELVE,
    bodies,
    manifest_for,
    play,
    records,
)
from tests.policies.loopback import Answer, Loopback, Received, calls, failure, message, text

from agentworld_env.episodes import read_episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.cast import Cast, Company, read_members
from agentworld_env.evaluate.executors import play_run
from agentworld_env.evaluate.folder import RunFolder, failures_in
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import make_manifest
from agentworld_env.evaluate.results import load_run
from agentworld_env.evaluate.runner import Limits
from agentworld_env.models import Prices
from agentworld_env.report.evaluation import tables_of
from agentworld_env.report.export import write_report
from agentworld_env.report.summary import summarise


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentworld_env.models.pace._FIRST_PAUSE", 0.001)
    monkeypatch.setattr("agentworld_env.evaluate.runner._BETWEEN_ATTEMPTS", 0.01)


# -- the path from prompt to simulator ---------------------------------------------------------------------------------


def test_the_planner_served_as_a_model_wins_every_task_and_nothing_is_lost_on_the_way(tmp_path: Path) -> None:
    tasks = TWELVE
    plan = planner_calls(tasks)
    with Loopback(respond=player(plan)) as server:
        state = play(server.model, tmp_path, tasks)
        asked = [key_of(request.body) for request in server.received]
    assert (state.done, state.won) == (len(tasks), len(tasks))
    assert len(asked) == len(set(asked))  # every turn was asked for once
    for path in records(tmp_path):
        episode = read_episode(tmp_path / path)
        title = episode.header.spec["title"]
        assert [line.call for line in episode.lines] == [
            plan[title, line.agent, line.round] for line in episode.lines
        ]
    summary = summarise(load_run(tmp_path))
    assert summary.sr is not None
    assert summary.sr.mean == 1.0
    # 120 + 7 tokens a call, as the server says.
    assert summary.spent.tokens == 127 * len(asked)


def test_what_goes_wrong_on_the_wire_leaves_no_trace_in_the_records(tmp_path: Path) -> None:
    plan = planner_calls(THREE)
    good = player(plan)
    faults = (
        failure(429, "slow down", Retry_After="0.01"),
        failure(500, "oops"),
        Answer({}, cut=True),
        Answer(b'{"choices": [{"mess'),
        failure(503, "busy"),
        Answer({"choices": []}),
    )

    def bad(received: Received, number: int) -> Answer:
        if number % 2:
            return good(received, number)
        fault = faults[number // 2 % len(faults)]
        return Answer(good(received, number).body, cut=True) if fault.cut else fault

    with Loopback(respond=good) as server:
        play(server.model, tmp_path / "good", THREE)
    with Loopback(respond=bad) as server:
        state = play(server.model, tmp_path / "bad", THREE)
        assert len(server.received) > 60
    assert state.done == 3
    assert not state.failures
    assert bodies(tmp_path / "bad") == bodies(tmp_path / "good")


def test_odd_replies_cost_the_model_its_turn_at_most_and_are_recorded(tmp_path: Path) -> None:
    odd = (
        calls(("fly_away", {})),
        calls(("sleep", {"rounds": 1}), ("complete", {"response": "x"})),
        text(""),
        text('<think>maybe {"tool": "complete"}</think> {"tool": "sleep", "arguments": {"rounds": 1}}'),
        calls(("chat", {"message": "木を切る 🌲 \u202e"})),
        calls(("sleep", '{"rounds": ')),
        message("stop", content=None),
    )
    with Loopback(respond=lambda _, number: odd[number % len(odd)]) as server:
        state = play(server.model, tmp_path, THREE[:1], setting="short_horizon")
    assert (state.done, state.failures) == (1, [])
    run = load_run(tmp_path, verify=True)
    (one,) = run.finished
    assert one.unusable > 0
    assert one.reasks > 0
    (path,) = records(tmp_path)
    replies = [reply for line in read_episode(tmp_path / path).lines for reply in line.replies]
    said = [reply["problem"] for reply in replies if "problem" in reply]
    # A turn with two replies was asked again once; a problem means that there was no call.
    assert one.surplus == sum(len(reply["reply"]["calls"]) == 2 for reply in replies) > 0
    assert one.unusable == len(said)
    turns = read_episode(tmp_path / path).lines
    assert one.reasks == sum(len(line.replies) == 2 for line in turns)
    row = dict(zip(*_row(tmp_path), strict=True))
    assert row["re-asks"] == f"{one.reasks:.1f}"
    assert row["surplus calls"] == f"{one.surplus:.1f}"
    assert row["failed calls"] == f"{sum(not line.result.ok for line in turns):.1f}"
    assert row["memory"] == "8"
    assert any("there is no tool 'fly_away'" in problem for problem in said)


def _row(folder: Path) -> list[list[str]]:
    """Returns head and row of results.csv, having looked whether the other outputs say the same."""
    run = load_run(folder)
    summary = summarise(run)
    tables = tables_of([summary])
    write_report(folder / "report", tables, [summary], [run])
    head, row = csv.reader((folder / "report" / "results.csv").read_text().splitlines())
    written = (folder / "report" / "report.md").read_text()
    shown = tables[0].plain()
    for name in ("failed calls", "re-asks", "surplus calls", "memory"):
        assert f"| {name} |" in written
        assert name in shown
    return [head, row]


# -- infrastructure ----------------------------------------------------------------------------------------------------


def test_an_endpoint_that_stays_broken_is_no_failure_of_the_team_and_can_be_made_good(tmp_path: Path) -> None:
    plan = planner_calls(THREE)
    good = player(plan)
    broken = True

    def respond(received: Received, number: int) -> Answer:
        title, _, round_ = key_of(received.body)
        if broken and title == "Magic Staff" and round_ > 2:
            return failure(500, "down")
        return good(received, number)

    with Loopback(respond=respond) as server:
        state = play(server.model, tmp_path, THREE, Limits(retries=1, attempts=2))
        assert (state.done, len(state.failures)) == (2, 1)
        run = load_run(tmp_path)
        summary = summarise(run)
        assert summary.sr is not None
        assert (summary.episodes, summary.unfinished, summary.sr.mean) == (2, 1, 1.0)
        (left,) = run.unfinished
        assert left.task == "t01_magic_staff"
        assert left.turns == 6  # two rounds of three
        assert "HTTP 500: down" in left.reason
        broken = False
        before = len(server.received)
        state = play(server.model, tmp_path, THREE)
        again = [key_of(request.body) for request in server.received[before:]]
        assert state.complete_before == 2
    assert (state.done, state.failures) == (3, [])
    assert all(title == "Magic Staff" and round_ > 2 for title, _, round_ in again)
    assert load_run(tmp_path).unfinished == ()
    assert len(failures_in(tmp_path)) == 1


@pytest.mark.parametrize("status", [401, 402, 404])
def test_what_no_other_call_could_overcome_stops_the_run_at_once(tmp_path: Path, status: int) -> None:
    with Loopback(failure(status, "no")) as server:
        state = play(server.model, tmp_path, THREE, Limits(concurrency=1))
        assert len(server.received) == 1
    assert f"HTTP {status}" in state.stopped
    assert (state.done, state.failures) == (0, [])


def test_an_exhausted_account_is_not_asked_again_though_it_looks_like_too_many_requests(
    tmp_path: Path,
) -> None:
    answer = failure(429, "no credit left")
    answer.body["error"]["code"] = "insufficient_quota"
    with Loopback(answer) as server:
        state = play(server.model, tmp_path, THREE, Limits(concurrency=1))
        assert len(server.received) == 1
    assert "no credit left" in state.stopped


def test_a_server_that_hangs_meets_the_deadlines(tmp_path: Path) -> None:
    with Loopback(Answer({}, hang=True), NAP) as server:
        state = play(server.model, tmp_path / "a", THREE[:1], Limits(call_seconds=0.3, retries=1))
        assert state.done == 1  # one reply timed out and was asked for again
    with Loopback(Answer({}, hang=True)) as server:
        state = play(server.model, tmp_path / "b", THREE[:1], Limits(turn_seconds=0.3, attempts=1))
    assert [failed.reason for failed in state.failures] == ["no answer within 0.3 s for a turn"]
    with Loopback(NAP) as server:
        slow = Limits(episode_seconds=0.3)
        server.script = [Answer(NAP.body, delay=0.1)]
        state = play(server.model, tmp_path / "c", THREE[:1], slow)
    assert [failed.reason for failed in state.failures] == ["not over within 0.3 s"]


def test_calls_in_flight_stay_within_the_limit(tmp_path: Path) -> None:
    with Loopback(Answer(NAP.body, delay=0.02)) as server:
        state = play(server.model, tmp_path, THREE, Limits(concurrency=2), trials=2)
        assert server.most_at_once == 2
    assert state.done == 6


# -- budgets -----------------------------------------------------------------------------------------------------------


def test_a_token_limit_stops_cleanly_and_counts_what_earlier_runs_used(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        one = Limits(concurrency=1)
        state = play(server.model, tmp_path, THREE, one, Ledger(Prices(), [], max_tokens=1000))
        assert len(server.received) == 8  # 8 x 127 is the first sum of at least 1,000
        assert "the limit is 1000" in state.stopped
        assert state.failures == []
        state = play(server.model, tmp_path, THREE, one, Ledger(Prices(), [], max_tokens=1000))
        assert len(server.received) == 8
        state = play(server.model, tmp_path, THREE, one, Ledger(Prices(), []))
        assert (state.done, state.stopped) == (3, "")
        total = len(server.received)
    assert load_run(tmp_path).spent.tokens == 127 * total


def test_a_cost_limit_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError, match="--max-cost needs a price for openai:gpt-99"):
        Ledger(Prices(), ["openai:gpt-99"], max_cost=1.0)


def test_a_cost_limit_stops_at_the_users_prices(tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    # 56 fresh tokens at 1,000, 64 cached at 100, 7 written at 10,000 dollars a million: 0.056 + 0.0064 + 0.07.
    prices.write_text(
        "model,input,cached_input,output,as_of,source\nlocal:tester,1000,100,10000,2025-01,test\n"
    )
    with Loopback(NAP) as server:
        ledger = Ledger(Prices(prices), ["local:tester"], max_cost=0.2)
        play(server.model, tmp_path / "run", THREE, Limits(concurrency=1), ledger)
        assert len(server.received) == 2
    assert ledger.spent.cost == pytest.approx(2 * 0.1324)


# -- folders -----------------------------------------------------------------------------------------------------------


def test_a_changed_configuration_is_refused_and_shown(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        play(server.model, tmp_path, THREE[:1])
        with pytest.raises(AgentWorldError, match=r'setting: begun with "default", now "no_docs"'):
            play(server.model, tmp_path, THREE[:1], setting="no_docs")
        with pytest.raises(AgentWorldError, match="trials: begun with 1, now 2"):
            play(server.model, tmp_path, THREE[:1], trials=2)
        with pytest.raises(AgentWorldError, match="tasks: begun with"):
            play(server.model, tmp_path, THREE[:2])
    with pytest.raises(AgentWorldError, match=r"cast\.members"):
        play("planner", tmp_path, THREE[:1])


def test_two_processes_do_not_collide_on_one_folder(tmp_path: Path) -> None:
    code = (
        "import sys; from agentworld_env.evaluate.folder import RunFolder\n"
        "with RunFolder(sys.argv[1]):\n    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(AgentWorldError, match="another process works on"):
            RunFolder(tmp_path)
        other.kill()
    with RunFolder(tmp_path):
        pass  # the lock dies with its holder


def test_a_foreign_record_in_the_folder_is_one_clear_line(tmp_path: Path) -> None:
    name = "t01_magic_staff-idle-seed0.jsonl"
    with RunFolder(tmp_path) as folder:
        manifest = manifest_for("idle", THREE)
        folder.begin(manifest)
        (tmp_path / name).write_text("no record\n")
        with pytest.raises(AgentWorldError, match=name):
            play_run(manifest, folder, FAST, Ledger(Prices(), []))


def test_several_processes_write_the_same_records_as_one(tmp_path: Path) -> None:
    plan = planner_calls(THREE)
    with Loopback(respond=player(plan)) as server:
        one = play(server.model, tmp_path / "one", THREE, trials=2)
        two = play(server.model, tmp_path / "two", THREE, Limits(processes=2), trials=2)
    assert records(tmp_path / "one") == records(tmp_path / "two")
    assert (one.done, one.won, one.spent.tokens) == (two.done, two.won, two.spent.tokens)


def test_a_limit_stops_all_processes(tmp_path: Path) -> None:
    with Loopback(Answer(NAP.body, delay=0.05)) as server:
        ledger = Ledger(Prices(), [], max_tokens=1000)
        state = play(server.model, tmp_path, THREE, Limits(processes=2), ledger, trials=4)
        assert (
            8 <= len(server.received) < 30
        )  # calls on their way when the limit was reached are still counted
    assert "the limit is 1000" in state.stopped
    assert state.done < 12


def test_a_run_names_the_suites_of_its_tasks() -> None:
    assert manifest_for("idle", ["p01_corn_and_shrimp"]).suite == "agentworld-env-practice-0.1"
    both = manifest_for("idle", ["t01_magic_staff", "p01_corn_and_shrimp", "p02_hot_meal"])
    assert both.suite == "agentworld-env-main-0.1, agentworld-env-practice-0.1"


# -- teams -------------------------------------------------------------------------------------------------------------


def test_each_member_of_a_mixed_team_plays_the_agents_of_its_pattern_only(tmp_path: Path) -> None:
    with Loopback(NAP) as left, Loopback(calls(("chat", {"message": "hi"}))) as right:
        members = read_members(None, [f"w*={left.model}", f"*={right.model.replace('tester', 'other')}"])
        cast = Cast(members=members)
        playing = Company(cast).policy()
        manifest = make_manifest(
            THREE[:1],
            cast,
            {"name": playing.name, "settings": playing.config()},
            trials=1,
            seed=0,
            setting="short_horizon",
        )
        with RunFolder(tmp_path) as folder:
            folder.begin(manifest)
            play_run(manifest, folder, FAST, Ledger(Prices(), []))
        agents = [{key_of(request.body)[1] for request in server.received} for server in (left, right)]
    assert agents == [{"woodworker", "wizard"}, {"lumberjack"}]
    run = load_run(tmp_path)
    assert set(run.finished[0].by_agent) == {"woodworker", "wizard", "lumberjack"}


def test_an_agent_that_nobody_plays_is_a_mistake_of_the_user() -> None:
    with pytest.raises(AgentWorldError, match="nobody plays 'lumberjack'"):
        play_once(Cast(members=(("w*", "idle"),)))


def play_once(cast: Cast) -> None:
    from agentworld_env import run_episode

    run_episode(THREE[0], Company(cast).policy(), seed=0)


@pytest.mark.parametrize(("policy", "team"), [(None, []), ("idle", ["a=idle"]), (None, ["miner"])])
def test_who_plays_must_be_said_once(policy: str | None, team: list[str]) -> None:
    with pytest.raises(AgentWorldError):
        read_members(policy, team)
