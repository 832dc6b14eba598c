"""A team of several policies: which one plays an agent depends on the agent's id."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.policies.protocol import (
    Assignment,
    BarePolicy,
    Brief,
    Call,
    Decision,
    Policy,
    Turn,
    as_policy,
    check_policy,
    close_policy,
    sees_state,
)

if TYPE_CHECKING:
    from agentworld_env.env import AgentWorldEnv


def member_of(agent: str, patterns: Sequence[str]) -> int:
    """Returns the index of the first pattern that an agent's id matches.

    Args:
        agent: Agent id.
        patterns: Patterns with ``*`` and ``?``.

    Raises:
        AgentWorldError: No pattern matches.
    """
    for i, pattern in enumerate(patterns):
        if fnmatchcase(agent, pattern):
            return i
    raise AgentWorldError(
        f"nobody plays {quoted(agent)}: no pattern of {', '.join(patterns)} matches; add '*=...'"
    )


class MixedPolicy:
    """Hands each agent to the policy of the first pattern that matches its id.

    One policy may stand under several patterns; it is then begun once, for the agents of all of them.

    Args:
        members: Pattern and policy, in the order in which patterns are tried.

    Raises:
        AgentWorldError: There is no member, or one is no pair of a pattern and a policy.
    """

    def __init__(self, members: Sequence[tuple[str, BarePolicy]]) -> None:
        if not members:
            raise AgentWorldError("a mixed team needs at least one member")
        for member in members:
            if not (isinstance(member, tuple | list) and len(member) == 2 and isinstance(member[0], str)):
                raise AgentWorldError(
                    f"a member of a mixed team is a pair such as ('miner*', policy), not {quoted(member)}"
                )
        # Each object once, however many patterns it stands under.
        given = list({id(policy): policy for _, policy in members}.values())
        self._players = tuple(as_policy(policy) for policy in given)
        self._player_of = tuple(
            next(i for i, each in enumerate(given) if each is policy) for _, policy in members
        )
        self.members = tuple(
            (pattern, self._players[player])
            for (pattern, _), player in zip(members, self._player_of, strict=True)
        )
        self.patterns = tuple(pattern for pattern, _ in members)
        self.name = "+".join(f"{pattern}={policy.name}" for pattern, policy in self.members)
        self.wants_text = any(policy.wants_text for _, policy in self.members)
        self.needs_state = any(sees_state(policy) for _, policy in self.members)
        self._seats: dict[str, Policy] = {}

    def attach(self, env: AgentWorldEnv) -> None:
        """Lets those members that need it see an environment's whole state."""
        for policy in self._players:
            if sees_state(policy):
                policy.attach(env)

    def check(self, assignment: Assignment) -> None:
        """Asks every member about its own agents.

        Raises:
            AgentWorldError: An agent matches no pattern, or a member cannot play.
        """
        for policy, briefs in self._shares(assignment.briefs):
            check_policy(policy, msgspec.structs.replace(assignment, briefs=briefs))

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode; a member is told the briefs of its own agents only.

        Raises:
            AgentWorldError: An agent matches no pattern.
        """
        self._seats = {}
        for policy, share in self._shares(briefs):
            policy.begin(share, seed)
            self._seats.update(dict.fromkeys(share, policy))

    def _shares(self, briefs: Mapping[str, Brief]) -> list[tuple[Policy, dict[str, Brief]]]:
        """Returns each policy with its part of the briefs."""
        seats = {agent: self._player_of[member_of(agent, self.patterns)] for agent in briefs}
        return [
            (policy, {agent: brief for agent, brief in briefs.items() if seats[agent] == player})
            for player, policy in enumerate(self._players)
        ]

    def act(self, turn: Turn) -> Decision | Call | Awaitable[Decision | Call]:
        """Returns the answer of the agent's member."""
        return self._seats[turn.agent].act(turn)

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Lets the agent's member take note of a recorded turn."""
        self._seats[turn.agent].recall(turn, decision)

    def config(self) -> dict[str, Any]:
        """Returns the members' settings by pattern, in the order in which patterns are tried."""
        return {
            "members": [
                {"agents": pattern, "name": policy.name, "settings": policy.config()}
                for pattern, policy in self.members
            ]
        }

    def close(self) -> Awaitable[None] | None:
        """Closes what members have opened; all of them, whatever goes wrong with one.

        Returns:
            What must be awaited for those members that close asynchronously; None if there are none.
        """
        pending: list[Awaitable[object]] = []
        failed: Exception | None = None
        for policy in self._players:
            try:
                closing = close_policy(policy)
            except Exception as error:  # raised once the others are closed, too
                failed = failed or error
            else:
                pending += [] if closing is None else [closing]
        if pending:
            return _closed(pending, failed)
        if failed is not None:
            raise failed
        return None


async def _closed(pending: Sequence[Awaitable[object]], failed: Exception | None) -> None:
    async with AsyncExitStack() as stack:
        for closing in pending:
            stack.push_async_callback(_settled, closing)
        if failed is not None:
            raise failed


async def _settled(pending: Awaitable[object]) -> None:
    await pending
