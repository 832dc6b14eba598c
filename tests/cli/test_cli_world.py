"""``agentworld-env world``: what a slip of the pen gets for an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.cli.main import main


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("name", ["map.jpg", "map", "map.png.txt", ""])
def test_a_map_goes_only_into_a_file_that_is_called_what_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = called(capsys, "world", "map", "--out", name)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "expected a file that ends in .png, such as map.png" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "option", "purpose"),
    [
        (("world", "map"), "--out", "PNG file"),
        (("replay", "x.jsonl"), "--out", "HTML file"),
        (("evaluate", "--policy", "random"), "--out", ""),
    ],
)
def test_a_missing_option_says_what_it_is_for(
    arguments: tuple[str, ...], option: str, purpose: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = called(capsys, *arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert option in err
    assert purpose in err


@pytest.mark.parametrize(
    ("typed", "meant"), [("itmes", "items"), ("mob", "mobs"), ("recipe", "recipes"), ("poeple", "people")]
)
def test_a_mistyped_choice_gets_the_nearest_one(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = called(capsys, "world", "list", typed)
    assert code == 2
    assert err.count("\n") == 1
    assert f"; did you mean {meant}" in err


def test_a_choice_that_is_like_none_gets_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capsys, "world", "list", "xyzzy")
    assert code == 2
    assert "expected one of items, recipes, nodes, mobs, places, people, spawns" in err
