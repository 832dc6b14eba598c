"""Playing a record again: every result, event and state hash must come out as recorded.

This finds records that do not follow from the rules. It cannot tell whether the calls in a record were really made by
the policy that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.canonical import canonical_call
from agentworld_env.episodes.ending import make_footer
from agentworld_env.episodes.opening import task_of
from agentworld_env.episodes.record import REPLY_FIELDS, Episode, Footer, TurnLine
from agentworld_env.episodes.turns import play_turn, skip_departed
from agentworld_env.errors import EpisodeFileError, UnknownNameError

Measure = Callable[[Episode, AgentWorldEnv], Mapping[str, Any]]
"""Computes an episode's metrics from its record and the environment at its end."""

_LONGEST = 160
_NOTHING = object()
"""Stands for what is missing on one side."""


def resimulate(episode: Episode, *, allow_python: bool = False) -> AgentWorldEnv:
    """Plays a record's calls again and returns the environment as it is after the last.

    Args:
        episode: The episode, complete or not.
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Raises:
        EpisodeFileError: Something comes out otherwise than recorded; the message names the turn, its round, its agent
            and what differs. Also if the record follows other rules or its task does not match its hash.
    """
    where = episode.path or "record"
    task = task_of(episode.header, where, allow_python=allow_python)
    try:
        env = AgentWorldEnv(task, setting=episode.header.setting)
    except UnknownNameError as error:
        raise EpisodeFileError(f"{where}, line 1: {error}") from error
    env.reset(seed=episode.header.seed)
    replay_lines(env, episode.lines, where)
    return env


def replay_lines(
    env: AgentWorldEnv,
    lines: Sequence[TurnLine],
    where: str,
    before: Callable[[TurnLine], None] | None = None,
    after: Callable[[TurnLine], None] | None = None,
) -> None:
    """Plays recorded turns in an environment that stands where the first of them was played.

    Args:
        env: The environment.
        lines: The turns.
        where: What to call the record in messages.
        before: Called before each turn is played.
        after: Called after it.

    Raises:
        EpisodeFileError: A turn comes out otherwise than recorded.
    """
    for line in lines:
        place = f"{where}: turn {line.action} (round {line.round}, {line.agent})"
        if not skip_departed(env):
            raise EpisodeFileError(f"{place} comes after the end of the episode")
        if line.agent != env.agent_selection:
            raise EpisodeFileError(f"{place} deviates: it is the turn of {env.agent_selection}")
        if not isinstance(line.call, dict) or canonical_call(line.call) != line.call:
            raise EpisodeFileError(
                f"{place} deviates: its call is not in the form in which calls are recorded"
            )
        if any(set(reply) - REPLY_FIELDS for reply in line.replies):
            raise EpisodeFileError(
                f"{place} deviates: a reply of a model holds more than {', '.join(sorted(REPLY_FIELDS))}"
            )
        if before is not None:
            before(line)
        played = play_turn(env, line.call, line.replies)
        if played != line:
            raise EpisodeFileError(f"{place} deviates: {_difference(line, played)}")
        if after is not None:
            after(line)


def verify(episode: Episode, measure: Measure | None = None, *, allow_python: bool = False) -> AgentWorldEnv:
    """Re-simulates a complete record and recomputes its footer, the verdict above all.

    Args:
        episode: The episode.
        measure: Computes its metrics; None leaves the recorded metrics unchecked.
        allow_python: As for ``resimulate``.

    Returns:
        The environment at the end of the episode.

    Raises:
        EpisodeFileError: The record does not re-simulate, is not complete, or its footer says something else.
    """
    env = resimulate(episode, allow_python=allow_python)
    check_footer(env, episode, measure)
    return env


def check_footer(env: AgentWorldEnv, episode: Episode, measure: Measure | None = None) -> None:
    """Compares the footer of an episode with what follows from the environment in which its turns were played.

    Args:
        env: The environment, after the last turn.
        episode: The episode.
        measure: As for ``verify``.

    Raises:
        EpisodeFileError: There is no footer, it comes too early, or it says something else.
    """
    where = episode.path or "record"
    footer = episode.footer
    if footer is None:
        raise EpisodeFileError(
            f"{where}: expected a complete record, got {len(episode.lines)} turns without a footer"
        )
    if skip_departed(env):
        raise EpisodeFileError(
            f"{where}: the footer comes too early: after {len(episode.lines)} turns "
            f"it is the turn of {env.agent_selection} in round {env.round}"
        )
    expected = make_footer(env, footer.metrics if measure is None else measure(episode, env))
    # A count that is written as 0.0 would be as equal as 0, but the line would be another one.
    if footer != expected or _text(footer) != _text(expected):
        raise EpisodeFileError(f"{where}: the footer deviates: {_difference(footer, expected)}")


def _difference(recorded: TurnLine | Footer, played: TurnLine | Footer) -> str:
    """Returns the first field, or the place inside it, in which two lines differ, with both values."""
    for name in type(recorded).__struct_fields__:
        said, is_ = getattr(recorded, name), getattr(played, name)
        if said == is_ and _text(said) == _text(is_):
            continue
        if name == "events":
            return _event_difference(said, is_)
        place, ours, theirs = _deviation(name, msgspec.to_builtins(said), msgspec.to_builtins(is_))
        return f"{place} is recorded as {ours}, but comes out as {theirs}"
    raise AssertionError("the lines are equal")


def _deviation(place: str, said: Any, is_: Any) -> tuple[str, str, str]:
    """Returns where two plain values that are not the same differ first, and what stands there in either."""
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(said, dict) and isinstance(is_, dict):
        # In the order in which they come out; what is recorded besides comes last.
        keys = [*is_, *(key for key in said if key not in is_)]
        pairs = [(f"{place}.{key}", said.get(key, _NOTHING), is_.get(key, _NOTHING)) for key in keys]
    elif isinstance(said, list | tuple) and isinstance(is_, list | tuple):
        both = zip_longest(said, is_, fillvalue=_NOTHING)
        pairs = [(f"{place}[{k}]", ours, theirs) for k, (ours, theirs) in enumerate(both)]
    for inner, ours, theirs in pairs:
        if ours is _NOTHING or theirs is _NOTHING:
            return inner, _brief(ours), _brief(theirs)
        if _text(ours) != _text(theirs):
            return _deviation(inner, ours, theirs)
    return place, _brief(said), _brief(is_)


def _text(value: Any) -> bytes:
    """Returns a value as it is written, whatever the order of its keys."""
    return msgspec.json.encode(value, order="sorted")


def _event_difference(said: Sequence[Any], is_: Sequence[Any]) -> str:
    for k in range(max(len(said), len(is_))):
        ours = _brief(said[k] if k < len(said) else _NOTHING)
        theirs = _brief(is_[k] if k < len(is_) else _NOTHING)
        if k >= len(said) or k >= len(is_) or said[k] != is_[k]:
            return f"event {k} is recorded as {ours}, but comes out as {theirs}"
    raise AssertionError("the events are equal")


def _brief(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
