"""What makes a call that does not contribute one with an effect, so that the laws of CCE do not speak of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from benchmarks.cce_effects import Played, effects
from benchmarks.cce_laws import again, removals

from agentworld_env import load_task, run_episode
from agentworld_env.metrics import Method
from agentworld_env.policies.idle import IdlePolicy

_PALM = """
id: palm
title: Palm
category: gathering
max_rounds: 6
objective: Cut a palm log.
team:
  cutter:
    group: cutters
    about: You cut.
    start: [464, 765]
    skills: {lumberjacking: 60}
    worn: [axe]
    guide: {notes: n}
  guide: {group: guides, about: You know the way., start: [460, 765], skills: {health: 40}, guide: {notes: n}}
checkpoints:
  - {kind: gathered, label: Log cut, item: palmlogs, count: 1}
"""

_RAID = """
id: raid
title: Raid
category: gathering
max_rounds: 8
objective: Cut 2 logs.
team:
  logger:
    group: loggers
    about: You cut oak.
    start: [383, 8]
    skills: {lumberjacking: 10, health: 10}
    inventory: {apple: 5}
    worn: [axe]
    guide: {nodes: [oak]}
  helper: {group: helpers, about: You help., start: [386, 8], skills: {health: 60}, guide: {notes: n}}
waves:
  - {mob: antwarrior, count: 1, at: [383, 9], appears: 2, seeks: 40}
  - {mob: antwarrior, count: 1, at: [388, 9], appears: 4, seeks: 40}
checkpoints:
  - {kind: gathered, label: Logs cut, item: logs, count: 2}
"""

_LOAN = """
id: loan
title: Loan
category: gathering
max_rounds: 7
objective: Cut a log.
team:
  owner:
    group: loggers
    about: You cut oak.
    start: [383, 8]
    skills: {lumberjacking: 10, health: 10}
    inventory: {axe: 1}
    guide: {nodes: [oak]}
  friend: {group: helpers, about: You help., start: [384, 8], skills: {health: 60}, guide: {notes: n}}
checkpoints:
  - {kind: gathered, label: Log cut, item: logs, count: 1}
"""

Calls = dict[tuple[int, str], Mapping[str, Any]]


def _call(tool: str, **arguments: Any) -> Mapping[str, Any]:
    return {"tool": tool, "arguments": arguments}


class _Table:
    """A small task whose episodes are made call by call.

    Args:
        folder: Where its file may be written.
        text: The file.
    """

    def __init__(self, folder: Path, text: str) -> None:
        path = folder / "task.yaml"
        path.write_text(text, encoding="utf-8")
        self._episode = run_episode(load_task(path), IdlePolicy(), seed=0)

    def play(self, calls: Calls, method: Method = "events") -> Played:
        return again(self._episode, calls, method=method)


def test_who_takes_a_mob_off_a_mate_that_must_eat_then_has_an_effect(tmp_path: Path) -> None:
    """Alone with two raiders the logger would have died without its apple; its own calls are the same either way."""
    table = _Table(tmp_path, _RAID)
    cut = _call("harvest_resource", target="oak-0018")
    calls: Calls = {(1, "logger"): cut, (4, "logger"): _call("use_item", item="apple"), (8, "logger"): cut}
    near = table.play(calls)
    away = table.play({**calls, (2, "helper"): _call("move_character", x=446, y=8)})
    assert near.success
    assert away.contributing - near.contributing == {(4, "logger")}
    assert effects(away, near) == ["the wounds of logger"]


@pytest.mark.parametrize(("method", "found"), [("events", []), ("events+chat", ["what had been said"])])
def test_who_names_a_thing_before_it_is_told_of_it_has_an_effect_if_messages_count(
    tmp_path: Path, method: Method, found: list[str]
) -> None:
    table = _Table(tmp_path, _PALM)
    calls: Calls = {
        (1, "guide"): _call("chat", message="go for palm-0081"),
        (2, "cutter"): _call("move_character", x=485, y=767),
        (3, "cutter"): _call("harvest_resource", target="palm-0081"),
        (4, "cutter"): _call("harvest_resource", target="palm-0081"),
    }
    told = table.play(calls, method)
    asked = table.play({**calls, (1, "cutter"): _call("chat", message="palm-0081 somewhere?")}, method)
    assert told.success
    assert ((1, "guide") in told.contributing) == (method == "events+chat")
    assert (1, "guide") not in asked.contributing
    assert effects(asked, told, method) == found


def test_a_message_of_something_else_is_without_effect(tmp_path: Path) -> None:
    table = _Table(tmp_path, _PALM)
    calls: Calls = {
        (1, "guide"): _call("chat", message="go for palm-0081"),
        (2, "cutter"): _call("move_character", x=485, y=767),
        (3, "cutter"): _call("harvest_resource", target="palm-0081"),
    }
    plain = table.play(calls, "events+chat")
    chatty = table.play({**calls, (1, "cutter"): _call("chat", message="oak-0001 somewhere?")}, "events+chat")
    assert effects(chatty, plain, "events+chat") == []
    assert chatty.contributing == plain.contributing


def test_a_tool_that_was_lent_tried_on_and_returned_for_nothing_was_not_lent_for_the_laws_either(
    tmp_path: Path,
) -> None:
    table = _Table(tmp_path, _LOAN)
    fat = table.play(
        {
            (1, "owner"): _call("transfer_items", to="friend", item="axe", count=1),
            (1, "friend"): _call("equip_item", item="axe"),
            (2, "friend"): _call("equip_item", item="axe"),
            (3, "friend"): _call("transfer_items", to="owner", item="axe", count=1),
            (4, "owner"): _call("equip_item", item="axe"),
            (5, "owner"): _call("harvest_resource", target="oak-0018"),
        }
    )
    assert fat.success
    assert fat.contributing == {(4, "owner"), (5, "owner")}
    assert [trial.what for trial in removals(fat.episode, 9) if trial.useless and trial.changed] == []


def test_who_leaves_early_has_an_effect_since_fewer_turns_are_left_to_share(tmp_path: Path) -> None:
    table = _Table(tmp_path, _PALM)
    calls: Calls = {
        (2, "cutter"): _call("move_character", x=485, y=767),
        (4, "cutter"): _call("harvest_resource", target="palm-0081"),
    }
    stays = table.play(calls)
    leaves = table.play({**calls, (2, "guide"): _call("complete", response="done")})
    assert leaves.contributing == stays.contributing
    assert leaves.share > stays.share
    assert "how many turns there were, or which constraints held" in effects(leaves, stays)
