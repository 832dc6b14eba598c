"""``agentworld-env cce``, called as a user calls it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from tests.cli.cce_calls import SMALL, called, nowhere_in
from tests.metrics.judges import JudgeServer, perfect

from agentworld_env.episodes import read_episode
from agentworld_env.evaluate import policy_by_name, run_episode


@pytest.mark.parametrize("method", ["events", "events+chat", "counterfactual"])
def test_every_method_prints_its_figures_beside_psr(
    method: str, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", records, "--method", method)
    assert (code, err) == (0, "")
    assert out.startswith(f"Method {method}\n")
    assert "PSR" in out.splitlines()[1]
    assert "Mean CCE over successes: 0." in out
    assert "share of chat in failed episodes" in out


def test_json_holds_means_intervals_and_every_episode(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = called(capsys, "cce", records, "--json", "--method", "counterfactual", "--shapley", "10")
    found = json.loads(out)
    assert (found["method"], len(found["episodes"]), len(found["shapley"])) == ("counterfactual", 4, 4)
    assert found["intervals"]["sr"]["mean"] == found["means"]["sr"] == 0.5
    lost = [episode for episode in found["episodes"] if not episode["success"]]
    assert {episode["metrics"]["cce"] for episode in lost} == {0.0}
    notes = found["episodes"][0]["metrics"]["cce_notes"]
    assert set(notes["agents"]) == {"lumberjack", "woodworker", "wizard"}


def test_one_record_shows_shares_and_who_was_necessary(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = called(capsys, "cce", record, "--method", "counterfactual", "--shapley", "10")
    assert "wizard: PAC 0." in out
    assert "success without" in out
    assert "PSR 1.00 shared out over 6 orders of the team (all)" in out


def test_a_judge_shows_questions_tokens_and_cost_and_keeps_its_answers(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with JudgeServer(perfect(read_episode(record))) as server:
        method = f"judge:{server.model}"
        judge = ("cce", record, "--method", method, "--cache", tmp_path, "--prices", "1,2", "--prune")
        code, first, _ = called(capsys, *judge)
        sent = len(server.received)
        _, second, _ = called(capsys, *judge)
        assert len(server.received) == sent
    assert code == 0
    dollars = sent * (120 * 1 + 7 * 2) / 1e6
    assert f"{sent} requests (0 re-asks), {120 * sent} tokens in, {7 * sent} out" in first
    assert f"Cost: ${dollars:.4f}" in first
    assert "Skipped: " in first
    assert f"{sent} of them answered from the cache; 0 requests" in second


@pytest.mark.parametrize("ending", ["json", "graphml", "dot", "svg", "png"])
def test_the_graph_is_written_in_every_form(
    ending: str, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / f"graph.{ending}"
    assert called(capsys, "cce", "graph", record, "--out", out)[0] == 0
    begins = {"json": b"{", "graphml": b"<?xml", "dot": b"digraph", "svg": b"<svg", "png": b"\x89PNG"}
    assert out.read_bytes().startswith(begins[ending])


def test_agreement_of_several_methods_is_shown_for_every_pair(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ("events", "events+chat", "counterfactual")
    options = [part for method in methods for part in ("--between", method)]
    code, out, _ = called(capsys, "cce", "agree", records, *options)
    assert code == 0
    assert out.count("does not") == 2 * 3
    assert "kappa" in out


def test_failures_are_left_out_where_methods_ask_different_questions_of_them(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ("events", "events+chat", "counterfactual")
    options = [part for method in methods for part in ("--between", method)]
    code, out, err = called(capsys, "cce", "agree", records, *options, "--json")
    found = {(each["first"], each["second"]): each for each in json.loads(out)}
    calls = {
        won: sum(len(e.lines) for e in map(read_episode, records.glob("*.jsonl")) if e.verdict.success == won)
        for won in (True, False)
    }
    assert code == 0
    assert found["events", "events+chat"]["actions"] == calls[True] + calls[False]
    for first in ("events", "events+chat"):
        each = found[first, "counterfactual"]
        assert (each["actions"], each["episodes"]) == (calls[True], 2)
    left_out = "Left out with counterfactual, which asks another question: 2 failed episodes."
    assert err.splitlines() == [left_out]
    _, out, err = called(capsys, "cce", "agree", records, *options)
    assert (out.splitlines()[-1], err) == (left_out, "")


def test_failures_alone_cannot_be_compared_with_the_counterfactual_method(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = records / f"{SMALL}-random-seed1.jsonl"
    code, out, err = called(
        capsys, "cce", "agree", lost, "--between", "events", "--between", "counterfactual"
    )
    assert (code, out) == (2, "")
    assert "events and counterfactual: expected a success to compare them on" in err
    assert "got 1 failed episode\n" in err
    assert len(err.splitlines()) == 1


def test_files_of_labels_beside_records_are_left_out_in_a_line(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.jsonl").write_bytes(record.read_bytes())
    for name in ("labels/labels.jsonl", "ann.jsonl"):
        monkeypatch.setattr("sys.stdin", io.StringIO("y\nn\n"))
        called(capsys, "cce", "label", record, "--out", tmp_path / name, "--sample", "2")
    code, out, err = called(capsys, "cce", tmp_path)
    assert (code, err) == (0, "Left out: 2 files of labels.\n")
    assert "Mean CCE over successes: 0." in out
    code, _, err = called(capsys, "score", tmp_path)
    assert (code, err) == (0, "")
    # Whoever names such a file means it.
    code, _, err = called(capsys, "cce", tmp_path / "ann.jsonl")
    assert code == 2
    assert "ann.jsonl, line 1" in err
    (tmp_path / "one.jsonl").unlink()
    code, _, err = called(capsys, "cce", tmp_path)
    assert (code, err) == (2, f"error: {tmp_path} holds no episode records (*.jsonl), only labels\n")


def test_the_same_episode_in_several_files_counts_once_and_a_line_says_so(
    records: Path, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, lost = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "c.jsonl"
    for copy in (a, b):
        copy.write_bytes(record.read_bytes())
    lost.write_bytes((records / f"{SMALL}-random-seed1.jsonl").read_bytes())
    said = f"Left out: {b} holds the same episode as {a}.\n"
    for method in ("events", "events+chat"):
        code, out, err = called(capsys, "cce", tmp_path, "--method", method, "--json")
        found = json.loads(out)
        assert (code, err) == (0, said)
        assert [episode["path"] for episode in found["episodes"]] == [str(a), str(lost)]
        assert (found["means"]["sr"], found["means"]["episodes"]) == (0.5, 2)
    between = ("--between", "events", "--between", "events+chat")
    code, out, err = called(capsys, "cce", "agree", tmp_path, *between, "--json")
    assert (code, err, json.loads(out)[0]["episodes"]) == (0, said, 2)
    code, _, err = called(capsys, "cce", "ranks", tmp_path, *between)
    assert (code, err) == (0, said)
    (tmp_path / "d.jsonl").write_bytes(record.read_bytes())
    assert called(capsys, "cce", tmp_path)[2] == said.replace(".\n", " (and 1 more like it).\n")


def test_other_seeds_and_other_calls_are_other_episodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (1, 2):
        run_episode(SMALL, policy_by_name("idle"), seed=seed, out=tmp_path)
    run_episode(SMALL, policy_by_name("random"), seed=1, out=tmp_path)
    code, out, err = called(capsys, "cce", tmp_path, "--json")
    assert (code, err, len(json.loads(out)["episodes"])) == (0, "", 3)


def test_ranks_compare_policies_across_methods(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--between", "events", "--between", "counterfactual")
    _, out, _ = called(capsys, "cce", "ranks", records, *options)
    head, row = out.splitlines()[1], out.splitlines()[4]
    assert head.split()[:3] == ["method", "planner", "random"]
    assert row.startswith("counterfactual")
    assert "yes" in row


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--method", "event"), "did you mean events"),
        (("--method", "judge:"), "judge:MODEL"),
        (("--method", "judge:openia:x"), "did you mean openai"),
        (("--method", "human:none.jsonl"), "none.jsonl: expected a readable file of labels"),
        (("--prices", "cheap"), "prices are two numbers"),
        (("--prices", "nan,1"), "prices are two numbers from 0 on"),
        (("--prices", "1,-5"), "prices are two numbers from 0 on"),
        (("--prices", "inf,1"), "prices are two numbers from 0 on"),
        (("--shapley", "1"), "--shapley takes 2 orders or more"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], expected: str, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", record, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert expected in err


@pytest.mark.parametrize(
    "option", ["--prune", "--rounds 2", "--window 2", "--cache x", "--no-cache", "--prices 1,2"]
)
@pytest.mark.parametrize("method", ["events", "events+chat", "counterfactual", "human:labels.jsonl"])
def test_what_only_a_judge_heeds_is_refused_with_every_other_method(
    option: str, method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = option.split()[0]
    expected = f"error: {name} would change nothing: only judge:MODEL heeds what is for judges (got "
    nowhere = tmp_path / "none"  # options are looked at before any record is
    for verb, choice in (("figures", ("--method", method)), ("ranks", ("--between", method))):
        code, out, err = called(capsys, "cce", verb, nowhere, *choice, *option.split())
        assert (code, out, err) == (2, "", f"{expected}{method})\n")
    code, out, err = called(
        capsys, "cce", "agree", nowhere, "--between", method, "--between", "events", *option.split()
    )
    assert (code, out, err) == (2, "", f"{expected}{method}, events)\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", ["events", "human:labels.jsonl", "judge:openai:x"])
def test_processes_are_refused_where_nothing_takes_several(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", tmp_path / "none", "--method", method, "--processes", "1")
    expected = "--processes would change nothing: only counterfactual and --shapley take several processes"
    assert (code, out, err) == (2, "", f"error: {expected} (got {method})\n")
    code, out, err = called(
        capsys, "cce", "ranks", tmp_path / "none", "--between", method, "--processes", "2"
    )
    expected = "--processes would change nothing: only counterfactual takes several processes"
    assert (code, out, err) == (2, "", f"error: {expected} (got {method})\n")


def test_an_option_that_one_of_several_methods_heeds_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It goes on to the next mistake, a path without records."""
    nowhere = tmp_path / "none"
    between = ("--between", "events", "--between", "counterfactual", "--between", "judge:openai:x")
    for verb in ("agree", "ranks"):
        code, _, err = called(capsys, "cce", verb, nowhere, *between, "--prune", "--processes", "2")
        assert (code, err) == (2, f"error: {nowhere} does not exist\n")
    code, _, err = called(capsys, "cce", nowhere, "--shapley", "2", "--processes", "2")
    assert (code, err) == (2, f"error: {nowhere} does not exist\n")


