"""CCE of records by any method: re-simulated and re-verified first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, read_episode, verify
from agentworld_env.evaluate.score import Score, score_of
from agentworld_env.metrics import (
    Finding,
    MethodOptions,
    episode_metrics,
    findings,
    parse_method,
    require_all_decided,
)

_NO_OPTIONS = MethodOptions()
RECORDED = "events"
"""The method behind the figures in footers, so that verifying a record computes them."""


class Verified(msgspec.Struct, frozen=True):
    """A record that came out as recorded.

    Attributes:
        episode: The episode.
        env: The environment at its end.
    """

    episode: Episode
    env: AgentWorldEnv


def verified_records(paths: Iterable[str | Path], *, allow_python: bool = False) -> list[Verified]:
    """Reads records, re-simulates and re-verifies them.

    Args:
        paths: The records.
        allow_python: Whether to accept tasks of unknown origin whose checkpoints run installed code.

    Raises:
        EpisodeFileError: A record is malformed, incomplete, or does not come out as recorded.
    """
    return [verified_record(path, allow_python=allow_python) for path in paths]


def verified_record(path: str | Path, *, allow_python: bool = False) -> Verified:
    """Reads a record, re-simulates and re-verifies it; arguments and errors are as for ``verified_records``."""
    episode = read_episode(path)
    return Verified(episode, verify(episode, episode_metrics, allow_python=allow_python))


def cce_records(
    paths: Iterable[str | Path], method: str = "events", options: MethodOptions = _NO_OPTIONS
) -> list[Score]:
    """Returns records' scores with the metrics computed anew by a method; what else it says is in ``cce_notes``.

    Args:
        paths: The records; they are re-simulated and re-verified first.
        method: One of ``metrics.FORMS``.
        options: Options of the method.

    Raises:
        EpisodeFileError: As for ``verified_records``.
        UnknownNameError: There is no such method.
        AgentWorldError: A model, an answer of a judge or a file of labels cannot be used.
    """
    parse_method(method)
    return cce_of(verified_records(paths, allow_python=options.allow_python), method, options)


def cce_of(
    records: Sequence[Verified], method: str = "events", options: MethodOptions = _NO_OPTIONS
) -> list[Score]:
    """Returns the scores of records that have been verified; arguments and errors are as for ``cce_records``.

    A person's labels must be of all actions, since the actions that do not contribute count in CCE.
    """
    if method == RECORDED:
        return [score_of(record.episode) for record in records]
    episodes = [record.episode for record in records]
    found = findings(episodes, method, options, [record.env for record in records])
    require_all_decided(method, episodes, found)
    return [
        msgspec.structs.replace(score_of(record.episode), metrics=_figures(record, finding))
        for record, finding in zip(records, found, strict=True)
    ]


def _figures(record: Verified, finding: Finding) -> dict[str, Any]:
    figures = episode_metrics(record.episode, record.env, finding=finding)
    if finding.notes:
        figures["cce_notes"] = dict(finding.notes)
    return figures
