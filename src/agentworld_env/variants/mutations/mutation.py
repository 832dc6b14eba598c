"""What a mutation is: a pure function from a task to another, and what it is called."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from agentworld_env.tasks.schema import ChangeKind, TaskSpec
from agentworld_env.variants.dice import Dice
from agentworld_env.world import World

Apply = Callable[[TaskSpec, World, Dice], TaskSpec | None]
"""Returns the changed task, or None where there is nothing of the kind to change; it never changes its argument."""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """A way of changing a task.

    Attributes:
        name: Its name, one word.
        about: What it changes, for the documentation and for the variant's list of changes.
        kind: Kind of change that the variant's file records.
        structural: Whether what must be done, where or by whom is another afterwards; quantities and budgets alone
            make no variant.
        weight: How often it is drawn, relative to the others.
        apply: The change.
    """

    name: str
    about: str
    kind: ChangeKind
    structural: bool
    weight: int
    apply: Apply
