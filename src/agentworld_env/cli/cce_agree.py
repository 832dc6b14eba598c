"""``agentworld-env cce agree``: how far methods agree on single actions."""

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
from agentworld_env.cli.cce_records import Json, Paths, costs, counted, end, read_records, tell
from agentworld_env.cli.codes import USER_ERROR


def agree(
    paths: Paths,
    between: Annotated[list[str], typer.Option(help="A method; give at least two. See cce --method.")],
    json: Json = False,
    processes: Processes = None,
    prune: Prune = False,
    rounds: Rounds = None,
    window: Window = None,
    cache: Cache = None,
    no_cache: NoCache = False,
    prices: Prices = None,
) -> None:
    """Measure how far methods agree on single actions: raw agreement, Cohen's kappa, confusion table."""
    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.metrics import agreements, findings, parse_method

    if len(between) < 2:
        raise AgentWorldError("agreement needs at least two methods: --between events --between judge:MODEL")
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
    episodes = [record.episode for record in records]
    if not episodes:
        raise typer.Exit(USER_ERROR)
    ends = [record.env for record in records]
    by_method = [(method, findings(episodes, method, options, ends)) for method in between]
    found, apart = agreements(by_method, episodes)
    remarks = [
        f"Left out with counterfactual, which asks another question: {counted(apart, 'failed episode')}."
    ] * bool(apart)
    remarks += [
        line for method, of_method in by_method for line in costs([one.notes for one in of_method], method)
    ]
    if json:
        output.data(found)
        tell(remarks, json)
        end(faults)
        return
    from agentworld_env.report import agreement_table, confusion_table

    output.table(agreement_table(found))
    for each in found:
        output.line()
        output.table(confusion_table(each))
    tell(remarks, json)
    end(faults)
