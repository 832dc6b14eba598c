"""The turn-based environment with numbers: features, discrete actions, shaped rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agentworld_env.env.aec import AgentWorldEnv, RewardKind
from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.env.interface import Interface
from agentworld_env.env.shaping import Shaping
from agentworld_env.env.snapshot import EnvSnapshot
from agentworld_env.tasks import Task
from agentworld_env.verifiers import Verifier


class LearningEnv(AgentWorldEnv):
    """A task as a turn-based PettingZoo environment whose agents read features or choose from a menu.

    Args:
        task: The task.
        setting: Name of a setting, or None for the default.
        reward: ``progress`` or ``sparse``; what a potential adds comes on top.
        observation: ``text`` or ``features``.
        action: ``tool`` or ``discrete``.
        shaping: What is paid on top, or None.
        render_mode: ``ansi``, ``human`` or None.
        plan: The plan that the setting ``shared_plan`` gives to every agent.

    Raises:
        AgentWorldError: If the task cannot be played under the setting, or not be seen as numbers.
    """

    def __init__(
        self,
        task: Task,
        *,
        setting: str | None = None,
        reward: RewardKind = "progress",
        observation: str = "features",
        action: str = "discrete",
        shaping: Shaping | None = None,
        render_mode: str | None = None,
        plan: str | None = None,
    ) -> None:
        super().__init__(task, setting=setting, reward=reward, render_mode=render_mode, plan=plan)
        self.interface = Interface(self, observation, action)
        self.shaping = None if shaping is None else shaping.fresh()
        self.observation_spaces = self.interface.observation_spaces()
        self.action_spaces = self.interface.action_spaces()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode; see ``AgentWorldEnv.reset``."""
        super().reset(seed, options)
        if self.shaping is not None:
            self.shaping.start(self)

    def step(self, action: Any) -> None:
        """Plays the turn of ``agent_selection``.

        Args:
            action: A tool call, or an index of the menu as an integer; None for an agent that is terminated or
                truncated. An index whose slot is empty, or whose call is not legal, fails with a reason.

        Raises:
            TypeError: If the action is of another type.
            ValueError: If an index lies outside the menu, or an agent that has left is given an action.
            RuntimeError: Before the first ``reset``, and once the last agent is gone.
        """
        agent = self._selected()
        if action is not None and not (self.terminations[agent] or self.truncations[agent]):
            action = self.interface.call(agent, action)
            if self.shaping is not None:
                self.shaping.acts((agent,))
        super().step(action)

    def observe(self, agent: str) -> Any:
        """Returns an agent's observation at this moment: text, or new arrays."""
        if self.interface.observation == "text":
            return super().observe(agent)
        self._require_reset()
        return self.interface.observe(agent)

    @property
    def state_space(self) -> spaces.Box:
        """The space of ``state()``, which only environments with features have."""
        return self.interface.state_space

    def state(self) -> NDArray[np.float32]:
        """Returns what all agents see at this moment, for learners that are trained together.

        It is no more than all of them see: what nobody sees is not in it.

        Returns:
            ``float32`` of shape (agents, numbers of an observation): a row for every possible agent in turn order,
            whether or not it is still in the episode: its features as ``gymnasium.spaces.flatten`` flattens them.

        Raises:
            NotImplementedError: If agents read texts.
            RuntimeError: Before the first ``reset``.
        """
        self._require_reset()
        return self.interface.state()

    def call_of(self, agent: str, index: int) -> dict[str, Any]:
        """Returns the tool call that an index of the menu stands for at this moment.

        Raises:
            ValueError: If the index is outside 0..``SIZE`` - 1.
        """
        self._require_reset()
        return self.interface.senses.call(agent, index)

    def index_of(self, agent: str, call: dict[str, Any]) -> int | None:
        """Returns the legal index of the menu that stands for a call at this moment, or None if there is none."""
        self._require_reset()
        return self.interface.senses.index(agent, call)

    def action_mask(self, agent: str) -> Any:
        """Returns an agent's legal indices at this moment: 1 or 0, ``int8`` of shape (``SIZE``,)."""
        self._require_reset()
        return self.interface.senses.mask(agent)

    def cumulative_reward(self, agent: str) -> float:
        """Returns the sum of an agent's rewards since its last step, also where it is another's turn by now."""
        self._require_reset()
        return self._cumulative_rewards[agent]

    def _refresh_info(self, index: int) -> None:
        name = self.sim.names[index]
        if self.interface.numeric:
            self.infos[name] = {"action_mask": self.interface.senses.mask(name)}
            return
        super()._refresh_info(index)
        if self.interface.action == "discrete":
            self.infos[name]["action_mask"] = self.interface.senses.mask(name)

    def _pay(self, verifier: Verifier) -> None:
        super()._pay(verifier)
        if self.shaping is not None:
            gains = self.shaping.gains(self, self.terminations)
            if gains:
                self._rewarded = True
                for name, gain in gains.items():
                    self.rewards[name] += gain
                    self._cumulative_rewards[name] += gain

    # -- value semantics ---------------------------------------------------------------------------

    def snapshot(self) -> EnvSnapshot:
        """Returns this moment of the episode, put aside; see ``AgentWorldEnv.snapshot``."""
        snapshot = super().snapshot()
        if self.shaping is not None:
            snapshot.shaping = self.shaping.save()
        return snapshot

    def restore(self, snapshot: EnvSnapshot) -> None:
        """Goes back to a snapshot; see ``AgentWorldEnv.restore``. One of an unshaped episode is valued anew."""
        super().restore(snapshot)
        if self.shaping is not None:
            self.shaping.resume(self, snapshot.shaping)

    def _options(self) -> dict[str, Any]:
        return {
            **super()._options(),
            "observation": self.interface.observation,
            "action": self.interface.action,
            "shaping": self.shaping,
        }


__all__ = ["SIZE", "LearningEnv"]
