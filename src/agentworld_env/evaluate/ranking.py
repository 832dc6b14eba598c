"""Means of CCE by which teams can be ranked: over the tasks that all of them share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.score import Score


class CommonMeans(NamedTuple):
    """Mean CCE of teams on the tasks that all of them share.

    Attributes:
        means: Team -> mean over the tasks of its mean CCE on each, 0 to 1. Teams are policies; where there are several
            settings, policies under a setting.
        tasks: Number of these tasks.
        left_out: Number of tasks that not every team has.
    """

    means: dict[str, float]
    tasks: int
    left_out: int


def common_means(scores: Iterable[Score], *, successes: bool = False) -> CommonMeans:
    """Returns each team's mean CCE over the tasks that every team has played; each task counts the same.

    Args:
        scores: Scores of episodes, all by one method.
        successes: Whether only successes count.

    Raises:
        AgentWorldError: There is no episode that counts, or no task that every team has.
    """
    chosen = [score for score in scores if score.success or not successes]
    if not chosen:
        raise AgentWorldError(f"there is no {'successful ' if successes else ''}episode to rank by")
    several = len({score.setting for score in chosen}) > 1
    of_team: dict[str, dict[tuple[str, str], list[float]]] = {}
    for score in chosen:
        team = f"{score.policy} ({score.setting})" if several else score.policy
        of_team.setdefault(team, {}).setdefault((score.suite, score.task), []).append(score.metrics["cce"])
    played = {task for of_task in of_team.values() for task in of_task}
    common = {task for task in played if all(task in of_task for of_task in of_team.values())}
    if not common:
        what = "has a success in" if successes else "has played"
        raise AgentWorldError(f"there is no task that every one of {', '.join(sorted(of_team))} {what}")
    means = {
        team: sum(sum(of_task[task]) / len(of_task[task]) for task in sorted(common)) / len(common)
        for team, of_task in of_team.items()
    }
    return CommonMeans(means, len(common), len(played) - len(common))
