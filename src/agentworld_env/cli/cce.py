"""``agentworld-env cce``: how much of what a team did contributed to its success, by whichever method."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from agentworld_env.cli.cce_options import (
    Cache,
    NoCache,
    Prices,
    Prune,
    Rounds,
    Window,
    Workers,
    method_options,
)
from agentworld_env.cli.codes import USER_ERROR
from agentworld_env.cli.verbs import verb

if TYPE_CHECKING:
    from agentworld_env.evaluate import Fault, Score, Verified
    from agentworld_env.metrics import MethodOptions

_DEFAULT = "figures"

Made = TypeVar("Made")
"""What is made of a record."""

Paths = Annotated[list[Path], typer.Argument(help="Records, or directories with records in them.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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


@app.command(_DEFAULT)
@verb
def figures(
    paths: Paths,
    method: Annotated[
        str, typer.Option(help="events, events+chat, counterfactual, judge:MODEL or human:FILE.")
    ] = "events",
    json: Json = False,
    shapley: Annotated[
        int, typer.Option(min=0, help="Share PSR out among the agents, over so many orders of the team.")
    ] = 0,
    workers: Workers = None,
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
        workers=workers,
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
    shares = [_shapley(score, shapley, options.workers) for score in scores] if shapley else []
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
        _end(faults)
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
    for line in _costs(_notes(scores)):
        output.line(line)
    _end(faults)


def _scores(paths: list[Path], method: str, options: MethodOptions) -> tuple[list[Score], list[Fault]]:
    """Returns the figures of the records that can be used, and says what is wrong with the others."""
    from agentworld_env.evaluate import RECORDED, cce_of, score_of

    if method == RECORDED:
        return _each(paths, lambda record: score_of(record.episode))
    records, faults = _records(paths)
    return cce_of(records, method, options) if records else [], faults


def _records(paths: list[Path]) -> tuple[list[Verified], list[Fault]]:
    """Returns the records that can be used, and says what is wrong with the others."""
    return _each(paths, lambda record: record)


def _each(paths: list[Path], made: Callable[[Verified], Made]) -> tuple[list[Made], list[Fault]]:
    """Returns what is made of the records that can be used, each episode once, and says what else there is."""
    from agentworld_env.cli import output
    from agentworld_env.evaluate import each_sound, sort_out, verified_record
    from agentworld_env.metrics.labels import episode_key

    def read(path: Path) -> tuple[str, Path, Made]:
        record = verified_record(path)
        return episode_key(record.episode), path, made(record)

    records, labels = sort_out(paths)
    with _unhurried_collector():
        sound, faults = each_sound(records, read)
    found: dict[str, tuple[Path, Made]] = {}
    again: list[str] = []
    for key, path, thing in sound:
        if key in found:
            again.append(f"{path} holds the same episode as {found[key][0]}")
        else:
            found[key] = path, thing
    if labels:
        output.note(f"Left out: {_of(len(labels), 'file')} of labels.")
    if again:
        more = f" (and {len(again) - 1} more like it)" if len(again) > 1 else ""
        output.note(f"Left out: {again[0]}{more}.")
    output.faults(faults)
    return [thing for _, thing in found.values()], faults


@contextmanager
def _unhurried_collector() -> Iterator[None]:
    """Lets the garbage collector run seldom: what is read stays, and going over it time and again costs a sixth."""
    before = gc.get_threshold()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _of(number: int, thing: str) -> str:
    """Returns a number with the noun that it counts."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _end(faults: list[Fault]) -> None:
    """Lets the exit code tell whether all records could be used."""
    if faults:
        raise typer.Exit(USER_ERROR)


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
            else f"active {active:.2f}; {_of(vain, 'call')} in vain, {aimless} of them no walks"
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


def _notes(scores: Iterable[Score]) -> list[Mapping[str, Any]]:
    return [score.metrics.get("cce_notes", {}) for score in scores]


