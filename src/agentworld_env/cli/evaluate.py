"""``agentworld-env evaluate``: plays many episodes, resumes them, and prints the table."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentworld_env.cli.choices import one_of, shown
from agentworld_env.cli.codes import FAULT, INTERRUPTED, TERMINATED
from agentworld_env.cli.folders import folder_named

if TYPE_CHECKING:
    from agentworld_env.evaluate.runner import Limits


_EXECUTORS = ("local", "ray")


def evaluate(
    policies: Annotated[
        list[str] | None, typer.Option("--policy", "--model", help="planner, random, PROVIDER:MODEL, ...")
    ] = None,
    team: Annotated[
        list[str] | None, typer.Option(help="Part of a mixed team: PATTERN=POLICY, such as 'miner*=planner'.")
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK,...",
            help="Ids or files of tasks, separated by commas or each with its own --tasks.",
        ),
    ] = None,
    suite: Annotated[str | None, typer.Option(help="All tasks of this suite, such as main.")] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Episodes per task; 1 if not given.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the first trial; 0 if not given.")] = None,
    setting: Annotated[str | None, typer.Option(help="Setting; several are joined by +.")] = None,
    memory: Annotated[int | None, typer.Option(min=0, help="Own last calls a model is shown; 8.")] = None,
    reasks: Annotated[
        int | None, typer.Option(min=0, help="Re-asks after a reply without a usable call; 1.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, max=2, help="Sampling temperature.")] = None,
    reply_tokens: Annotated[
        int | None, typer.Option(min=1, help="Longest reply in tokens; else the endpoint's own limit.")
    ] = None,
    templates: Annotated[Path | None, typer.Option(help="Directory of prompt templates.")] = None,
    out: Annotated[
        Path | None, typer.Option(parser=folder_named, metavar="DIRECTORY", help="Folder of a new run.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(parser=folder_named, metavar="DIRECTORY", help="Folder of a run to go on with."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes and model calls at once.")] = 64,
    executor: Annotated[
        str,
        typer.Option(
            parser=one_of("executor", _EXECUTORS),
            metavar=shown(_EXECUTORS),
            help="Where episodes are played: on this machine, or on a Ray cluster.",
        ),
    ] = "local",
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that share the episodes; 1, with Ray one per processor."),
    ] = None,
    max_cost: Annotated[float | None, typer.Option(min=0, help="Stop at this cost in US dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=0, help="Stop at so many tokens.")] = None,
    prices: Annotated[Path | None, typer.Option(help="CSV file of prices.")] = None,
    call_seconds: Annotated[float, typer.Option(min=0.1, help="Longest wait for a reply.")] = 120.0,
    turn_seconds: Annotated[float, typer.Option(min=0.1, help="Longest wait for a turn.")] = 900.0,
    episode_seconds: Annotated[float | None, typer.Option(min=0.1, help="Longest episode.")] = None,
    retries: Annotated[int, typer.Option(min=0, help="Attempts after a call without a reply.")] = 8,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Play all episodes of a run, or go on with one. Infrastructure errors are never scored as failures."""
    from agentworld_env.cli import output
    from agentworld_env.cli.report import print_report
    from agentworld_env.cli.run_progress import RunProgress
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.evaluate.cast import read_members
    from agentworld_env.evaluate.evaluation import Evaluation
    from agentworld_env.evaluate.runner import Limits
    from agentworld_env.models import BudgetSpentError
    from agentworld_env.workers import heard_once

    if policies is not None and len(policies) > 1:
        raise AgentWorldError(
            f"a run has one --policy, not {len(policies)} ({', '.join(policies)}): "
            "make a run of each, or a mixed team with --team PATTERN=POLICY"
        )
    if (out is None) == (resume is None):
        raise AgentWorldError("say where the run goes: --out for a new one, --resume to go on with one")
    policy = policies[0] if policies else None
    members = read_members(policy, team or []) if policy is not None or team or resume is None else None
    asking = {
        "memory": memory,
        "reasks": reasks,
        "temperature": temperature,
        "reply_tokens": reply_tokens,
        "templates": None if templates is None else str(templates.resolve()),
    }
    limits = Limits(
        concurrency=concurrency,
        executor=executor,  # type: ignore[arg-type] # the parser takes nothing else
        processes=processes,
        call_seconds=call_seconds,
        turn_seconds=turn_seconds,
        episode_seconds=episode_seconds,
        retries=retries,
    )
    evaluation = Evaluation(
        members,
        _sources(tasks, suite),
        out=out,
        resume=resume,
        trials=trials,
        seed=seed,
        setting=setting,
        asking={name: value for name, value in asking.items() if value is not None},
        limits=limits,
        max_cost=max_cost,
        max_tokens=max_tokens,
        prices=prices,
        spelled=_spelled,
    )
    for line in evaluation.ledger.price_lines:
        output.note(line)
    again = _resuming(
        evaluation.place, limits, {"max_cost": max_cost, "max_tokens": max_tokens, "prices": prices}
    )
    # Where this process plays, the event loop has its own way with Ctrl-C.
    apart = executor == "local" and processes is not None and processes > 1
    ending = heard_once() if apart else contextlib.nullcontext()
    with ending, RunProgress(quiet) as progress, _ends_like_ctrl_c() as terminated:
        try:
            state, run = evaluation.play(progress)
        except KeyboardInterrupt:
            how, code = ("terminated", TERMINATED) if terminated else ("interrupted", INTERRUPTED)
            output.note(f"{how}; go on with: {again}")
            raise typer.Exit(code) from None
    print_report([run], json=json)
    for failure in state.failures:
        output.note(
            f"unfinished because of infrastructure: {failure.task} seed {failure.seed}: {failure.reason}"
        )
    if state.stopped:
        spent = state.spent
        cost = "at unknown cost" if spent.cost is None else f"for {spent.cost:.4f} dollars"
        output.note(
            f"stopped: {state.stopped}; in the end {spent.calls} calls used {spent.tokens} tokens {cost}"
        )
    if run.unfinished:
        how = "go on with"
        try:
            evaluation.ledger.allow()
        except BudgetSpentError:
            how = "to go on, raise the limit in"
        output.note(
            f"{len(run.unfinished)} of {run.manifest.episodes} episodes are unfinished and not scored; {how}: {again}"
        )
        raise typer.Exit(FAULT)


