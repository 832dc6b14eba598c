"""``agentworld-env cce figures``, or ``cce PATH...``: CCE and each agent's share of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from agentworld_env.cli.cce_records import (
    Json,
    Paths,
    costs,
    counted,
    end,
    notes_of,
    read_each,
    read_records,
)
from agentworld_env.cli.codes import USER_ERROR

if TYPE_CHECKING:
    from agentworld_env.evaluate import Fault, Score
    from agentworld_env.metrics import MethodOptions


def figures(
    paths: Paths,
    method: Annotated[
        str, typer.Option(help="events, events+chat, counterfactual, judge:MODEL or human:FILE.")
    ] = "events",
    json: Json = False,
    shapley: Annotated[
        int, typer.Option(min=0, help="Share PSR out among the agents, over so many orders of the team.")
    ] = 0,
    processes: Processes = None,
    prune: Prune = False,
    rounds: Rounds = None,
    window: Window = None,
    cache: Cache = None,
    no_cache: NoCache = False,
    prices: Prices = None,
) -> None:
    """Compute CCE and the share of each agent (PAC) from re-simulated records."""
    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.metrics import mean_metrics, parse_method, suite_metrics

    parse_method(method)
    if shapley == 1:
        raise AgentWorldError(
            "--shapley takes 2 orders or more, since one has no standard error; or 0 for none"
        )
    options = method_options(
        [method],
        processes=processes,
        prune=prune,
        rounds=rounds,
        window=window,
        cache=cache,
        no_cache=no_cache,
        prices=prices,
        shapley=shapley > 0,
    )
    scores, faults = _scores(paths, method, options)
    if not scores:
        if json:
            output.data({"method": method, "means": {}, "intervals": {}, "episodes": [], "errors": faults})
        raise typer.Exit(USER_ERROR)
    shares = [_shapley(score, shapley, options.processes) for score in scores] if shapley else []
    intervals = suite_metrics([(score.task, score.metrics) for score in scores])
    if json:
        means = mean_metrics(score.metrics for score in scores)
        found: dict[str, Any] = {
            "method": method,
            "means": means,
            "intervals": intervals,
            "episodes": scores,
            "errors": faults,
        }
        if shares:
            found["shapley"] = shares
        output.data(found)
        end(faults)
        return
    from agentworld_env.report import cce_table, suite_table

    output.table(cce_table(scores))
    won = intervals["cce_of_successes"]
    everything = intervals["cce"]
    assert everything is not None
    output.line(f"Mean CCE over successes: {'none succeeded' if won is None else f'{won.mean:.2f}'}")
    output.line(f"Mean CCE over all: {everything.mean:.2f} (a failed episode counts 0)")
    if len(scores) > 1:
        pooled = {"policies": {one.policy for one in scores}, "settings": {one.setting for one in scores}}
        kinds = " and ".join(f"{len(each)} {name}" for name, each in pooled.items() if len(each) > 1)
        if kinds:
            output.line(f"These means pool {kinds}; cce ranks compares them on the tasks they share.")
        output.line()
        output.table(suite_table(intervals))
    for score, share in zip(scores, shares or [None] * len(scores), strict=True):
        if len(scores) == 1 or share is not None:
            _details(score, share)
    for line in costs(notes_of(scores)):
        output.line(line)
    end(faults)


def _scores(paths: list[Path], method: str, options: MethodOptions) -> tuple[list[Score], list[Fault]]:
    """Returns the figures of the records that can be used, and says what is wrong with the others."""
    from agentworld_env.evaluate import RECORDED, cce_of, score_of

    if method == RECORDED:
        return read_each(paths, lambda record: score_of(record.episode))
    records, faults = read_records(paths)
    return cce_of(records, method, options) if records else [], faults


def _details(score: Score, share: Any) -> None:
    from agentworld_env.cli import output
    from agentworld_env.report import absence_table, row_table

    output.line()
    output.line(f"{score.task}, {score.policy}, seed {score.seed}:")
    for agent, part in score.metrics["pac"].items():
        active = score.metrics["pac_active"][agent]
        vain, aimless = score.metrics["wasted"][agent], score.metrics["aimless"][agent]
        ended = (
            "only waited"
            if active is None
            else f"active {active:.2f}; {counted(vain, 'call')} in vain, {aimless} of them no walks"
        )
        output.line(f"  {agent}: PAC {part:.2f}, {ended}")
    notes = score.metrics.get("cce_notes", {})
    if "agents" in notes:
        for kind in ("agents", "groups"):
            output.table(absence_table(notes, kind))
    if share is not None:
        kind = "all" if share.exact else "drawn"
        output.line(f"PSR {share.total:.2f} shared out over {share.orders} orders of the team ({kind}):")
        rows = [
            {"agent": agent, "Shapley": credit.value, "standard error": credit.error}
            for agent, credit in share.agents.items()
        ]
        output.table(row_table(rows))


def _shapley(score: Score, orders: int, processes: int) -> Any:
    from agentworld_env.episodes import read_episode
    from agentworld_env.metrics.counterfactual import shapley

    assert score.path is not None
    return shapley(read_episode(score.path), orders=orders, processes=processes)
