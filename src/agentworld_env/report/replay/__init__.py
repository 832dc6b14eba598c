"""Watching an episode: one self-contained page with a scrubber, a map, lanes, chat, views and the causal path."""

from __future__ import annotations

import errno
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from agentworld_env.episodes import Episode, read_episode
from agentworld_env.files import write_whole
from agentworld_env.report.replay.data import replay_data
from agentworld_env.report.replay.page import frame_html, page_html


class Replay:
    """A replay of an episode: shows itself in a notebook, and saves itself as a page.

    Args:
        data: What ``replay_data`` returned.
        height: Height in a notebook (CSS pixels).
    """

    def __init__(self, data: dict[str, Any], height: int = 760) -> None:
        self.data = data
        self.height = height

    def __repr__(self) -> str:
        about = self.data["about"]
        return (
            f"<Replay of {about['task']} by {about['policy']}, seed {about['seed']}: "
            f"{len(self.data['steps'])} calls; save(path) writes a page>"
        )

    @cached_property
    def html(self) -> str:
        """The page."""
        return page_html(self.data)

    def save(self, path: str | Path) -> Path:
        """Writes the page and returns its path.

        Args:
            path: The HTML file; its directory is made if it does not exist.

        Raises:
            OSError: It cannot be written.
        """
        path = Path(path)
        page = self.html
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent)) from error
        write_whole(path, page)
        return path

    def _repr_html_(self) -> str:
        return frame_html(self.html, self.height)


def replay(episode: Episode | str | Path, *, height: int = 760, allow_python: bool = False) -> Replay:
    """Returns a replay of an episode, whose record is played again first.

    Args:
        episode: An episode, complete or not, or the path of its record.
        height: Height in a notebook (CSS pixels).
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Raises:
        TypeError: It is neither an episode nor a path.
        EpisodeFileError: The record is malformed or does not come out as recorded.
    """
    if not isinstance(episode, Episode | str | Path):
        raise TypeError(f"an episode is an Episode or the path of its record, not {type(episode).__name__}")
    if not isinstance(episode, Episode):
        episode = read_episode(episode)
    return Replay(replay_data(episode, allow_python=allow_python), height)


__all__ = ["Replay", "replay"]
