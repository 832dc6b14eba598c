"""Scoring records: re-simulated and re-verified first, read afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import msgspec

from agentworld_env.episodes import Episode, played_spec, read_episode, verify
from agentworld_env.errors import AgentWorldError, UnknownNameError
from agentworld_env.metrics import METHODS, Method, episode_metrics


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What one episode is worth.

    Attributes:
        path: The record, or empty.
        suite: Suite that the task belongs to.
        task: Task id.
        policy: Name of the policy.
        setting: Name of the setting.
        seed: Seed of the episode.
        success: Whether the team reached every checkpoint and broke no constraint.
        psr: Fraction of checkpoints reached.
        rounds: Rounds played.
        max_rounds: Round budget.
        actions: Calls made.
        metrics: Figures of the record's footer.
    """

    path: str
    suite: str
    task: str
    policy: str
    setting: str
    seed: int
    success: bool
    psr: float
    rounds: int
    max_rounds: int
    actions: int
    metrics: dict[str, Any]


def score_of(episode: Episode) -> Score:
    """Returns the score of a complete episode, as its footer says.

    Raises:
        ValueError: The episode is not over.
    """
    header, verdict, footer = episode.header, episode.verdict, episode.footer
    assert footer is not None
    return Score(
        path=episode.path or "",
        suite=header.suite,
        task=header.task,
        policy=str(header.policy.get("name", "")),
        setting=header.setting,
        seed=header.seed,
        success=verdict.success,
        psr=verdict.psr,
        rounds=footer.rounds,
        max_rounds=int(played_spec(header)["max_rounds"]),
        actions=footer.actions,
        metrics=footer.metrics,
    )


def score_record(path: str | Path, *, allow_python: bool = False) -> Score:
    """Reads a record, re-simulates and re-verifies it, and returns its score.

    Args:
        path: The record.
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Raises:
        EpisodeFileError: The record is malformed, incomplete, or does not come out as recorded.
    """
    episode = read_episode(path)
    verify(episode, episode_metrics, allow_python=allow_python)
    return score_of(episode)


def records_in(paths: Iterable[str | Path]) -> list[Path]:
    """Returns the records that some paths name: files as they are, directories by the records right inside them.

    Raises:
        AgentWorldError: A path does not exist, or a directory holds no record.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(p for p in path.glob("*.jsonl") if not p.name.endswith(".usage.jsonl"))
            if not inside:
                raise AgentWorldError(f"{path} holds no episode records (*.jsonl)")
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise AgentWorldError(f"{path} does not exist")
    return found


def cce_record(path: str | Path, method: str = "events", *, allow_python: bool = False) -> Score:
    """Returns a record's score with the metrics computed anew by another way of drawing the action graph.

    Args:
        path: The record; it is re-simulated and re-verified first.
        method: One of ``metrics.METHODS``.
        allow_python: As for ``score_record``.

    Raises:
        EpisodeFileError: As for ``score_record``.
        UnknownNameError: There is no such method.
    """
    if method not in METHODS:
        raise UnknownNameError("CCE method", method, METHODS)
    episode = read_episode(path)
    env = verify(episode, episode_metrics, allow_python=allow_python)
    figures = episode_metrics(episode, env, method=cast(Method, method))
    return msgspec.structs.replace(score_of(episode), metrics=figures)
