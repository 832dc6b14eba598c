"""A language model that plays recorded episodes: what it reads in the prompt decides its call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.policies.loopback import Answer, Received, calls

from agentworld_env import run_episode
from agentworld_env.planner import PlannerPolicy

_AGENT = re.compile(r"You are (\S+), one of")
_TITLE = re.compile(r"# Task: (.+)")
_ROUND = re.compile(r"Round (\d+) of")

Key = tuple[str, str, int]


def key_of(body: dict[str, Any]) -> Key:
    """Returns what a request is about: task title, agent, round."""
    system, turn = (message["content"] for message in body["messages"])
    found = [_TITLE.search(system), _AGENT.search(system), _ROUND.search(turn)]
    assert all(found)
    title, agent, round_ = (match.group(1) for match in found if match is not None)
    return title, agent, int(round_)


def planner_calls(tasks: Iterable[str], seed: int = 0) -> dict[Key, dict[str, Any]]:
    """Returns the planner's calls on some tasks."""
    plan: dict[Key, dict[str, Any]] = {}
    for task in tasks:
        episode = run_episode(task, PlannerPolicy(), seed=seed)
        title = str(episode.header.spec["title"])
        plan.update({(title, line.agent, line.round): line.call for line in episode.lines})
    return plan


def player(plan: dict[Key, dict[str, Any]]) -> Callable[[Received, int], Answer]:
    """Returns a model that makes planned calls, and naps where nothing is planned."""

    def respond(received: Received, number: int) -> Answer:
        call = plan.get(key_of(received.body))
        if call is None:
            return calls(("sleep", {"rounds": 1}))
        return calls((call["tool"], call.get("arguments", {})))

    return respond
