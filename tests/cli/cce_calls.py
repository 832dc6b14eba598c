"""Calls of ``agentworld-env cce`` as a user makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.cli.main import main

SMALL = "t01_magic_staff"


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def nowhere_in(tmp_path: Path) -> Path:
    """Returns a directory that cannot be made, whoever asks for it."""
    (tmp_path / "file").write_text("in the way")
    return tmp_path / "file" / "new"
