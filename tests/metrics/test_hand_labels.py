"""Ten real episodes, labelled by a person who read their actions and knew the definitions, but no method's answer.

They were played by the planner with a fifth of its calls replaced by random ones: sense and nonsense in one episode. A
walk is labelled where its agent would otherwise have stood too far away (8 tiles for a transfer) for what it did there;
where somebody went away and came back, neither way is. The ten sets are as first written down. In one of them, that of
``t01_magic_staff-0``, the reader did not count action 12, a blow at a crow that was after the woodworker: it had drawn
the crow upon itself by strolling about, and to be saved from that brings the work no further.

The calls are kept in ``data/`` and played again, so that the labels do not hang on what any policy does today. The
first line of a file holds task, seed and labels, every other line a call and what came of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, make_footer, make_header, play_turn, skip_departed
from agentworld_env.metrics import events_finding
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

FILES = sorted((Path(__file__).parent / "data").glob("*.jsonl"))


def _replayed(file: Path) -> tuple[Episode, set[int]]:
    head, *calls = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    env = AgentWorldEnv(Task(TaskSpec.model_validate(head["spec"])))
    env.reset(seed=head["seed"])
    lines = []
    for number, row in enumerate(calls):
        assert skip_departed(env)
        line = play_turn(env, row["call"])
        lines.append(line)
        came = {"agent": line.agent, "ok": line.result.ok, "events": [_name(event) for event in line.events]}
        # If this fails, map or rules have changed: the episode is another one and must be read and labelled anew.
        assert {**row, **came} == row, f"action {number}"
    assert not skip_departed(env)
    header = make_header(env.task, seed=head["seed"], setting="default", policy={"name": "recorded"})
    return Episode(header=header, lines=lines, footer=make_footer(env, {})), set(head["labels"])


def _name(event: Any) -> str:
    return type(event).__name__


def test_there_are_ten_labelled_episodes() -> None:
    assert len(FILES) == 10


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_events_method_finds_what_a_person_found(file: Path) -> None:
    episode, labels = _replayed(file)
    assert episode.verdict.success
    assert set(events_finding(episode).trace.contributing) == labels
