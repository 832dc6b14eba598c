"""Tables: one form for people at a terminal, one for files and pipes; programs read the data itself as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from agentworld_env.markup import html_table
from agentworld_env.tasks import TaskInfo
from agentworld_env.verifiers import Verdict

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from agentworld_env.evaluate import Score


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of texts.

    Attributes:
        title: Its title, or empty.
        name: Name of the file that it is written to, without an ending; empty if it is not written to one.
        columns: Heads of the columns.
        rows: Its rows.
        right: Columns that are set flush right, by index.
        spare: Columns that a narrow terminal can do without, by index, the first to go first.
        keys: So many leading columns say what a row is about.
    """

    title: str = ""
    name: str = ""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    spare: tuple[int, ...] = ()
    keys: int = 1

    def fitted(self, width: int) -> Table:
        """Returns the table without as many of its spare columns as it takes to fit into a width, if that is enough.

        Args:
            width: Columns of the terminal.
        """
        needed = self._needed()
        left = list(range(len(self.columns)))
        for column in self.spare:
            if 1 + sum(needed[i] for i in left) <= width:
                break
            left.remove(column)
        return self._of(left, self.title)

    def stacked(self, width: int) -> list[Table]:
        """Returns the table in as many tables, one below the other, as it takes for each to fit into a width.

        Every one begins with the columns that say what a row is about. A single column that is too wide stays so.

        Args:
            width: Columns of the terminal.
        """
        needed = self._needed()
        keys = list(range(self.keys))
        room = width - 1 - sum(needed[: self.keys])
        parts: list[list[int]] = [[]]
        for column in range(self.keys, len(self.columns)):
            if parts[-1] and sum(needed[i] for i in parts[-1]) + needed[column] > room:
                parts.append([])
            parts[-1].append(column)
        return [self._of([*keys, *part], "" if k else self.title) for k, part in enumerate(parts)]

    def _needed(self) -> list[int]:
        """Returns the width of each column with its border (characters)."""
        return [max(map(len, cells)) + 3 for cells in zip(self.columns, *self.rows, strict=True)]

    def _of(self, columns: Sequence[int], title: str) -> Table:
        return Table(
            title=title,
            name=self.name,
            columns=tuple(self.columns[i] for i in columns),
            rows=tuple(tuple(row[i] for i in columns) for row in self.rows),
            right=frozenset(new for new, old in enumerate(columns) if old in self.right),
            keys=sum(i < self.keys for i in columns),
        )

    def plain(self) -> str:
        """Returns the table in plain text, without trailing blanks."""
        cells = [self.columns, *(tuple(map(_printable, row)) for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [self.title] if self.title else []
        for number, row in enumerate(cells):
            set_ = [
                cell.rjust(width) if i in self.right else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(set_).rstrip())
            if number == 0:
                lines.append("  ".join("-" * width for width in widths))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.plain()

    def _repr_html_(self) -> str:
        return html_table(self.columns, self.rows, right=self.right, caption=self.title)

    def rich(self) -> RichTable:
        """Returns the table for a terminal."""
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(title=self.title or None, title_justify="left")
        for i, column in enumerate(self.columns):
            table.add_column(column, justify="right" if i in self.right else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(_printable(cell)) for cell in row))
        return table


def verdict_table(verdict: Verdict) -> Table:
    """Returns the checkpoints and constraints of a verdict; the items of one that counts several stand below it."""
    rows: list[tuple[str, str, str, str]] = []
    for point in verdict.checkpoints:
        state = "reached" if point.reached else "open"
        rows.append((point.label, f"{point.have}/{point.need}", state, _round(point.round)))
        rows += [(f"  {item}", f"{have}/{need}", "", "") for item, have, need in point.items]
    rows += [
        (
            rule.label,
            "",
            "kept" if rule.held else f"broken by {rule.broken_by or 'the team'}",
            _round(rule.round),
        )
        for rule in verdict.constraints
    ]
    return Table(columns=("checkpoint", "count", "state", "round"), rows=tuple(rows), right=frozenset({1, 3}))


def score_table(scores: Sequence[Score]) -> Table:
    """Returns one row per episode. Suites are named, since their figures cannot be compared."""
    rows = tuple(
        (
            score.task,
            score.policy,
            score.setting,
            str(score.seed),
            "yes" if score.success else "no",
            f"{score.psr:.2f}",
            f"{score.rounds}/{score.max_rounds}",
            str(score.actions),
            figure(score.metrics.get("cce")),
        )
        for score in scores
    )
    return Table(
        title=f"Suite {', '.join(sorted({score.suite for score in scores}))}" if scores else "",
        columns=("task", "policy", "setting", "seed", "success", "PSR", "rounds", "calls", "CCE"),
        rows=rows,
        right=frozenset({3, 5, 6, 7, 8}),
        spare=(2, 7, 6),
    )


def task_table(tasks: Sequence[TaskInfo]) -> Table:
    """Returns one row per task."""
    return Table(
        columns=("id", "title", "category", "suite", "team", "rounds"),
        rows=tuple(
            (info.id, info.title, info.category, info.suite, str(info.team_size), str(info.max_rounds))
            for info in tasks
        ),
        right=frozenset({4, 5}),
        spare=(3, 1, 2),
    )


def row_table(rows: Sequence[Mapping[str, object]]) -> Table:
    """Returns a table of rows that name their own columns; the first row's columns count.

    Args:
        rows: Column -> value for each row; numbers are set flush right.
    """
    if not rows:
        return Table(columns=("",), rows=())
    columns = tuple(rows[0])
    numbers = frozenset(i for i, column in enumerate(columns) if _is_number(rows[0][column]))
    texts = tuple(tuple(_cell(row.get(column)) for column in columns) for row in rows)
    return Table(columns=columns, rows=texts, right=numbers)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:z.2f}"
    return "" if value is None else str(value)


def _round(number: int) -> str:
    return str(number) if number else ""


def figure(value: object) -> str:
    """Returns a number with two decimals, and nothing for what is no number."""
    return f"{value:z.2f}" if isinstance(value, int | float) else ""


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
