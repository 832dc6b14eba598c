"""Difficulty: every figure makes a task harder, the main tasks spread, and the picture can be drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages.difficulty import (
    LEVELS,
    Figures,
    figures_of,
    from_csv,
    level,
    main,
    parts,
    read_certificates,
    score,
    to_csv,
)
from tests.optional import optional

from agentworld_env.certify import certify_task
from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task, list_tasks

DOCS = Path(__file__).parents[2] / "docs"

FIGURES = st.builds(
    Figures,
    task=st.from_regex(r"t[0-9]{2}_[a-z]{1,9}", fullmatch=True),
    content_hash=st.just("0" * 32),
    rounds=st.integers(1, 500).map(lambda rounds: rounds / 2),
    bound=st.integers(1, 500),
    use=st.integers(0, 1000).map(lambda share: share / 1000),
    groups=st.integers(1, 20),
    agents=st.integers(0, 20),
    smallest=st.integers(1, 20),
    handovers=st.integers(0, 99),
    joint=st.integers(0, 20),
    tiles=st.integers(0, 50_000),
)


@given(FIGURES)
def test_every_part_lies_between_0_and_1_and_the_score_between_0_and_100(figures: Figures) -> None:
    assert all(0 <= part <= 1 for part in parts(figures))
    assert 0 <= score(figures) <= 100


@given(FIGURES, st.sampled_from(["use", "groups", "handovers", "joint", "tiles"]), st.integers(1, 9))
def test_more_of_any_figure_never_makes_a_task_easier(figures: Figures, name: str, more: int) -> None:
    harder = msgspec.structs.replace(figures, **{name: getattr(figures, name) + more})
    assert all(after >= before for before, after in zip(parts(figures), parts(harder), strict=True))


@given(st.lists(FIGURES, unique_by=lambda figures: figures.task, max_size=5))
def test_the_table_gives_back_what_was_written(rows: list[Figures]) -> None:
    assert list(from_csv(to_csv(rows)).values()) == rows


def test_the_scale_is_the_documented_one() -> None:
    full = Figures(
        task="t",
        content_hash="",
        rounds=1,
        bound=1,
        use=0.75,
        groups=8,
        agents=0,
        smallest=1,
        handovers=30,
        joint=1,
        tiles=10_000,
    )
    none = msgspec.structs.replace(full, use=0.0, groups=1, handovers=0, joint=0, tiles=10)
    assert (score(full), score(none)) == (100, 0)


def test_a_level_begins_at_its_lowest_score() -> None:
    for name, least in LEVELS:
        assert level(least) == name
        assert least == 0 or level(least - 1) != name


def test_the_measured_tasks_spread_over_all_levels() -> None:
    measured = from_csv((DOCS / "difficulty.csv").read_text(encoding="utf-8"))
    count = Counter(level(score(figures)) for figures in measured.values())
    assert all(5 * count[name] >= len(measured) for name, _ in LEVELS), count


def test_figures_come_from_full_certificates_only(tmp_path: Path) -> None:
    task = get_task("t01_magic_staff")
    quick = certify_task(task, (0,), quick=True)
    with pytest.raises(AgentWorldError, match="full certificate"):
        figures_of(quick)
    whole = certify_task(task, (0,))
    (tmp_path / "a.json").write_bytes(msgspec.json.encode(whole))
    (figures,) = read_certificates(tmp_path)
    assert figures.content_hash == task.content_hash
    # Three groups with one agent each, none of which can be missed; four hand-overs are on its list of checkpoints
    # at the least twice.
    assert (figures.groups, figures.agents, figures.smallest) == (3, 3, 3)
    assert figures.handovers >= 2
    assert figures.bound <= figures.rounds == figures.use * task.spec.max_rounds


@pytest.mark.parametrize("content", [None, b"{}", b"not json"])
def test_a_directory_without_good_certificates_is_refused(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(AgentWorldError, match=r"expected (a certificate|certificates)"):
        read_certificates(tmp_path)


def test_the_picture_is_a_png_of_every_task(tmp_path: Path) -> None:
    image = optional("PIL.Image", "draw")
    from pages.difficulty_plot import draw

    measured = list(from_csv((DOCS / "difficulty.csv").read_text(encoding="utf-8")).values())
    draw(measured, tmp_path / "all.png")
    draw(measured[:1], tmp_path / "one.png")
    with image.open(tmp_path / "all.png") as picture, image.open(tmp_path / "one.png") as other:
        assert picture.format == "PNG"
        assert picture.size == other.size
        assert picture.convert("RGB").tobytes() != other.convert("RGB").tobytes()


def test_the_table_is_about_the_main_tasks_as_their_files_are_now() -> None:
    measured = from_csv((DOCS / "difficulty.csv").read_text(encoding="utf-8"))
    tasks = {info.id: get_task(info.id).content_hash for info in list_tasks("main")}
    assert {name: figures.content_hash for name, figures in measured.items()} == tasks


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: expected a directory of certificates, there is none"),
        ([], "docs/difficulty.csv: expected the table"),
        (["a", "b"], "expected one directory of certificates, got: a b"),
        (["--hlep"], "expected one directory of certificates, got: --hlep"),
    ],
)
def test_the_command_refuses_in_one_line_and_writes_nothing(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "pages.difficulty", *arguments],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {message}")
    assert list((tmp_path / "docs").iterdir()) == []


def test_without_pillow_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "certs").mkdir()
    certificate = certify_task(get_task("t03_silver_ring"), (0,))
    (tmp_path / "certs" / "t03.json").write_bytes(msgspec.json.encode(certificate))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(AgentWorldError, match=r"\[draw\]"):
        main(["certs"])
    assert list((tmp_path / "docs").iterdir()) == []


def test_the_practice_table_needs_no_pillow_and_leaves_the_picture_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "certs").mkdir()
    (tmp_path / "docs" / "difficulty.csv").write_text(to_csv([]))
    certificate = certify_task(get_task("p01_corn_and_shrimp"), (0,))
    (tmp_path / "certs" / "p01.json").write_bytes(msgspec.json.encode(certificate))
    monkeypatch.setitem(sys.modules, "PIL", None)
    main(["certs"])
    assert list(from_csv((tmp_path / "docs" / "practice.csv").read_text())) == ["p01_corn_and_shrimp"]
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["difficulty.csv", "practice.csv"]


@pytest.mark.parametrize("asked", ["-h", "--help"])
def test_the_commands_help_fits_the_terminal(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([asked])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "usage: python -m pages.difficulty [CERTIFICATES]"
    assert max(map(len, lines)) <= 80
