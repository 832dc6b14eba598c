"""What a certificate finds wrong with a task: in words, and as one of a few kinds by which problems are sorted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

Kind = Literal[
    "hopeless",
    "unprovided",
    "unsolved",
    "start",
    "idle",
    "alone",
    "groups",
    "meeting",
    "wording",
    "bound",
    "nothing_shared",
    "messages",
    "unreachable",
    "untold",
    "not_there",
    "danger",
    "near_miss",
    "mutant",
]


class Problem(msgspec.Struct, frozen=True):
    """Something that is wrong with a task.

    Attributes:
        kind: ``hopeless`` (no team can do it in time), ``unprovided`` (the planner's plan lacks something),
            ``unsolved`` (the planner does not get there), ``start`` (a checkpoint holds at the start), ``idle`` (an
            idle team reaches one), ``alone`` (one agent may do everything), ``groups`` (too few role groups are
            necessary), ``meeting`` (nothing is asked for but to be somewhere), ``wording`` (the texts do not say what
            is asked for), ``bound`` (the planner is faster than the lower bound), ``nothing_shared`` (nothing is handed
            over or done together), ``messages`` (they would exceed the budget), ``unreachable`` (a place of a guide
            cannot be walked to), ``untold`` (no guide tells what the plan uses), ``not_there`` (a text names what does
            not exist), ``danger`` (the danger need not be fought), ``near_miss`` (one of them passes) or ``mutant``
            (no episode tells a slightly wrong copy from the task).
        text: What is wrong, in words.
    """

    kind: Kind
    text: str

    def __str__(self) -> str:
        return self.text


def problems_of(kind: Kind, texts: Iterable[str]) -> list[Problem]:
    """Returns problems of one kind."""
    return [Problem(kind, text) for text in texts]
