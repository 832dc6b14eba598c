"""The environment in which all agents choose at once (PettingZoo Parallel), over the same simulator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from agentworld_env.env.aec import AgentWorldEnv, RewardKind
from agentworld_env.env.interface import Interface
from agentworld_env.env.legal import LegalCalls
from agentworld_env.env.remade import Remade
from agentworld_env.env.render import Pixels
from agentworld_env.env.shaping import Shaping
from agentworld_env.env.snapshot import EnvSnapshot
from agentworld_env.env.view import View
from agentworld_env.errors import InvalidValueError, unknown_agent
from agentworld_env.tasks import Task
from agentworld_env.verifiers import Verdict


class ParallelAgentWorldEnv(Remade, ParallelEnv[str, Any, Any]):
    """A task as a PettingZoo environment in which every agent submits one action per round.

    All choose from what they saw at the beginning of the round; the calls are then resolved one after the other in
    turn order, and the world's own turn follows. The same calls give the same events and state hashes as in the
    turn-based environment. It differs in what agents know: there, later agents see what earlier ones have just done.

    - An agent that dies, or that the episode's end overtakes, before its turn in the round comes does not act: its
      action is dropped and leaves no trace in the record. It is given a last observation, its reward of the round and
      its termination with everybody else's.
    - An agent that sleeps is asked like the others; its action is dropped unless something earlier in the round, such
      as a message, has woken it by its turn. A round in which everybody sleeps passes within the same step.
    - Everybody who is in the episode when a round begins is paid the round's whole reward.

    Args:
        task: The task.
        setting: Name of a setting, or None for the default.
        reward: ``progress`` or ``sparse``; what a potential adds comes on top.
        observation: ``text`` or ``features``.
        action: ``tool`` or ``discrete``.
        shaping: What is paid on top, or None.
        render_mode: ``ansi``, ``human``, ``rgb_array`` or None.
        plan: The plan that the setting ``shared_plan`` gives to every agent.

    Attributes:
        turns: The episode, turn by turn.

    Raises:
        ValueError: If ``reward`` or ``render_mode`` has none of its values.
        AgentWorldError: If the task cannot be played under the setting, or not be seen as numbers.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's class attribute
        "render_modes": AgentWorldEnv.metadata["render_modes"],
        "name": AgentWorldEnv.metadata["name"],
    }

    def __init__(
        self,
        task: Task,
        *,
        setting: str | None = None,
        reward: RewardKind = "progress",
        observation: str = "text",
        action: str = "tool",
        shaping: Shaping | None = None,
        render_mode: str | None = None,
        plan: str | None = None,
    ) -> None:
        self.turns = AgentWorldEnv(task, setting=setting, reward=reward, render_mode=render_mode, plan=plan)
        self.render_mode = render_mode
        if render_mode == "human":
            # Rounds are printed, not the turns within them.
            self.turns.render_mode = "ansi"
        self.possible_agents = list(self.turns.possible_agents)
        self.agents: list[str] = []
        self.interface = Interface(self.turns, observation, action)
        self.shaping = None if shaping is None else shaping.fresh()
        self.observation_spaces = self.interface.observation_spaces()
        self.action_spaces = self.interface.action_spaces()

    # -- PettingZoo --------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Any:
        """Returns an agent's observation space; all agents share one."""
        if agent not in self.observation_spaces:
            raise unknown_agent(agent, self.possible_agents)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Returns an agent's action space."""
        if agent not in self.action_spaces:
            raise unknown_agent(agent, self.possible_agents)
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts an episode.

        Args:
            seed: Seed of the episode, 0 to 2**63 - 1; None draws a fresh one from the operating system.
                ``episode_seed`` tells which.
            options: Accepted for PettingZoo's sake; nothing reads it.

        Returns:
            Observations and infos of all agents.

        Raises:
            ValueError: If the seed is none of these.
        """
        self.begin(seed)
        return self._told(self.agents)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Plays a round.

        Args:
            actions: Agent -> action, for every agent in ``agents``; those of agents that have left are ignored. A
                malformed or illegal call fails with a reason, costs the turn and is recorded.

        Returns:
            Observations, rewards, terminations, truncations and infos of all agents that were in the episode when the
            round began.

        Raises:
            ValueError: If an agent is given no action, or an index outside the menu.
            TypeError: If an action is of the wrong type.
            RuntimeError: Before the first ``reset``, and once the last agent is gone.
        """
        live = self.agents
        rewards, terminations, truncations = self.play(actions)
        observations, infos = self._told(live)
        if self.render_mode == "human":
            self.render()
        return observations, rewards, terminations, truncations, infos

    def begin(self, seed: int | None = None) -> None:
        """Starts an episode without looking at it; see ``reset``."""
        self.turns.reset(seed)
        self.agents = self.possible_agents[:]
        if self.shaping is not None:
            self.shaping.start(self.turns)

    def play(self, actions: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, bool], dict[str, bool]]:
        """Plays a round without looking at what comes of it; see ``step``.

        Returns:
            Rewards, terminations and truncations of all agents that were in the episode when the round began.
        """
        live, turns = self.agents, self.turns
        if not live:
            raise RuntimeError("no agent is in the episode; call reset() to start one")
        if not isinstance(actions, Mapping):
            raise TypeError(f"step() expected a dictionary agent -> action, got {actions!r:.80}")
        missing = [name for name in live if name not in actions]
        if missing:
            raise InvalidValueError(f"step() needs an action of every agent; missing: {', '.join(missing)}")
        # All are read before any is played: an index means what its agent saw when it chose.
        calls = {name: self.interface.call(name, actions[name]) for name in live}
        if self.shaping is not None:
            self.shaping.acts(live)
        paid, round_ = turns.team_return, turns.round
        terminations, truncations = dict.fromkeys(live, False), dict.fromkeys(live, False)
        while turns.agents:
            name = turns.agent_selection
            if turns.terminations[name] or turns.truncations[name]:
                terminations[name], truncations[name] = turns.terminations[name], turns.truncations[name]
                turns.step(None)
            elif turns.round != round_:
                break
            else:
                turns.step(calls[name])
        rewards = dict.fromkeys(live, turns.team_return - paid)
        if self.shaping is not None:
            for name, more in self.shaping.gains(turns, terminations).items():
                rewards[name] += more
        self.agents = turns.agents[:]
        return rewards, terminations, truncations

    def render(self) -> str | Pixels | None:
        """Returns or prints where everybody is and how far the task has come, as ``AgentWorldEnv.render`` does."""
        shown = self.turns.render()
        if self.render_mode != "human":
            return shown
        import sys

        sys.stdout.write(f"{shown}\n")
        return None

    def close(self) -> None:
        """Releases nothing: the environment holds no resources."""

    def _told(self, agents: list[str]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Returns the observations and infos of agents at this moment."""
        interface = self.interface
        if interface.numeric:
            masks = {name: interface.senses.mask(name) for name in agents}
            observations = {name: interface.observe(name, masks[name]) for name in agents}
            return observations, {name: {"action_mask": mask} for name, mask in masks.items()}
        turns = self.turns
        see = turns.observe if interface.observation == "text" else interface.observe
        infos = {}
        for name in agents:
            turns._refresh_info(turns.sim.index[name])
            # Those who have left are none of the turn-based environment's business any more.
            infos[name] = turns.infos[name] if name in turns.agents else turns.infos.pop(name)
            if interface.action == "discrete":
                infos[name]["action_mask"] = interface.senses.mask(name)
        return {name: see(name) for name in agents}, infos

    # -- beyond PettingZoo -------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task as it is played: what the setting makes of it."""
        return self.turns.task

    @property
    def episode_seed(self) -> int:
        """Seed of the running episode."""
        return self.turns.episode_seed

    @property
    def max_rounds(self) -> int:
        """Round budget."""
        return self.turns.max_rounds

    @property
    def round(self) -> int:
        """The present round, counted from 1; ``max_rounds`` + 1 once the budget is used up."""
        return self.turns.round

    @property
    def team_return(self) -> float:
        """The rewards so far of an agent that stays to the end, shaping apart; with ``progress`` it equals PSR."""
        return self.turns.team_return

    def verdict(self) -> Verdict:
        """Returns how far the team has come: success, PSR, checkpoints, constraints."""
        return self.turns.verdict()

    def view(self, agent: str) -> View:
        """Returns what an agent sees at this moment, structured."""
        return self.turns.view(agent)

    def legal(self, agent: str) -> LegalCalls:
        """Returns an agent's legal calls at this moment."""
        return self.turns.legal(agent)

    def guide(self, agent: str) -> str:
        """Returns an agent's guide, with the shared plan if the setting gives one."""
        return self.turns.guide(agent)

    def state_hash(self) -> str:
        """Returns a hash of simulation and verdict (32 hexadecimal digits), as the turn-based environment's."""
        return self.turns.state_hash()

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
        self.turns._require_reset()
        return self.interface.state()

    def call_of(self, agent: str, index: int) -> dict[str, Any]:
        """Returns the tool call that an index of the menu stands for at this moment.

        Raises:
            ValueError: If the index is outside the menu.
        """
        self.turns._require_reset()
        return self.interface.senses.call(agent, index)

    def index_of(self, agent: str, call: dict[str, Any]) -> int | None:
        """Returns the legal index of the menu that stands for a call at this moment, or None if there is none."""
        self.turns._require_reset()
        return self.interface.senses.index(agent, call)

    def action_mask(self, agent: str) -> Any:
        """Returns an agent's legal indices at this moment: 1 or 0, ``int8``, one per index of the menu."""
        self.turns._require_reset()
        return self.interface.senses.mask(agent)

    def snapshot(self) -> EnvSnapshot:
        """Returns this moment of the episode, put aside; it stays valid whatever happens afterwards."""
        snapshot = self.turns.snapshot()
        if self.shaping is not None:
            snapshot.shaping = self.shaping.save()
        return snapshot

    def restore(self, snapshot: EnvSnapshot) -> None:
        """Goes back to a snapshot of any environment of the same task, setting and reward.

        One that the turn-based environment has taken within a round is of use here, too: the next step plays the rest
        of that round. Every agent is asked; the actions of those whose turn has passed are dropped.

        Args:
            snapshot: What ``snapshot()`` returned; it can be restored any number of times.

        Raises:
            TypeError: If it is no snapshot of an environment.
            ValueError: If it is of another task, setting or reward.
        """
        turns = self.turns
        turns.restore(snapshot)
        while turns.agents and (
            turns.terminations[turns.agent_selection] or turns.truncations[turns.agent_selection]
        ):
            # Last, empty steps exist only where agents take turns.
            turns.step(None)
        self.agents = turns.agents[:]
        if self.shaping is not None:
            self.shaping.resume(turns, snapshot.shaping)

    def _moment(self) -> EnvSnapshot | None:
        return None if self.turns._verifier is None else self.snapshot()

    def _options(self) -> dict[str, Any]:
        return {
            **self.turns._options(),
            "render_mode": self.render_mode,
            "observation": self.interface.observation,
            "action": self.interface.action,
            "shaping": self.shaping,
        }
