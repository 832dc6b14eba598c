"""The rules page says what the code says, and where each rule comes from."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from pages.rules import FORMULAS, rules_page

from agentworld_env.sim.rules import Rules

PAGE = rules_page()
ROWS = {
    line.split("`")[1]: line
    for line in PAGE.split("## Numbers")[1].split("## Formulas")[0].splitlines()
    if line.startswith("| `")
}
PARAGRAPHS = {
    part.split("**")[1].rstrip("."): " ".join(part.split())
    for part in PAGE.split("## Formulas")[1].split("\n\n")
    if "**" in part
}


def sourced(text: str) -> bool:
    """Whether a rule is published, set by the tools' design, or our own choice with a reason of some words."""
    choices = re.findall(r"[Oo]wn choice(.*?)(?:\.|\)|$)", text)
    reasons = [re.fullmatch(r": \w+(\W+\w+){2,}.*", choice) for choice in choices]
    return all(reasons) and (bool(choices) or bool(re.search("[Pp]ublished|Design of", text)))


def test_the_checked_in_page_is_the_one_the_code_makes() -> None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    assert page.read_text(encoding="utf-8") == PAGE


def test_every_number_of_the_rules_has_a_row() -> None:
    assert {field.name for field in fields(Rules)} | {"CRAFT_COUNTS"} == ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_every_number_states_its_source_and_every_own_choice_why(name: str) -> None:
    assert sourced(ROWS[name]), ROWS[name]


def test_what_is_published_is_public() -> None:
    assert [function.__name__ for _, function in FORMULAS if function.__name__.startswith("_")] == []


@pytest.mark.parametrize("heading", [heading for heading, _ in FORMULAS])
def test_every_formula_states_its_source_and_every_own_choice_why(heading: str) -> None:
    assert sourced(PARAGRAPHS[heading]), PARAGRAPHS[heading]


@pytest.mark.parametrize(
    "text",
    ["Tiles. Own choice.", "Tiles (own choice).", "Tiles.", "Own choice: ours.", "Published. Own choice."],
)
def test_a_bare_own_choice_is_no_source(text: str) -> None:
    assert not sourced(text)


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("A mob's turn, and bosses", ["named boss", "`team` different agents", "`leash`", "`pursuit`"]),
        ("Drops", ["one is drawn", "ten-thousandths", "published"]),
        ("Chance to hit", ["`hit_base`", "`hit_slope`", "`hit_floor`", "`hit_ceiling`"]),
        ("Defence rating", ["rarer, not weaker"]),
        ("Style of fighting", ["archery decides both", "magic"]),
        ("A fight of one call", ["ammunition", "`mana_cost`"]),
        ("Experience of a level", ["300 x 2^(i/7)"]),
        ("Level by experience", ["`top_level`"]),
    ],
)
def test_what_decides_fights_and_growth_is_on_the_page(heading: str, words: list[str]) -> None:
    assert [word for word in words if word not in PARAGRAPHS[heading]] == []


def test_the_worked_figures_are_those_of_the_published_formulas() -> None:
    # 39 + 30 x level; 20 + 24 x level; 60 % and 0.8 % a point between 20 % and 95 %; the published curve in floats.
    curve = [
        sum(int(int(i + 300 * 2 ** (i / 7)) / 4) for i in range(1, level)) for level in (1, 10, 25, 50, 99)
    ]
    assert "| most hit points | 69 | 339 | 789 | 1539 | 3009 |" in PAGE
    assert "| most mana | 44 | 260 | 620 | 1220 | 2396 |" in PAGE
    assert "| chance to hit (%) | 20 | 20 | 40 | 60 | 80 | 92 | 95 |" in PAGE
    assert f"| experience at which it begins | {' | '.join(map(str, curve))} |" in PAGE


def test_seconds_become_rounds_of_ten_rounded_up() -> None:
    assert "dividing by ten\nand rounding up" in PAGE
