"""What a verifier says about an episode."""

from __future__ import annotations

import msgspec

from agentworld_env.markup import html_block, html_table
from agentworld_env.tasks.schema import part_label


class CheckpointStatus(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where one checkpoint stands.

    Attributes:
        kind: Its kind, such as ``"gathered"``.
        label: Its label for people.
        have: How much of it is done; kinds that latch stop counting once it is reached.
        need: How much of it must be done.
        reached: Whether it counts as reached.
        round: Round in which it was reached, or 0.
        actions: Numbers of the actions that produced what was counted, once it is reached, ascending.
        items: For a checkpoint that counts several items, each as (item, have, need); none counts beyond its need.
    """

    kind: str
    label: str
    have: int
    need: int
    reached: bool
    round: int
    actions: tuple[int, ...]
    items: tuple[tuple[str, int, int], ...] = ()

    @property
    def text(self) -> str:
        """One line for people, such as ``"Logs cut 3/5"`` or ``"Rings made 2/3: goldring 2/2, silverring 0/1"``."""
        line = f"{self.label} {self.have}/{self.need}"
        return f"{line}: {self.items_text}" if self.items else line

    @property
    def items_text(self) -> str:
        """The items of one that counts several, such as ``"goldring 2/2, silverring 0/1"``, or empty."""
        return ", ".join(f"{item} {have}/{need}" for item, have, need in self.items)

    @property
    def counts(self) -> dict[str, int]:
        """What is counted, by the labels of the checkpoint and of its items' parts."""
        return {self.label: self.have, **{part_label(self.label, item): have for item, have, _ in self.items}}


class ConstraintStatus(msgspec.Struct, frozen=True):
    """Where one constraint stands.

    Attributes:
        kind: Its kind, such as ``"all_alive"``.
        label: A line for people.
        held: Whether it has held so far.
        broken_by: Who or what broke it, or empty.
        round: Round in which it was broken, or 0.
    """

    kind: str
    label: str
    held: bool
    broken_by: str
    round: int


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on an episode so far.

    Attributes:
        success: Every checkpoint is reached and no constraint is broken.
        psr: Fraction of checkpoints reached, each counting all or nothing. A broken constraint caps it at
            (n - 1) / n for n checkpoints, so that only a success has 1.
        progress: Mean of the checkpoints' graded shares, 0 to 1; constraints do not enter.
        checkpoints: The checkpoints, in the order of the task file.
        constraints: The constraints, in the order of the task file.
        impossible: A constraint is broken, which nothing can mend.
    """

    success: bool
    psr: float
    progress: float
    checkpoints: tuple[CheckpointStatus, ...]
    constraints: tuple[ConstraintStatus, ...]
    impossible: bool

    @property
    def summary(self) -> str:
        """One line for people, such as ``"PSR 0.50, 1 of 2 checkpoints"``."""
        reached = sum(point.reached for point in self.checkpoints)
        broken = "".join(f", broken: {rule.label}" for rule in self.constraints if not rule.held)
        return f"PSR {self.psr:.2f}, {reached} of {len(self.checkpoints)} checkpoints{broken}"

    def _title(self) -> str:
        # Whether it is a failure depends on whether the episode is over, which a verdict does not know.
        return f"{'success, ' if self.success else ''}{self.summary}"

    def __repr__(self) -> str:
        points = "; ".join(f"[{'x' if p.reached else ' '}] {p.text}" for p in self.checkpoints)
        return f"<Verdict: {self._title()}: {points}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (p.label, f"{p.have}/{p.need}", "reached" if p.reached else "open", p.round or "")
            for p in self.checkpoints
        ]
        rows += [
            (r.label, "", "kept" if r.held else f"broken by {r.broken_by or 'the team'}", r.round or "")
            for r in self.constraints
        ]
        table = html_table(("checkpoint", "count", "state", "round"), rows, right=(1, 3))
        return html_block(f"Verdict: {self._title()}", body=table)
