"""Random play over the legal calls of each turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentworld_env.env import LegalCalls, sample_legal
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn
from agentworld_env.sim import randomness as rng


class RandomPolicy:
    """Draws the tool uniformly among those with legal calls, ``complete`` excepted, then its arguments uniformly.

    A draw depends on the episode's seed, the agent's place in the turn order and the round, and on nothing else: an
    agent has one call in a round, so nothing needs to be remembered, and leaving out one agent's call does not change
    the draws of the others.

    Args:
        flat: Whether to draw uniformly over all legal calls instead, which makes nearly every call a move.
    """

    wants_text = False

    def __init__(self, flat: bool = False) -> None:
        self.flat = flat
        self.name = "random_flat" if flat else "random"
        self._seed = 0
        self._places: dict[str, int] = {}

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode.

        Args:
            briefs: Agent id -> brief.
            seed: Seed of the episode.
        """
        self._seed = seed
        # In the whole team's order: who else is played by whom changes no draw, and no two agents share theirs.
        self._places = {agent: brief.team.index(agent) for agent, brief in briefs.items()}

    def act(self, turn: Turn) -> Call:
        """Returns a random legal call."""
        place, drawn = self._places[turn.agent], 0

        def below(limit: int) -> int:
            nonlocal drawn
            drawn += 1
            return rng.below(limit, rng.draw(self._seed, rng.POLICY, place, 0, turn.round, drawn))

        legal: LegalCalls = turn.info["legal"]
        if not self.flat:
            return sample_legal(legal, below)
        calls = legal.calls()
        choices = [call for call in calls if call["tool"] != "complete"] or calls
        return choices[below(len(choices))]

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Remembers nothing: draws depend on no earlier turn."""

    def config(self) -> dict[str, Any]:
        """Returns how it draws."""
        return {"draw": "flat" if self.flat else "tool first"}


def random_flat() -> RandomPolicy:
    """Returns random play that draws uniformly over all legal calls."""
    return RandomPolicy(flat=True)
