"""Drafts to look at, drawn once."""

from __future__ import annotations

import pytest

from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.variants.draft import draft
from agentworld_env.world import World, load_world

Drafts = list[tuple[Task, TaskSpec, tuple[str, ...]]]


@pytest.fixture(scope="session")
def world() -> World:
    return load_world()


@pytest.fixture(scope="session")
def drafts() -> Drafts:
    """One draft of every main task."""
    found = []
    for info in list_tasks("main"):
        source = get_task(info.id)
        drawn = next((d for attempt in range(12) if (d := draft(source, 7, attempt)) is not None), None)
        if drawn is not None:
            found.append((source, *drawn))
    return found
