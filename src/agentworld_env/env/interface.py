"""What goes in and out of an environment: text or features, tool calls or indices of the menu."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.env.features.senses import Senses
from agentworld_env.env.features.whole import state, state_space
from agentworld_env.env.spaces import ToolCallSpace
from agentworld_env.env.text import ObservationSpace

if TYPE_CHECKING:
    from agentworld_env.env.aec import AgentWorldEnv

ObservationKind = Literal["text", "features"]
ActionKind = Literal["tool", "discrete"]
OBSERVATIONS: tuple[str, ...] = ("text", "features")
ACTIONS: tuple[str, ...] = ("tool", "discrete")

_NO_STATE = "texts cannot be stacked; make the environment with observation='features'"


class Interface:
    """Turns what an environment knows into observations and infos, and actions into tool calls.

    With features and discrete actions an observation is ``{"observation": features, "action_mask": mask}``, and the
    info holds the mask and nothing else, so that every value is an array. Otherwise the observation is the text or the
    features alone, and the info holds ``view``, ``legal``, ``result`` and ``action_mask``: legal calls for tool calls,
    an array for discrete actions.

    Args:
        env: The environment whose episode is looked at.
        observation: ``text`` or ``features``.
        action: ``tool`` or ``discrete``.
    """

    def __init__(self, env: AgentWorldEnv, observation: str, action: str) -> None:
        self._env = env
        self.observation = observation
        self.action = action
        self.numeric = observation == "features" and action == "discrete"
        if observation == "features" or action == "discrete":
            # Said at once: what cannot be seen as numbers must not fail in the middle of an episode.
            self.senses  # noqa: B018

    @cached_property
    def senses(self) -> Senses:
        """What the agents see, as numbers."""
        return Senses(self._env)

    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """Returns the agents' observation spaces; they share one, since all are the same."""
        space: spaces.Space[Any] = ObservationSpace()
        if self.observation == "features":
            space = self.senses.layout.space()
        if self.numeric:
            mask = spaces.Box(0, 1, (SIZE,), np.int8)
            space = spaces.Dict({"observation": space, "action_mask": mask})
        return dict.fromkeys(self._env.possible_agents, space)

    def action_spaces(self) -> dict[str, spaces.Space[Any]]:
        """Returns the agents' action spaces, each with a sampler of its own."""
        names = self._env.possible_agents
        if self.action == "discrete":
            return {name: spaces.Discrete(SIZE) for name in names}
        return {name: ToolCallSpace(self._env.tools) for name in names}

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of ``state()``.

        Raises:
            AttributeError: If agents read texts; environments without a state have no such attribute.
        """
        if self.observation != "features":
            raise AttributeError(f"state_space: {_NO_STATE}")
        return state_space(self.senses.layout, len(self._env.possible_agents))

    def state(self) -> NDArray[np.float32]:
        """Returns what all agents see, as one array; see ``LearningEnv.state``."""
        if self.observation != "features":
            raise NotImplementedError(f"state(): {_NO_STATE}")
        return state(self.senses, self._env.possible_agents)

    def observe(self, agent: str, mask: Any = None) -> Any:
        """Returns an agent's observation.

        Args:
            agent: The agent.
            mask: Its mask, if it is known already.
        """
        if self.numeric:
            mask = self.senses.mask(agent) if mask is None else mask
            return {"observation": self.senses.features(agent), "action_mask": mask}
        return self.senses.features(agent)

    def call(self, agent: str, action: Any) -> Any:
        """Returns the tool call that an action means at this moment.

        Args:
            agent: Who acts.
            action: A tool call, or an index of the menu.

        Raises:
            TypeError: If a discrete action is no integer.
            ValueError: If it lies outside the menu.
        """
        return action if self.action == "tool" else self.senses.call(agent, action)
