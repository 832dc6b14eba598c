"""A short recorded episode that tests read, cut and edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env import run_episode
from agentworld_env.episodes import Episode
from agentworld_env.planner import PlannerPolicy


@pytest.fixture(scope="session")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    """A success of the planner, with its file."""
    out = tmp_path_factory.mktemp("planned") / "planned.jsonl"
    return run_episode("t01_magic_staff", PlannerPolicy(), seed=3, out=out)


@pytest.fixture
def lines(planned: Episode) -> list[bytes]:
    """The lines of its file, line ends included."""
    assert planned.path is not None
    return Path(planned.path).read_bytes().splitlines(keepends=True)
