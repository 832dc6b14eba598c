"""``agentworld-env cce label``: a person says which actions contributed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def label(
    episode: Annotated[Path, typer.Argument(help="Record of an episode.")],
    out: Annotated[
        Path, typer.Option(help="File of labels (JSONL); what is in it is not asked again.")
    ] = Path("labels/labels.jsonl"),
    labeller: Annotated[str, typer.Option(help="Your name in the file.")] = "me",
    sample: Annotated[
        int | None, typer.Option(min=1, help="Label only so many actions, drawn evenly.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the drawing; 0 if not given.")] = None,
) -> None:
    """Say yourself which actions contributed; no method's opinion is shown."""
    from agentworld_env.cli.labelling import run
    from agentworld_env.errors import AgentWorldError

    if seed is not None and sample is None:
        raise AgentWorldError("--seed would change nothing: only with --sample is anything drawn")
    run(episode, out, labeller, sample, seed or 0)
