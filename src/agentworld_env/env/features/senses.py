"""What all agents of an environment see, as numbers, remembered until the episode moves on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentworld_env.env.discrete.mask import fill_mask
from agentworld_env.env.discrete.menu import SIZE, call_at
from agentworld_env.env.features.brief import agent_brief
from agentworld_env.env.features.fill import Filler
from agentworld_env.env.features.layout import TEAM, layout_of
from agentworld_env.env.features.sight import Sight
from agentworld_env.errors import AgentWorldError
from agentworld_env.sim.events import Result
from agentworld_env.tools import parse

if TYPE_CHECKING:
    from agentworld_env.env.aec import AgentWorldEnv

Block = NDArray[np.uint8]
Mask = NDArray[np.int8]


class Senses:
    """Looks at an environment's episode for each of its agents.

    Args:
        env: The environment.

    Attributes:
        layout: Where the fields of an observation lie.

    Raises:
        AgentWorldError: If the team is too large, or the setting gives an agent more than rows of its own sight.
    """

    def __init__(self, env: AgentWorldEnv) -> None:
        names = env.possible_agents
        if len(names) > TEAM:
            raise AgentWorldError(
                f"{env.task.id} has {len(names)} agents; features and the menu hold at most {TEAM}"
            )
        if env.setting.has("oracle_view"):
            raise AgentWorldError(
                "setting oracle_view is for texts: features and the menu hold one agent's sight"
            )
        self._env = env
        self.layout = layout_of(env.task.world)
        self._index = env.sim.index
        self._briefs = tuple([agent_brief(env.task, name, self.layout.ids) for name in names])
        self._fillers = tuple(
            [Filler(self.layout, env.sim, i, brief) for i, brief in enumerate(self._briefs)]
        )
        self._sights: list[tuple[Any, ...] | None] = [None] * len(names)

    def sight(self, agent: str) -> Sight:
        """Returns an agent's rows at this moment."""
        env, index = self._env, self._index[agent]
        state = env.sim.state
        held = self._sights[index]
        if held is not None:
            taken, actions, round_, turn, sight = held
            if taken is state and actions == state.actions and round_ == state.round and turn == state.turn:
                return sight  # type: ignore[no-any-return]
        sight = Sight(env.view(agent), "craft_item" in env.present_tools)
        self._sights[index] = (state, state.actions, state.round, state.turn, sight)
        return sight

    def write(self, agent: str, block: Any) -> None:
        """Writes an agent's features into a buffer of ``layout.size`` bytes."""
        env = self._env
        self._fillers[self._index[agent]].fill(block, self.sight(agent), env.team_return, env.max_rounds)

    def write_mask(self, agent: str, mask: Any) -> None:
        """Writes an agent's mask of legal indices into a buffer of ``SIZE`` bytes."""
        wanted = len(self._briefs[self._index[agent]].wanted)
        fill_mask(mask, self.sight(agent), self._env.present_tools, wanted)

    def features(self, agent: str) -> dict[str, NDArray[Any]]:
        """Returns an agent's features in new arrays."""
        block: Block = np.empty(self.layout.size, dtype=np.uint8)
        self.write(agent, block)
        return self.layout.arrays(block)

    def mask(self, agent: str) -> Mask:
        """Returns an agent's mask of legal indices, ``int8`` of shape (``SIZE``,), in a new array."""
        mask: Mask = np.empty(SIZE, dtype=np.int8)
        self.write_mask(agent, mask.view(np.uint8))
        return mask

    def call(self, agent: str, index: int) -> dict[str, Any]:
        """Returns the call that an index of the menu stands for at this moment."""
        return call_at(index, self.sight(agent), self._briefs[self._index[agent]].wanted)

    def index(self, agent: str, call: Any) -> int | None:
        """Returns the legal index that stands for a call at this moment, or None if the menu has none."""
        wanted = _canonical(call, self._env)
        if wanted is None:
            return None
        for index in np.flatnonzero(self.mask(agent)).tolist():
            if _canonical(self.call(agent, index), self._env) == wanted:
                return int(index)
        return None


def _canonical(call: Any, env: AgentWorldEnv) -> tuple[Any, ...] | None:
    """Returns a call with its defaults filled in, or None if it cannot be understood."""
    read = parse(call, env.tools)
    return None if isinstance(read, Result) else (read[0].name, *read[1])
