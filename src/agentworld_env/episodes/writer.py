"""Writing a record: append-only, one line per turn, handed to the operating system line by line."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import IO

from agentworld_env.episodes.lock import take_lock
from agentworld_env.episodes.reader import Scan
from agentworld_env.episodes.record import Footer, Header, TurnLine, encode_line
from agentworld_env.errors import EpisodeFileError


class EpisodeWriter:
    """Appends lines to a record. A process that dies leaves at most one torn line behind, the last.

    While it is open, no second writer can be had for the file (where the file system has locks).

    Use ``create`` or ``resume``.

    Args:
        path: The file.
        file: The open file, unbuffered, at its end.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: Path, header: Header) -> EpisodeWriter:
        """Starts a new record with its header; missing directories are made.

        Raises:
            EpisodeFileError: The file holds something already, another process is writing it, or it cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(path, error) from error
        # Not exclusively: of two processes that start at once, the one that gets the lock writes.
        writer = cls._locked(path, "ab", 0, "it exists already")
        writer.write(header)
        return writer

    @classmethod
    def resume(cls, path: Path, found: Scan) -> EpisodeWriter:
        """Opens a partial record to go on with it; what follows its last whole line is cut off.

        Args:
            path: The file.
            found: What ``scan_episode`` found in it.

        Raises:
            EpisodeFileError: The file has changed since, another process is writing it, or it cannot be written.
        """
        writer = cls._locked(path, "r+b", found.total, "another process has changed it meanwhile")
        try:
            writer._file.truncate(found.size)
            writer._file.seek(found.size)
        except OSError as error:
            raise _unwritable(path, error) from error
        if found.torn:
            writer._append(b"\n")
        return writer

    @classmethod
    def _locked(cls, path: Path, mode: str, total: int, otherwise: str) -> EpisodeWriter:
        """Opens a file that must hold so many bytes, and keeps other writers away from it."""
        try:
            file: IO[bytes] = path.open(mode, buffering=0)
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            free = take_lock(file)
            size = os.fstat(file.fileno()).st_size
        except OSError as error:
            file.close()
            raise _unwritable(path, error) from error
        if not free:
            file.close()
            raise EpisodeFileError(f"another process is writing {path}")
        if size != total:
            file.close()
            raise EpisodeFileError(f"cannot write {path}: {otherwise}")
        return cls(path, file)

    def write(self, line: Header | TurnLine | Footer) -> None:
        """Appends a line.

        Raises:
            EpisodeFileError: It cannot be written.
        """
        self._append(encode_line(line))

    def close(self) -> None:
        """Closes the file, which lets others write it.

        Raises:
            EpisodeFileError: It cannot be written.
        """
        try:
            self._file.close()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _append(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def __enter__(self) -> EpisodeWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _unwritable(path: Path, error: OSError) -> EpisodeFileError:
    return EpisodeFileError(f"cannot write {path}: {error.strerror or error}")
