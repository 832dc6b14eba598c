"""Measured figures get into the docs by the commands that measure them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from benchmarks import bench_cce, cce_laws
from benchmarks.bench_cce import blame
from benchmarks.cce_laws import table
from benchmarks.cce_page import PAGE, put

from agentworld_env import list_tasks

MARKS = ("laws events", "laws events+chat", "laws events random", "teams", "teams seed 1", "necessity")


def test_the_page_has_a_place_for_every_measurement(tmp_path: Path) -> None:
    page = tmp_path / "cce.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    for name in MARKS:
        put(name, f"new {name}", page)
    text = page.read_text(encoding="utf-8")
    assert all(
        f"<!-- measured: {name} -->\n\nnew {name}\n\n<!-- end of measured -->\n" in text for name in MARKS
    )
    assert text.count("<!-- end of measured -->") == len(MARKS)
    outside = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(("# ", "## "))
    ]
    assert outside == [line for line in text.splitlines() if line.startswith(("# ", "## "))]


@pytest.mark.parametrize(
    "text",
    ["no mark", "<!-- measured: a -->\nno end", "<!-- measured: a -->\n" * 2 + "<!-- end of measured -->\n"],
)
def test_a_page_without_marks_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="measured: a"):
        put("a", "new", page)
    assert page.read_text(encoding="utf-8") == text


def test_a_measurement_without_a_place_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for script, given, name in (
        (bench_cce, "--figures --necessity --seed 7 --write", "teams seed 7"),
        (cce_laws, "--method events+chat --play random --write", "laws events+chat random"),
    ):
        monkeypatch.setattr("sys.argv", ["script", *given.split()])
        monkeypatch.setattr(script, "run_episode", None)
        with pytest.raises(SystemExit, match="2"):
            script.main()
        assert f"expected <!-- measured: {name} --> once, found it 0 times" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "others"),
    [
        ("--tasks t01_magic_staff --seeds 2", "--tasks"),
        ("--insertions 1 --removals 0 --seeds 2", "--insertions, --removals"),
        ("", "--seeds"),
        ("--seed 1 --seeds 2", "--seed"),
        ("--method events+chat --seeds 2", "--seeds"),
        ("--play random --seeds 1", "--seeds"),
    ],
)
def test_no_other_run_than_the_documented_one_replaces_its_table(
    given: str, others: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = PAGE.read_bytes()
    monkeypatch.setattr("sys.argv", ["script", *given.split(), "--write"])
    monkeypatch.setattr(cce_laws, "run_episode", None)
    with pytest.raises(SystemExit, match="2"):
        cce_laws.main()
    assert capsys.readouterr().err.endswith(f"this run differs in {others}\n")
    assert PAGE.read_bytes() == before


@pytest.mark.parametrize(
    ("given", "place", "title"),
    [
        ("--seeds 2", "laws events", "2 tasks, seeds 0 to 1, method events"),
        ("--method events+chat", "laws events+chat", "2 tasks, seed 0, method events+chat"),
        (
            "--play random --seeds 2",
            "laws events random",
            "random play, 2 tasks, seeds 0 to 1, method events",
        ),
    ],
)
def test_each_documented_run_replaces_its_own_table(
    given: str, place: str, title: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Played with a suite of two tasks and without any change, as only the way into the page is looked at."""
    written: dict[str, str] = {}
    monkeypatch.setattr("sys.argv", ["script", *given.split(), "--write"])
    monkeypatch.setattr(cce_laws, "list_tasks", lambda suite: list_tasks(suite)[:2])
    monkeypatch.setattr(cce_laws, "trials", lambda *_: iter(()))
    monkeypatch.setattr(cce_laws, "put", lambda name, text: written.update({name: text}))
    with pytest.raises(SystemExit, match="0"):
        cce_laws.main()
    (text,) = written.values()
    assert (*written, text.splitlines()[0].split(" | ")[0]) == (place, f"| {title}")


@pytest.mark.parametrize("given", ["--write", "--seed 0", "--processes 1", "--seed 1 --write --processes 2"])
def test_the_timings_refuse_what_only_measured_figures_heed(
    given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["script", *given.split()])
    monkeypatch.setattr(bench_cce, "timings", None)
    with pytest.raises(SystemExit, match="2"):
        bench_cce.main()
    named = ", ".join(word for word in given.split() if word.startswith("--"))
    assert f"{named} would change nothing: expected --figures or --necessity" in capsys.readouterr().err


def test_the_table_of_the_laws_counts_every_trial_once() -> None:
    counts: Counter = Counter()  # type: ignore[type-arg]
    counts.update({("insertion", "useless", False): 7, ("insertion", "effect", True): 1})
    counts.update({("insertion", "effect", False): 2, ("insertion", "contributing", True): 4})
    counts.update({("removal", "useless", True): 1, ("removal", "useless", False): 5})
    assert table(counts, "T").splitlines()[2:] == [
        "| insertions: CCE, or `partial`, rose | 0 of 7 | 1 of 3 | 4 of 4 |",
        "| removals: others' contributing calls changed | 1 of 6 | 0 of 0 | - |",
    ]


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ({"a": 0.1, "b": 0.5, "c": 0.2}, "alone"),
        ({"a": 0.1, "b": None, "c": 0.2}, "alone"),
        ({"a": 0.0, "b": 0.0, "c": 0.2}, "told apart"),
        ({"a": 0.0, "b": 0.2, "c": 0.0}, "jointly"),
        ({"a": 0.0, "b": 0.0, "c": 0.0}, ""),
        ({"a": 0.3, "b": 0.2, "c": 0.5}, ""),
        ({"a": None, "b": 0.2, "c": 0.5}, ""),
    ],
)
def test_an_agent_is_blamed_if_its_share_is_the_lowest_of_those_who_did_anything(
    shares: dict[str, float | None], told: str
) -> None:
    """Of those who are as low, b has wasted fewer calls than a, and c as many."""
    assert blame({"pac_active": shares, "wasted": {"a": 5, "b": 1, "c": 5}}, "a") == told
