"""The turn-based environment (PettingZoo AEC) over the simulator."""

from __future__ import annotations

import os
from typing import Any, Literal

from pettingzoo import AECEnv

from agentworld_env._version import NAME, RULES_VERSION
from agentworld_env.calls import Call
from agentworld_env.env.legal import LegalCalls
from agentworld_env.env.remade import Remade
from agentworld_env.env.render import RENDER_MODES, Pixels, render
from agentworld_env.env.scatter import scatter
from agentworld_env.env.settings import setting_by_name
from agentworld_env.env.snapshot import EnvSnapshot, check_snapshot, episode_hash
from agentworld_env.env.spaces import ToolCallSpace
from agentworld_env.env.text import ObservationSpace, ObservationText, observation_text, oracle_text
from agentworld_env.env.view import View
from agentworld_env.errors import AgentWorldError, InvalidValueError, quoted, unknown_agent
from agentworld_env.sim import READY, ROUND_OVER, Simulation
from agentworld_env.sim.events import Died, Left
from agentworld_env.sim.setup import checked_seed
from agentworld_env.tasks import Task
from agentworld_env.tools import Tool, execute
from agentworld_env.verifiers import Verdict, Verifier

RewardKind = Literal["progress", "sparse"]
REWARDS: tuple[str, ...] = ("progress", "sparse")
_DEPARTURES = frozenset((Died, Left))


