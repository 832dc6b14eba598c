"""Making environments: the one call that most users need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from agentworld_env.env import AgentWorldEnv, setting_by_name
from agentworld_env.env.interface import ACTIONS, OBSERVATIONS, ActionKind, ObservationKind
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.parallel import ParallelAgentWorldEnv
from agentworld_env.env.shaping import Shaping
from agentworld_env.errors import InvalidValueError, quoted
from agentworld_env.variants import resolve

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from agentworld_env.learning.gym_env import GymAgentWorldEnv
    from agentworld_env.learning.vector import TeamVectorEnv
    from agentworld_env.policies.protocol import BarePolicy
    from agentworld_env.tasks import Task

Reward = Literal["progress", "sparse", "shaped"]
_CHOICES = {
    "observation": OBSERVATIONS,
    "action": ACTIONS,
    "api": ("aec", "parallel"),
    "reward": ("progress", "sparse", "shaped"),
}


@overload
def make(
    task: str | Path | Task,
    *,
    setting: str | None = None,
    reward: Reward = "progress",
    observation: ObservationKind = "text",
    action: ActionKind = "tool",
    api: Literal["aec"] = "aec",
    render_mode: str | None = None,
    discount: float | None = None,
) -> AgentWorldEnv: ...


@overload
def make(
    task: str | Path | Task,
    *,
    setting: str | None = None,
    reward: Reward = "progress",
    observation: ObservationKind = "text",
    action: ActionKind = "tool",
    api: Literal["parallel"],
    render_mode: str | None = None,
    discount: float | None = None,
) -> ParallelAgentWorldEnv: ...


def make(
    task: str | Path | Task,
    *,
    setting: str | None = None,
    reward: Reward = "progress",
    observation: ObservationKind = "text",
    action: ActionKind = "tool",
    api: Literal["aec", "parallel"] = "aec",
    render_mode: str | None = None,
    discount: float | None = None,
) -> AgentWorldEnv | ParallelAgentWorldEnv:
    """Returns an environment for a task.

    Args:
        task: The id of a task, the path of a task file, or a task.
        setting: Name of a setting, or several joined by ``+``; None means ``default``.
        reward: ``progress`` (change of PSR), ``sparse`` (1 on success), or ``shaped``: progress, and in every step the
            change of a potential, how much of the planner's plan is done.
        observation: ``text``, or ``features``: a dict of NumPy arrays of the same shapes for all tasks.
        action: ``tool``: calls as ``{"tool": name, "arguments": {...}}``; or ``discrete``: an index of a fixed menu,
            with a mask of the legal ones.
        api: ``aec``: PettingZoo's turn-based interface; or ``parallel``: all agents act at once, round by round.
        render_mode: ``ansi``, ``human``, ``rgb_array`` (needs the extra ``draw``) or None.
        discount: The learner's discount per step, 0 to 1, for ``shaped`` only; 1 if it is left out.

    Raises:
        AgentWorldError: The task or setting does not exist, the task file says something wrong, or a task cannot be
            seen as numbers.
        ValueError: Another argument has none of its valid values.
    """
    _check(observation=observation, action=action, api=api, reward=reward)
    found = resolve(task)
    plan, shaping, base = _plan(found, setting), _shaping(reward, discount), _base(reward)
    if api == "parallel":
        return ParallelAgentWorldEnv(
            found,
            setting=setting,
            reward=base,
            observation=observation,
            action=action,
            shaping=shaping,
            render_mode=render_mode,
            plan=plan,
        )
    if observation == "text" and action == "tool" and shaping is None:
        return AgentWorldEnv(found, setting=setting, reward=base, render_mode=render_mode, plan=plan)
    return LearningEnv(
        found,
        setting=setting,
        reward=base,
        observation=observation,
        action=action,
        shaping=shaping,
        render_mode=render_mode,
        plan=plan,
    )


def vector(
    task: str | Path | Task | Sequence[str | Path | Task],
    n: int,
    *,
    processes: int = 0,
    setting: str | None = None,
    reward: Reward = "progress",
    discount: float | None = None,
    autoreset: Literal["next_step", "same_step", "disabled"] | AutoresetMode = "next_step",
    copy: bool = True,
) -> TeamVectorEnv:
    """Returns many episodes, played side by side, as one Gymnasium vector environment of agents.

    Args:
        task: A task as for ``make``, or several, which the episodes play in turns.
        n: Episodes played at once, at least one for each task; the vector environment has a slot for each of their
            agents.
        processes: Processes that share them, besides this one; 0 plays them here.
        setting: As for ``make``.
        reward: As for ``make``.
        discount: As for ``make``.
        autoreset: What follows an episode's end; Gymnasium's modes, by these names or as ``AutoresetMode``.
        copy: Whether observations are returned in new arrays; otherwise the next step overwrites them.

    Raises:
        AgentWorldError: A task or the setting does not exist, or a task cannot be seen as numbers.
        ValueError: Another argument has none of its valid values.
    """
    from agentworld_env.learning.vector import TeamVectorEnv

    _check(reward=reward)
    several = task if isinstance(task, Sequence) and not isinstance(task, str) else [task]
    tasks = [resolve(each) for each in several]
    if not tasks:
        raise InvalidValueError("vector() needs at least one task")
    return TeamVectorEnv(
        tasks,
        n,
        processes=processes,
        setting=setting,
        reward=_base(reward),
        shaping=_shaping(reward, discount),
        plans=[_plan(each, setting) for each in tasks],
        autoreset=autoreset,
        copy=copy,
    )


def gym_env(
    task: str | Path | Task,
    *,
    learner: str | None = None,
    mates: BarePolicy | str = "planner",
    setting: str | None = None,
    reward: Reward = "progress",
    observation: ObservationKind = "features",
    action: ActionKind = "discrete",
    render_mode: str | None = None,
    discount: float | None = None,
) -> GymAgentWorldEnv:
    """Returns a task as a Gymnasium environment: one agent learns, a policy plays the others.

    Args:
        task: As for ``make``.
        learner: Which agent learns; the first if None.
        mates: The others' policy, or its name: ``planner``, ``scripted``, ``random``, ``idle`` or any other.
        setting: As for ``make``.
        reward: As for ``make``.
        observation: ``features``, a flat dict of arrays, or ``text``.
        action: ``discrete`` or ``tool``.
        render_mode: ``ansi``, ``human``, ``rgb_array`` (needs the extra ``draw``) or None.
        discount: As for ``make``.

    Raises:
        AgentWorldError: The task, setting, learner or policy does not exist, or a task cannot be seen as numbers.
        ValueError: Another argument has none of its valid values.
    """
    from agentworld_env.evaluate import policy_by_name
    from agentworld_env.learning.gym_env import GymAgentWorldEnv

    _check(observation=observation, action=action, reward=reward)
    found = resolve(task)
    return GymAgentWorldEnv(
        found,
        learner=learner,
        mates=policy_by_name(mates) if isinstance(mates, str) else mates,
        setting=setting,
        reward=_base(reward),
        observation=observation,
        action=action,
        shaping=_shaping(reward, discount),
        render_mode=render_mode,
        plan=_plan(found, setting),
    )


def _check(**given: str) -> None:
    for name, value in given.items():
        if value not in _CHOICES[name]:
            raise InvalidValueError(
                f"{name} must be {' or '.join(map(repr, _CHOICES[name]))}, not {quoted(value)}"
            )


def _base(reward: str) -> Literal["progress", "sparse"]:
    return "sparse" if reward == "sparse" else "progress"


def _shaping(reward: str, discount: float | None) -> Shaping | None:
    if reward != "shaped":
        if discount is not None:
            raise InvalidValueError(f"discount goes with reward='shaped', not with {quoted(reward)}")
        return None
    from agentworld_env.planner.potential import plan_potential

    return Shaping(plan_potential, 1.0 if discount is None else discount)


def _plan(task: Task, setting: str | None) -> str | None:
    if not setting_by_name(setting).has("shared_plan"):
        return None
    assert setting is not None
    from agentworld_env.evaluate.shared import shared_plan

    return shared_plan(task, setting)
