"""A small sound task beside the oaks of the north, which tests spoil in one place each."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import TaskSpec

_SOUND: dict[str, Any] = {
    "id": "sound",
    "title": "Sound",
    "category": "crafting",
    "max_rounds": 30,
    "objective": "Cut 2 logs, carve shafts, hand 5 shafts (stick) to the keeper.",
    "team": {
        "logger": {
            "group": "loggers",
            "about": "You cut.",
            "start": (388, 10),
            "skills": {"lumberjacking": 30, "health": 30},
            "worn": ["axe"],
            "guide": {"nodes": ["oak"], "places": ["oak-grove"]},
        },
        "carver": {
            "group": "carvers",
            "about": "You carve.",
            "start": (390, 10),
            "skills": {"fletching": 30, "health": 30},
            "guide": {"recipes": ["stick"], "places": ["oak-grove"]},
        },
        "keeper": {"group": "keepers", "about": "You keep.", "start": (392, 10), "skills": {"health": 30}},
    },
    "checkpoints": [
        {"kind": "gathered", "label": "Logs", "item": "logs", "count": 2},
        {"kind": "delivered", "label": "Sticks", "item": "stick", "count": 5, "to": "keeper"},
    ],
    "constraints": [{"kind": "all_alive"}],
}

Spoil = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="session")
def doctored() -> Callable[..., Task]:
    """Returns a function that changes the sound task's plain content and makes a task of it."""

    def make(spoil: Spoil | None = None) -> Task:
        content = copy.deepcopy(_SOUND)
        if spoil is not None:
            spoil(content)
        return Task(TaskSpec.model_validate(content))

    return make
