"""The page on reinforcement learning says what the code says, and its snippets run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages.learning import with_tables

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reinforcement_learning.md").read_text(encoding="utf-8")
SNIPPETS = [
    code for code in re.findall(r"```python\n(.+?)```", PAGE, re.S) if "import agentworld_env" in code
]


def test_the_tables_are_those_that_the_code_makes() -> None:
    assert with_tables(PAGE) == PAGE


def test_a_page_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="begin features"):
        with_tables("nothing here")


def test_the_page_has_its_snippets() -> None:
    assert len(SNIPPETS) >= 4


@pytest.mark.parametrize("number", range(4))
def test_a_snippet_runs_in_an_empty_directory(number: int, tmp_path: Path) -> None:
    script = tmp_path / "snippet.py"
    script.write_text(SNIPPETS[number], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
