"""Potential-based shaping of rewards: it speeds learning up and leaves the best policies the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING

from agentworld_env.errors import InvalidValueError, quoted

if TYPE_CHECKING:
    from agentworld_env.env.aec import AgentWorldEnv

Potential = Callable[["AgentWorldEnv"], float]
"""How promising the present moment of an episode is; a pure function of its state."""


class Shaping:
    """Pays the change of a potential between an agent's steps: discount x potential at the next - potential at this.

    A step is what a learner discounts by: in the parallel environment one of its steps, in the turn-based one an
    agent's turn, which may last several rounds if it sleeps. The potential of a step is that at the beginning of its
    round. It counts as 0 once an agent is terminated, whether the episode is over or the agent has left it, so that
    the discounted sum over its steps depends on the start alone. At a truncation it keeps its value, which is what
    learners bootstrap from there.

    Args:
        potential: How promising a moment is; asked at the start and at the end of each round.
        discount: The learner's discount per step, 0 to 1; shaping is neutral for that discount only.

    Raises:
        TypeError: If the discount is no number.
        ValueError: If it is out of range.
    """

    def __init__(self, potential: Potential, discount: float = 1.0) -> None:
        given: object = discount  # NumPy's numbers are real numbers to Python, but not to type checkers
        if isinstance(given, bool) or not isinstance(given, Real):
            raise TypeError(f"discount must be a number from 0 to 1, not {quoted(discount)}")
        if not 0.0 <= discount <= 1.0:
            raise InvalidValueError(f"discount must be 0 to 1, not {quoted(discount)}")
        self.potential = potential
        self.discount = float(discount)
        self.value = 0.0
        self._round = 0
        self._acted: frozenset[str] = frozenset()

    def fresh(self) -> Shaping:
        """Returns a shaping by the same potential for another environment."""
        return Shaping(self.potential, self.discount)

    def start(self, env: AgentWorldEnv) -> None:
        """Values the start of an episode."""
        self.value = self.potential(env)
        self._round = env.round
        self._acted = frozenset()

    def acts(self, agents: Iterable[str]) -> None:
        """Notes that agents take a step, before it is played."""
        self._acted = self._acted.union(agents)

    def gains(self, env: AgentWorldEnv, terminations: Mapping[str, bool]) -> dict[str, float]:
        """Returns what is due after a turn: agent -> reward; empty in the middle of a round.

        Args:
            env: The environment, which may have gone on to the next round.
            terminations: Of the agents still in the episode: whether each has just been terminated.
        """
        before, discount, over = self.value, self.discount, all(terminations.values())
        turned = not over and env.round != self._round
        if over:
            self.value = 0.0
        elif turned:
            self._round = env.round
            self.value = self.potential(env)
        gained = {}
        for name, gone in terminations.items():
            if gone or turned:
                # To whoever goes on with an earlier step, what it was before is what that step has been paid for.
                owed = before if name in self._acted else discount * before
                gained[name] = (0.0 if gone else discount * self.value) - owed
        if over or turned:
            self._acted = frozenset()
        return gained

    def save(self) -> tuple[float, int, frozenset[str]]:
        """Returns everything that changes."""
        return self.value, self._round, self._acted

    def resume(self, env: AgentWorldEnv, saved: tuple[float, int, frozenset[str]] | None) -> None:
        """Goes back to what ``save`` returned, or values the present moment if nothing has been paid so far."""
        if saved is None:
            self.start(env)
        else:
            self.value, self._round, self._acted = saved