def test_all_options_that_nothing_heeds_are_named_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = called(capsys, "cce", tmp_path, "--processes", "2", "--prune", "--rounds", "1")
    assert (code, err) == (
        2,
        "error: --prune, --rounds would change nothing: only judge:MODEL heeds what is for judges; --processes would "
        "change nothing: only counterfactual and --shapley take several processes (got events)\n",
    )


def test_answers_cannot_be_kept_and_not_be_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = ("--method", "judge:openai:x", "--cache", tmp_path, "--no-cache")
    code, _, err = called(capsys, "cce", tmp_path, *judge)
    assert (code, err) == (2, "error: --cache and --no-cache contradict each other; leave out one of them\n")


def test_one_method_alone_cannot_agree(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capsys, "cce", "agree", record, "--between", "events")
    assert code == 2
    assert "at least two methods" in err


def test_a_graph_in_an_unknown_form_is_refused(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = called(capsys, "cce", "graph", record, "--out", tmp_path / "graph.gif")
    assert code == 2
    assert ".json, .graphml, .dot, .svg, .png" in err


def test_a_png_without_pillow_is_refused_before_anything_is_read_or_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    out = tmp_path / "new" / "graph.png"
    code, shown, err = called(capsys, "cce", "graph", tmp_path / "none.jsonl", "--out", out)
    assert (code, shown) == (2, "")
    assert err == (
        "error: a PNG picture needs pillow; install it with: pip install pillow, or pip install '.[draw]' in a "
        "checkout; or write .svg\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("typed", "meant"), [("grap", "graph"), ("agre", "agree"), ("lable", "label")])
def test_a_mistyped_verb_is_told_the_nearest_one(
    typed: str, meant: str, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", typed, record)
    assert (code, out) == (2, "")
    assert err == f"error: {typed} does not exist; did you mean {meant}?\n"


@pytest.mark.parametrize("ending", ["SVG", "Json"])
def test_endings_of_graphs_may_be_written_in_capitals(
    ending: str, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"graph.{ending}"
    assert called(capsys, "cce", "graph", record, "--out", out)[0] == 0
    assert out.stat().st_size > 0


@pytest.mark.parametrize("what", ["graph", "answers"])
def test_a_judge_is_not_asked_if_what_it_is_asked_for_cannot_be_kept(
    what: str,
    record: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    nowhere = nowhere_in(tmp_path)
    with JudgeServer(perfect(read_episode(record))) as server:
        method = ("--method", f"judge:{server.model}")
        if what == "graph":
            code, shown, err = called(capsys, "cce", "graph", record, "--out", nowhere / "graph.svg", *method)
        else:
            code, shown, err = called(capsys, "cce", record, "--cache", nowhere, *method)
        assert server.received == []
    assert (code, shown, err.count("\n")) == (2, "", 1)
    assert str(nowhere) in err


def test_agreement_leaves_out_what_a_judge_was_not_asked_and_says_what_it_took(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count = len(read_episode(record).lines)
    with JudgeServer(perfect(read_episode(record))) as server:
        judge = f"judge:{server.model}"
        options = ("--cache", tmp_path, "--prices", "1,2", "--prune", "--json")
        code, out, err = called(
            capsys, "cce", "agree", record, "--between", "events", "--between", judge, *options
        )
        ranked = called(capsys, "cce", "ranks", record, "--between", "events", "--between", judge, *options)
    assert code == ranked[0] == 0
    skipped = next(line for line in err.splitlines() if line.startswith("Skipped: "))
    pruned = int(skipped.split()[1])
    assert pruned > 0
    (agreed,) = json.loads(out)
    assert (agreed["actions"], agreed["raw"]) == (count - pruned, 1.0)
    assert "Cost: $0.0" in err
    assert skipped in ranked[2]
    assert f"Judge {judge}: " in ranked[2]


def test_methods_that_share_no_action_are_named(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.jsonl"
    out.write_bytes(b"")
    code, _, err = called(capsys, "cce", "agree", records, "--between", "events", "--between", f"human:{out}")
    assert code == 2
    assert f"events and human:{out}: there is no action that both methods decided about" in err


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two settings of one team, and a policy that has played another task."""
    out = tmp_path_factory.mktemp("mixed")
    for setting in ("default", "no_communication"):
        run_episode(SMALL, policy_by_name("planner"), seed=1, setting=setting, out=out)
    run_episode("t02_arrow_production", policy_by_name("planner"), seed=1, out=out)
    run_episode("t02_arrow_production", policy_by_name("idle"), seed=1, out=out)
    return out


def test_settings_are_told_apart_where_there_are_several(
    mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = called(capsys, "cce", mixed)
    head = out.splitlines()[1]
    assert head.split()[:4] == ["task", "policy", "setting", "seed"]
    assert "no_communication" in out
    assert "These means pool 2 policies and 2 settings" in out


def test_ranks_compare_on_common_tasks_only(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranks = ("--between", "events", "--between", "counterfactual")
    default = [path for path in sorted(mixed.glob("*.jsonl")) if "no_comm" not in path.name]
    assert len(default) == 3
    code, out, _ = called(capsys, "cce", "ranks", *default, *ranks)
    assert code == 0
    assert "Mean over 1 of 2 tasks: those that every team has played." in out
    alone = json.loads(called(capsys, "cce", mixed / "t02_arrow_production-planner-seed1.jsonl", "--json")[1])
    found = json.loads(called(capsys, "cce", "ranks", *default, *ranks, "--json")[1])
    assert found[0]["means"] == {"planner": alone["means"]["cce"], "idle": 0.0}


def test_ranks_of_teams_without_a_common_task_are_refused(
    mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", "ranks", mixed, "--between", "events")
    assert (code, out) == (2, "")
    assert "no task that every one of idle (default), planner (default), planner (no_communication)" in err
