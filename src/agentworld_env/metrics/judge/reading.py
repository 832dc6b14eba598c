"""Reading a judge's answers: one JSON object in the form asked for, with ids that exist, or a reason why not."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

import msgspec

from agentworld_env.models.thoughts import after_thoughts

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n\s*```\s*", re.DOTALL)
_SHOWN = 5


class Unusable(ValueError):  # noqa: N818 - it is the answer that is unusable
    """An answer that cannot be used; the text says what is wrong with it."""


def read_success(text: str, ids: Collection[int]) -> frozenset[int]:
    """Reads the answer about success actions.

    Args:
        text: The answer.
        ids: The ids that exist.

    Raises:
        Unusable: It is no such answer.
    """
    found = _ids(_object(text, {"success_action_ids"}, {"reasoning"}), "success_action_ids", ids)
    if not found:
        raise Unusable("success_action_ids is empty, though the task was a success")
    return found


def read_sweep(text: str, asked: Collection[int]) -> frozenset[int]:
    """Reads the answer about some rounds.

    Args:
        text: The answer.
        asked: The ids that were to be judged.

    Returns:
        Those that contribute.

    Raises:
        Unusable: It is no such answer.
    """
    lists = _object(text, {"contributing_ids", "not_contributing_ids"}, {"reasoning"})
    yes = _ids(lists, "contributing_ids", asked)
    no = _ids(lists, "not_contributing_ids", asked)
    if yes & no:
        raise Unusable(f"{_listed(yes & no)} stand in both lists")
    missing = set(asked) - yes - no
    if missing:
        raise Unusable(f"{_listed(missing)} stand in neither list")
    return yes


def _object(text: str, needed: set[str], allowed: set[str]) -> dict[str, Any]:
    answer = after_thoughts(text)
    if answer is None:
        raise Unusable("it ends before its thoughts do, without any answer")
    if not answer.strip():
        raise Unusable("it is empty")
    # Many models put JSON into a fenced block whatever they are told; nothing else around it is accepted.
    fenced = _FENCED.fullmatch(answer)
    bare = fenced.group(1) if fenced else answer
    try:
        value = msgspec.json.decode(bare)
        json.loads(
            bare, object_pairs_hook=_once, parse_int=str, parse_float=str
        )  # msgspec keeps the last of equal keys
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unusable(f"it is no JSON object ({' '.join(str(error).split())})") from None
    if not isinstance(value, dict):
        raise Unusable("it is JSON, but no object")
    for name in sorted(needed - value.keys()):
        raise Unusable(f"{name} is missing")
    for name in sorted(value.keys() - needed - allowed):
        raise Unusable(f"{name[:40]!r} was not asked for")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Unusable(f"{twice[:40]!r} stands in it twice")
    return found


def _ids(value: dict[str, Any], name: str, ids: Collection[int]) -> frozenset[int]:
    listed = value[name]
    if not isinstance(listed, list):
        raise Unusable(f"{name} is no list")
    for each in listed:
        if isinstance(each, bool) or not isinstance(each, int):
            raise Unusable(f"{name} holds {str(each)[:40]!r}, which is no whole number")
        if each not in ids:
            raise Unusable(f"{name} holds {str(each)[:40]}, which is none of the ids to judge")
    if len(set(listed)) != len(listed):
        raise Unusable(f"{name} names an id twice")
    return frozenset(listed)


def _listed(ids: Collection[int]) -> str:
    shown = ", ".join(str(number) for number in sorted(ids)[:_SHOWN])
    more = len(ids) - _SHOWN
    return f"ids {shown}{f' and {more} more' if more > 0 else ''}"
