"""The verbs evaluate, report, compare and doctor as a user types them."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

import pytest
from tests.policies.loopback import Loopback, calls, failure, text

from agentworld_env.cli.main import run_command
from agentworld_env.cli.run_progress import progress_line
from agentworld_env.evaluate.ledger import Spent
from agentworld_env.evaluate.runner import RunState

TWO = "t01_magic_staff,t02_arrow_production"
NAP = calls(("sleep", {"rounds": 5}))

Out = pytest.CaptureFixture[str]


def test_one_command_plays_and_prints_the_table(tmp_path: Path, capsys: Out) -> None:
    out = str(tmp_path / "run")
    assert (
        run_command(["evaluate", "--policy", "planner", "--tasks", TWO, "--trials", "2", "--out", out]) == 0
    )
    shown = capsys.readouterr()
    assert "Results on agentworld-env-main" in shown.out
    assert "pass^2 %" in shown.out
    assert "4/4 episodes, 4 won" in shown.err
    assert run_command(["score", out]) == 0
    assert run_command(["cce", out]) == 0
    capsys.readouterr()
    assert run_command(["report", out, "--json", "--verify"]) == 0
    found = json.loads(capsys.readouterr().out)["runs"][0]["summary"]
    assert (found["episodes"], found["verified"]) == (4, True)


def test_a_new_run_does_not_overwrite_and_a_resumed_one_must_be_the_same(tmp_path: Path, capsys: Out) -> None:
    out = str(tmp_path)
    start = ["evaluate", "--policy", "idle", "--tasks", TWO, "--setting", "short_horizon", "-q"]
    assert run_command([*start, "--out", out]) == 0
    assert run_command([*start, "--out", out]) == 2
    assert f"continue it with --resume {out}" in capsys.readouterr().err
    assert run_command(["evaluate", "--resume", out, "-q"]) == 0
    assert run_command(["evaluate", "--resume", out, "--policy", "random", "-q"]) == 2
    assert 'policy.name: begun with "idle", now "random"' in capsys.readouterr().err
    assert run_command(["evaluate", "--resume", out, "--trials", "3", "-q"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "idle", "--tasks", TWO], "--out for a new one"),
        (["--tasks", TWO, "--out", "x"], "say who plays"),
        (["--policy", "idle", "--out", "x"], "which tasks"),
        (["--policy", "idle", "--tasks", "t01_magic_stuff", "--out", "x"], "did you mean t01_magic_staff"),
        (["--policy", "idle", "--tasks", f"{TWO},t01_magic_staff", "--out", "x"], "named twice"),
        (["--policy", "idle", "--tasks", TWO, "--setting", "no_dox", "--out", "x"], "did you mean no_docs"),
        (["--resume", "nowhere"], "holds no run"),
        (
            ["--policy", "idle", "--tasks", TWO, "--executor", "rey", "--out", "x"],
            "unknown executor 'rey'; did you mean ray?",
        ),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["evaluate", *arguments]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_a_budget_stopped_says_so_and_how_to_go_on(tmp_path: Path, capsys: Out) -> None:
    out = str(tmp_path)
    with Loopback(NAP) as server:
        start = ["evaluate", "--model", server.model, "--tasks", TWO, "--max-tokens", "300", "--out", out]
        assert run_command([*start, "--concurrency", "1"]) == 1
        shown = capsys.readouterr()
        assert "the limit is 300; in the end 3 calls used 381 tokens for 0.0000 dollars" in shown.err
        assert f"--resume {out}" in shown.err
        assert run_command(["evaluate", "--resume", out, "--memory", "3", "-q"]) == 2
        assert "memory: begun with 8, now 3" in capsys.readouterr().err
        assert run_command(["evaluate", "--resume", out, "-q", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["summary"]["episodes"] == 2


def test_an_unknown_price_is_said_at_the_start(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setattr("agentworld_env.evaluate.executors.jobs_of", lambda manifest: [])
    arguments = ["evaluate", "--model", "openai:gpt-99", "--tasks", TWO, "--out", str(tmp_path), "-q"]
    assert run_command(arguments) == 1
    assert capsys.readouterr().err.startswith("the price of openai:gpt-99 is unknown")


def test_a_price_is_said_at_the_start_with_its_date_and_source(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setattr("agentworld_env.evaluate.executors.jobs_of", lambda manifest: [])
    arguments = ["evaluate", "--model", "openai:gpt-5-mini", "--tasks", TWO, "--out", str(tmp_path), "-q"]
    assert run_command(arguments) == 1
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(
        "openai:gpt-5-mini: 0.25 dollars per million tokens in, 0.025 cached, 2 out, as of 20"
    )
    assert "developers.openai.com" in first


def test_a_mixed_team_can_be_typed(tmp_path: Path) -> None:
    arguments = ["--team", "w*=planner", "--team", "*=idle", "--tasks", "t01_magic_staff", "-q"]
    assert run_command(["evaluate", *arguments, "--out", str(tmp_path)]) == 0


def test_two_runs_can_be_compared(tmp_path: Path, capsys: Out) -> None:
    for policy in ("idle", "planner"):
        run_command(["evaluate", "--policy", policy, "--tasks", TWO, "--out", str(tmp_path / policy), "-q"])
    capsys.readouterr()
    assert run_command(["compare", str(tmp_path / "idle"), str(tmp_path / "planner")]) == 0
    assert "Against idle, paired by task" in capsys.readouterr().out
    assert run_command(["compare", str(tmp_path / "idle"), str(tmp_path / "planner"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["against"][0]["figures"]["sr"]
    assert (found["difference"], found["tasks"]) == (1.0, 2)
    assert run_command(["compare", str(tmp_path / "idle")]) == 2


def test_a_comparison_says_which_tasks_it_leaves_out(tmp_path: Path, capsys: Out) -> None:
    for name, tasks in (("one", "t01_magic_staff"), ("two", TWO)):
        run_command(["evaluate", "--policy", "idle", "--tasks", tasks, "--out", str(tmp_path / name), "-q"])
    capsys.readouterr()
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert run_command(["compare", one, two]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("Left out because one and two do not both have a finished episode: 1 task (")
    assert said.endswith("(t02_arrow_production)")
    assert run_command(["compare", one, two, two, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["against"]
    assert [each["left_out"] for each in found] == [["t02_arrow_production"]] * 2
    assert run_command(["compare", one, one]) == 0
    assert "Left out" not in capsys.readouterr().out


def test_doctor_says_whether_a_key_is_sent_to_an_endpoint_that_may_need_none(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback(calls(("sleep", {"rounds": 2}))) as server:
        monkeypatch.setenv("AGENTWORLD_LOCAL_API_KEY", "sk-very-secret")
        assert run_command(["doctor", "--model", server.model]) == 0
        shown = capsys.readouterr().out
        assert "sent (AGENTWORLD_LOCAL_API_KEY)" in shown
        assert "none needed" not in shown
        assert "sk-very-secret" not in shown


def test_doctor_ends_with_2_where_nobody_answers(capsys: Out) -> None:
    with Loopback(NAP) as server:
        model = server.model
    assert run_command(["doctor", "--model", model]) == 2  # the server is gone
    shown = capsys.readouterr()
    assert "cannot be reached" in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)


def test_a_changed_copy_of_a_task_is_not_reported_as_the_suites_and_not_compared_with_it(
    tmp_path: Path, capsys: Out
) -> None:
    text = (resources.files("agentworld_env.tasks") / "main" / "t01_magic_staff.yaml").read_text("utf-8")
    copy = tmp_path / "copy.yaml"
    copy.write_text(re.sub(r"(?m)^max_rounds: \d+", "max_rounds: 3", text))
    for name, task in (("own", str(copy)), ("shipped", "t01_magic_staff")):
        arguments = ["--policy", "idle", "--tasks", task, "--out", str(tmp_path / name), "-q"]
        assert run_command(["evaluate", *arguments]) == 0
    assert "Results on user\n" in capsys.readouterr().out
    assert run_command(["compare", str(tmp_path / "own"), str(tmp_path / "shipped")]) == 2
    assert "runs on different suites cannot be compared" in capsys.readouterr().err


def test_runs_under_different_rules_are_not_compared(tmp_path: Path, capsys: Out) -> None:
    for name in ("a", "b"):
        arguments = ["--policy", "idle", "--tasks", TWO, "--setting", "short_horizon", "-q"]
        run_command(["evaluate", *arguments, "--out", str(tmp_path / name)])
    manifest = tmp_path / "b" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"rules": 1', '"rules": 2'))
    for record in (tmp_path / "b").glob("*.jsonl"):
        record.write_text(record.read_text().replace('"rules":1', '"rules":2', 1))
    assert run_command(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert "different rules cannot be compared: versions 1 and 2" in capsys.readouterr().err


def test_doctor_says_what_works_with_one_call(capsys: Out) -> None:
    with Loopback(calls(("sleep", {"rounds": 2}))) as server:
        assert run_command(["doctor", "--model", server.model]) == 0
        assert len(server.received) == 1
    shown = capsys.readouterr().out
    for part in ("answers with tool calls", "all accepted", "120 + 7 tokens", "none needed"):
        assert part in shown


def test_doctor_tells_json_answers_rejected_parameters_and_useless_replies(capsys: Out) -> None:
    rejecting = failure(400, "this model does not support tools")
    with Loopback(rejecting, text('{"tool": "sleep", "arguments": {"rounds": 2}}')) as server:
        assert run_command(["doctor", "--model", server.model]) == 0
    shown = capsys.readouterr().out
    assert "answers in JSON instead of tool calls" in shown
    assert "rejected and left out: tools" in shown
    with Loopback(text("I would rather not")) as server:
        assert run_command(["doctor", "--model", server.model]) == 1
    assert "no usable call" in capsys.readouterr().out


def test_doctor_names_what_is_wrong_with_the_endpoint(capsys: Out) -> None:
    with Loopback(failure(401, "no")) as server:
        assert run_command(["doctor", "--model", server.model]) == 2
    assert "HTTP 401" in capsys.readouterr().err


def test_progress_tells_calls_retries_cost_and_time_left() -> None:
    spent = Spent(calls=3, prompt=100, completion=10, cost=0.5)
    state = RunState(10, spent)
    state.done = 7
    state.complete_before = 2  # by an earlier process, in no time
    state.won = 2
    state.in_flight = 4
    state.retrying = {"HTTP 429": 2}
    state.begun -= 100
    line = progress_line(state)
    for part in (
        "7/10 episodes, 2 won",
        "4 calls in flight",
        "retrying 2 after HTTP 429",
        "3 calls, 110 tokens, 0.5000 dollars",
        "about 60 s left",
    ):
        assert part in line


def test_a_second_policy_is_refused_rather_than_dropped(tmp_path: Path, capsys: Out) -> None:
    out = tmp_path / "run"
    arguments = ["--policy", "planner", "--model", "random", "--tasks", TWO, "--out", str(out)]
    assert run_command(["evaluate", *arguments]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "a run has one --policy, not 2 (planner, random)" in shown.err
    assert not out.exists()


def test_a_policy_whose_name_cannot_be_shown_is_refused_before_a_run_is_begun(
    tmp_path: Path, capsys: Out
) -> None:
    out = tmp_path / "run"
    model = "local:http://127.0.0.1:9/v1#m\x1b[31m"
    assert run_command(["evaluate", "--model", model, "--tasks", TWO, "--out", str(out)]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.rstrip("\n").isprintable()
    assert not out.exists()
