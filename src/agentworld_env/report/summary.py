"""The figures of a run, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

import msgspec

from agentworld_env.evaluate.ledger import Spent
from agentworld_env.evaluate.results import Finished, RunResults
from agentworld_env.evaluate.statistics import pass_hat, spread, wilson
from agentworld_env.metrics import Interval, clustered_mean


class CategoryFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One category: finished episodes, and how many were successes.

    Attributes:
        episodes: Finished episodes.
        successes: Successes among them.
        sr: Success rate with its Wilson interval.
        psr: Mean PSR.
    """

    episodes: int
    successes: int
    sr: Interval
    psr: float


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in figures. Only finished episodes count; the others are counted apart.

    Attributes:
        name: Name of its folder.
        label: Policy and setting.
        policy: Name of the policy.
        setting: Name of the setting.
        suite: Suite and version.
        verified: Whether every record was re-simulated.
        tasks: Tasks with a finished episode.
        trials: Trials per task.
        episodes: Finished episodes.
        unfinished: Episodes that infrastructure or a budget kept from ending.
        sr: Success rate, Wilson.
        psr: PSR, tasks resampled.
        cce: CCE over all episodes, 0 for failed ones, tasks resampled.
        cce_of_successes: Mean CCE over successes, or None without any.
        pass_hat: k -> chance that k trials of a task all succeed, for every k up to the trials.
        rounds: Mean rounds.
        chats: Mean messages.
        actions: Mean calls.
        failed_calls: Mean calls that failed.
        idle_share: Mean share of turns slept.
        reasks: Mean replies asked for again.
        surplus: Mean tool calls beyond the first in a reply, which were left out.
        memory: So many of its own last calls a model was shown; None if no model played.
        spent: What all episodes used, unfinished ones included.
        by_agent: The same for finished episodes, by agent id.
        categories: Category -> figures.
        variation: Figure -> sample standard deviation of its mean between trials; None for a single trial.
        settings: Settings of the policy, prompt hash included.
    """

    name: str
    label: str
    policy: str
    setting: str
    suite: str
    verified: bool
    tasks: int
    trials: int
    episodes: int
    unfinished: int
    sr: Interval | None
    psr: Interval | None
    cce: Interval | None
    cce_of_successes: float | None
    pass_hat: dict[str, float | None]
    rounds: float | None
    chats: float | None
    actions: float | None
    failed_calls: float | None
    idle_share: float | None
    reasks: float | None
    surplus: float | None
    memory: int | None
    spent: Spent
    by_agent: dict[str, Spent]
    categories: dict[str, CategoryFigures]
    variation: dict[str, float | None]
    settings: dict[str, Any]


_VARIED: dict[str, Callable[[Finished], float]] = {
    "sr": lambda one: float(one.score.success),
    "psr": lambda one: one.score.psr,
    "cce": lambda one: float(one.score.metrics["cce"]),
    "rounds": lambda one: float(one.score.rounds),
    "chats": lambda one: float(one.score.metrics["chats"]),
    "actions": lambda one: float(one.score.actions),
}


def summarise(run: RunResults) -> RunSummary:
    """Returns a run's figures.

    Args:
        run: The run.
    """
    done = run.finished
    won = [one for one in done if one.score.success]
    by_agent: dict[str, Spent] = {}
    for one in done:
        for agent, spent in one.by_agent.items():
            by_agent.setdefault(agent, Spent()).add(spent)
    trials = run.manifest.trials
    success = {task: [bool(v) for v in values] for task, values in by_task(run, "sr").items()}
    whole = len(success) == len(run.manifest.tasks)
    return RunSummary(
        name=run.name,
        label=run.label,
        policy=str(run.manifest.policy.get("name", "")),
        setting=run.manifest.setting,
        suite=run.manifest.suite,
        verified=run.verified,
        tasks=len(success),
        trials=trials,
        episodes=len(done),
        unfinished=len(run.unfinished),
        sr=wilson(len(won), len(done)) if done else None,
        psr=_clustered(run, "psr"),
        cce=_clustered(run, "cce"),
        cce_of_successes=fmean(_VARIED["cce"](one) for one in won) if won else None,
        pass_hat={str(k): pass_hat(success, k) if whole else None for k in range(1, trials + 1)},
        rounds=_mean(done, _VARIED["rounds"]),
        chats=_mean(done, _VARIED["chats"]),
        actions=_mean(done, _VARIED["actions"]),
        failed_calls=_mean(done, lambda one: float(one.score.metrics["failed_calls"])),
        idle_share=_mean(done, lambda one: float(one.score.metrics["idle_share"])),
        reasks=_mean(done, lambda one: float(one.reasks)),
        surplus=_mean(done, lambda one: float(one.surplus)),
        memory=run.manifest.cast.memory if run.manifest.cast.models else None,
        spent=run.spent,
        by_agent=by_agent,
        categories=_categories(done),
        variation={name: _between_trials(run, read) for name, read in _VARIED.items()},
        settings=run.manifest.policy,
    )


def by_task(run: RunResults, figure: str) -> dict[str, list[float]]:
    """Returns a figure of every finished episode, by task.

    Args:
        run: The run.
        figure: ``sr``, ``psr``, ``cce``, ``rounds``, ``chats`` or ``actions``.
    """
    found: dict[str, list[float]] = {}
    for one in run.finished:
        found.setdefault(one.score.task, []).append(_VARIED[figure](one))
    return found


def _clustered(run: RunResults, figure: str) -> Interval | None:
    values = [_VARIED[figure](one) for one in run.finished]
    return clustered_mean(values, [one.score.task for one in run.finished])


def _mean(done: tuple[Finished, ...], read: Callable[[Finished], float]) -> float | None:
    return fmean(read(one) for one in done) if done else None


def _categories(done: tuple[Finished, ...]) -> dict[str, CategoryFigures]:
    found: dict[str, CategoryFigures] = {}
    for category in sorted({one.category for one in done}):
        inside = [one for one in done if one.category == category]
        won = sum(one.score.success for one in inside)
        found[category] = CategoryFigures(
            episodes=len(inside),
            successes=won,
            sr=wilson(won, len(inside)),
            psr=fmean(one.score.psr for one in inside),
        )
    return found


def _between_trials(run: RunResults, read: Callable[[Finished], float]) -> float | None:
    """Returns how much a mean varies between trials that are complete."""
    means = []
    for k in range(run.manifest.trials):
        inside = [read(one) for one in run.finished if one.score.seed == run.manifest.seed + k]
        if len(inside) == len(run.manifest.tasks):
            means.append(fmean(inside))
    return spread(means)
