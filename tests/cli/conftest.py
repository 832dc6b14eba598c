"""Records that tests of several verbs are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.cce_calls import SMALL

from agentworld_env.evaluate import policy_by_name, run_episode


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("records")
    for policy in ("planner", "random"):
        for task in (SMALL, "t02_arrow_production"):
            run_episode(task, policy_by_name(policy), seed=1, out=out)
    return out


@pytest.fixture(scope="module")
def record(records: Path) -> Path:
    return records / f"{SMALL}-planner-seed1.jsonl"