@contextlib.contextmanager
def _ends_like_ctrl_c() -> Iterator[list[int]]:
    """Lets SIGTERM end the run as Ctrl-C does, which closes records and connections; yields the signals that came."""
    came: list[int] = []

    def end(number: int, frame: object) -> None:
        came.append(number)
        if callable(signal.getsignal(signal.SIGINT)):
            signal.raise_signal(signal.SIGINT)
            return
        # What a shell without job control starts in the background ignores SIGINT, and goes on ignoring it here.
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came  # signals are the main thread's business
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)


def _resuming(place: Path, limits: Limits, given: Mapping[str, object]) -> str:
    """Returns the command that goes on with a run, with the limits it began with, of which its folder knows nothing."""
    import msgspec

    standard = msgspec.structs.asdict(type(limits)())
    chosen = {
        name: value for name, value in msgspec.structs.asdict(limits).items() if value != standard[name]
    }
    words = ["agentworld-env", "evaluate", "--resume", str(place)]
    for name, value in {**given, **chosen}.items():
        if value is not None:
            words += [_spelled(name), str(value).removesuffix(".0")]
    return shlex.join(words)


def _spelled(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _named(tasks: str) -> list[str]:
    """Returns the tasks of one --tasks; a path with a comma in it is one name if that file exists."""
    if os.path.isfile(tasks):  # unlike Path.is_file, never an error, however odd the name
        return [tasks]
    return [part.strip() for part in tasks.split(",") if part.strip()]


def _sources(tasks: Sequence[str] | None, suite: str | None) -> list[str]:
    from agentworld_env.errors import AgentWorldError
    from agentworld_env.tasks import list_tasks

    named = [name for given in tasks or () for name in _named(given)]
    if suite is not None:
        listed = [info.id for info in list_tasks(suite)]
        twice = [name for name in named if name in listed]
        if twice:
            raise AgentWorldError(
                f"--tasks names {', '.join(twice)}, which the suite {suite} holds already: "
                "leave it out of --tasks, or leave out --suite"
            )
        named += listed
    return named
