"""What an episode cost: times and tokens, in a file beside the record. Nothing compares or hashes it."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Annotated, Any

import msgspec

from agentworld_env.errors import EpisodeFileError
from agentworld_env.files import read_whole

_ENDING = ".usage.jsonl"
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class UsageLine(msgspec.Struct, frozen=True, kw_only=True):
    """One exchange with a model.

    It is written as soon as the exchange is complete, and holds the reply: a run that is interrupted before the turn
    was recorded goes on from it instead of asking again.

    Attributes:
        action: Number of the turn it belongs to.
        agent: Whose turn it was.
        ask: 0 for the first request of the turn, 1 for the first re-ask.
        model: Name of the model.
        seconds: Wall-clock time of the exchange (seconds).
        prompt_tokens: Tokens of the request.
        completion_tokens: Tokens of the reply.
        cached_tokens: Tokens of the request that the provider read from its cache.
        exchange: The exchange as the record of its turn keeps it; empty in files of earlier versions.
    """

    action: _Count
    agent: str
    ask: _Count
    model: str
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e9)]
    prompt_tokens: _Count
    completion_tokens: _Count
    cached_tokens: _Count
    exchange: dict[str, Any] = {}


def usage_path(record: str | Path) -> Path:
    """Returns where the usage of a record is written: ``<episode>.usage.jsonl`` for ``<episode>.jsonl``."""
    record = Path(record)
    return record.with_name(record.name.removesuffix(".jsonl") + _ENDING)


def is_usage(path: Path) -> bool:
    """Returns whether a file is, by its name, the usage of a record and no record itself."""
    return path.name.endswith(_ENDING)


class UsageWriter:
    """Appends to the usage file of a record; the file comes into being with its first line.

    Args:
        record: Path of the record.
        fresh: Whether the record is new, so that a file from an earlier one is removed.

    Raises:
        EpisodeFileError: An earlier file cannot be removed.
    """

    def __init__(self, record: Path, *, fresh: bool) -> None:
        self.path = usage_path(record)
        self._file: IO[bytes] | None = None
        if fresh:
            try:
                self.path.unlink(missing_ok=True)
            except OSError as error:
                raise self._unwritable(error) from error

    def write(self, line: UsageLine) -> None:
        """Appends a line.

        Raises:
            EpisodeFileError: It cannot be written.
        """
        try:
            if self._file is None:
                self._file = self._open()
            left = memoryview(msgspec.json.encode(line) + b"\n")
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Closes the file, if anything was written."""
        if self._file is not None:
            self._file.close()

    def _open(self) -> IO[bytes]:
        file = self.path.open("ab+", buffering=0)
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")  # closes a line that a killed process left torn
        return file

    def _unwritable(self, error: OSError) -> EpisodeFileError:
        return EpisodeFileError(f"cannot write {self.path}: {error.strerror or error}")


def read_usage(record: str | Path, damaged: list[int] | None = None) -> list[UsageLine]:
    """Returns the usage of a record; lines that are no JSON are left out. Empty if nothing was used.

    Args:
        record: Path of the record.
        damaged: Takes the numbers of the lines that were left out, counted from 1; a process that is killed while it
            writes leaves one.

    Raises:
        EpisodeFileError: The file exists and cannot be read, or a line says what cannot be, such as negative tokens.
    """
    path = usage_path(record)
    try:
        data = read_whole(path)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise EpisodeFileError(f"{path}: expected a readable usage file ({error.strerror})") from error
    found: list[UsageLine] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            found.append(msgspec.json.decode(raw, type=UsageLine))
        except msgspec.ValidationError as error:
            raise EpisodeFileError(
                f"{path}, line {number}: expected a line of model usage ({error})"
            ) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if damaged is not None:
                damaged.append(number)
    return found
