"""What a refusal by an endpoint means for the run: that nothing can be had from it any more, or one prompt cannot."""

from __future__ import annotations

from pathlib import Path

from agentworld_env.episodes import read_usage
from agentworld_env.episodes.usage import is_usage
from agentworld_env.errors import EpisodeFileError
from agentworld_env.models import ServiceError

_HOPELESS = (401, 402)
"""HTTP statuses after which no other call to the endpoint can succeed either: key, money."""

_NOT_FOUND = 404
_FORBIDDEN = 403
"""No right to use the endpoint; but providers also say so of a prompt that was flagged."""

_FEWEST = 3
"""At least so many episodes are forbidden before an endpoint that has never answered counts as closed."""


class Refusals:
    """Tells an endpoint that refuses everything from one that refuses what it was asked in one episode.

    An endpoint that has answered in this run, in another process or before a resume included, has neither a wrong
    address nor a key without rights: the usage files, which hold every reply, say whether it has.

    Args:
        folder: Folder of the run.
        at_once: Episodes that are played at once: where so many are forbidden, replies to others are not merely slower
            than the refusals.
    """

    def __init__(self, folder: Path, at_once: int) -> None:
        self._folder = folder
        self._enough = max(_FEWEST, at_once)
        self._answered: set[str] = set()
        self._forbidden: dict[str, int] = {}

    def end_the_run(self, error: ServiceError) -> bool:
        """Returns whether no other call can be expected to succeed; to be asked once per failed episode.

        Args:
            error: Why the episode could not go on.
        """
        if error.status in _HOPELESS or (error.status == 429 and not error.transient):
            return True
        if error.status not in (_FORBIDDEN, _NOT_FOUND) or self._has_answered(error.model):
            return False
        if error.status == _NOT_FOUND:
            return True
        self._forbidden[error.model] = self._forbidden.get(error.model, 0) + 1
        return self._forbidden[error.model] >= self._enough

    def _has_answered(self, model: str) -> bool:
        if model not in self._answered:
            records = (path for path in self._folder.glob("*.jsonl") if not is_usage(path))
            if any(_answers(record, model) for record in records):
                self._answered.add(model)
        return model in self._answered


def _answers(record: Path, model: str) -> bool:
    """Returns whether an episode holds a reply of a model, or of any if it is not known which was asked."""
    try:
        lines = read_usage(record)
    except EpisodeFileError:
        return False  # whoever goes on with that episode is told
    return any(not model or line.model == model for line in lines)
