"""What people say about which actions contribute: one JSON object a line, appended as they go."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.files import check_regular, read_whole
from agentworld_env.metrics.causal import Trace
from agentworld_env.metrics.finding import Finding

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?$)', re.DOTALL)
_OPENING = '{"episode":'
"""What every label begins with, and no record."""
_PARTS: tuple[str | re.Pattern[str], ...] = (
    _OPENING,
    _TEXT,
    ',"task":',
    _TEXT,
    ',"action":',
    re.compile(r"-?\d*"),
    ',"contributes":',
    re.compile(r"t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?"),
    ',"labeller":',
    _TEXT,
    "}",
)
"""What a written label consists of, in order; each pattern also matches a beginning that the text ends with."""


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

    The beginning of a label in a last line without an end, as a killed process leaves it, is left out.

    Raises:
        AgentWorldError: The file cannot be read, or a line is no label; the message names file and line.
    """
    path = Path(path)
    try:
        data = read_whole(path)
    except OSError as error:
        raise AgentWorldError(f"{path}: expected a readable file of labels ({error.strerror})") from error
    found: dict[tuple[str, str, int], Label] = {}
    lines = data.split(b"\n")
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        try:
            label = msgspec.json.decode(raw, type=Label)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            if number == len(lines) and _begins_label(raw):
                continue
            raise AgentWorldError(f"{path}, line {number}: expected a label ({error})") from error
        found[label.labeller, label.episode, label.action] = label
    return list(found.values())


def holds_labels(path: str | Path) -> bool:
    """Returns whether a file begins as a file of labels does.

    Raises:
        OSError: It cannot be read.
    """
    check_regular(Path(path))
    with Path(path).open("rb") as file:
        return file.read(len(_OPENING)).startswith(b'{"episode"')


def _begins_label(raw: bytes) -> bool:
    """Returns whether something is the beginning of a label as ``append_label`` writes it, and not all of it."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        if error.end != len(raw) or error.reason != "unexpected end of data":
            return False
        text = raw[: error.start].decode() + "\ufffd"  # cut inside a letter, which only a text can hold
    for part in _PARTS:
        if isinstance(part, str):
            if not text.startswith(part):
                return part.startswith(text)
            text = text[len(part) :]
        else:
            found = part.match(text)
            if found is None or (found.end() == 0 and text):
                return False
            text = text[found.end() :]
        if not text:
            return part is not _PARTS[-1]
    return False


def append_label(path: Path, label: Label) -> None:
    """Appends a label to a file; the file and its directories come into being with the first.

    A last line without an end is ended if it is a label, and cut off if it is the beginning of one, as a killed
    process leaves it.

    Raises:
        AgentWorldError: The file holds something else; nothing is written.
    """
    line = msgspec.json.encode(label) + b"\n"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
    else:
        read_labels(path)
    with path.open("ab+") as file:
        file.seek(0)
        data = file.read()
        tail = data[data.rfind(b"\n") + 1 :]
        if tail and _begins_label(tail):
            file.truncate(len(data) - len(tail))
        elif tail:
            line = b"\n" + line
        file.write(line)


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


def require_all_labelled(path: str | Path, episodes: Sequence[Episode], found: Sequence[Finding]) -> None:
    """Makes sure that every action is labelled, for figures that count the actions that do not contribute.

    Args:
        path: The file of labels.
        episodes: The episodes.
        found: What ``human_findings`` gave for them.

    Raises:
        AgentWorldError: Some action is not labelled; the message names the first such episode and counts its labels.
    """
    lacking = [
        (episode, finding.decided)
        for episode, finding in zip(episodes, found, strict=True)
        if finding.decided is not None and len(finding.decided) < len(episode.lines)
    ]
    if not lacking:
        return
    episode, decided = lacking[0]
    header = episode.header
    name = episode.path or f"{header.task}, seed {header.seed}"
    more = f" (episodes without all labels: {len(lacking)})" if len(lacking) > 1 else ""
    raise AgentWorldError(
        f"{path}: {len(decided or ())} of the {len(episode.lines)} actions of {name} are labelled{more}; "
        "expected labels of all, since CCE counts what did not contribute: go on with cce label, or compare what "
        "there is with cce agree"
    )