class AgentWorldEnv(Remade, AECEnv[str, str, Call]):
    """A task as a turn-based PettingZoo environment.

    Agents act in the task's order, one tool call per turn, each resolved before the next. Observations are
    text (a ``str``); ``info`` holds ``view`` (the same facts, structured), ``legal`` and ``action_mask``
    (the legal calls), and ``result`` (what came of the agent's previous call). Handles in ``info`` are lazy
    and belong to one turn: after the episode has moved on, what has been read from them before stays readable and
    everything else raises ``StaleViewError``; ``view(agent)`` and ``legal(agent)`` give fresh ones.

    Rewards go to every agent still in the episode. ``progress``: the change of PSR, so that an agent's
    rewards sum to PSR for as long as it stays; it is negative when a checkpoint that can be lost is lost.
    ``sparse``: 1 on success. ``team_return`` is the sum so far for an agent that never leaves.

    Args:
        task: The task.
        setting: Name of a setting, or None for the default; several are joined by ``+``.
        reward: ``progress`` or ``sparse``.
        render_mode: ``ansi``, ``human``, ``rgb_array`` or None.
        plan: The plan that the setting ``shared_plan`` gives to every agent; it changes guides only.

    Attributes:
        source: The task as it was given.
        task: The task as it is played: what the setting makes of it.

    Raises:
        ValueError: If ``reward`` or ``render_mode`` is none of these.
        UnknownNameError: If there is no such setting.
        AgentWorldError: If the task cannot be played under it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's class attribute
        "render_modes": list(RENDER_MODES),
        "name": f"{NAME}_v{RULES_VERSION}",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        task: Task,
        *,
        setting: str | None = None,
        reward: RewardKind = "progress",
        render_mode: str | None = None,
        plan: str | None = None,
    ) -> None:
        if reward not in REWARDS:
            raise InvalidValueError(f"reward must be one of {', '.join(REWARDS)}, not {quoted(reward)}")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InvalidValueError(
                f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {quoted(render_mode)}"
            )
        super().__init__()  # type: ignore[no-untyped-call]
        self.setting = setting_by_name(setting)
        self.source = task
        self.task = task = self.setting.task(task)
        self.plan = plan
        self.reward = reward
        self.render_mode = render_mode
        self.tools = self.setting.tools()
        self.max_rounds = task.spec.max_rounds
        self.sim = Simulation(task.world, task.setup())
        self.sim.held_by(self)
        self.possible_agents = list(self.sim.names)
        self.agents: list[str] = []
        observation_space = ObservationSpace()
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space)
        self.action_spaces = {name: ToolCallSpace(self.tools) for name in self.possible_agents}
        self._first_tools = self.setting.tools(1)
        self._oracle = self.possible_agents[0] if self.setting.has("oracle_view") else ""
        self._landmarks = tuple(task.landmarks(name) for name in self.possible_agents)
        self._verifier: Verifier | None = None
        self._seed = 0
        self._texts: dict[str, tuple[tuple[Any, ...], ObservationText]] = {}

    # -- PettingZoo --------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> ObservationSpace:
        """Returns the space of observation texts; all agents share it."""
        if agent not in self.observation_spaces:
            raise unknown_agent(agent, self.possible_agents)
        return self.observation_spaces[agent]  # type: ignore[return-value]

    def action_space(self, agent: str) -> ToolCallSpace:
        """Returns an agent's space of tool calls."""
        if agent not in self.action_spaces:
            raise unknown_agent(agent, self.possible_agents)
        return self.action_spaces[agent]  # type: ignore[return-value]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Seed of the episode, 0 to 2**63 - 1; None draws a fresh one from the operating system.
                ``episode_seed`` tells which.
            options: Accepted for PettingZoo's sake; nothing reads it.

        Raises:
            ValueError: If the seed is none of these.
        """
        self._seed = int.from_bytes(os.urandom(6), "big") if seed is None else checked_seed(seed)
        self.sim.reset(self._seed)
        if self.setting.has("random_spawn"):
            scatter(self.sim)
        self._verifier = Verifier(self.task, self.sim)
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos = {}
        self.agent_selection = agents[0]
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._rewarded = False
        self._leaving = False
        self._psr = 0.0
        self._texts.clear()
        for i in range(len(agents)):
            self._refresh_info(i)

    def step(self, action: Call | None) -> None:
        """Plays the turn of ``agent_selection``.

        Args:
            action: A tool call; None for an agent that is terminated or truncated. A malformed or illegal
                call fails with a reason, costs the turn and is recorded.

        Raises:
            TypeError: If the action is no mapping.
            ValueError: If an agent that has left is given a call.
            RuntimeError: Before the first ``reset``, and once the last agent is gone.
        """
        verifier, agent = self._require_reset(), self._selected()
        if self.terminations[agent] or self.truncations[agent]:
            self._rewarded = False
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        if action is None:
            raise TypeError("None is the action of agents that have left; this one needs a tool call")
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        self._cumulative_rewards[agent] = 0.0
        sim = self.sim
        self._leaving = False
        logged = len(sim.state.events)
        execute(sim, action, self.present_tools)
        if verifier.update():
            self._settle_departures(logged)
        if not self._finished(verifier):
            self._advance(verifier)
        self._pay(verifier)
        if self._leaving:
            self._lead_out()
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[ObservationText | None, float, bool, bool, dict[str, Any]]:
        """Returns observation, rewards since its last step, termination, truncation and info of the selected agent.

        Args:
            observe: Whether to render the observation; None stands for it otherwise.

        Raises:
            RuntimeError: Before the first ``reset``, and once the last agent is gone.
        """
        agent = self._selected()
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> ObservationText:
        """Returns an agent's observation text at this moment."""
        self._require_reset()
        state = self.sim.state
        moment = (state.actions, state.round, state.turn)
        held = self._texts.get(agent)
        if held is None or held[0] != moment:
            held = self._texts[agent] = (moment, self._text(agent))
        return held[1]

    def _text(self, agent: str) -> ObservationText:
        note = ""
        if self.round <= self.setting.discussion:
            note = (
                f"The team discusses until the end of round {self.setting.discussion}: "
                f"only {', '.join(self._first_tools)} exist so far."
            )
        if agent != self._oracle:
            return observation_text(self.view(agent), note)
        return oracle_text(self.view(agent), [self.view(name) for name in self.possible_agents[1:]], note)

    def render(self) -> str | Pixels | None:
        """Shows where everybody is and how far the task has come.

        Returns:
            A text (``ansi``), or a picture (``rgb_array``, ``uint8`` of shape 640 x 960 x 3); ``human`` prints. Without
            a render mode nothing, with Gymnasium's warning.

        Raises:
            AgentWorldError: A picture is wanted, and pillow is missing.
        """
        self._require_reset()
        return render(self.render_mode, self.sim, self.verdict(), self.max_rounds)

    def close(self) -> None:
        """Releases nothing: the environment holds no resources."""

    def _require_reset(self) -> Verifier:
        if self._verifier is None:
            raise RuntimeError("call reset() first")
        return self._verifier

    def _selected(self) -> str:
        self._require_reset()
        if not self.agents:
            raise RuntimeError("the episode is over and no agent is left; call reset() for another")
        return self.agent_selection

    # -- turns -------------------------------------------------------------------------------------

    def _advance(self, verifier: Verifier) -> None:
        """Moves on to the next agent that can act, through as many rounds as everybody sleeps."""
        sim = self.sim
        while True:
            logged = len(sim.state.events)
            outcome = sim.next_turn()
            if outcome == READY:
                index = sim.state.turn
                self.agent_selection = sim.names[index]
                self._refresh_info(index)
                return
            if outcome != ROUND_OVER:
                continue
            verifier.round_end()
            self._settle_departures(logged)
            if self._finished(verifier):
                return
            if sim.state.round > self.max_rounds:
                self._leaving = True
                for name in self.agents:
                    if not self.terminations[name]:
                        self.truncations[name] = True
                return

    def _settle_departures(self, start: int) -> None:
        """Marks agents that have left or died as terminated.

        Args:
            start: Place in the event log where the news begin; looking at every agent in every turn would make
                each turn of a large team dearer.
        """
        for event in self.sim.state.events[start:]:
            if type(event) in _DEPARTURES and event.agent in self.terminations:  # type: ignore[attr-defined]
                self.terminations[event.agent] = True  # type: ignore[attr-defined]
                self._leaving = True

    def _lead_out(self) -> None:
        """Lets agents that have left take their last, empty step before anybody else, as PettingZoo wants."""
        gone = [name for name in self.agents if self.terminations[name] or self.truncations[name]]
        if gone:
            for name in gone:
                self._refresh_info(self.sim.index[name])
            self._deads_step_first()

    def _finished(self, verifier: Verifier) -> bool:
        """Ends the episode for everybody on success, on a broken constraint, or when nobody is left."""
        if not (verifier.success or verifier.impossible or (self._leaving and not self.sim.active)):
            return False
        self._leaving = True
        for name in self.agents:
            self.terminations[name] = True
        return True

    def _pay(self, verifier: Verifier) -> None:
        value = verifier.psr if self.reward == "progress" else float(verifier.success)
        gain = value - self._psr
        if not gain:
            return
        self._psr = value
        self._rewarded = True
        for name in self.rewards:
            self.rewards[name] = gain
        self._accumulate_rewards()

    def _refresh_info(self, index: int) -> None:
        view = self._view(index)
        legal = LegalCalls(view, self.present_tools)
        info = {"view": view, "legal": legal, "action_mask": legal, "result": view.result}
        if view._hears_all:
            info["views"] = {self.sim.names[i]: self._view(i) for i in range(1, len(self.sim.names))}
        self.infos[view._name] = info

    def _view(self, index: int) -> View:
        # The oracle is the first agent, in the setting that has one.
        hears_all = not index and self._oracle != ""
        return View(self.sim, index, self.max_rounds, self._landmarks[index], hears_all)

    # -- beyond PettingZoo -------------------------------------------------------------------------

    @property
    def verifier(self) -> Verifier:
        """The verifier of the running episode.

        Raises:
            RuntimeError: Before the first ``reset``.
        """
        return self._require_reset()

    @property
    def episode_seed(self) -> int:
        """Seed of the running episode.

        Raises:
            RuntimeError: Before the first ``reset``.
        """
        self._require_reset()
        return self._seed

    @property
    def present_tools(self) -> dict[str, Tool]:
        """The tools that exist in the present round: all of ``tools``, except while the team only discusses."""
        discussion = self.setting.discussion
        return self._first_tools if discussion and self.round <= discussion else self.tools

    @property
    def round(self) -> int:
        """The present round, counted from 1; ``max_rounds`` + 1 once the budget is used up."""
        self._require_reset()
        return self.sim.state.round

    @property
    def team_return(self) -> float:
        """The rewards so far of an agent that stays to the end; with ``progress`` it equals PSR."""
        self._require_reset()
        return self._psr

    @property
    def is_over(self) -> bool:
        """Whether nobody can act any more."""
        self._require_reset()
        return all(self.terminations[name] or self.truncations[name] for name in self.agents)

    def verdict(self) -> Verdict:
        """Returns how far the team has come: success, PSR, checkpoints, constraints."""
        return self.verifier.verdict()

    def view(self, agent: str) -> View:
        """Returns what an agent sees at this moment, structured.

        Raises:
            UnknownAgentError: If the team has no such agent.
        """
        self._require_reset()
        index = self.sim.index.get(agent)
        if index is None:
            raise unknown_agent(agent, self.possible_agents)
        return self._view(index)

    def legal(self, agent: str) -> LegalCalls:
        """Returns an agent's legal calls at this moment."""
        return LegalCalls(self.view(agent), self.present_tools)

    def guide(self, agent: str) -> str:
        """Returns an agent's guide, with the shared plan if the setting gives one.

        Raises:
            UnknownAgentError: If the team has no such agent.
            AgentWorldError: If the setting gives a plan and the environment was made without.
        """
        if agent not in self.sim.index:
            raise unknown_agent(agent, self.possible_agents)
        guide = self.task.guide(agent)
        if not self.setting.has("shared_plan"):
            return guide
        if self.plan is None:
            raise AgentWorldError("setting shared_plan needs a plan: make the environment with plan=...")
        return f"{guide}\n\nThe team's plan, which everybody has:\n{self.plan}".strip()

    def snapshot(self) -> EnvSnapshot:
        """Returns this moment of the episode, put aside; it stays valid whatever happens afterwards."""
        verifier = self._require_reset()
        books = (
            self._seed,
            self.agents[:],
            self.rewards.copy(),
            self._cumulative_rewards.copy(),
            self.terminations.copy(),
            self.truncations.copy(),
            self.agent_selection,
            self._skip_agent_selection,
            self._rewarded,
            self._psr,
        )
        kinds = (self.task, self.setting.name, self.reward)
        return EnvSnapshot(*kinds, self.sim.snapshot(), verifier.snapshot(), books)

    def restore(self, snapshot: EnvSnapshot) -> None:
        """Goes back to a snapshot of any environment of the same task, setting and reward.

        Args:
            snapshot: What ``snapshot()`` returned; it can be restored any number of times.

        Raises:
            TypeError: If it is no snapshot of an environment.
            ValueError: If it is of another task, setting or reward.
        """
        check_snapshot(snapshot, self.task, self.setting.name, self.reward)
        if self._verifier is None:
            self.reset(seed=snapshot.books[0])
        self.sim.restore(snapshot.sim)
        self.verifier.restore(snapshot.verifier)
        (
            self._seed,
            agents,
            rewards,
            cumulative,
            terminations,
            truncations,
            self.agent_selection,
            self._skip_agent_selection,
            self._rewarded,
            self._psr,
        ) = snapshot.books
        self.agents = agents[:]
        self.rewards = rewards.copy()
        self._cumulative_rewards = cumulative.copy()
        self.terminations = terminations.copy()
        self.truncations = truncations.copy()
        self._leaving = False
        self._texts.clear()
        self.infos = {}
        for name in self.agents:
            self._refresh_info(self.sim.index[name])

    def state_hash(self) -> str:
        """Returns a hash of simulation and verdict (32 hexadecimal digits), the same on every machine.

        It covers all that decides how the same calls go on: the state of the simulation, what the verifier has
        counted, and the rewards paid so far. PettingZoo's bookkeeping is left out: which agents have yet to take
        their last, empty step, and rewards not yet read.
        """
        return episode_hash(self.sim, self._require_reset(), self._psr)

    def stage(self) -> AgentWorldEnv:
        """Returns a new environment of the same task, setting, reward and plan, to play out what is only tried.

        It speaks tool calls and texts, pays no shaped rewards, shows nothing, and takes ``restore(self.snapshot())``.
        """
        return AgentWorldEnv(self.source, setting=self.setting.name, reward=self.reward, plan=self.plan)

    def _moment(self) -> EnvSnapshot | None:
        return None if self._verifier is None else self.snapshot()

    def _options(self) -> dict[str, Any]:
        return {
            "task": self.source,
            "setting": self.setting.name,
            "reward": self.reward,
            "render_mode": self.render_mode,
            "plan": self.plan,
        }
