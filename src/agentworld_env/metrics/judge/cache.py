"""Answers kept on disk, so that nothing is asked or paid twice. A file's name is the hash of everything asked."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.files import read_whole, write_whole


class Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An accepted answer.

    Attributes:
        model: Name of the model.
        answer: Its text.
        prompt_tokens: Tokens of the requests that led to it.
        completion_tokens: Tokens of the replies.
        requests: Number of requests, re-asks included.
    """

    model: str
    answer: str
    prompt_tokens: int
    completion_tokens: int
    requests: int


class JudgeCache:
    """Keeps answers in a directory.

    Args:
        directory: Where; it comes into being with the first answer.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)

    def get(self, key: str) -> Kept | None:
        """Returns the answer to a question, or None if it has never been answered.

        Raises:
            AgentWorldError: The file is damaged.
        """
        path = self.path(key)
        try:
            return msgspec.json.decode(read_whole(path), type=Kept)
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise self._unusable(error) from error
        except msgspec.DecodeError as error:
            raise AgentWorldError(
                f"{path}: expected a kept answer of a judge ({error}); delete it"
            ) from error

    def prepare(self) -> None:
        """Makes sure that answers can be kept, to be called before the first is paid for.

        Raises:
            AgentWorldError: They cannot; the message names the directory.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.directory):
                pass
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> AgentWorldError:
        return AgentWorldError(
            f"a judge's answers cannot be kept in {self.directory} ({error.strerror or error}); "
            "give another directory with --cache, or use --no-cache"
        )

    def put(self, key: str, kept: Kept) -> None:
        """Keeps an answer; another process never sees half of it."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(kept))

    def path(self, key: str) -> Path:
        """Returns the file of the answer to a question."""
        return self.directory / key[:2] / f"{key}.json"


def question_key(
    model: str, address: str, messages: Sequence[Mapping[str, Any]], temperature: float, version: int
) -> str:
    """Returns the hash of a question. It holds nothing secret: a key for the API is no part of it.

    Args:
        model: Name of the model.
        address: Where it is asked.
        messages: What it is asked.
        temperature: Sampling temperature.
        version: Version of the wording.
    """
    parts = msgspec.json.encode((version, model, address, temperature, list(messages)), order="sorted")
    return hashlib.blake2b(parts, digest_size=20).hexdigest()


def cache_directory() -> Path:
    """Returns where answers are kept by default: the user's cache directory."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "agentworld-env" / "judge"
