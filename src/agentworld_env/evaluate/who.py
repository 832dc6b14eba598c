"""Who plays, as a program says it: names, policy objects, and what makes policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.evaluate.named import anchored_name
from agentworld_env.evaluate.waiting import close_now
from agentworld_env.policies.protocol import BarePolicy, Policy, as_policy

Player = str | BarePolicy | Callable[[], BarePolicy]
"""A policy's name, a policy object, or what makes a new one when it is called without arguments, such as a class."""

Players = Player | Mapping[str, Player] | Sequence[tuple[str, Player]]
"""One player for all agents, or a mixed team: patterns of agent ids with their players, in the order of trying."""

KIND = "object"
"""Stands before the colon in a manifest where a program has given a policy that has no name to make it by."""


class Own(NamedTuple):
    """A member that a program has given, other than by name.

    Attributes:
        make: Returns the policy for an episode.
        name: Its name.
        alone: Whether it is one object, which plays one episode after the other.
    """

    make: Callable[[], Policy]
    name: str
    alone: bool


Owns = Mapping[int, Own]
"""Index of a cast's member -> what a program has given for it."""


def read_players(players: Players) -> tuple[tuple[tuple[str, str], ...], dict[int, Own]]:
    """Reads who plays.

    Args:
        players: One player, or a mixed team.

    Returns:
        Members of a cast, and those of them that are not given by name. In the cast these are called
        ``object:NAME`` by their policy's name.

    Raises:
        AgentWorldError: A player is no policy, makes none, or a pattern is no text.
    """
    members: list[tuple[str, str]] = []
    owns: dict[int, Own] = {}
    for pattern, player in _parts(players):
        if not (isinstance(pattern, str) and pattern.strip()):
            raise AgentWorldError(f"expected a pattern of agent ids, such as 'miner*', got {quoted(pattern)}")
        if isinstance(player, str):
            members.append((pattern, anchored_name(player)))
            continue
        own = _own(player)
        owns[len(members)] = own
        members.append((pattern, f"{KIND}:{own.name}"))
    if not members:
        raise AgentWorldError("a mixed team needs at least one member")
    return tuple(members), owns


def _parts(players: Players) -> Sequence[tuple[str, Player]]:
    if isinstance(players, Mapping):
        return list(players.items())
    if isinstance(players, list | tuple):
        for part in players:
            if not (isinstance(part, list | tuple) and len(part) == 2):
                raise AgentWorldError(
                    f"a part of a team is a pattern and a policy, as in ('miner*', 'planner'), not {quoted(part)}"
                )
        return list(players)
    return [("*", cast(Player, players))]


def _own(player: BarePolicy | Callable[[], BarePolicy]) -> Own:
    if callable(player) and (isinstance(player, type) or not hasattr(player, "act")):
        make = player
        first, alone = as_policy(make()), False
        close_now(first)  # it was made for its name

        def new() -> Policy:
            return as_policy(make())

    else:
        first, alone = as_policy(cast(BarePolicy, player)), True

        def new() -> Policy:
            return first

    return Own(make=new, name=first.name, alone=alone)


def check_given(members: Sequence[tuple[str, str]], owns: Owns, place: object) -> None:
    """Makes sure that whoever is to play a run that a program began can be had.

    Args:
        members: Members of the cast.
        owns: Those that are given here.
        place: The run's folder.

    Raises:
        AgentWorldError: A policy that only the program has is not given.
    """
    for i, (_, name) in enumerate(members):
        if i not in owns and name.startswith(f"{KIND}:"):
            raise AgentWorldError(
                f"{place} is played by {quoted(name.partition(':')[2])}, a policy of a Python program; go on with it "
                "there: agentworld_env.run_evaluation(policy, resume=...)"
            )
