"""The options of methods that the verbs of ``cce`` share; one that no method of the call heeds is refused."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from agentworld_env.metrics import MethodOptions

# What is not given is None, so that it can be told from a default that is given where it would change nothing.
Processes = Annotated[
    int | None, typer.Option(min=1, max=256, help="Processes for the counterfactual method; 1 if not given.")
]
Prune = Annotated[
    bool, typer.Option("--prune", help="Spare a judge actions that concern nothing that contributes.")
]
Rounds = Annotated[int | None, typer.Option(min=1, help="Rounds in one question to a judge; 1 if not given.")]
Window = Annotated[
    int | None, typer.Option(min=1, help="Show a judge what contributes in so many later rounds only.")
]
Cache = Annotated[
    Path | None, typer.Option(help="Directory of a judge's kept answers (default: user cache).")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask a judge everything anew.")]
Prices = Annotated[
    str | None, typer.Option(help="A judge's US dollars per million tokens in and out, as in 0.25,2.")
]


def method_options(
    methods: Sequence[str],
    *,
    processes: int | None,
    prune: bool,
    rounds: int | None,
    window: int | None,
    cache: Path | None,
    no_cache: bool,
    prices: str | None,
    shapley: bool | None = None,
) -> MethodOptions:
    """Returns the options of methods as the command line gives them.

    Args:
        methods: Names of the methods of the call, each a valid one.
        processes: Processes, or None if it is not said.
        prune: Whether a judge is spared actions.
        rounds: Rounds in one question, or None if it is not said.
        window: Later rounds that a judge is shown, or None.
        cache: Directory of kept answers, or None if it is not said.
        no_cache: Whether everything is asked anew.
        prices: US dollars per million tokens in and out, separated by a comma, or None.
        shapley: Whether PSR is shared out, which takes several processes whatever the method; None where it cannot be.

    Raises:
        AgentWorldError: A value makes no sense, two contradict each other, or nothing heeds an option.
    """
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.metrics import COUNTERFACTUAL, MethodOptions, parse_method
    from agentworld_env.metrics.judge.cache import cache_directory

    known_prices = None if prices is None else _prices(prices)
    if cache is not None and no_cache:
        raise AgentWorldError("--cache and --no-cache contradict each other; leave out one of them")
    of_a_judge = {
        "--prune": prune,
        "--rounds": rounds is not None,
        "--window": window is not None,
        "--cache": cache is not None,
        "--no-cache": no_cache,
        "--prices": prices is not None,
    }
    kinds = {parse_method(method)[0] for method in methods}
    idle: list[str] = []
    unheeded = [name for name, given in of_a_judge.items() if given and "judge" not in kinds]
    if unheeded:
        idle.append(f"{', '.join(unheeded)} would change nothing: only judge:MODEL heeds what is for judges")
    if processes is not None and COUNTERFACTUAL not in kinds and not shapley:
        others = f"{COUNTERFACTUAL} takes" if shapley is None else f"{COUNTERFACTUAL} and --shapley take"
        idle.append(f"--processes would change nothing: only {others} several processes")
    if idle:
        raise AgentWorldError(f"{'; '.join(idle)} (got {', '.join(methods)})")
    return MethodOptions(
        processes=processes or 1,
        prune=prune,
        rounds=rounds or 1,
        window=window,
        cache=None if no_cache else cache or cache_directory(),
        prices=known_prices,
    )


def _prices(text: str) -> tuple[float, float]:
    from agentworld_env.errors import AgentWorldError, quoted

    parts = text.split(",")
    try:
        into, out = (float(part) for part in parts)
    except ValueError:
        raise AgentWorldError(f"prices are two numbers, as in 0.25,2, not {quoted(text)}") from None
    if not all(isfinite(price) and price >= 0 for price in (into, out)):
        raise AgentWorldError(f"prices are two numbers from 0 on, as in 0.25,2, not {quoted(text)}")
    return into, out
