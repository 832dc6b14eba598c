"""``agentworld-env cce``, called as a user calls it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tests.metrics.judges import JudgeServer, perfect

from agentworld_env.cli.main import main
from agentworld_env.episodes import Episode, read_episode
from agentworld_env.evaluate import policy_by_name, run_episode
from agentworld_env.metrics import events_finding

SMALL = "t01_magic_staff"


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("records")
    for policy in ("planner", "random"):
        for task in (SMALL, "t02_arrow_production"):
            run_episode(task, policy_by_name(policy), seed=1, out=out)
    return out


@pytest.fixture(scope="module")
def record(records: Path) -> Path:
    return records / f"{SMALL}-planner-seed1.jsonl"


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


def _label(
    record: Path, out: Path, typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    code, shown, _ = called(capsys, "cce", "label", record, "--out", out, "--labeller", "ann")
    assert code == 0
    return shown


def test_a_person_labels_in_several_sittings_and_is_compared(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    episode: Episode = read_episode(record)
    contributing = set(events_finding(episode).trace.contributing)
    count = len(episode.lines)
    order = list(reversed(range(count)))
    words = ["y" if number in contributing else "n" for number in order]
    out = tmp_path / "labels.jsonl"
    # First sitting: five labels, one taken back and given again, one slip of the finger, then the input ends.
    ended = _label(record, out, "\n".join([*words[:5], "b", words[4], "x", ""]), monkeypatch, capsys)
    assert "The input ended." in ended
    assert f"5 of {count} actions are labelled by ann in {out}." in ended
    assert "goes on with the rest" in ended
    shown = _label(record, out, "\n".join([*words[5:], ""]), monkeypatch, capsys)
    assert f"{count - 5} of {count} actions to label" in shown
    assert f"{count} of {count} actions are labelled by ann in {out}." in shown
    assert "The input ended." not in shown
    assert "contribut" not in shown.split("What happened")[1].split("Did an action")[0]
    _, found, _ = called(
        capsys, "cce", "agree", record, "--between", "events", "--between", f"human:{out}", "--json"
    )
    (agreed,) = json.loads(found)
    assert (agreed["second"], agreed["actions"], agreed["raw"], agreed["kappa"]) == (
        "human:ann",
        count,
        1.0,
        1.0,
    )


def test_an_empty_input_labels_nothing_and_says_so(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.jsonl"
    shown = _label(record, out, "", monkeypatch, capsys)
    count = len(read_episode(record).lines)
    assert f"The input ended.\n\n0 of {count} actions are labelled by ann.\n" in shown
    assert not out.exists()


def test_a_sample_asks_for_so_many_actions(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 9))
    out = tmp_path / "labels.jsonl"
    called(capsys, "cce", "label", record, "--out", out, "--sample", "4")
    assert len(out.read_text().splitlines()) == 4


def test_agreement_of_several_methods_is_shown_for_every_pair(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ("events", "events+chat", "counterfactual")
    options = [part for method in methods for part in ("--between", method)]
    code, out, _ = called(capsys, "cce", "agree", records, *options)
    assert code == 0
    assert out.count("does not") == 2 * 3
    assert "kappa" in out


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
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], expected: str, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, "cce", record, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert expected in err


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
