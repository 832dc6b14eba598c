"""Judges for tests: a loopback server that answers from the event graph, and others that answer badly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.policies.loopback import Answer, Loopback, Received, text

from agentworld_env.episodes import Episode
from agentworld_env.metrics import events_finding

_ID = re.compile(r"^\[(\d+)\] round", re.MULTILINE)

Reply = Callable[[str, list[int]], str]


class JudgeServer(Loopback):
    """Answers each question by a function of its text and the ids to judge in it."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(text(""))
        self._reply = reply

    def _next(self, received: Received) -> Answer:
        with self._lock:
            self.received.append(received)
        question = received.body["messages"][0]["content"]
        return text(self._reply(question, asked_in(question)))

    @property
    def questions(self) -> list[str]:
        return [received.body["messages"][0]["content"] for received in self.received]


def asked_in(question: str) -> list[int]:
    """Returns the ids to judge: those behind the last heading that lists actions."""
    return [int(number) for number in _ID.findall(question[question.rindex("ACTIONS") :])]


def shown_in(question: str) -> list[int]:
    """Returns the ids that a question shows as contributing."""
    part = question[question.index("KNOWN TO CONTRIBUTE") : question.index("ACTIONS TO JUDGE")]
    return [int(number) for number in _ID.findall(part)]


def is_first(question: str) -> bool:
    return "SUCCESS ACTIONS" in question


def perfect(episode: Episode) -> Reply:
    """Returns the answers of a judge who knows the event graph and looks at nothing but the question's ids."""
    trace = events_finding(episode).trace

    def reply(question: str, asked: list[int]) -> str:
        if is_first(question):
            return json.dumps({"success_action_ids": list(trace.success), "reasoning": "They did it."})
        return verdict_on(asked, set(trace.contributing))

    return reply


def verdict_on(asked: list[int], contributing: set[int]) -> str:
    lists: dict[str, Any] = {
        "contributing_ids": [number for number in asked if number in contributing],
        "not_contributing_ids": [number for number in asked if number not in contributing],
    }
    return json.dumps(lists)
