"""What is proven and measured of a whole suite, as ``benchmarks/suite_figures.py`` writes it, and its page section."""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import Task

FILE = Path("docs/suite_figures.json")
RANDOM_SEEDS = 5
"""Seeds, counted from 0, on which random play is measured."""


class SuiteFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a suite. Shares and rates lie between 0 and 1; medians are over tasks, or over tasks and seeds.

    Attributes:
        suite: Name of the suite.
        content: Digest of the tasks that were measured.
        tasks: How many.
        seeds: So many seeds, counted from 0, for planner and idle team.
        planner: Episodes that the planner solved, of ``tasks`` x ``seeds``.
        slack: Share of the budget that the planner leaves.
        ratios: The planner's rounds as a multiple of the lower bound of that seed, in the median, seed by seed.
        ratio: The same, over all seeds together.
        idle: (success rate, mean PSR) of a team that sleeps.
        random: (success rate, mean PSR) of uniform choice among legal calls, over the first 5 seeds.
        alone: Agents with which alone, all others idle, the planner solves their task (seed 0).
        agents: Agents in all.
        single: Tasks that the planner solves in the setting ``single_agent`` (seed 0).
        single_rounds: Rounds it takes for these there, in the median.
        team_rounds: Rounds the team takes for the same tasks, in the median.
        mutants: (tried, told apart) slightly wrong copies.
        near_misses: (tried, failed as they should) near misses.
        groups: Kind of proof -> role groups that are necessary by it; ``none``: groups that are not.
        named: Ids of the tasks in which some group is necessary only because a checkpoint names it (kind ``named``).
        unnamed: Ids of those of them in which fewer than two groups are necessary by any other kind.
        shared: Tasks with a hand-over without which they fail, and tasks with a joint act.
        least_groups: Fewest necessary groups of any task.
        group_share: Share of the groups that are necessary, in the median task.
    """

    suite: str
    content: str
    tasks: int
    seeds: int
    planner: int
    slack: float
    ratios: tuple[float, ...]
    ratio: float
    idle: tuple[float, float]
    random: tuple[float, float]
    alone: int
    agents: int
    single: int
    single_rounds: float
    team_rounds: float
    mutants: tuple[int, int]
    near_misses: tuple[int, int]
    groups: dict[str, int]
    named: tuple[str, ...]
    unnamed: tuple[str, ...]
    shared: tuple[int, int]
    least_groups: int
    group_share: float


def content_of(tasks: Sequence[Task]) -> str:
    """Returns a digest of the content of tasks."""
    return hashlib.sha256("\n".join(task.content_hash for task in tasks).encode()).hexdigest()[:16]


def read_figures(path: Path) -> SuiteFigures:
    """Returns the figures in a file.

    Raises:
        AgentWorldError: They cannot be read.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=SuiteFigures)
    except OSError as error:
        raise AgentWorldError(f"{path}: expected the figures of a suite ({error.strerror})") from error
    except msgspec.DecodeError as error:
        raise AgentWorldError(f"{path}: expected the figures of a suite ({error})") from error


def section(it: SuiteFigures) -> list[str]:
    """Returns the lines of the section "What is proven and measured"."""
    episodes = it.tasks * it.seeds
    groups = sum(it.groups.values())
    kinds = ", ".join(f"{count} by {kind}" for kind, count in sorted(it.groups.items()) if kind != "none")
    every, some, one = _span(it.seeds), _span(RANDOM_SEEDS), _span(1)
    rows: list[tuple[str, str, Any]] = [
        (f"planner, {it.tasks} tasks x {it.seeds} seeds", every, f"{it.planner} of {episodes} solved"),
        ("share of the budget it leaves, median", every, f"{it.slack:.2f}"),
        ("its rounds / lower bound, median", every, f"{it.ratio:.2f}"),
        ("the same, seed by seed", every, ", ".join(f"{ratio:.2f}" for ratio in it.ratios)),
        ("idle team", every, f"SR {it.idle[0]:.3f}, PSR {it.idle[1]:.3f}"),
        ("random legal calls", some, f"SR {it.random[0]:.3f}, PSR {it.random[1]:.3f}"),
        ("one agent, all others idle: planner", one, f"{it.alone} of {it.agents} agents solve their task"),
        (
            "setting `single_agent`: planner",
            one,
            f"{it.single} of {it.tasks} solved, in {it.single_rounds:g} rounds (median); "
            f"the team takes {it.team_rounds:g} for these",
        ),
        ("slightly wrong copies (mutants)", one, f"{it.mutants[1]} of {it.mutants[0]} told apart"),
        ("near misses", one, f"{it.near_misses[1]} of {it.near_misses[0]} failed, as they must"),
        ("necessary role groups", one, f"{groups - it.groups.get('none', 0)} of {groups}: {kinds}"),
        (
            "necessary groups of a task",
            one,
            f"at least {it.least_groups}; {it.group_share:.2f} of them (median)",
        ),
        ("tasks with a group needed by *named* only", one, f"{len(it.named)} of {it.tasks}"),
        ("tasks with a hand-over that they fail without", one, f"{it.shared[0]} of {it.tasks}"),
        ("tasks with a joint kill or presence", one, f"{it.shared[1]} of {it.tasks}"),
    ]
    return [
        "## What is proven and measured",
        "",
        f"Written by `python -m benchmarks.suite_figures {it.suite} --seeds {it.seeds}`. Each figure holds on the",
        "seeds that stand beside it. What is measured on seed 0 alone may come out otherwise on another seed; what is",
        "proven holds on every seed.",
        "",
        "| what | seeds | figure |",
        "| --- | --- | --- |",
        *(f"| {what} | {seeds} | {figure} |" for what, seeds, figure in rows),
        "",
        "Why a role group is necessary, the strongest ground first:",
        "",
        "- **capability** (proven): the rest lacks a skill, a level, a tool or a material",
        "- **joint** (proven): a boss takes more attackers than are left, or several must be in one place together",
        "- **scarcity** (proven): the rest has too little of what nobody can make or get",
        "- **named** (by rule): a checkpoint counts nobody but the group (`by`), although the rest might do as much",
        "- **planner** (measured): the planner fails with the rest; it hands on no tool unless a checkpoint asks it to",
        "",
        *_named(it),
    ]


def _span(seeds: int) -> str:
    """Returns the seeds of a figure, counted from 0."""
    return "0" if seeds == 1 else f"0-{seeds - 1}"


def _named(it: SuiteFigures) -> list[str]:
    """Returns the lines that list the tasks in which groups are necessary by name."""
    if not it.named:
        return []
    ids, few = _listed(it.named), _listed(it.unnamed) or "none"
    said = (
        f"Tasks with a group that is necessary only by *named* ({len(it.named)}): {ids}.",
        f"Those of them in which fewer than two groups are necessary on any other ground ({len(it.unnamed)}): {few}.",
    )
    return [line for text in said for line in (*textwrap.wrap(text, 118), "")]


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(f"`{name.split('_')[0]}`" for name in ids)
