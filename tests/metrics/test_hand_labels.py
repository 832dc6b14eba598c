"""Ten real episodes, labelled by a person who read their actions and knew the definitions, but no method's answer."""

from __future__ import annotations

import pytest
from tests.metrics.noisy import NoisyPlanner

from agentworld_env import run_episode
from agentworld_env.metrics import events_finding

# The planner with a fifth of its calls replaced by random ones: sense and nonsense in one episode. A walk is labelled
# where its agent would otherwise have stood too far away (8 tiles for a transfer) for what it did there; where somebody
# went away and came back, neither way is. Nine of the ten sets are as first written down; in the first, action 12 was
# added after the comparison: the reader had overlooked that the crow struck there was after the woodworker.
LABELS: dict[tuple[str, int], set[int]] = {
    ("t01_magic_staff", 0): {0, 2, 3, 6, 10, 12, 13, 19, 20, 23},
    ("t01_magic_staff", 1): {0, 2, 3, 6, 7, 10, 13, 17, 20},
    ("t01_magic_staff", 2): {0, 2, 3, 12, 13, 16, 19, 20, 23},
    ("t01_magic_staff", 3): {0, 1, 2, 3, 9, 10, 13, 16, 17, 20},
    ("t02_arrow_production", 0): {0, 2, 3, 6, 9, 11, 13, 14, 17, 20},
    ("t02_arrow_production", 1): {0, 1, 2, 3, 6, 12, 17, 20, 23, 35},
    ("t02_arrow_production", 2): {0, 2, 3, 6, 7, 12, 14, 17, 23, 26},
    ("t02_arrow_production", 3): {0, 1, 2, 3, 9, 12, 14, 20, 23, 26},
    ("t44_messenger_run", 1): {0, 1, 3, 4, 6, 10, 12, 13, 15, 16, 18, 21, 24},
    ("t44_messenger_run", 2): {0, 3, 4, 6, 7, 10, 12, 13, 15, 16, 18, 19, 21, 27},
}


@pytest.mark.parametrize(("task", "seed"), LABELS)
def test_the_events_method_finds_what_a_person_found(task: str, seed: int) -> None:
    episode = run_episode(task, NoisyPlanner(20), seed=seed)
    assert episode.verdict.success
    assert set(events_finding(episode).trace.contributing) == LABELS[task, seed]
