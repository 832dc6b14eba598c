"""``agentworld-env world``: checks, draws and lists the world."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from agentworld_env.cli.choices import one_of, shown
from agentworld_env.cli.codes import FAULT
from agentworld_env.cli.verbs import verb
from agentworld_env.errors import AgentWorldError, quoted

app = typer.Typer(help="Check, draw or list the world.", no_args_is_help=True)

_LISTS = ("items", "recipes", "nodes", "mobs", "places", "people", "spawns")


@app.command("check")
@verb
def check() -> None:
    """Check the world's content, sources and compiled; every fault is one line, and any makes the exit code 1."""
    from agentworld_env.cli import output
    from agentworld_env.world.check import check_package, has_sources

    faults = check_package()
    for fault in faults:
        output.line(fault)
    if faults:
        raise typer.Exit(FAULT)
    output.line("The world has no faults.")
    if has_sources():
        output.note("checked: the sources, and that the compiled catalogue is what they say")
    else:
        output.note("checked: the compiled catalogue only; its sources are not here")


@app.command("map")
@verb
def map_(
    out: Annotated[Path, typer.Option(help="PNG file to write, such as map.png.")],
) -> None:
    """Draw the map of the world."""
    from agentworld_env.cli import output
    from agentworld_env.cli.folders import check_file
    from agentworld_env.draw import world_map
    from agentworld_env.world import load_world

    if out.suffix.lower() == ".png":  # what ends otherwise is refused by world_map
        check_file(out)
    with output.writing(out):
        world_map(load_world(), out)
    output.line(f"Map: {out}")


@app.command("list")
@verb
def list_(
    what: Annotated[
        str,
        typer.Argument(parser=one_of("list", _LISTS), metavar=f"WHAT:{shown(_LISTS)}", help="What to list."),
    ],
    near: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Nearest to this tile first, in straight tiles.")
    ] = None,
    match: Annotated[str, typer.Option(help="Only rows with this text in them.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what the world holds, by the keys that task files use."""
    from agentworld_env.cli import output
    from agentworld_env.report import row_table
    from agentworld_env.report.world_lists import world_rows
    from agentworld_env.world import load_world

    rows = world_rows(load_world(), what, None if near is None else _tile(near), match)
    if json:
        output.data(rows)
    elif rows:
        output.line(row_table(rows).plain())
    else:
        output.note(f"no {what} with {quoted(match)}")


def _tile(text: str) -> tuple[int, int]:
    from agentworld_env.world.geometry import HEIGHT, WIDTH

    found = re.fullmatch(r"(\d{1,6})\s*,\s*(\d{1,6})", text.strip())
    if found is None or not (int(found[1]) < WIDTH and int(found[2]) < HEIGHT):
        raise AgentWorldError(
            f"--near: expected X,Y within {WIDTH} x {HEIGHT} tiles, such as 388,10, got {quoted(text)}"
        )
    return int(found[1]), int(found[2])
