"""Where the record of an episode is written."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from agentworld_env.episodes import Header, Scan, differences, scan_episode
from agentworld_env.episodes.record import encode_line
from agentworld_env.errors import AgentWorldError, EpisodeFileError

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


def record_path(out: str | Path, header: Header) -> Path:
    """Returns the file of an episode's record.

    Args:
        out: A file that ends in ``.jsonl``, or a directory.
        header: Header of the episode.

    Returns:
        The file itself, or ``<task>-<policy>-seed<N>.jsonl`` in the directory, with the setting behind the policy
        unless it is the default. A name that a file's name cannot tell from others, being long or in other letters
        than those of ASCII, is followed by a short hash of it.

    Raises:
        AgentWorldError: ``out`` is an empty name.
    """
    if not str(out):
        raise AgentWorldError("expected the name of a file or folder for the record, got ''")
    out = Path(out)
    if out.suffix == ".jsonl" and not out.is_dir():
        return out
    parts = [header.task, str(header.policy["name"])]
    if header.setting != "default":
        parts.append(header.setting)
    stem = "-".join(_file_part(part) for part in parts)
    return out / f"{stem}-seed{header.seed}.jsonl"


def _file_part(name: str) -> str:
    safe = _UNSAFE.sub("-", name).strip("-.")
    if safe and name.isascii() and len(safe) <= _LONGEST:
        return safe
    digest = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{safe[:_LONGEST].rstrip('-.')}-{digest}".lstrip("-")


def stored_record(path: Path, header: Header) -> Scan | None:
    """Returns what an earlier run of the same episode has written, or None if nothing is there.

    Args:
        path: The file.
        header: Header of the episode that is to be played.

    Raises:
        AgentWorldError: The file holds another episode; the message says what differs.
        EpisodeFileError: The file is no record.
    """
    if not path.exists():
        return None
    found = scan_episode(path)
    if found.episode is None:
        with path.open("rb") as file:
            begun = file.read(1 << 20)
        if not encode_line(header).startswith(begun):
            raise EpisodeFileError(
                f"{path}, line 1: expected the header of this episode's record; nothing was changed"
            )
        return found
    differs = differences(header, found.episode.header)
    if differs:
        raise AgentWorldError(f"{path} holds another episode ({differs}); choose another place or delete it")
    return found
