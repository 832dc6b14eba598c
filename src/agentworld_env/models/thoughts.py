"""What a model thought aloud before its answer, as many local models do, apart from the answer."""

from __future__ import annotations

OPEN, CLOSE = "<think>", "</think>"
"""Tags around thoughts."""


def after_thoughts(text: str) -> str | None:
    """Returns a reply that is to be JSON without the thoughts it begins with, or None if they have no end.

    The opening tag is lacking where a model's chat template puts it into the prompt. Only thoughts at the beginning are
    taken away, as an answer may name the tags itself.

    Args:
        text: The reply.
    """
    thoughts, closed, answer = text.partition(CLOSE)
    began = thoughts.lstrip()
    if began.startswith(OPEN):
        return answer if closed else None
    return answer if closed and not began.startswith(("{", "[", "```")) else text
