"""Tables about collaboration: CCE beside SR and PSR, shares of agents, agreement of methods, ranks of teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentworld_env.metrics import Agreement, Interval, Ranking
from agentworld_env.report.tables import Table

if TYPE_CHECKING:
    from agentworld_env.evaluate import Score

_NAMES = {
    "sr": "SR",
    "psr": "PSR",
    "progress": "progress",
    "cce_of_successes": "CCE of successes",
    "cce_active_of_successes": "CCE of successes, without waiting",
    "skew_of_successes": "skew of successes",
    "cce": "CCE of all (failed: 0)",
    "rounds": "rounds",
    "actions": "calls",
    "turns": "turns",
    "failed_calls": "failed calls",
    "idle_share": "idle share",
    "handovers": "handovers",
    "chats": "messages",
    "chat_share": "share of chat",
    "chat_share_of_failures": "share of chat in failed episodes",
    "first_chat_round": "round of the first message",
    "redundant_messages": "redundant messages",
    "unheeded_messages": "messages never acted on",
}
"""Figure of a suite -> its name for people."""


def cce_table(scores: Sequence[Score]) -> Table:
    """Returns one row per episode with its collaboration figures; the setting is shown where there are several."""
    several = len({score.setting for score in scores}) > 1
    names = ("psr", "cce", "cce_active", "partial", "skew", "idle_share", "chat_share")
    rows = tuple(
        (
            score.task,
            score.policy,
            *((score.setting,) if several else ()),
            str(score.seed),
            "yes" if score.success else "no",
            *(_figure(score.metrics.get(name)) for name in names),
            str(score.metrics.get("handovers", "")),
        )
        for score in scores
    )
    return Table(
        title=f"Method {', '.join(sorted({str(score.metrics.get('cce_method')) for score in scores}))}",
        columns=(
            "task",
            "policy",
            *(("setting",) if several else ()),
            "seed",
            "success",
            "PSR",
            "CCE",
            "CCE active",
            "partial",
            "skew",
            "idle",
            "chat",
            "handovers",
        ),
        rows=rows,
        right=frozenset({2 + several, *range(4 + several, 12 + several)}),
        keys=2 + several,
    )


def suite_table(figures: Mapping[str, Interval | None]) -> Table:
    """Returns one row per figure of a suite, with its interval; figures that no episode has are left out.

    Args:
        figures: What ``suite_metrics`` gave.
    """
    return Table(
        title="Means over episodes; 95 % intervals by resampling tasks",
        columns=("figure", "mean", "low", "high", "episodes", "tasks"),
        rows=tuple(
            (
                _NAMES[name],
                _figure(found.mean),
                _figure(found.low),
                _figure(found.high),
                str(found.episodes),
                str(found.clusters),
            )
            for name, found in figures.items()
            if found is not None
        ),
        right=frozenset(range(1, 6)),
    )


def absence_table(notes: Mapping[str, Any], kind: str) -> Table:
    """Returns one row per agent or role group with what the others would have reached without it.

    Args:
        notes: The counterfactual method's own figures of an episode.
        kind: ``agents`` or ``groups``.
    """
    return Table(
        columns=(kind[:-1], "necessary", "success without", "PSR without"),
        rows=tuple(
            (
                name,
                "yes" if absence["necessary"] else "no",
                "yes" if absence["success"] else "no",
                _figure(absence["psr"]),
            )
            for name, absence in notes[kind].items()
        ),
        right=frozenset({3}),
    )


def agreement_table(found: Sequence[Agreement]) -> Table:
    """Returns one row per pair of methods."""
    return Table(
        title="Agreement on which actions contribute; 95 % intervals of kappa",
        columns=("first", "second", "episodes", "actions", "raw", "kappa", "low", "high"),
        rows=tuple(
            (
                each.first,
                each.second,
                str(each.episodes),
                str(each.actions),
                _figure(each.raw),
                _figure(each.kappa),
                _figure(each.low),
                _figure(each.high),
            )
            for each in found
        ),
        right=frozenset(range(2, 8)),
    )


def confusion_table(found: Agreement) -> Table:
    """Returns how often two methods say the same, and how often not."""
    return Table(
        columns=(f"{found.first} \\ {found.second}", "contributes", "does not"),
        rows=(
            ("contributes", str(found.both), str(found.first_only)),
            ("does not", str(found.second_only), str(found.neither)),
        ),
        right=frozenset({1, 2}),
    )


def ranking_table(found: Sequence[Ranking]) -> Table:
    """Returns one row per method with the mean CCE of every team and how the ranks compare with the first row's."""
    teams = found[0].order if found else ()
    return Table(
        title="Mean CCE of teams by method; ranks compared with the first row",
        columns=("method", *teams, "tau", "ranks preserved", "greatest shift"),
        rows=tuple(
            (
                each.method,
                *(f"{each.means[team]:.3f}" for team in teams),
                _figure(each.tau),
                "yes" if each.preserved else "no",
                f"{each.shift:.3f}",
            )
            for each in found
        ),
        right=frozenset({*range(1, len(teams) + 2), len(teams) + 3}),
    )


def _figure(value: object) -> str:
    return f"{value:z.2f}" if isinstance(value, int | float) else ""
