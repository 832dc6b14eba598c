"""Plain figures: success, partial success, rounds, actions, messages, failures, idleness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from agentworld_env.episodes.record import TurnLine
from agentworld_env.metrics.causal.log import tool_of
from agentworld_env.sim.events import Said
from agentworld_env.verifiers import Verdict


class Basics(msgspec.Struct, frozen=True, kw_only=True):
    """The plain figures of one episode.

    Attributes:
        success: Whether the verdict is a success; its mean over episodes is the success rate (SR).
        psr: Fraction of checkpoints reached, each all or nothing.
        progress: Mean of the checkpoints' graded shares.
        rounds: Rounds played.
        actions: Calls made.
        turns: Turns that living, present agents had, slept ones included.
        chats: Messages sent, to the team or aloud.
        failed_calls: Calls that did not do what they were for.
        idle_share: Share of the turns that were slept.
    """

    success: bool
    psr: float
    progress: float
    rounds: int
    actions: int
    turns: int
    chats: int
    failed_calls: int
    idle_share: float


def basics(lines: Sequence[TurnLine], verdict: Verdict, turns: Mapping[str, int], rounds: int) -> Basics:
    """Computes the plain figures of an episode.

    Args:
        lines: Its turn lines.
        verdict: The verdict on it.
        turns: Agent -> turns it had, slept ones included.
        rounds: Rounds played.
    """
    total = sum(turns.values())
    awake = sum(1 for line in lines if tool_of(line.call) != "sleep" or not line.result.ok)
    return Basics(
        success=verdict.success,
        psr=verdict.psr,
        progress=verdict.progress,
        rounds=rounds,
        actions=len(lines),
        turns=total,
        chats=sum(isinstance(event, Said) for line in lines for event in line.events),
        failed_calls=sum(not line.result.ok for line in lines),
        idle_share=(total - awake) / total if total else 0.0,
    )
