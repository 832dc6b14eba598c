"""One learner among team-mates that follow a policy: a task as a Gymnasium environment."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable
from typing import Any

import gymnasium
from gymnasium import spaces

from agentworld_env.env import LearningEnv, Shaping
from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.env.features.senses import Senses
from agentworld_env.env.render import RENDER_MODES
from agentworld_env.errors import unknown_agent
from agentworld_env.evaluate.seating import admit_policy, turn_of
from agentworld_env.learning.waiting import Waiter
from agentworld_env.policies.protocol import BarePolicy, Brief, Decision, as_policy
from agentworld_env.tasks import Task
from agentworld_env.verifiers import Verdict


class GymAgentWorldEnv(gymnasium.Env[Any, Any]):
    """A task in which one agent learns and a policy plays the others.

    A step is one turn of the learner; the others play theirs before its next observation. Its reward is what the team
    has been paid since its last turn. The episode is terminated when the task is decided or the learner has left, and
    truncated when the round budget is used up.

    With features an observation is a flat dict of arrays. With discrete actions ``info["action_mask"]`` holds the mask
    (``int8``, as ``action_space.sample`` takes it), and ``action_masks()`` the same as ``bool``. ``info["psr"]`` and
    ``info["success"]`` tell how the episode ended (``is_success`` says the latter once more, by the name that
    Stable-Baselines3 looks for). With tool calls ``info["legal"]`` holds the legal calls (tool name -> list of
    arguments), ``info["action_mask"]`` the same for ``action_space.sample``, and ``info["view"]`` the observation's
    facts, all as plain lists and dicts, so that infos can be kept and compared after the episode has moved on.

    ``copy.copy``, ``copy.deepcopy`` and ``pickle`` give an equal environment with an episode and team-mates of its own,
    in the middle of an episode too; what mates keep outside of their objects, such as in a closure, stays shared. Mates
    that are awaited cannot be copied between their first turn and ``close`` (``TypeError``).

    Args:
        task: The task.
        learner: Which agent learns; the first if None.
        mates: The policy of all others.
        setting: Name of a setting, or None for the default.
        reward: ``progress`` or ``sparse``.
        observation: ``features`` or ``text``.
        action: ``discrete`` or ``tool``.
        shaping: What is paid on top, or None.
        render_mode: ``ansi``, ``human``, ``rgb_array`` or None.
        plan: The plan that the setting ``shared_plan`` gives.

    Attributes:
        turns: The episode, turn by turn, with all agents.
        learner: Which agent learns.

    Raises:
        UnknownAgentError: If the team has no such agent.
        AgentWorldError: If ``mates`` is no policy or has none for the task, or the task cannot be played under the
            setting.
    """

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": 2}  # noqa: RUF012 - Gymnasium's attribute

    def __init__(
        self,
        task: Task,
        *,
        mates: BarePolicy,
        learner: str | None = None,
        setting: str | None = None,
        reward: Any = "progress",
        observation: str = "features",
        action: str = "discrete",
        shaping: Shaping | None = None,
        render_mode: str | None = None,
        plan: str | None = None,
    ) -> None:
        # Team-mates read texts and views, whatever the learner reads: the environment speaks theirs.
        self.turns = LearningEnv(
            task,
            setting=setting,
            reward=reward,
            observation="text",
            action="tool",
            shaping=shaping,
            render_mode=render_mode,
            plan=plan,
        )
        team = self.turns.possible_agents
        if learner is not None and learner not in team:
            raise unknown_agent(learner, team)
        self.learner = team[0] if learner is None else learner
        self.mates = as_policy(mates)
        self.render_mode = render_mode
        self.observation_kind, self.action_kind = observation, action
        self._senses = self._eyes()
        self.observation_space = (
            self._senses.layout.space()
            if observation == "features" and self._senses is not None
            else self.turns.observation_space(self.learner)
        )
        self.action_space = (
            spaces.Discrete(SIZE) if action == "discrete" else self.turns.action_space(self.learner)
        )
        self._waiter: Waiter | None = None
        self._closed = False
        # What cannot be played is said now, not at the first reset.
        self._admit_mates()

    def _admit_mates(self) -> dict[str, Brief]:
        """Makes sure that the mates can be played, and returns what they are told; of the learner nothing is said."""
        mates = [name for name in self.turns.possible_agents if name != self.learner]
        return admit_policy(self.mates, self.turns, mates)

    def _eyes(self) -> Senses | None:
        numeric = self.observation_kind == "features" or self.action_kind == "discrete"
        return self.turns.interface.senses if numeric else None

    def __copy__(self) -> GymAgentWorldEnv:
        # A second handle on one episode would be no environment of its own.
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        if self._waiter is not None:
            raise TypeError(
                f"this environment cannot be copied or pickled: its mates, {self.mates.name}, are awaited in an event "
                "loop of its own; close() it first, or make another with gym_env()"
            )
        return {name: value for name, value in self.__dict__.items() if name != "_senses"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Of its own episode, which is not copied but made anew and led to the same moment.
        self._senses = self._eyes()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode and plays it to the learner's first turn.

        Args:
            seed: Seed of the episode, 0 to 2**63 - 1. Without one, the seed follows from the last one given, as
                Gymnasium has it, or comes from the operating system.
            options: Accepted for Gymnasium's sake; nothing reads it.

        Returns:
            Observation and info.
        """
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(2**48))
        self.turns.reset(seed)
        self.mates.begin(self._admit_mates(), seed)
        self._play_mates()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the learner's turn, and the others' up to its next.

        Args:
            action: An index of the menu, or a tool call.

        Returns:
            Observation, reward, termination, truncation and info.

        Raises:
            RuntimeError: Before the first ``reset``, and once the episode is over.
            TypeError: If the action is of another type.
            ValueError: If an index lies outside the menu.
        """
        turns, name = self.turns, self.learner
        if name not in turns.agents or turns.terminations[name] or turns.truncations[name]:
            raise RuntimeError("the episode is over; call reset() to start one")
        if self._senses is not None and self.action_kind == "discrete":
            action = self._senses.call(name, action)
        turns.step(action)
        self._play_mates()
        reward = turns.cumulative_reward(name)
        terminated, truncated = turns.terminations[name], turns.truncations[name]
        info = self._info()
        if terminated or truncated:
            info["psr"] = turns.verifier.psr
            info["success"] = info["is_success"] = turns.verifier.success
        return self._observation(), float(reward), terminated, truncated, info

    def _play_mates(self) -> None:
        """Plays turns until it is the learner's, or it has none any more."""
        turns, name = self.turns, self.learner
        while turns.agents:
            gone = turns.terminations[name] or turns.truncations[name]
            agent = turns.agent_selection
            if gone or agent == name:
                return
            if turns.terminations[agent] or turns.truncations[agent]:
                turns.step(None)
            else:
                turns.step(self._answer())

    def _answer(self) -> Any:
        answer = self.mates.act(turn_of(self.turns, self.mates))
        if inspect.isawaitable(answer):
            answer = self._wait(answer)
        from agentworld_env.episodes import canonical_call

        return canonical_call(answer.call if isinstance(answer, Decision) else answer)

    def _wait(self, pending: Awaitable[Any]) -> Any:
        if self._waiter is None:
            self._waiter = Waiter()
        return self._waiter.wait(pending)

    def _observation(self) -> Any:
        if self.observation_kind == "features" and self._senses is not None:
            return self._senses.features(self.learner)
        return self.turns.observe(self.learner)

    def _info(self) -> dict[str, Any]:
        if self.action_kind == "discrete":
            return {"action_mask": self.turns.action_mask(self.learner)}
        name = self.learner
        # Plain values: what comes after a step is kept in buffers and compared by Gymnasium's tools.
        found = self.turns.legal(name)
        legal = {tool: [dict(arguments) for arguments in calls] for tool, calls in found.items()}
        return {"legal": legal, "action_mask": legal, "view": self.turns.view(name).to_dict()}

    def action_masks(self) -> Any:
        """Returns the learner's legal indices, ``bool`` of shape (``SIZE``,), as sb3-contrib asks for them."""
        return self.turns.action_mask(self.learner).astype(bool)

    def call_of(self, index: int) -> dict[str, Any]:
        """Returns the tool call that an index of the menu stands for in the learner's present turn."""
        return self.turns.call_of(self.learner, index)

    def index_of(self, call: dict[str, Any]) -> int | None:
        """Returns the legal index that stands for a call in the learner's present turn, or None if there is none."""
        return self.turns.index_of(self.learner, call)

    @property
    def episode_seed(self) -> int:
        """Seed of the running episode."""
        return self.turns.episode_seed

    def verdict(self) -> Verdict:
        """Returns how far the team has come."""
        return self.turns.verdict()

    def render(self) -> Any:
        """Returns or prints where everybody is and how far the task has come, as ``AgentWorldEnv.render`` does."""
        return self.turns.render()

    def close(self) -> None:
        """Closes what the team-mates' policy has opened."""
        close = getattr(self.mates, "close", None)
        try:
            if close is not None and not self._closed and inspect.isawaitable(closing := close()):
                self._wait(closing)
        finally:
            self._closed = True
            if self._waiter is not None:
                self._waiter.close()
                self._waiter = None
