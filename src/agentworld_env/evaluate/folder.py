"""The folder of a run: manifest, records, failures, and a lock against a second process."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import msgspec

from agentworld_env.episodes.lock import take_lock
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.manifest import (
    NAME,
    Manifest,
    manifest_differences,
    read_manifest,
    write_manifest,
)
from agentworld_env.files import read_whole

FAILURES = "failures.ndjson"
"""One line per episode that an endpoint kept from ending; not ``.jsonl``, which marks records."""


_FOOTER_BYTES = 1 << 20


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that could not be played on because of infrastructure. It is never scored.

    Attributes:
        task: Task id.
        seed: Seed.
        reason: One line.
    """

    task: str
    seed: int
    reason: str


class RunFolder:
    """A run's folder, locked for as long as it is open.

    Args:
        path: The folder; it is made if need be.

    Raises:
        AgentWorldError: Another process works on it, or it cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._made = not self.path.exists()
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = (self.path / "lock").open("a+b")
            free = take_lock(self._lock)
        except OSError as error:
            raise AgentWorldError(f"cannot write to {path}: {error.strerror}") from error
        if not free:
            self._lock.close()
            raise AgentWorldError(f"another process works on {path}; wait for it, or choose another folder")

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.close()  # closing releases the lock, and so does the death of the process

    def begin(self, manifest: Manifest) -> None:
        """Starts a run.

        Raises:
            AgentWorldError: The folder holds one already.
        """
        if (self.path / NAME).exists():
            raise AgentWorldError(
                f"{self.path} holds a run already; continue it with --resume {self.path} (in Python: resume=)"
            )
        write_manifest(self.path, manifest)

    def abandon(self) -> None:
        """Takes back a run that was begun and has recorded nothing, so that the same command can be given again."""
        if any(self.path.glob("*.jsonl")):
            return
        self._lock.close()  # an open file cannot be removed everywhere
        (self.path / NAME).unlink(missing_ok=True)
        (self.path / "lock").unlink(missing_ok=True)
        if self._made and not any(self.path.iterdir()):
            self.path.rmdir()

    def check(self, now: Manifest) -> None:
        """Makes sure that a run is continued as it was begun.

        Raises:
            AgentWorldError: Something differs; the message says what.
        """
        differs = manifest_differences(read_manifest(self.path), now)
        if differs:
            raise AgentWorldError(f"{self.path} was begun otherwise: {'; '.join(differs)}")

    def note(self, failure: Failure) -> None:
        """Appends a failure."""
        with (self.path / FAILURES).open("ab") as file:
            file.write(msgspec.json.encode(failure) + b"\n")


def is_complete(record: Path) -> bool:
    """Returns whether a record ends with a footer, by a look at its end."""
    with record.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _FOOTER_BYTES))
        *_, last = file.read().splitlines() or [b""]
    return last.startswith(b'{"line":"footer"')


def failures_in(folder: str | Path) -> list[Failure]:
    """Returns all failures that a run has noted, in order; those that a later attempt made good are among them."""
    path = Path(folder) / FAILURES
    if not path.exists():
        return []
    found = []
    for line in read_whole(path).splitlines():
        try:
            found.append(msgspec.json.decode(line, type=Failure))
        except msgspec.DecodeError as error:
            raise AgentWorldError(f"{path}: expected lines of failures ({error})") from error
    return found
