"""``agentworld-env cce ranks``: whether methods rank the policies alike."""

from __future__ import annotations

from typing import Annotated

import typer

from agentworld_env.cli.cce_options import (
    Cache,
    NoCache,
    Prices,
    Processes,
    Prune,
    Rounds,
    Window,
    method_options,
)
from agentworld_env.cli.cce_records import Json, Paths, costs, counted, end, notes_of, read_records, tell
from agentworld_env.cli.codes import USER_ERROR


def ranks(
    paths: Paths,
    between: Annotated[list[str], typer.Option(help="A method; the first is the one compared with.")],
    json: Json = False,
    successes: Annotated[bool, typer.Option("--successes", help="Means over successes only.")] = False,
    processes: Processes = None,
    prune: Prune = False,
    rounds: Rounds = None,
    window: Window = None,
    cache: Cache = None,
    no_cache: NoCache = False,
    prices: Prices = None,
) -> None:
    """Tell whether methods rank the policies alike by mean CCE, over the tasks that all of them have played."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate import cce_of, common_means
    from agentworld_env.metrics import parse_method, rankings

    for method in between:
        parse_method(method)
    options = method_options(
        between,
        processes=processes,
        prune=prune,
        rounds=rounds,
        window=window,
        cache=cache,
        no_cache=no_cache,
        prices=prices,
    )
    records, faults = read_records(paths)
    if not records:
        raise typer.Exit(USER_ERROR)
    means: dict[str, dict[str, float]] = {}
    remarks: list[str] = []
    basis, left_out = "", 0
    for method in between:
        scores = cce_of(records, method, options)
        remarks += costs(notes_of(scores), method)
        shared = common_means(scores, successes=successes)
        means[method], left_out = shared.means, shared.left_out
        what = "has a success in" if successes else "has played"
        basis = f"Mean over {shared.tasks} of {counted(shared.tasks + left_out, 'task')}: those that every team {what}."
    found = rankings(means)
    if json:
        output.data(found)
    else:
        from agentworld_env.report import ranking_table

        output.table(ranking_table(found))
    # A program is told what was left out, and spared what goes without saying.
    tell([basis] if basis and (left_out or not json) else [], json)
    tell(remarks, json)
    end(faults)
