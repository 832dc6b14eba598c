"""Keeping exchanges with models as soon as they are complete, so that an interrupted run repeats none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import UsageLine, UsageWriter, read_usage
from agentworld_env.episodes.record import REPLY_FIELDS
from agentworld_env.errors import EpisodeFileError
from agentworld_env.policies.protocol import Decision, Exchange


def recorded(exchange: Exchange) -> dict[str, Any]:
    """Returns what a record keeps of an exchange: not the tokens, which go to the usage file."""
    plain = cast(dict[str, Any], msgspec.to_builtins(exchange))
    return {name: value for name, value in plain.items() if name in REPLY_FIELDS}


def kept_exchanges(record: Path, action: int) -> tuple[Exchange, ...]:
    """Returns the exchanges of a turn that was not recorded any more, in order, from the usage file.

    Args:
        record: The record.
        action: Number of the turn.

    Raises:
        EpisodeFileError: The usage file cannot be read, or an exchange in it is malformed.
    """
    found: list[Exchange] = []
    for line in read_usage(record):
        if line.action != action or not line.exchange:
            continue
        if line.ask == 0:
            found.clear()  # an earlier attempt under another prompt
        if line.ask == len(found):
            tokens = {
                "prompt_tokens": line.prompt_tokens,
                "completion_tokens": line.completion_tokens,
                "cached_tokens": line.cached_tokens,
            }
            try:
                found.append(msgspec.convert({**line.exchange, **tokens}, Exchange))
            except msgspec.ValidationError as error:
                raise EpisodeFileError(
                    f"usage file of {record}: expected an exchange in turn {action} ({error})"
                ) from error
    return tuple(found)


class Keeper:
    """Writes the usage of one turn, each exchange once.

    Args:
        usage: Where to; None keeps nothing.
        env: The environment, at the turn.
        asked: Exchanges of the turn that are kept already.
    """

    def __init__(self, usage: UsageWriter | None, env: AgentWorldEnv, asked: tuple[Exchange, ...]) -> None:
        self.asked = asked
        self._usage = usage
        self._action = env.sim.state.actions
        self._agent = env.agent_selection
        self._noted: set[int] = set()

    def note(self, ask: int, exchange: Exchange, seconds: float) -> None:
        """Writes an exchange.

        Args:
            ask: Its number in the turn, from 0.
            exchange: The exchange.
            seconds: The time it took (seconds).
        """
        self._noted.add(ask)
        if self._usage is not None:
            self._usage.write(
                UsageLine(
                    action=self._action,
                    agent=self._agent,
                    ask=ask,
                    model=exchange.model,
                    seconds=round(seconds, 3),
                    prompt_tokens=exchange.prompt_tokens,
                    completion_tokens=exchange.completion_tokens,
                    cached_tokens=exchange.cached_tokens,
                    exchange=recorded(exchange),
                )
            )

    def rest(self, decision: Decision) -> None:
        """Writes the exchanges of a decision that were neither noted nor kept before."""
        for ask, exchange in enumerate(decision.exchanges):
            # By identity: a policy that asked again may have been told the same.
            if ask not in self._noted and not any(exchange is each for each in self.asked):
                seconds = decision.seconds[ask] if ask < len(decision.seconds) else 0.0
                self.note(ask, exchange, seconds)
