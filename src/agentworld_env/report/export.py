"""Writing a report to files: Markdown, CSV, JSON, and a picture if Pillow is there."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.results import RunResults
from agentworld_env.report.summary import RunSummary
from agentworld_env.report.tables import Table

_EPISODE = ("task", "policy", "setting", "seed", "success", "psr", "rounds", "max_rounds", "actions")


def markdown(tables: Sequence[Table]) -> str:
    """Returns tables as Markdown."""
    parts = []
    for table in tables:
        marks = ["---:" if i in table.right else "---" for i in range(len(table.columns))]
        lines = [_row(table.columns), _row(marks), *(_row(row) for row in table.rows)]
        parts.append((f"## {table.title}\n\n" if table.title else "") + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_json(runs: Sequence[RunSummary], results: Sequence[RunResults]) -> bytes:
    """Returns runs as JSON: their figures, what is unfinished and why, and what of their usage is lost."""
    found = [
        {"summary": summary, "unfinished": result.unfinished, "damaged": result.damaged}
        for summary, result in zip(runs, results, strict=True)
    ]
    return msgspec.json.format(msgspec.json.encode({"runs": found}), indent=2) + b"\n"


def write_report(
    out: str | Path, tables: Sequence[Table], runs: Sequence[RunSummary], results: Sequence[RunResults]
) -> list[Path]:
    """Writes ``report.md``, ``report.json``, one CSV file per table by its name, ``episodes.csv``, and ``sr.png``.

    Args:
        out: Directory; it is made if need be.
        tables: The tables.
        runs: The runs in figures.
        results: The runs, in the same order.

    Returns:
        The files; without ``sr.png`` if Pillow (the extra ``draw``) is not installed.

    Raises:
        AgentWorldError: The directory cannot be written.
        ValueError: A table has no name, or two have the same.
    """
    from importlib.util import find_spec

    names = [table.name for table in tables]
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"tables that are written to files need names of their own, not {names}")
    out = Path(out)
    files = [out / "report.md", out / "report.json", out / "episodes.csv"]
    try:
        out.mkdir(parents=True, exist_ok=True)
        files[0].write_text(markdown(tables), "utf-8")
        files[1].write_bytes(as_json(runs, results))
        _write_episodes(files[2], results)
        for table in tables:
            path = out / f"{table.name}.csv"
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([table.columns, *table.rows])
            files.append(path)
        if find_spec("PIL") is not None:
            from agentworld_env.report.chart import draw_rates

            draw_rates(runs, out / "sr.png")
            files.append(out / "sr.png")
    except OSError as error:
        raise AgentWorldError(f"cannot write the report to {out}: {error.strerror or error}") from error
    return files


def _write_episodes(path: Path, results: Sequence[RunResults]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("run", "suite", "category", *_EPISODE, "cce", "chats", "tokens", "cost", "seconds"))
        for run in results:
            for one in run.finished:
                writer.writerow(
                    (
                        run.name,
                        one.score.suite,
                        one.category,
                        *(getattr(one.score, name) for name in _EPISODE),
                        one.score.metrics["cce"],
                        one.score.metrics["chats"],
                        one.spent.tokens,
                        "" if one.spent.cost is None else one.spent.cost,
                        round(one.spent.seconds, 3),
                    )
                )
