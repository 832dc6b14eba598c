"""Scoring records: re-simulated and re-verified first, read afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from agentworld_env.episodes import Episode, is_usage, played_spec, read_episode, verify
from agentworld_env.errors import AgentWorldError, nearest
from agentworld_env.metrics import episode_metrics
from agentworld_env.metrics.labels import holds_labels

Read = TypeVar("Read")
"""What is made of a record."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A record that cannot be used.

    Attributes:
        path: The record.
        error: What is wrong with it, in one line that names it.
    """

    path: str
    error: str


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What one episode is worth.

    Attributes:
        path: The record, or None if the episode was not recorded.
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

    path: str | None
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
        path=episode.path,
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


def each_sound(paths: Iterable[Path], read: Callable[[Path], Read]) -> tuple[list[Read], list[Fault]]:
    """Returns what is made of those records that can be used, and what is wrong with the others.

    Args:
        paths: The records.
        read: Reads one of them, such as ``score_record``.
    """
    good: list[Read] = []
    bad: list[Fault] = []
    for path in paths:
        try:
            good.append(read(path))
        except AgentWorldError as error:
            bad.append(Fault(path=str(path), error=str(error)))
    return good, bad


def records_in(paths: Iterable[str | Path]) -> list[Path]:
    """Returns the records that some paths name, each once: files as they are, directories by the records inside them.

    Records in a directory, or in one inside it, are files that end in ``.jsonl`` and not in ``.usage.jsonl``, and hold
    no labels.

    Raises:
        AgentWorldError: A path does not exist, or a directory holds no record.
    """
    return sort_out(paths)[0]


def sort_out(paths: Iterable[str | Path]) -> tuple[list[Path], list[Path]]:
    """Returns the records that some paths name, as ``records_in`` does, and the files of labels beside them.

    Files of labels are told by what they begin with. One that is named itself is taken for a record, as any file is.

    Raises:
        AgentWorldError: As for ``records_in``.
    """
    found: dict[Path, Path] = {}
    labels: dict[Path, Path] = {}
    for path in map(Path, paths):
        if path.is_dir():
            files = [p for p in sorted(path.rglob("*.jsonl")) if not is_usage(p)]
            beside = {p for p in files if p.is_file() and _holds_labels(p)}
            inside = [p for p in files if not (p in beside or p.is_dir())]
            if not inside:
                what = ", only labels" if beside else ""
                raise AgentWorldError(f"{path} holds no episode records (*.jsonl){what}")
            labels.update((p.resolve(), p) for p in beside)
        elif path.exists():
            inside = [path]
        else:
            raise AgentWorldError(f"{path} does not exist{_meant(path)}")
        for record in inside:
            found.setdefault(record.resolve(), record)
    return list(found.values()), [p for key, p in sorted(labels.items()) if key not in found]


def _meant(path: Path) -> str:
    """Returns the names beside a missing path that are like its own, as the end of a sentence."""
    try:
        beside = [each.name for each in path.parent.iterdir()]
    except OSError:
        return ""
    near = nearest(path.name, beside, 1)
    return f"; did you mean {path.with_name(near[0])}?" if near else ""


def _holds_labels(path: Path) -> bool:
    try:
        return holds_labels(path)
    except OSError:
        return False  # whoever reads it as a record says what is wrong with it