def _costs(found: Iterable[Mapping[str, Any]], name: str = "") -> list[str]:
    """Returns what a judge took and what it was not asked, line by line, if one was asked.

    Args:
        found: A method's notes on each episode.
        name: Name of the method, where several are used.
    """
    notes = [note for note in found if "requests" in note]
    if not notes:
        return []

    def total(name: str) -> int:
        return sum(int(note[name]) for note in notes)

    lines = [
        f"Judge{name and f' {name}'}: {_of(total('questions'), 'question')}, {total('cached')} of them answered from "
        f"the cache; {_of(total('requests'), 'request')} ({_of(total('asked_again'), 're-ask')}), "
        f"{_of(total('prompt_tokens'), 'token')} in, {total('completion_tokens')} out"
    ]
    dollars = [note["dollars"] for note in notes]
    if all(value is not None for value in dollars):
        lines.append(f"Cost: ${sum(dollars):.4f}")
    skipped = {name: total(name) for name in ("pruned", "beyond_window", "hidden")}
    if any(skipped.values()):
        lines.append(
            f"Skipped: {_of(skipped['pruned'], 'action')} pruned, {skipped['beyond_window']} beyond the window; "
            f"{_of(skipped['hidden'], 'time')} a contributing action was not shown"
        )
    unjudged = sum(not note["judged"] for note in notes)
    if unjudged:
        lines.append(f"Not judged: {_of(unjudged, 'failed episode')} (CCE 0)")
    return lines


def _tell(lines: Iterable[str], json: bool) -> None:
    """Writes lines below tables; beside JSON they are remarks."""
    from agentworld_env.cli import output

    for line in lines:
        (output.note if json else output.line)(line)


def _shapley(score: Score, orders: int, workers: int) -> Any:
    from agentworld_env.episodes import read_episode
    from agentworld_env.metrics.counterfactual import shapley

    assert score.path is not None
    return shapley(read_episode(score.path), orders=orders, workers=workers)


@app.command()
@verb
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


@app.command()
@verb
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


@app.command()
@verb
def agree(
    paths: Paths,
    between: Annotated[list[str], typer.Option(help="A method; give at least two. See cce --method.")],
    json: Json = False,
    workers: Workers = None,
    prune: Prune = False,
    rounds: Rounds = None,
    window: Window = None,
    cache: Cache = None,
    no_cache: NoCache = False,
    prices: Prices = None,
) -> None:
    """Measure how far methods agree on single actions: raw agreement, Cohen's kappa, confusion table."""
    from itertools import combinations

    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.metrics import COUNTERFACTUAL, agreement, findings, parse_method

    if len(between) < 2:
        raise AgentWorldError("agreement needs at least two methods: --between events --between judge:MODEL")
    for method in between:
        parse_method(method)
    options = method_options(
        between,
        workers=workers,
        prune=prune,
        rounds=rounds,
        window=window,
        cache=cache,
        no_cache=no_cache,
        prices=prices,
    )
    records, faults = _records(paths)
    episodes = [record.episode for record in records]
    if not episodes:
        raise typer.Exit(USER_ERROR)
    ends = [record.env for record in records]
    by_method = [(method, findings(episodes, method, options, ends)) for method in between]
    found, apart = [], 0
    for (first, one), (second, other) in combinations(by_method, 2):
        pairs = list(zip(one, other, episodes, strict=True))
        if (first == COUNTERFACTUAL) != (second == COUNTERFACTUAL):
            # Of a failure it asks what was necessary for what was reached, all others what would have served success.
            pairs = [pair for pair in pairs if pair[2].verdict.success]
            apart = len(episodes) - len(pairs)
            if not pairs:
                raise AgentWorldError(
                    f"{first} and {second}: expected a success to compare them on, since they ask different "
                    f"questions of failures, got {_of(apart, 'failed episode')}"
                )
        counts = [len(episode.lines) for _, _, episode in pairs]
        try:
            found.append(agreement([pair[0] for pair in pairs], [pair[1] for pair in pairs], counts))
        except ValueError as error:
            raise AgentWorldError(f"{first} and {second}: {error} in {_of(len(pairs), 'episode')}") from error
    costs = [
        f"Left out with counterfactual, which asks another question: {_of(apart, 'failed episode')}."
    ] * bool(apart)
    costs += [
        line for method, of_method in by_method for line in _costs([one.notes for one in of_method], method)
    ]
    if json:
        output.data(found)
        _tell(costs, json)
        _end(faults)
        return
    from agentworld_env.report import agreement_table, confusion_table

    output.table(agreement_table(found))
    for each in found:
        output.line()
        output.table(confusion_table(each))
    _tell(costs, json)
    _end(faults)


