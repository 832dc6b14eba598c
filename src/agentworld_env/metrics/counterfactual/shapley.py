"""Shapley values: how the outcome is shared out among the agents.

An agent's value is what it adds to the team's outcome, averaged over all orders in which the team could have been
assembled. Small teams are averaged over all orders; for larger ones orders are drawn, and every value has a standard
error. Agents outside the assembled part of the team pass in all their turns.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial, sqrt
from typing import Literal

import msgspec

from agentworld_env.episodes import Episode
from agentworld_env.errors import InvalidValueError, quoted
from agentworld_env.metrics.counterfactual.replay import Outcome, Replayer
from agentworld_env.metrics.parallel import in_parallel
from agentworld_env.sim.randomness import below, draw

Worth = Literal["psr", "progress", "success"]
WORTHS: tuple[str, ...] = ("psr", "progress", "success")

_STREAM = 101
"""Stream of the draws; the simulation's own streams have small numbers."""


class Credit(msgspec.Struct, frozen=True):
    """One agent's share.

    Attributes:
        value: Its Shapley value, in units of the outcome.
        error: Standard error of the value; 0 if all orders were taken.
    """

    value: float
    error: float


class Shapley(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome, shared out.

    Attributes:
        worth: What was shared out.
        total: The outcome of the whole team less that of nobody; the values add up to it.
        orders: So many orders of the team were averaged over.
        exact: Whether these were all there are.
        agents: Agent -> its share.
    """

    worth: Worth
    total: float
    orders: int
    exact: bool
    agents: dict[str, Credit]


class _Job(msgspec.Struct):
    episode: Episode
    orders: list[tuple[int, ...]]
    worth: Worth
    allow_python: bool


def shapley(
    episode: Episode,
    *,
    worth: Worth = "psr",
    orders: int = 120,
    seed: int = 0,
    processes: int = 1,
    allow_python: bool = False,
) -> Shapley:
    """Shares the outcome of an episode out among its agents.

    Args:
        episode: The episode, complete or not.
        worth: What is shared out: ``psr``, ``progress`` or ``success`` (0 or 1).
        orders: So many orders of the team are drawn, at least 2; all are taken if there are no more than that.
        seed: Seed of the draws, which hang on nothing else.
        processes: Processes to use.
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Raises:
        ValueError: ``worth`` or ``orders`` has none of its valid values.
        EpisodeFileError: The record does not come out as recorded.
    """
    if worth not in WORTHS:
        raise InvalidValueError(f"worth must be one of {', '.join(WORTHS)}, not {quoted(worth)}")
    if orders < 2:
        raise InvalidValueError(f"at least 2 orders of the team are needed, not {orders}")
    team = episode.team
    exact = factorial(len(team)) <= orders
    chosen = (
        list(permutations(range(len(team))))
        if exact
        else [shuffled(len(team), seed, number) for number in range(orders)]
    )
    pieces = max(1, min(processes, len(chosen)))
    jobs = [
        _Job(
            episode, chosen[len(chosen) * k // pieces : len(chosen) * (k + 1) // pieces], worth, allow_python
        )
        for k in range(pieces)
    ]
    gains: list[list[float]] = [[] for _ in team]
    for part in in_parallel(_gains, jobs, processes):
        for mine, more in zip(gains, part, strict=True):
            mine += more
    count = len(chosen)
    agents = {}
    for name, of_agent in zip(team, gains, strict=True):
        mean = sum(of_agent) / count
        spread = sum((gain - mean) ** 2 for gain in of_agent) / (count - 1) if count > 1 else 0.0
        agents[name] = Credit(mean, 0.0 if exact else sqrt(spread / count))
    total = sum(sum(of_agent) for of_agent in gains) / count
    return Shapley(worth=worth, total=total, orders=count, exact=exact, agents=agents)


def shuffled(size: int, seed: int, number: int) -> tuple[int, ...]:
    """Returns the numbers below ``size`` in an order that hangs on ``seed`` and ``number`` alone."""
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        other = below(last + 1, draw(seed, _STREAM, number, last))
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def _gains(job: _Job) -> list[list[float]]:
    """Returns for each agent what it added in each order."""
    replayer = Replayer(job.episode, allow_python=job.allow_python)
    team = job.episode.team
    known: dict[frozenset[int], float] = {}

    def worth_of(members: frozenset[int]) -> float:
        if members not in known:
            absent = [name for i, name in enumerate(team) if i not in members]
            known[members] = _worth(replayer.without_agents(absent), job.worth)
        return known[members]

    gains: list[list[float]] = [[] for _ in team]
    for order in job.orders:
        members: frozenset[int] = frozenset()
        before = worth_of(members)
        for agent in order:
            members |= {agent}
            after = worth_of(members)
            gains[agent].append(after - before)
            before = after
    return gains


def _worth(outcome: Outcome, worth: Worth) -> float:
    return float(getattr(outcome, worth))
