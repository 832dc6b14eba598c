"""The planner, some of whose calls are replaced by random ones: real episodes that hold both sense and nonsense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim.randomness import below, draw


class NoisyPlanner:
    """Plays a planner's calls, and random ones in so many of a hundred turns, of everybody or of one agent only."""

    name = "noisy"
    wants_text = False
    needs_state = True

    def __init__(self, percent: int, only: str = "") -> None:
        self.percent = percent
        self.only = only
        self._planner = PlannerPolicy()
        self._random = RandomPolicy()
        self._seed = 0
        self._turns = 0

    def attach(self, env: AgentWorldEnv) -> None:
        self._planner.attach(env)

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        self._seed, self._turns = seed, 0
        self._planner.begin(briefs, seed)
        self._random.begin(briefs, seed)

    def act(self, turn: Turn) -> Call:
        self._turns += 1
        planned = self._planner.act(turn)
        if self.only not in ("", turn.agent):
            return planned
        if below(100, draw(self._seed, 78, self._turns, 0)) < self.percent:
            return self._random.act(turn)
        return planned

    def recall(self, turn: Turn, decision: Decision) -> None:
        self.act(turn)

    def config(self) -> dict[str, Any]:
        return {"percent": self.percent, "only": self.only}
