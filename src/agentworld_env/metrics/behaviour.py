"""How a team talked and shared: messages, what became of them, and things that changed hands."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from agentworld_env.episodes.record import TurnLine
from agentworld_env.metrics.causal.briefing import Briefing
from agentworld_env.metrics.causal.information import information_edges
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Mention, Said, Transferred


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """The talk and the handovers of one episode.

    Attributes:
        chat_share: Messages sent per call made.
        first_chat_round: Round of the first message, or None without any.
        redundant_messages: Messages that told every reader only what it had been told, or had said itself, before.
        unheeded_messages: Messages that no reader acted on, as far as the event log can tell.
        handovers: Transfers from one agent to another.
    """

    chat_share: float
    first_chat_round: int | None
    redundant_messages: int
    unheeded_messages: int
    handovers: int


def behaviour(
    lines: Sequence[TurnLine],
    team: Collection[str],
    log: Log | None = None,
    briefing: Briefing | None = None,
) -> Behaviour:
    """Computes the talk and the handovers of an episode.

    What a message says is what the matcher found in it when it was sent: names of things, places and agents, tiles and
    quantities. A message without any of these counts as redundant if its very words have been heard before.

    Args:
        lines: The turn lines, complete from the first on.
        team: Ids of all agents.
        log: The same, already sorted; sorted anew if None.
        briefing: What agents are told at the start; if None, nothing is known of it.
    """
    log = Log(lines) if log is None else log
    said = [event for _, event in log.events if isinstance(event, Said)]
    heeded = {edge.source for edge in information_edges(log, briefing)} if said else set()
    return Behaviour(
        chat_share=len(said) / len(lines) if lines else 0.0,
        first_chat_round=said[0].round if said else None,
        redundant_messages=len(redundant(said)),
        unheeded_messages=sum(event.action not in heeded for event in said),
        handovers=sum(isinstance(event, Transferred) and event.to in team for _, event in log.events),
    )


def redundant(said: Sequence[Said]) -> list[int]:
    """Returns the action numbers of the messages that told nobody anything new.

    Args:
        said: The messages of an episode, in order. One that nobody received is redundant.
    """
    known: dict[str, set[Mention | str]] = {}
    found: list[int] = []
    for event in said:
        facts: tuple[Mention | str, ...] = event.mentions or (event.text.casefold(),)
        if all(known.get(reader, set()).issuperset(facts) for reader in event.heard):
            found.append(event.action)
        for name in (event.agent, *event.heard):
            known.setdefault(name, set()).update(facts)
    return found
