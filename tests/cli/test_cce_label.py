"""``agentworld-env cce label``, and what is made of labels."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tests.cli.cce_calls import called, nowhere_in

from agentworld_env.episodes import Episode, read_episode
from agentworld_env.metrics import events_finding


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


def test_a_seed_without_a_drawing_is_refused(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.jsonl"
    code, shown, err = called(capsys, "cce", "label", record, "--out", out, "--seed", "3")
    assert (code, shown) == (2, "")
    assert err == "error: --seed would change nothing: only with --sample is anything drawn\n"


def test_whole_words_are_read_as_answers(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.jsonl"
    shown = _label(record, out, "yes\nno\nskip\nback\nstay\nnope\nstop\ny\n", monkeypatch, capsys)
    assert [json.loads(line)["contributes"] for line in out.read_text().splitlines()] == [True, False]
    assert shown.count("s skip") == 3  # once at the start, and for each word that is no answer
    assert "The input ended." not in shown


@pytest.mark.parametrize("name", ["", "  ", "a\x1bb"])
def test_a_labeller_has_a_name(
    name: str, record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = called(
        capsys, "cce", "label", record, "--labeller", name, "--out", tmp_path / "labels.jsonl"
    )
    assert code == 2
    assert "--labeller takes a name" in err


def test_labels_never_overwrite_a_file_of_something_else(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("precious")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    code, shown, err = called(capsys, "cce", "label", record, "--out", out)
    assert (code, shown, err.count("\n")) == (2, "", 1)
    assert "notes.txt, line 1: expected a label" in err
    assert out.read_text() == "precious"


def test_labels_that_cannot_be_written_are_refused_before_the_first_question(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    out = nowhere_in(tmp_path) / "labels.jsonl"
    code, shown, err = called(capsys, "cce", "label", record, "--out", out)
    assert (code, shown, err) == (2, "", f"error: cannot write {out}: Not a directory\n")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc lets nobody make a file")
def test_a_place_whose_permissions_promise_too_much_is_refused_before_the_first_question(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    code, shown, err = called(capsys, "cce", "label", record, "--out", "/proc/new/labels.jsonl")
    assert (code, shown, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: cannot write /proc/new/labels.jsonl: ")


def test_looking_whether_labels_can_be_written_leaves_nothing_behind(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held = tmp_path / "held.jsonl"
    held.write_bytes(b"")
    for out in (tmp_path / "new" / "deep" / "labels.jsonl", tmp_path / "labels.jsonl", held):
        assert "0 of " in _label(record, out, "q\n", monkeypatch, capsys)
    assert list(tmp_path.iterdir()) == [held]
    assert held.read_bytes() == b""


def test_ctrl_c_while_labelling_says_how_many_are_labelled(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Typing(io.StringIO):
        def readline(self, *_: object) -> str:
            typed = super().readline()
            if not typed:
                raise KeyboardInterrupt
            return typed

    monkeypatch.setattr("sys.stdin", Typing("y\nn\n"))
    out = tmp_path / "labels.jsonl"
    code, shown, err = called(
        capsys, "cce", "label", record, "--out", out, "--labeller", "ann", "--sample", "5"
    )
    assert (code, err) == (130, "")
    assert shown.endswith(
        f"\n2 of 5 actions are labelled by ann in {out}.\nThe same command goes on with the rest.\n"
    )
    assert len(out.read_text().splitlines()) == 2


def test_no_figure_is_made_of_labels_of_some_actions_only(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.jsonl"
    _label(record, out, "y\nn\n", monkeypatch, capsys)
    count = len(read_episode(record).lines)
    expected = f"2 of the {count} actions of {record} are labelled"
    human = f"human:{out}"
    for arguments in (
        ("cce", record, "--method", human),
        ("cce", "ranks", record, "--between", "events", "--between", human),
        ("cce", "graph", record, "--method", human, "--out", tmp_path / "graph.svg"),
    ):
        code, shown, err = called(capsys, *arguments)
        assert (code, shown) == (2, "")
        assert expected in err
    assert not (tmp_path / "graph.svg").exists()
    _, found, _ = called(capsys, "cce", "agree", record, "--between", "events", "--between", human, "--json")
    assert json.loads(found)[0]["actions"] == 2
