"""How far two methods, or a method and a person, agree on which actions contribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from agentworld_env.errors import InvalidValueError
from agentworld_env.metrics.finding import Finding
from agentworld_env.metrics.statistics import LEVEL, SAMPLES, percentiles, resampled


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """The agreement of two methods over the actions that both decided about.

    Attributes:
        first: Name of one method.
        second: Name of the other.
        actions: Number of actions compared.
        episodes: Number of episodes they come from.
        both: Actions that contribute by both.
        first_only: Actions that contribute by the first only.
        second_only: Actions that contribute by the second only.
        neither: Actions that contribute by neither.
        raw: Share of the actions on which they agree.
        kappa: Cohen's kappa: agreement beyond chance; None if both say the same of all actions, or all is chance.
        low: Lower end of kappa's interval, or None if kappa is None.
        high: Upper end likewise.
        resampled: What was resampled for the interval: ``episode``, or ``action`` if there is only one episode.
    """

    first: str
    second: str
    actions: int
    episodes: int
    both: int
    first_only: int
    second_only: int
    neither: int
    raw: float
    kappa: float | None
    low: float | None
    high: float | None
    resampled: str


def agreement(
    first: Sequence[Finding],
    second: Sequence[Finding],
    actions: Sequence[int],
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Agreement:
    """Compares two methods over the same episodes.

    Args:
        first: What one method found in each episode, at least one.
        second: What the other found, in the same order.
        actions: Number of actions of each episode.
        samples: So many resamples are drawn.
        level: Share of the resamples that the interval covers.
        seed: Seed of the draws.

    Raises:
        ValueError: There is no action that both decided about.
    """
    cells: list[tuple[int, int, int, int]] = []
    for one, other, count in zip(first, second, actions, strict=True):
        mine, theirs = one.decisions(count), other.decisions(count)
        pairs = [(said, theirs[number]) for number, said in mine.items() if number in theirs]
        if pairs:
            cells.append(_cells(pairs))
    if not cells:
        raise InvalidValueError("there is no action that both methods decided about")
    both, first_only, second_only, neither = (sum(row[k] for row in cells) for k in range(4))
    total = both + first_only + second_only + neither
    kappa = cohen_kappa(both, first_only, second_only, neither)
    low = high = None
    by_episode = len(cells) > 1
    if kappa is not None:
        rows = cells if by_episode else _single(cells[0])
        low, high = _interval(rows, samples, level, seed)
    return Agreement(
        first=first[0].method,
        second=second[0].method,
        actions=total,
        episodes=len(cells),
        both=both,
        first_only=first_only,
        second_only=second_only,
        neither=neither,
        raw=(both + neither) / total,
        kappa=kappa,
        low=low,
        high=high,
        resampled="episode" if by_episode else "action",
    )


def cohen_kappa(both: int, first_only: int, second_only: int, neither: int) -> float | None:
    """Returns Cohen's kappa of a table of two by two, or None where chance alone makes the two agree on all."""
    total = both + first_only + second_only + neither
    if not total:
        return None
    seen = (both + neither) / total
    one, other = (both + first_only) / total, (both + second_only) / total
    chance = one * other + (1 - one) * (1 - other)
    return (seen - chance) / (1 - chance) if chance < 1 else None


def _cells(pairs: Sequence[tuple[bool, bool]]) -> tuple[int, int, int, int]:
    counts = dict.fromkeys(((True, True), (True, False), (False, True), (False, False)), 0)
    for pair in pairs:
        counts[pair] += 1
    both, first_only, second_only, neither = counts.values()
    return both, first_only, second_only, neither


def _single(row: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
    """Returns one row per action."""
    units = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    return [unit for unit, count in zip(units, row, strict=True) for _ in range(count)]


def _interval(
    rows: Sequence[tuple[int, int, int, int]], samples: int, level: float, seed: int
) -> tuple[float, float]:
    import numpy as np

    parts = resampled(np.array(rows, dtype=float), samples, seed)
    parts /= parts.sum(axis=1, keepdims=True)
    one, other = parts[:, 0] + parts[:, 1], parts[:, 0] + parts[:, 2]
    chance = one * other + (1 - one) * (1 - other)
    # A resample in which both say the same of all actions has no kappa; it says nothing about it either way.
    defined = chance < 1 - 1e-12
    seen = (parts[:, 0] + parts[:, 3])[defined]
    return percentiles((seen - chance[defined]) / (1 - chance[defined]), level)


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """How one method ranks teams, compared with the first method.

    Attributes:
        method: Name of the method.
        means: Team -> mean CCE.
        order: The teams, best first; of equal ones the name decides.
        tau: Kendall's tau-b with the first method, or None if a method ranks all teams equal.
        preserved: Whether no pair of teams changes places.
        shift: Greatest change of a mean CCE.
    """

    method: str
    means: dict[str, float]
    order: tuple[str, ...]
    tau: float | None
    preserved: bool
    shift: float


def rankings(means: Mapping[str, Mapping[str, float]]) -> list[Ranking]:
    """Compares how methods rank teams.

    Args:
        means: Method -> team -> mean CCE; every method has the same teams, the first is the one compared with.

    Raises:
        ValueError: The methods do not have the same teams.
    """
    reference = dict(next(iter(means.values())))
    found: list[Ranking] = []
    for method, of_method in means.items():
        if of_method.keys() != reference.keys():
            raise InvalidValueError(f"{method} has not measured the same teams as the first method")
        tau, preserved = _tau(reference, of_method)
        found.append(
            Ranking(
                method=method,
                means=dict(of_method),
                order=tuple(sorted(of_method, key=lambda team: (-of_method[team], team))),
                tau=tau,
                preserved=preserved,
                shift=max(abs(of_method[team] - reference[team]) for team in reference),
            )
        )
    return found


def _tau(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[float | None, bool]:
    teams = sorted(first)
    score = ones = others = 0
    preserved = True
    for i, team in enumerate(teams):
        for rival in teams[:i]:
            one = _sign(first[team] - first[rival])
            other = _sign(second[team] - second[rival])
            score += one * other
            ones += one * one
            others += other * other
            preserved = preserved and one == other
    return (score / (ones * others) ** 0.5 if ones and others else None), preserved


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
