"""Options with a few choices: a mistyped one gets the nearest."""

from __future__ import annotations

from collections.abc import Callable

from agentworld_env.errors import UnknownNameError


def one_of(what: str, choices: tuple[str, ...]) -> Callable[[str], str]:
    """Returns a parser that takes one of several words.

    Args:
        what: What is chosen, such as ``"executor"``.
        choices: The words.
    """

    def read(text: str) -> str:
        if text not in choices:
            raise UnknownNameError(what, text, choices)
        return text

    return read


def shown(choices: tuple[str, ...]) -> str:
    """Returns choices as the help shows them."""
    return f"[{'|'.join(choices)}]"
