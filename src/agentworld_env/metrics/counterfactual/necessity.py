"""Which actions and which agents an outcome hung on, found by leaving each of them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from agentworld_env.episodes import Episode
from agentworld_env.episodes.opening import played_spec
from agentworld_env.metrics.counterfactual.replay import Outcome, Replayer
from agentworld_env.metrics.parallel import in_parallel

_FEWEST = 40
"""So many actions at least make a job of their own: below that a process costs more than it saves."""


class Absence(msgspec.Struct, frozen=True, kw_only=True):
    """How the episode would have ended without one agent, or one group of agents with the same role.

    Attributes:
        agents: Who did nothing.
        necessary: Whether something that was reached would not have been, or a rule that held would have been broken.
        success: Whether the others would have succeeded.
        psr: Fraction of checkpoints the others would have reached.
    """

    agents: tuple[str, ...]
    necessary: bool
    success: bool
    psr: float


class Necessity(msgspec.Struct, frozen=True, kw_only=True):
    """What leaving out each action, agent and role group shows.

    Attributes:
        necessary: Actions without which something that was reached would not have been reached by the recorded end, or
            a rule that held would have been broken.
        harmful: Actions without which a failed episode would have been a success.
        agents: Agent -> its absence.
        groups: Role group -> its absence.
    """

    necessary: tuple[int, ...]
    harmful: tuple[int, ...]
    agents: dict[str, Absence]
    groups: dict[str, Absence]


class _Job(msgspec.Struct):
    """Some actions of one episode to leave out one at a time; the first job of an episode does the agents as well."""

    episode: Episode
    actions: range
    teams: dict[str, tuple[str, ...]]
    allow_python: bool


def counterfactual(episode: Episode, *, processes: int = 1, allow_python: bool = False) -> Necessity:
    """Leaves out each action, each agent and each role group of an episode, one at a time.

    Args:
        episode: The episode, complete or not.
        processes: Processes to use.
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Raises:
        EpisodeFileError: The record does not come out as recorded.
    """
    return counterfactuals([episode], processes=processes, allow_python=allow_python)[0]


def counterfactuals(
    episodes: Sequence[Episode], *, processes: int = 1, allow_python: bool = False
) -> list[Necessity]:
    """Does the same for several episodes at once; arguments and errors are as for ``counterfactual``."""
    jobs: list[_Job] = []
    owners: list[int] = []
    for number, episode in enumerate(episodes):
        count = len(episode.lines)
        pieces = 1 if processes <= len(episodes) else max(1, min(processes, count // _FEWEST))
        teams = {**{name: (name,) for name in episode.team}, **_groups(episode)}
        for piece in range(pieces):
            actions = range(count * piece // pieces, count * (piece + 1) // pieces)
            jobs.append(_Job(episode, actions, teams if piece == 0 else {}, allow_python))
            owners.append(number)
    found: list[list[_Found]] = [[] for _ in episodes]
    for owner, part in zip(owners, in_parallel(_leave_out, jobs, processes), strict=True):
        found[owner].append(part)
    return [_gather(episode, parts) for episode, parts in zip(episodes, found, strict=True)]


class _Found(msgspec.Struct):
    necessary: list[int]
    harmful: list[int]
    absences: dict[str, Absence]


def _leave_out(job: _Job) -> _Found:
    replayer = Replayer(job.episode, allow_python=job.allow_python)
    actual = replayer.actual
    found = _Found([], [], {})
    for action in job.actions:
        outcome = replayer.without((action,))
        if outcome is actual:
            continue
        if outcome.loses(actual):
            found.necessary.append(action)
        if outcome.success and not actual.success:
            found.harmful.append(action)
    for key, agents in job.teams.items():
        found.absences[key] = _absence(agents, replayer.without_agents(agents), actual)
    return found


def _absence(agents: tuple[str, ...], outcome: Outcome, actual: Outcome) -> Absence:
    return Absence(agents=agents, necessary=outcome.loses(actual), success=outcome.success, psr=outcome.psr)


def _gather(episode: Episode, parts: list[_Found]) -> Necessity:
    absences: dict[str, Absence] = {}
    for part in parts:
        absences |= part.absences
    return Necessity(
        necessary=tuple(action for part in parts for action in part.necessary),
        harmful=tuple(action for part in parts for action in part.harmful),
        agents={name: absences[name] for name in episode.team},
        groups={key.removeprefix(_GROUP): absences[key] for key in _groups(episode)},
    )


_GROUP = "group "
"""Tells groups from agents of the same name; no agent's id holds a blank."""


def _groups(episode: Episode) -> dict[str, tuple[str, ...]]:
    team: dict[str, Any] = played_spec(episode.header)["team"]
    groups: dict[str, tuple[str, ...]] = {}
    for name, role in team.items():
        key = _GROUP + str(role["group"])
        groups[key] = (*groups.get(key, ()), name)
    return groups
