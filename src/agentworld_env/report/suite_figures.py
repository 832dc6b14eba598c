"""What is proven and measured of a whole suite, as ``benchmarks/suite_figures.py`` writes it, and its page section."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import Task

FILE = Path("docs/suite_figures.json")


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
    rows: list[tuple[str, Any]] = [
        (f"planner, {it.tasks} tasks x {it.seeds} seeds", f"{it.planner} of {episodes} solved"),
        ("share of the budget it leaves, median", f"{it.slack:.2f}"),
        ("its rounds / lower bound, median", f"{it.ratio:.2f}"),
        ("the same, seed by seed", ", ".join(f"{ratio:.2f}" for ratio in it.ratios)),
        ("idle team", f"SR {it.idle[0]:.3f}, PSR {it.idle[1]:.3f}"),
        ("random legal calls, 5 seeds", f"SR {it.random[0]:.3f}, PSR {it.random[1]:.3f}"),
        ("one agent, all others idle: planner", f"{it.alone} of {it.agents} agents solve their task"),
        (
            "setting `single_agent`: planner",
            f"{it.single} of {it.tasks} solved, in {it.single_rounds:g} rounds (median); "
            f"the team takes {it.team_rounds:g} for these",
        ),
        ("slightly wrong copies (mutants)", f"{it.mutants[1]} of {it.mutants[0]} told apart"),
        ("near misses", f"{it.near_misses[1]} of {it.near_misses[0]} failed, as they must"),
        ("necessary role groups", f"{groups - it.groups.get('none', 0)} of {groups}: {kinds}"),
        ("necessary groups of a task", f"at least {it.least_groups}; {it.group_share:.2f} of them (median)"),
        ("tasks with a hand-over that they fail without", f"{it.shared[0]} of {it.tasks}"),
        ("tasks with a joint kill or presence", f"{it.shared[1]} of {it.tasks}"),
    ]
    lines = [
        "## What is proven and measured",
        "",
        f"Written by `python benchmarks/suite_figures.py {it.suite} --seeds {it.seeds}`. *Capability*, *joint* and",
        "*scarcity* are proofs; *planner* means that the planner, planning freely with the rest, fails.",
        "",
        "| what | figure |",
        "| --- | --- |",
    ]
    return [*lines, *(f"| {what} | {figure} |" for what, figure in rows), ""]
