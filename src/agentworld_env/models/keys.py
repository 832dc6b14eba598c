"""Keeping an API key, and what could play tricks on a terminal, out of what an endpoint says."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

import msgspec

from agentworld_env.models.replies import Reply, ToolRequest

MASK = "[key]"
"""What stands in the place of a key."""

SECRET_LENGTH = 8
"""Shorter keys are not looked for in replies: a placeholder such as ``none`` is no secret, and may be a word of one."""

_BEGINNING = 12
_LONG = 16
"""Of keys that are this long, the first ``_BEGINNING`` characters are masked by themselves, too."""

_SLASHES = r"\\{0,8}"
"""Backslashes of one level of escaping and of several; a run of them without end would take quadratic time."""

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
"""Escape sequences of terminals: colours and cursor, titles."""


def without_key(text: str, key: str) -> str:
    """Returns a text with ``[key]`` in the place of a key.

    A key is recognised as it is, escaped as in URLs or JSON, in base64 (also inside of something longer), and, if it is
    long, by its first 12 characters, from which on as much is masked as is the key's.

    Args:
        text: The text.
        key: The key; empty for none.
    """
    if not key or not text:
        return text
    if len(key) >= SECRET_LENGTH:
        for form in _encoded(key):
            text = form.sub(MASK, text)
    begin = _BEGINNING if len(key) >= _LONG else len(key)
    beginning = re.compile("".join(map(_spelt, key[:begin])))
    parts: list[str] = []
    done = 0
    while (found := beginning.search(text, done)) is not None:
        parts += (text[done : found.start()], MASK)
        done = found.end()
        for letter in key[begin:]:
            more = re.compile(_spelt(letter)).match(text, done)
            if more is None:
                break
            done = more.end()
    return "".join((*parts, text[done:]))


def masked(reply: Reply, key: str) -> Reply:
    """Returns a reply with ``[key]`` in the place of a key, so that an endpoint that echoes it puts it into no file.

    Args:
        reply: The reply.
        key: The key; one that is shorter than ``SECRET_LENGTH`` stays.
    """
    if len(key) < SECRET_LENGTH:
        return reply
    return msgspec.structs.replace(
        reply,
        text=without_key(reply.text, key),
        requests=tuple(
            ToolRequest(without_key(request.name, key), without_key(request.arguments, key))
            for request in reply.requests
        ),
        finish=without_key(reply.finish, key),
        usage_problem=without_key(reply.usage_problem, key),
    )


def one_line(text: str) -> str:
    """Returns somebody else's text as one line that does nothing to a terminal: no controls, no change of direction."""
    text = _SEQUENCE.sub("", text)
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())


def _spelt(letter: str) -> str:
    """Returns a pattern of a printable ASCII letter as it is, and as URLs and JSON (also within JSON) may write it."""
    code = f"{ord(letter):02x}"
    return rf"(?:(?i:%{code}|\\{_SLASHES}u00{code})|{_SLASHES}{re.escape(letter)})"


def _encoded(key: str) -> Iterator[re.Pattern[str]]:
    """Yields patterns of a key in base64, by where in a group of three bytes it begins."""
    for before in range(3):
        code = base64.b64encode(bytes(before) + key.encode()).decode().rstrip("=")
        # Letters at either end that also carry bits of what stands beside the key.
        begin = -(-8 * before // 6)
        end = 8 * (before + len(key)) // 6
        core = "".join(
            "(?:[-+]|%2[bB])" if c == "+" else r"(?:\\?/|_|%2[fF])" if c == "/" else c
            for c in code[begin:end]
        )
        yield re.compile(core + (r"[A-Za-z0-9+/_-]?(?:=|%3[dD])*" if end < len(code) else ""))
