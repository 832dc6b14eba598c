"""``agentworld-env replay``: an episode as a page to watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def replay(
    episode: Annotated[Path, typer.Argument(help="Record of an episode, complete or not.")],
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
) -> None:
    """Write an episode as one self-contained page: map, lanes, chat, views, checkpoints, causal path."""
    from agentworld_env.cli import output
    from agentworld_env.cli.folders import check_file
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.report.replay import replay as replay_of

    if out.suffix.lower() not in (".html", ".htm"):
        raise AgentWorldError(f"{out}: expected a file that ends in .html")
    if out.is_dir():
        raise AgentWorldError(f"{out}: expected a file, got a directory")
    check_file(out)
    found = replay_of(episode)
    with output.writing(out):
        found.save(out)
    if not found.data["about"]["complete"]:
        output.line("The episode is unfinished: its record ends before its verdict.")
    output.line(f"Replay: {out} ({out.stat().st_size // 1024} KiB, {len(found.data['steps'])} calls)")
