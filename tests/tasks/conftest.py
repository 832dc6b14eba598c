"""A small valid task file that tests spoil."""

from __future__ import annotations

import pytest

GOOD = """\
id: small_task
title: Small Task
category: gathering
max_rounds: 20
objective: Cut a log and hand it over.
team:
  logger:
    group: loggers
    about: You cut.
    start: [388, 10]
    skills: {lumberjacking: 5}
    inventory: {apple: 2}
    worn: [axe]
    guide:
      nodes: [oak]
      places: [oak-grove]
  keeper:
    group: keepers
    about: You keep.
    start: [390, 10]
spawns: [ice-guardian-1]
sites:
  fort:
    name: Fort
    at: [388, 10]
    wants: {logs: 2}
checkpoints:
  - kind: gathered
    label: Logs cut
    item: logs
    count: 1
  - {kind: delivered, label: Log handed over, item: logs, count: 1, to: keeper}
constraints:
  - {kind: all_alive}
"""


@pytest.fixture(scope="session")
def good() -> str:
    return GOOD
