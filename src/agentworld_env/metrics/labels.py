"""What people say about which actions contribute: one JSON object a line, appended as they go."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.metrics.causal import Trace
from agentworld_env.metrics.finding import Finding

_LONGEST = 64 * 1024
"""Longest line of a file (bytes)."""


class Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person's word on one action.

    Attributes:
        episode: Key of the episode, see ``episode_key``.
        task: Id of its task, for people who read the file.
        action: Number of the action.
        contributes: Whether it contributed.
        labeller: Who says so.
    """

    episode: str
    task: str
    action: int
    contributes: bool
    labeller: str


def episode_key(episode: Episode) -> str:
    """Returns a short hash that tells an episode from every other one, whatever its file is called."""
    digest = hashlib.blake2b(msgspec.json.encode(episode.header), digest_size=8)
    for line in episode.lines:
        digest.update(msgspec.json.encode((line.agent, line.call)))
    return digest.hexdigest()


def read_labels(path: str | Path) -> list[Label]:
    """Returns the labels of a file; where an action was labelled again, the later label stands.

    A torn last line, as a killed process leaves it, is left out.

    Raises:
        AgentWorldError: The file cannot be read, or a line is no label; the message names file and line.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AgentWorldError(f"{path}: expected a readable file of labels ({error.strerror})") from error
    found: dict[tuple[str, str, int], Label] = {}
    lines = data.split(b"\n")
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        try:
            label = msgspec.json.decode(raw, type=Label)
        except msgspec.DecodeError as error:
            if number == len(lines) and not isinstance(error, msgspec.ValidationError):
                continue
            raise AgentWorldError(f"{path}, line {number}: expected a label ({error})") from error
        found[label.labeller, label.episode, label.action] = label
    return list(found.values())


def append_label(path: Path, label: Label) -> None:
    """Appends a label to a file; the file and its directories come into being with the first.

    What a killed process left of a label at the end is cut off.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        end = file.tell()
        file.seek(max(0, end - _LONGEST))
        tail = file.read()
        whole = tail.rfind(b"\n") + 1
        if len(tail) > whole:
            file.truncate(end - len(tail) + whole)
        file.write(msgspec.json.encode(label) + b"\n")


def human_findings(path: str | Path, episodes: Sequence[Episode]) -> list[Finding]:
    """Returns what a file of labels says about each of some episodes.

    Args:
        path: The file. It must be one person's: where several labelled an action, that is an error.
        episodes: The episodes.

    Raises:
        AgentWorldError: The file cannot be read, holds labels of several people, or of an action that does not exist.
    """
    labels = read_labels(path)
    people = sorted({label.labeller for label in labels})
    if len(people) > 1:
        raise AgentWorldError(f"{path} holds labels of {', '.join(people)}; compare one person at a time")
    found: list[Finding] = []
    for episode in episodes:
        key = episode_key(episode)
        mine = {label.action: label.contributes for label in labels if label.episode == key}
        strange = [number for number in mine if not 0 <= number < len(episode.lines)]
        if strange:
            raise AgentWorldError(f"{path}: the episode has no action {strange[0]}")
        chosen = tuple(sorted(number for number, contributes in mine.items() if contributes))
        found.append(
            Finding(
                method=f"human:{people[0] if people else path}",
                trace=Trace((), chosen, ()),
                decided=frozenset(mine),
            )
        )
    return found
