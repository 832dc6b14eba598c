"""The rules page says what the code says."""

from pathlib import Path

from agentworld_env.report.rules_page import rules_page


def test_the_checked_in_page_is_the_one_the_code_makes() -> None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    assert page.read_text(encoding="utf-8") == rules_page()


def test_every_number_states_its_source() -> None:
    rows = [
        line
        for line in rules_page().split("## Numbers")[1].split("##")[0].splitlines()
        if line.startswith("| `")
    ]
    assert len(rows) > 20
    silent = [
        row
        for row in rows
        if not any(word in row for word in ("Published", "published", "Own choice", "Design"))
    ]
    assert silent == []
