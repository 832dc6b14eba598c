"""``agentworld-env cce graph``: the action graph of an episode, written or drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def graph(
    episode: Annotated[Path, typer.Argument(help="Record of an episode.")],
    out: Annotated[
        Path, typer.Option(help="File to write: .json, .graphml, .dot, .svg, or .png (extra draw).")
    ],
    method: Annotated[str, typer.Option(help="As for CCE.")] = "events",
) -> None:
    """Write the action graph of an episode, or draw it: rounds from left to right, agents as lanes."""
    from agentworld_env.cli import output
    from agentworld_env.cli.folders import check_file
    from agentworld_env.report.graphs import write_graph

    check_file(out)  # a judge's answers cost money
    with output.writing(out):
        write_graph(episode, out, method)
    output.line(f"Graph: {out}")
