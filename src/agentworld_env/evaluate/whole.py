"""A whole evaluation in one call from Python."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from agentworld_env.errors import AgentWorldError, InvalidValueError, hint, quoted
from agentworld_env.evaluate.evaluation import Evaluation, Played
from agentworld_env.evaluate.results import RunResults
from agentworld_env.evaluate.runner import Limits, Watch
from agentworld_env.evaluate.who import Players
from agentworld_env.tasks import Task, list_tasks
from agentworld_env.tasks.registry import SUITES
from agentworld_env.variants import resolve

Named = str | Path | Task
"""A suite's name, a task's id (variants included), the path of a task file, or a task that one of these names."""


class Asking(TypedDict, total=False):
    """How models are asked. It decides results; only models heed it.

    Attributes:
        memory: So many of its own last calls a model is shown; 8 if not given.
        reasks: So often a model is asked again after a reply without a usable call; 1 if not given.
        temperature: Sampling temperature; left to the endpoint if not given.
        reply_tokens: Longest reply (tokens); left to the endpoint if not given.
        templates: Directory of prompt templates; the package's if not given.
    """

    memory: int
    reasks: int
    temperature: float
    reply_tokens: int
    templates: str | Path


class Doing(TypedDict, total=False):
    """How a run is carried out; nothing of it decides results.

    Attributes:
        concurrency: Episodes, and calls to one endpoint, at once; 64 if not given. A policy object plays one episode
            after the other.
        executor: ``local`` (if not given) or ``ray``.
        processes: Processes that share the episodes; 1 if not given, with Ray one per processor.
        call_seconds: Longest wait for one reply (seconds); 120 if not given.
        turn_seconds: Longest wait for one turn (seconds); 900 if not given.
        episode_seconds: Longest time for an episode (seconds); any if not given.
        retries: Attempts after a call without a reply; 8 if not given.
    """

    concurrency: int
    executor: Literal["local", "ray"]
    processes: int | None
    call_seconds: float
    turn_seconds: float
    episode_seconds: float | None
    retries: int


class Options(Asking, Doing):
    """Every option of ``run_evaluation`` that has no parameter of its own; see ``Asking`` and ``Doing``."""


def run_evaluation(
    policy: Players | None = None,
    tasks: Named | Iterable[Named] | None = None,
    *,
    trials: int | None = None,
    seed: int | None = None,
    setting: str | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    prices: str | Path | None = None,
    progress: Watch | None = None,
    **options: Unpack[Options],
) -> RunResults:
    """Plays many episodes into a folder, as ``agentworld-env evaluate`` does, and returns what came of them.

    An episode that a model's endpoint keeps from ending, or for which a limit leaves nothing, is unfinished: it is
    in ``results.unfinished`` and never scored, and a warning says how many there are. ``load_run`` reads the same
    results from the folder again.

    Args:
        policy: Who plays: a policy's name, such as ``"planner"``, a policy object, or what makes a new policy when it
            is called without arguments, such as a class; or a mixed team, as a dict or pairs of patterns of agent ids
            and any of these. An object plays one episode after the other; ``begin`` must make it forget the last one,
            also after ``close``, which is called after each.
            If it is left out, the policies of the run that is resumed play on.
        tasks: A suite's name, the id of a task, the path of a task file, a task, or a list of these. If it is left
            out, the tasks are those of the run that is resumed.
        trials: Episodes per task; 1 for a new run.
        seed: Seed of the first trial, 0 for a new run; the next trial has the next seed.
        setting: Name of a setting; several are joined by ``+``.
        out: Folder of a new run.
        resume: Folder of a run to go on with, in place of ``out``; whatever else is given must be as it was begun.
        max_cost: Limit in US dollars, over all resumes; at it, no further call is made.
        max_tokens: Limit of tokens, over all resumes.
        prices: CSV file of prices of models.
        progress: Called about once a second, and after each episode, with a ``RunState``: ``done``, ``total``, ``won``,
            ``failures``, ``spent`` and ``seconds_left``.
        options: ``concurrency``, ``executor``, ``processes``, ``call_seconds``, ``turn_seconds``, ``episode_seconds``
            and ``retries``, which decide no results (see ``Doing``); for models also ``memory``, ``reasks``,
            ``temperature``, ``reply_tokens`` and ``templates`` (see ``Asking``).

    Raises:
        AgentWorldError: Something cannot be played as it is asked for, which is found before anything is written; the
            folder holds a run already, or one that was begun otherwise; or an event loop is running already (use
            ``run_evaluation_async`` there).
        InvalidValueError: A number is out of range.
        TypeError: There is no such option.
    """
    evaluation = _asked_for(
        policy, tasks, trials, seed, setting, out, resume, max_cost, max_tokens, prices, options
    )
    if evaluation.in_this_process and _loop_is_running():
        raise AgentWorldError("an event loop is running already: use 'await run_evaluation_async(...)'")
    return _told(evaluation, evaluation.play(progress))


async def run_evaluation_async(
    policy: Players | None = None,
    tasks: Named | Iterable[Named] | None = None,
    *,
    trials: int | None = None,
    seed: int | None = None,
    setting: str | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    prices: str | Path | None = None,
    progress: Watch | None = None,
    **options: Unpack[Options],
) -> RunResults:
    """Plays many episodes inside a running event loop, as in a notebook; everything else is as for ``run_evaluation``.

    Raises:
        AgentWorldError: As for ``run_evaluation``; or other processes are to play, which ``run_evaluation`` lets them
            do in a notebook, too.
    """
    evaluation = _asked_for(
        policy, tasks, trials, seed, setting, out, resume, max_cost, max_tokens, prices, options
    )
    if not evaluation.in_this_process:
        raise AgentWorldError(
            "an event loop plays in its own process; for several processes or Ray use run_evaluation(...), "
            "which needs no loop for them"
        )
    return _told(evaluation, await evaluation.play_async(progress))


def _asked_for(
    policy: Players | None,
    tasks: Named | Iterable[Named] | None,
    trials: int | None,
    seed: int | None,
    setting: str | None,
    out: str | Path | None,
    resume: str | Path | None,
    max_cost: float | None,
    max_tokens: int | None,
    prices: str | Path | None,
    options: Options,
) -> Evaluation:
    asking, doing = Asking.__annotations__, Doing.__annotations__
    for name in options:
        if name not in asking and name not in doing:
            raise TypeError(f"run_evaluation has no option {name!r}{hint(name, (*asking, *doing))}")
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if "templates" in given:
        given["templates"] = str(Path(given["templates"]).resolve())
    for name, folder in (("out", out), ("resume", resume)):
        if folder is not None and not str(folder):
            raise AgentWorldError(f"expected the name of a folder for {name}, got ''")
    sources = _sources(tasks)
    if not sources and resume is None:
        raise AgentWorldError("say which tasks to play: a suite, a task, or a list of tasks")
    executor = given.get("executor", "local")
    if executor not in ("local", "ray"):
        raise InvalidValueError(f"the executor is 'local' or 'ray', not {quoted(executor)}")
    return Evaluation(
        policy,
        sources,
        out=out,
        resume=resume,
        trials=trials,
        seed=seed,
        setting=setting,
        asking={name: value for name, value in given.items() if name in asking},
        limits=Limits(**{name: value for name, value in given.items() if name in doing}),
        max_cost=max_cost,
        max_tokens=max_tokens,
        prices=prices,
        spelled=lambda name: f"{name}=",
    )


def _sources(tasks: Named | Iterable[Named] | None) -> list[str]:
    if tasks is None:
        return []
    if isinstance(tasks, str | Path | Task):
        tasks = [tasks]
    found: list[str] = []
    for each in tasks:
        if isinstance(each, str) and each in SUITES:
            found += [info.id for info in list_tasks(each)]
        elif isinstance(each, str):
            found.append(each)
        elif isinstance(each, Path):
            found.append(str(each.resolve()))
        else:
            found.append(_source_of(resolve(each)))  # refuses what names no task
    return found


def _source_of(task: Task) -> str:
    """Returns what a task can be loaded by again, as a run that is resumed must."""
    try:
        same = resolve(task.id).content_hash == task.content_hash
    except AgentWorldError:
        same = False
    if not same:
        raise AgentWorldError(
            f"a run must find its tasks again, and {quoted(task.id)} is none of the package's: "
            "give the path of its file"
        )
    return task.id


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _told(evaluation: Evaluation, played: Played) -> RunResults:
    unfinished = len(played.results.unfinished)
    if unfinished:
        why = played.state.stopped or "; ".join(
            dict.fromkeys(failure.reason for failure in played.state.failures)
        )
        warnings.warn(
            f"{unfinished} of {evaluation.manifest.episodes} episodes are unfinished and not scored"
            f"{f' ({why:.300})' if why else ''}; go on with resume={str(evaluation.place)!r}",
            stacklevel=3,
        )
    return played.results
