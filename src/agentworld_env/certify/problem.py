"""What a certificate finds wrong with a task: in words, and as one of a few kinds by which problems are sorted."""

from __future__ import annotations

from typing import Literal

import msgspec

from agentworld_env.tasks.schema import TaskSpec, parts_of

Path = tuple[str | int, ...]
"""A field of a task file: keys of mappings and places in lists."""

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
        path: The field of the task file that it is about, as keys and places in lists.
    """

    kind: Kind
    text: str
    path: Path

    def __str__(self) -> str:
        return self.text


def point_path(spec: TaskSpec, label: str) -> Path:
    """Returns where a checkpoint stands, named by its label or by that of one of its parts."""
    for i, point in enumerate(spec.checkpoints):
        if label in (point.label, *(part.label for part in parts_of((point,)))):
            return "checkpoints", i
    return ("checkpoints",)


def goods_path(spec: TaskSpec, key: str) -> Path:
    """Returns where the first checkpoint stands that asks for an item or a creature, or else all checkpoints."""
    for i, point in enumerate(spec.parts):
        if key in (getattr(point, "item", ""), getattr(point, "mob", "")):
            return point_path(spec, spec.parts[i].label)
    return ("checkpoints",)


def waves_path(spec: TaskSpec) -> Path:
    """Returns where the danger of a task stands: its waves, or what it asks for if it has none."""
    return ("waves",) if spec.waves else ("checkpoints",)
