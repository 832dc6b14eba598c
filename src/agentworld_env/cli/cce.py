"""``agentworld-env cce``: how much of what a team did contributed to its success, by whichever method."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from agentworld_env.cli.cce_agree import agree
from agentworld_env.cli.cce_figures import figures
from agentworld_env.cli.cce_graph import graph
from agentworld_env.cli.cce_label import label
from agentworld_env.cli.cce_ranks import ranks
from agentworld_env.cli.verbs import verb

_DEFAULT = "figures"


class _Verbs(TyperGroup):
    """Takes ``cce PATH...`` for ``cce figures PATH...``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            _meant(args[0], self.commands)
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


def _meant(name: str, verbs: Iterable[str]) -> None:
    """Refuses what is neither a verb nor a path, and is spelt like a verb."""
    from agentworld_env.errors import AgentWorldError, nearest

    near = [] if name.startswith("-") or Path(name).exists() else nearest(name, verbs, 1)
    if near:
        raise AgentWorldError(f"{name} does not exist; did you mean {near[0]}?")


app = typer.Typer(
    cls=_Verbs,
    no_args_is_help=True,
    help="Compute CCE: cce PATH... [--method events|events+chat|counterfactual|judge:MODEL]; or draw, label, compare.",
)

app.command(_DEFAULT)(verb(figures))
app.command("graph")(verb(graph))
app.command("label")(verb(label))
app.command("agree")(verb(agree))
app.command("ranks")(verb(ranks))
