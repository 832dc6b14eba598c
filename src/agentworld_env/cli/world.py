"""``agentworld-env world``: checks and draws the world."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentworld_env.cli.codes import FAULT

app = typer.Typer(help="Check or draw the world.", no_args_is_help=True)


@app.command("check")
def check() -> None:
    """Check the world's content; every fault is one line, and any makes the exit code 1."""
    from agentworld_env.cli import output
    from agentworld_env.world import load_world
    from agentworld_env.world.check import check_world

    faults = check_world(load_world())
    for fault in faults:
        output.line(fault)
    if faults:
        raise typer.Exit(FAULT)
    output.line("The world has no faults.")


@app.command("map")
def map_(
    out: Annotated[Path, typer.Option(help="PNG file to write.")],
) -> None:
    """Draw the map of the world."""
    from agentworld_env.cli import output
    from agentworld_env.draw import world_map
    from agentworld_env.world import load_world

    world_map(load_world(), out)
    output.line(f"Map: {out}")
