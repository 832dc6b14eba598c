"""Compilation: the shipped file is exactly what the sources say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentworld_env.world import compile as compiling
from agentworld_env.world.compile import compile_catalogue
from agentworld_env.world.content import data_path
from agentworld_env.world.load import CATALOGUE_FILE


def test_the_shipped_catalogue_equals_a_fresh_compilation_of_the_sources() -> None:
    assert compile_catalogue(data_path()) == (data_path() / CATALOGUE_FILE).read_bytes()


def test_compilation_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "import hashlib; from agentworld_env.world.compile import compile_catalogue as c;"
        "from agentworld_env.world.content import data_path as d; print(hashlib.sha256(c(d())).hexdigest())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(prints) == 1


def test_a_content_error_ends_the_command_with_one_line_and_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for source in data_path().iterdir():
        shutil.copy(source, tmp_path / source.name)
    (tmp_path / "items.yaml").write_text("- {key: a}\n", encoding="utf-8")
    before = (tmp_path / CATALOGUE_FILE).read_bytes()
    monkeypatch.setattr(compiling, "data_path", lambda: tmp_path)
    assert compiling.main() == 2
    written = capsys.readouterr().err
    assert written.count("\n") == 1
    assert "items.yaml, line 1" in written
    assert (tmp_path / CATALOGUE_FILE).read_bytes() == before
