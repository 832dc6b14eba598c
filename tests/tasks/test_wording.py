"""Whatever kind of value stands in a task file, what was expected is said in the project's own words."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from agentworld_env.tasks.registry import get_task
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.wording import WORDS, in_words

# These are worded where they are met, with the names that would have been right.
ELSEWHERE = {
    "missing",
    "extra_forbidden",
    "literal_error",
    "union_tag_not_found",
    "union_tag_invalid",
    "value_error",
}
ODD: tuple[Any, ...] = (
    None,
    True,
    "",
    "a b\nc",
    "x" * 5000,
    -1,
    10**12,
    2.5,
    [],
    [1, 2, 3],
    [[]] * 30,
    {},
    {"a": 1},
    {1: "one"},
    {"x" * 99: []},
    datetime.date(2026, 1, 1),
)
TASKS = ("t01_magic_staff", "t86_forge_vanguard")


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in inside:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@pytest.mark.parametrize("task", TASKS)
def test_every_kind_of_mistake_has_words(task: str) -> None:
    good = get_task(task).spec.model_dump(mode="json")
    met: set[str] = set()
    for path in places(good):
        if "facts" in path:
            continue
        for odd in ODD:
            content = copy.deepcopy(good)
            inside = content
            for key in path[:-1]:
                inside = inside[key]
            inside[path[-1]] = odd
            try:
                TaskSpec.model_validate(content)
            except ValidationError as error:
                met.update(detail["type"] for detail in error.errors(include_url=False, include_input=False))
    assert met <= ELSEWHERE | set(WORDS)
    assert {"int_type", "string_type", "too_long", "model_type", "greater_than_equal"} <= met


def test_words_hold_the_figures_of_the_schema() -> None:
    assert in_words({"type": "greater_than_equal", "ctx": {"ge": 3}, "msg": ""}) == "at least 3"
    assert in_words({"type": "too_long", "ctx": {"max_length": 12}, "msg": ""}) == "at most 12 entries"
    assert in_words({"type": "value_error", "ctx": {"error": ValueError("a, b")}, "msg": ""}) == "a, b"