@app.command()
@verb
def ranks(
    paths: Paths,
    between: Annotated[list[str], typer.Option(help="A method; the first is the one compared with.")],
    json: Json = False,
    successes: Annotated[bool, typer.Option("--successes", help="Means over successes only.")] = False,
    workers: Workers = None,
    prune: Prune = False,
    rounds: Rounds = None,
    window: Window = None,
    cache: Cache = None,
    no_cache: NoCache = False,
    prices: Prices = None,
) -> None:
    """Tell whether methods rank the policies alike by mean CCE, over the tasks that all of them have played."""
    from agentworld_env.cli import output
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.evaluate import cce_of
    from agentworld_env.metrics import parse_method, rankings

    for method in between:
        parse_method(method)
    options = method_options(
        between,
        workers=workers,
        prune=prune,
        rounds=rounds,
        window=window,
        cache=cache,
        no_cache=no_cache,
        prices=prices,
    )
    records, faults = _records(paths)
    if not records:
        raise typer.Exit(USER_ERROR)
    means: dict[str, dict[str, float]] = {}
    costs: list[str] = []
    basis, left_out = "", 0
    for method in between:
        scores = cce_of(records, method, options)
        costs += _costs(_notes(scores), method)
        chosen = [score for score in scores if score.success or not successes]
        if not chosen:
            raise AgentWorldError("there is no successful episode to rank by")
        means[method], basis, left_out = _on_common_tasks(chosen, successes)
    found = rankings(means)
    if json:
        output.data(found)
    else:
        from agentworld_env.report import ranking_table

        output.table(ranking_table(found))
    # A program is told what was left out, and spared what goes without saying.
    _tell([basis] if basis and (left_out or not json) else [], json)
    _tell(costs, json)
    _end(faults)


def _on_common_tasks(scores: Sequence[Score], successes: bool) -> tuple[dict[str, float], str, int]:
    """Returns team -> mean over tasks of its mean CCE on each, for the tasks that all teams share.

    With it come a line that says so, and the number of tasks that are left out. Teams are policies; where there are
    several settings, policies under a setting.
    """
    from agentworld_env.errors import AgentWorldError

    several = len({score.setting for score in scores}) > 1
    of_team: dict[str, dict[tuple[str, str], list[float]]] = {}
    for score in scores:
        team = f"{score.policy} ({score.setting})" if several else score.policy
        of_team.setdefault(team, {}).setdefault((score.suite, score.task), []).append(score.metrics["cce"])
    played = {task for of_task in of_team.values() for task in of_task}
    common = {task for task in played if all(task in of_task for of_task in of_team.values())}
    what = "has a success in" if successes else "has played"
    if not common:
        raise AgentWorldError(f"there is no task that every one of {', '.join(sorted(of_team))} {what}")
    basis = f"Mean over {len(common)} of {_of(len(played), 'task')}: those that every team {what}."
    means = {
        team: sum(sum(of_task[task]) / len(of_task[task]) for task in sorted(common)) / len(common)
        for team, of_task in of_team.items()
    }
    return means, basis, len(played) - len(common)
