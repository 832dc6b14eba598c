"""The policy that does nothing: every agent sleeps, round after round, and never leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentworld_env.policies.protocol import Brief, Call, Decision, Turn


class IdlePolicy:
    """Sleeps one round in every turn. No certified task counts that as anything."""

    name = "idle"
    wants_text = False

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode; there is nothing to prepare."""

    def act(self, turn: Turn) -> Call:
        """Returns ``sleep`` for one round."""
        return {"tool": "sleep", "arguments": {"rounds": 1}}

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Remembers nothing."""

    def config(self) -> dict[str, Any]:
        """Returns nothing: it has no settings."""
        return {}
