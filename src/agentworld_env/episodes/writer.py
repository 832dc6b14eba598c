"""Writing a record: append-only, one line per turn, handed to the operating system line by line."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from agentworld_env.episodes.record import Footer, Header, TurnLine
from agentworld_env.errors import EpisodeFileError

# Keys keep their order: a task's team stands in turn order. Nothing in a record comes from a set, so that equal
# records have equal bytes.
_ENCODER = msgspec.json.Encoder()


def encode_line(line: Header | TurnLine | Footer) -> bytes:
    """Returns a line of a record, line end included."""
    return _ENCODER.encode(line) + b"\n"


class EpisodeWriter:
    """Appends lines to a record. A process that dies leaves at most one torn line behind, the last.

    Use ``create`` or ``resume``.

    Args:
        path: The file.
        file: The open file, at its end.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: Path, header: Header) -> EpisodeWriter:
        """Starts a new record with its header; missing directories are made.

        Raises:
            EpisodeFileError: The file exists already or cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = cls(path, path.open("xb"))
        except OSError as error:
            raise _unwritable(path, error) from error
        writer.write(header)
        return writer

    @classmethod
    def resume(cls, path: Path, size: int, torn: bool) -> EpisodeWriter:
        """Opens a partial record to go on with it.

        Args:
            path: The file.
            size: So many bytes of it are whole lines; the rest is cut off.
            torn: Whether the last of these lines lacks only its line end.

        Raises:
            EpisodeFileError: The file cannot be written.
        """
        try:
            file = path.open("r+b")
            file.truncate(size)
            file.seek(size)
            if torn:
                file.write(b"\n")
                file.flush()
        except OSError as error:
            raise _unwritable(path, error) from error
        return cls(path, file)

    def write(self, line: Header | TurnLine | Footer) -> None:
        """Appends a line.

        Raises:
            EpisodeFileError: It cannot be written.
        """
        try:
            self._file.write(encode_line(line))
            self._file.flush()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> EpisodeWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _unwritable(path: Path, error: OSError) -> EpisodeFileError:
    return EpisodeFileError(f"cannot write {path}: {error.strerror or error}")
