"""A missing extra is a skip, and a failure where optional tests are required."""

import re
from pathlib import Path

import pytest
from tests.optional import optional

ROOT = Path(__file__).parents[1]


def test_without_an_extra_a_test_is_skipped_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPTIONAL_TESTS", raising=False)
    with pytest.raises(pytest.skip.Exception, match=re.escape("no nowhere_at_all: pip install -e '.[rl]'")):
        optional("nowhere_at_all", "rl")


def test_a_missing_extra_fails_where_optional_tests_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIONAL_TESTS", "required")
    with pytest.raises(pytest.fail.Exception, match="no nowhere_at_all"):
        optional("nowhere_at_all.inner", "rl")
    assert optional("json", "rl").loads("1") == 1


def test_no_test_goes_round_what_is_required() -> None:
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.name != Path(__file__).name]
    assert [str(path) for path in files if "importorskip" in path.read_text("utf-8")] == []


def test_every_run_of_tests_in_the_gate_requires_its_extras() -> None:
    gate = (ROOT / ".ci" / "run").read_text("utf-8").replace("\\\n", " ")
    runs = [line for line in gate.splitlines() if "-m pytest" in line]
    assert len(runs) == 2  # beside the README's own
    assert [line for line in runs if "OPTIONAL_TESTS=required" not in line] == []
    named = " ".join(runs)
    for path in ("tests/report/test_replay_browser.py", "tests/test_notebooks.py", "tests/rl"):
        assert (ROOT / path).exists()
        assert path in named
