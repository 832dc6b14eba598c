"""What all agents of an environment see, as numbers, remembered until the episode moves on."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentworld_env.env.discrete.mask import fill_mask
from agentworld_env.env.discrete.menu import call_at
from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.env.features.brief import agent_brief
from agentworld_env.env.features.fill import Filler
from agentworld_env.env.features.layout import TEAM, layout_of
from agentworld_env.env.features.pouch import Pouch
from agentworld_env.env.features.sight import Sight
from agentworld_env.env.features.spot import Spot
from agentworld_env.errors import AgentWorldError, unknown_agent
from agentworld_env.sim.events import Result
from agentworld_env.tools import parse
from agentworld_env.world.memo import make_room

if TYPE_CHECKING:
    from agentworld_env.env.aec import AgentWorldEnv
    from agentworld_env.env.view import View
    from agentworld_env.tasks import Task

Block = NDArray[np.uint8]
Mask = NDArray[np.int8]

_REMEMBERED = 3_072
"""So many places, and contents of the bag, are remembered for all roles of a task together."""

_NOTHING: frozenset[int] = frozenset()


class RoleMemory:
    """What one role of a task has seen before. All of it follows from the task and the world, so episodes share it.

    Args:
        task: The task as it is played.
        agent: The agent's id.
    """

    __slots__ = ("_growth", "_layout", "_most", "_pouches", "_spots", "brief")

    def __init__(self, task: Task, agent: str) -> None:
        self._layout = layout_of(task.world)
        self._growth = task.spec.growth
        self._most = _REMEMBERED // len(task.spec.team)
        self._spots: dict[Any, Spot] = {}
        self._pouches: dict[Any, Pouch] = {}
        self.brief = agent_brief(task, agent, self._layout.ids)

    def sight(self, view: View) -> Sight:
        """Returns an agent's rows at the moment of a view."""
        me, spent = view._me, view.depleted
        # Levels decide what can be harvested and made; they change only in tasks where skills grow.
        levels = tuple(view.levels().values()) if self._growth else ()
        place = (me.x, me.y, frozenset(spent) if spent else _NOTHING, levels)
        spot = self._spots.get(place)
        if spot is None:
            make_room(self._spots, self._most)
            spot = self._spots[place] = Spot(view, self._layout)
        content = tuple([(item, sum([lot[2] for lot in lots])) for item, lots in me.bag.items()])
        pouch = self._pouches.get((content, levels))
        if pouch is None:
            make_room(self._pouches, self._most)
            pouch = self._pouches[content, levels] = Pouch(view, content, self._layout, self.brief)
        return Sight(view, spot, pouch)


@lru_cache(maxsize=1_024)
def role_memory(task: Task, agent: str) -> RoleMemory:
    """Returns the memory of a role, which all episodes of the task share."""
    return RoleMemory(task, agent)


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
        self._roles = tuple([role_memory(env.task, name) for name in names])
        self._fillers = tuple(
            [Filler(self.layout, env.sim, i, role.brief) for i, role in enumerate(self._roles)]
        )
        self._sights: list[tuple[Any, ...] | None] = [None] * len(names)

    def __reduce__(self) -> tuple[Any, ...]:
        # Everything else follows from the environment, or is remembered only to save time.
        return Senses, (self._env,)

    def sight(self, agent: str) -> Sight:
        """Returns an agent's rows at this moment."""
        env, index = self._env, self._index.get(agent)
        if index is None:
            raise unknown_agent(agent, self._index)
        state = env.sim.state
        held = self._sights[index]
        if held is not None:
            taken, actions, round_, turn, sight = held
            if taken is state and actions == state.actions and round_ == state.round and turn == state.turn:
                return sight  # type: ignore[no-any-return]
        sight = self._roles[index].sight(env.view(agent))
        self._sights[index] = (state, state.actions, state.round, state.turn, sight)
        return sight

    def write(self, agent: str, block: Any) -> None:
        """Writes an agent's features into a buffer of ``layout.size`` bytes."""
        env, sight = self._env, self.sight(agent)
        self._fillers[self._index[agent]].fill(block, sight, env.team_return, env.max_rounds)

    def write_mask(self, agent: str, mask: Any) -> None:
        """Writes an agent's mask of legal indices into a buffer of ``SIZE`` bytes."""
        fill_mask(mask, self.sight(agent), self._env.present_tools)

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

    def call(self, agent: str, index: Any) -> dict[str, Any]:
        """Returns the call that an index of the menu stands for at this moment.

        Raises:
            TypeError: If the index is no integer.
            ValueError: If it lies outside the menu.
        """
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise TypeError(f"a discrete action is an integer in 0..{SIZE - 1}, not {type(index).__name__}")
        sight = self.sight(agent)
        return call_at(operator.index(index), sight, self._roles[self._index[agent]].brief.wanted)

    def index(self, agent: str, call: Any) -> int | None:
        """Returns the legal index that stands for a call at this moment, or None if the menu has none."""
        if agent not in self._index:
            raise unknown_agent(agent, self._index)
        if not isinstance(call, Mapping):
            raise TypeError(
                f'a call is a dict such as {{"tool": "sleep", "arguments": {{}}}}, not {type(call).__name__}'
            )
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
