"""Reading a record, whoever wrote it: every line is typed, sizes are limited, faults are named by line."""

from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import BinaryIO

import msgspec

from agentworld_env.episodes.record import FORMAT, Episode, Footer, Header, TurnLine, encode_line
from agentworld_env.episodes.usage import is_usage
from agentworld_env.errors import EpisodeFileError, hint, nearest

MAX_BYTES = 512 * 1024 * 1024
"""Greatest record that is read (bytes)."""

MAX_LINE = 16 * 1024 * 1024
"""Longest line that is read (bytes)."""

_DECODER: msgspec.json.Decoder[Header | TurnLine | Footer] = msgspec.json.Decoder(Header | TurnLine | Footer)


class Scan(msgspec.Struct, frozen=True):
    """A record as found on disk.

    Attributes:
        episode: What it says, or None if not even the header is whole.
        size: So many bytes are whole lines.
        torn: Whether the last whole line lacks its line end.
        total: So many bytes the file has.
    """

    episode: Episode | None
    size: int
    torn: bool
    total: int


def read_episode(path: str | Path) -> Episode:
    """Reads a record. A torn last line, as a killed process leaves it, is dropped, and the episode then has no footer.

    Args:
        path: The file.

    Raises:
        EpisodeFileError: It cannot be read or is no record; the message names file, line and what was expected.
    """
    found = scan_episode(path).episode
    if found is None:
        raise EpisodeFileError(
            f"{path}, line 1: expected the header of an episode record, got an unfinished line"
        )
    return found


def read_header(path: str | Path) -> Header | None:
    """Returns the header of a record without reading its turns, or None if not even the header is whole.

    Args:
        path: The file.

    Raises:
        EpisodeFileError: The file cannot be read, or does not begin with the header of a record.
    """
    path = Path(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise EpisodeFileError(f"{path}: expected a regular file")
        with path.open("rb") as file:
            first = file.readline(MAX_LINE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise EpisodeFileError(f"{path}: expected a readable episode record ({reason})") from error
    found = _scan(path, io.BytesIO(first)).episode
    return None if found is None else found.header


def scan_episode(path: str | Path) -> Scan:
    """Reads a record and tells how much of the file is whole.

    Args:
        path: The file.

    Raises:
        EpisodeFileError: As for ``read_episode``, except that a file without a whole header is no error.
    """
    path = Path(path)
    try:
        about = path.stat()
        if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
            # Reading a pipe or a device may wait for ever or never end.
            raise EpisodeFileError(f"{path}: expected a regular file")
        if about.st_size > MAX_BYTES:
            raise EpisodeFileError(f"{path}: expected a record of at most {MAX_BYTES} bytes")
        with path.open("rb") as file:
            return _scan(path, file)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or error
        raise EpisodeFileError(
            f"{path}: expected a readable episode record ({reason}){_records_near(path)}"
        ) from error


def _records_near(path: Path) -> str:
    """Returns which record may be meant by the path of a directory, or of a file that does not exist."""
    try:
        if path.is_file():
            return ""
        folder, name = (path, "") if path.is_dir() else (path.parent, path.name)
        records = sorted(p.name for p in folder.glob("*.jsonl") if not is_usage(p))
    except (OSError, ValueError):
        return ""
    if not name and records:
        others = (
            f" or {len(records) - 1} others"
            if len(records) > 2
            else f" or {records[1]}"
            if records[1:]
            else ""
        )
        return f"; it holds {records[0]}{others}"
    return hint(name, records) if nearest(name, records) else ""


def _scan(path: Path, file: BinaryIO) -> Scan:
    episode: Episode | None = None
    size = total = number = 0
    torn = False
    while raw := file.readline(MAX_LINE + 1):
        number += 1
        total += len(raw)
        where = f"{path}, line {number}"
        whole = raw.endswith(b"\n")
        if len(raw) > MAX_LINE:
            raise EpisodeFileError(f"{where}: expected a line of at most {MAX_LINE} bytes")
        expected = _expected(episode)
        try:
            line = _DECODER.decode(raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            begun = not whole and not isinstance(error, msgspec.ValidationError)
            if begun and (episode is None or episode.footer is None):
                break  # what a killed process leaves behind
            reason = " ".join(str(error).split())
            raise EpisodeFileError(f"{where}: expected {expected} ({reason})") from error
        if encode_line(line) != (raw if whole else raw + b"\n"):
            raise EpisodeFileError(
                f"{where}: expected {expected} exactly as it is written; keys, order or spacing have been changed"
            )
        if isinstance(line, Header):
            if episode is not None:
                raise EpisodeFileError(f"{where}: expected {expected}, got a second header")
            if line.format != FORMAT:
                raise EpisodeFileError(
                    f"{where}: expected format {FORMAT} of records, got format {line.format}"
                )
            episode = Episode(header=line, lines=[], path=str(path))
        elif episode is None or episode.footer is not None:
            raise EpisodeFileError(f"{where}: expected {expected}, got a {_kind(line)}")
        elif isinstance(line, Footer):
            episode.footer = line
        elif line.action != len(episode.lines):
            raise EpisodeFileError(f"{where}: expected {expected}, got turn {line.action}")
        else:
            episode.lines.append(line)
        size += len(raw)
        torn = not whole
    return Scan(episode, size, torn, total)


def _expected(episode: Episode | None) -> str:
    if episode is None:
        return "the header of an episode record"
    if episode.footer is not None:
        return "nothing after the footer"
    return f"turn {len(episode.lines)} or the footer"


def _kind(line: Header | TurnLine | Footer) -> str:
    return str(type(line).__struct_config__.tag)
