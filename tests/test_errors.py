"""What a message about an unknown name offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentworld_env.errors import FEW, LONGEST, InvalidValueError, UnknownNameError, hint, needs, quoted
from agentworld_env.evaluate import policy_by_name, policy_names
from agentworld_env.metrics.methods import FORMS, parse_method
from agentworld_env.sim.setup import checked_seed


def test_a_near_name_is_offered_alone() -> None:
    assert hint("planer", ["idle", "planner"]) == "; did you mean planner?"


def test_few_names_are_all_listed_in_their_order_when_none_is_near() -> None:
    assert hint("zzz", ["idle", "planner", "human"]) == "; expected one of idle, planner, human"


def test_many_names_are_not_listed() -> None:
    names = [f"name{number}" for number in range(FEW)]
    assert hint("zzz", names).endswith(names[-1])
    assert hint("zzz", [*names, "other"]) == ""
    assert hint("zzz", []) == ""


def test_what_to_do_instead_is_said_only_when_nothing_is_near() -> None:
    assert str(UnknownNameError("task", "zzz", ["t01"], "look there")) == "unknown task 'zzz'; look there"
    assert str(UnknownNameError("task", "t1", ["t01"], "look there")).endswith("did you mean t01?")


@pytest.mark.parametrize("name", ["", "zzz"])
def test_an_unknown_policy_or_method_is_answered_with_all_there_are(name: str) -> None:
    with pytest.raises(UnknownNameError) as policy:
        policy_by_name(name)
    assert str(policy.value).endswith(", ".join(policy_names()))
    with pytest.raises(UnknownNameError) as method:
        parse_method(name)
    assert str(method.value).endswith(", ".join(FORMS))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("informed", "events+chat, where messages are causes?"),
        ("strict", "events, where messages are no causes?"),
    ],
)
def test_a_method_by_its_name_elsewhere_is_answered_with_its_name_here(word: str, meant: str) -> None:
    for written in (word, word.capitalize()):
        with pytest.raises(UnknownNameError) as refused:
            parse_method(written)
        assert str(refused.value) == f"unknown CCE method {written!r}; did you mean {meant}"


def test_what_was_given_is_quoted_as_it_is_unless_it_is_long() -> None:
    assert [quoted("it's"), quoted(7), quoted(None), quoted("x" * LONGEST)] == [
        '"it\'s"',
        "7",
        "None",
        f"'{'x' * LONGEST}'",
    ]
    assert quoted("x" * (LONGEST + 1)) == f"'{'x' * LONGEST}'..."
    assert quoted(int("9" * 400)) == f"{'9' * LONGEST}..."
    assert quoted([1] * 5000) == f"{'[' + '1, ' * 26 + '1'}..."


def test_a_number_that_cannot_even_be_written_is_told_by_its_length() -> None:
    assert quoted(10**5000) == "a number of more than 4300 digits"
    with pytest.raises(InvalidValueError, match="not a number of more than 4300 digits"):
        checked_seed(10**5000)


def test_an_unknown_name_is_not_repeated_at_length() -> None:
    assert str(UnknownNameError("task", "y" * 5000, [])) == f"unknown task '{'y' * LONGEST}'..."


def test_what_is_missing_is_named_as_a_checkout_has_it() -> None:
    # The package need not be on any index: only what a user certainly has may be named after `pip install`.
    assert needs("drawing", "pillow", "draw") == (
        "drawing needs pillow; install it with: pip install pillow, or pip install '.[draw]' in a checkout"
    )
    root = Path(__file__).parents[1]
    pages = [
        root / "README.md",
        *(root / "docs").glob("*.md"),
        *(root / "src").rglob("*.py"),
        *(root / "pages").glob("*.py"),
    ]
    named = re.compile(r"install\s+(?:-\w\s+)?['\"]?agentworld-env")
    assert [page.name for page in pages if named.search(page.read_text(encoding="utf-8"))] == []
