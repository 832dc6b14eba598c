"""The policy that plays the calls of a recorded episode."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from agentworld_env.episodes import Episode
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn


class ReplayPolicy:
    """Plays recorded calls, each in the turn of the same round and agent.

    On the record's own task and seed it repeats the episode. Elsewhere the calls are tried as they are; an agent
    without a recorded call in a round sleeps.

    Args:
        episode: The recorded episode.
    """

    name = "replay"
    wants_text = False

    def __init__(self, episode: Episode) -> None:
        self._calls: dict[tuple[int, str], Call] = {
            (line.round, line.agent): line.call for line in episode.lines
        }
        plain = [[line.round, line.agent, line.call] for line in episode.lines]
        self._hash = hashlib.blake2b(msgspec.json.encode(plain), digest_size=16).hexdigest()

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode; there is nothing to prepare."""

    def act(self, turn: Turn) -> Call:
        """Returns the recorded call of the turn."""
        return self._calls.get((turn.round, turn.agent), {"tool": "sleep", "arguments": {"rounds": 1}})

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Remembers nothing: a call depends on its round and agent only."""

    def config(self) -> dict[str, Any]:
        """Returns a hash of the calls."""
        return {"calls": self._hash}
