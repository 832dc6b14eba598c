"""Errors that a user of the package can cause, and that the command turns into one line with exit code 2."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Any

FEW = 20
"""So many valid names at most are all listed when none of them is near to what was given."""

LONGEST = 80
"""So many characters of what a user gave are quoted."""


class AgentWorldError(Exception):
    """A mistake of the user's: the message is one clear line that says what was expected."""


class InvalidValueError(AgentWorldError, ValueError):
    """A value of a user's that is out of range, or does not go with another."""


class UnknownNameError(AgentWorldError):
    """A task, policy, tool or other name that does not exist.

    Args:
        what: The kind of thing that was looked up, such as ``"task"``.
        name: The name that was given.
        known: Every valid name; the nearest are offered, or all of them if they are few and none is near.
        else_: What to say instead if none is near, such as where to look.
    """

    def __init__(self, what: str, name: str, known: Iterable[str], else_: str = "") -> None:
        known = tuple(known)
        self.name = name
        self.nearest = nearest(name, known)
        offered = hint(name, known) if self.nearest or not else_ else f"; {else_}"
        super().__init__(f"unknown {what} {quoted(name)}{offered}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross between processes, and theirs are made from their arguments otherwise.
        return _unknown_name, (type(self), str(self), self.name, self.nearest)


def _unknown_name(kind: type[UnknownNameError], message: str, name: str, near: list[str]) -> UnknownNameError:
    error = kind.__new__(kind, message)
    error.name, error.nearest = name, near
    return error


class UnknownAgentError(UnknownNameError, KeyError):
    """An agent that is not of the team; a ``KeyError`` besides, as PettingZoo's users expect."""

    def __str__(self) -> str:
        # KeyError shows what it is given as a key, in quotes.
        return str(self.args[0])


def quoted(given: object, longest: int = LONGEST) -> str:
    """Returns what a user gave as it stands in a message: in quotes if it is text, and cut where it is long.

    Args:
        given: What was given.
        longest: At most so many characters of it are shown.
    """
    if isinstance(given, str):
        return repr(given) if len(given) <= longest else f"{given[:longest]!r}..."
    try:
        text = repr(given)
    except ValueError:  # Python writes no number of thousands of digits
        return f"a number of more than {sys.get_int_max_str_digits()} digits"
    return text if len(text) <= longest else f"{text[:longest]}..."


def unknown_agent(agent: object, team: Iterable[str]) -> UnknownAgentError:
    """Returns what to raise if an environment is asked about an agent that is not of its team.

    Args:
        agent: What was given.
        team: Ids of the team's agents.
    """
    return UnknownAgentError("agent", str(agent), team)


class TaskFileError(AgentWorldError):
    """A task file that cannot be read: names file, line and field, and what was expected there."""


class EpisodeFileError(AgentWorldError):
    """An episode record that is truncated, malformed, or does not re-simulate."""


class RecordWarning(UserWarning):
    """A record that was there already has taken the place of playing: of a whole episode, or of its beginning.

    A record knows its policy by name and settings only. Whoever changes what a policy does, and neither of these, is
    told by this warning that what comes back was played before the change.
    """


# Said every time, also where a cell of a notebook is run again; filters of the user's own come first.
warnings.simplefilter("always", RecordWarning, append=True)


class ModelError(AgentWorldError):
    """A language model that cannot be reached or does not answer: names the URL and the reason."""


def needs(what: str, package: str, extra: str) -> str:
    """Returns how to get an optional package that is missing; it names no index that may not have this package.

    Args:
        what: What cannot be done without it.
        package: The package, as it is installed.
        extra: The extra of this package that declares it.
    """
    return f"{what} needs {package}; install it with: pip install {package}, or pip install '.[{extra}]' in a checkout"


def load_entry_point(point: Any, what: str) -> Any:
    """Returns what an entry point of another package offers.

    Args:
        point: The entry point (``importlib.metadata.EntryPoint``).
        what: What it is to offer, such as ``"policy"``.

    Raises:
        AgentWorldError: It cannot be loaded; the message names entry point, package and reason.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # whatever another package does while it is imported
        raise broken_entry_point(point, what, error) from error


def broken_entry_point(point: Any, what: str, error: BaseException) -> AgentWorldError:
    """Returns the complaint about an entry point that fails; arguments are as for ``load_entry_point``."""
    package = getattr(getattr(point, "dist", None), "name", None) or "an unknown package"
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return AgentWorldError(
        f"the {what} {point.name!r} of the package {package} cannot be used: "
        f"its entry point {point.value} fails ({said:.300})"
    )


def hint(name: str, known: Iterable[str], count: int = 3) -> str:
    """Returns what to append to a message about a name that does not exist: ``; did you mean ...?`` or nothing.

    Args:
        name: The name that was given.
        known: All valid names; if none is near and they are few, all are listed, in their own order.
        count: At most so many near ones are offered.
    """
    known = tuple(known)
    near = nearest(name, known, count)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; expected one of {', '.join(known)}" if 0 < len(known) <= FEW else ""


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Returns the valid names closest to a mistyped one, best first.

    Args:
        name: The mistyped name.
        known: All valid names.
        count: At most so many are returned.
    """
    import difflib

    known = sorted(known)
    found = difflib.get_close_matches(name, known, n=count, cutoff=0.5)
    if name and not found:
        found = [k for k in known if name.lower() in k.lower()][:count]
    return found
