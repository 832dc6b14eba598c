"""Making environments: the one call that most users need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.interface import ACTIONS, OBSERVATIONS, ActionKind, ObservationKind
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.parallel import ParallelAgentWorldEnv
from agentworld_env.env.shaping import Shaping
from agentworld_env.tasks import resolve

if TYPE_CHECKING:
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
        reward: ``progress`` (change of PSR), ``sparse`` (1 on success), or ``shaped``: progress, and in every round the
            change of a potential, how much of the planner's plan is done.
        observation: ``text``, or ``features``: a dict of NumPy arrays of the same shapes for all tasks.
        action: ``tool``: calls as ``{"tool": name, "arguments": {...}}``; or ``discrete``: an index of a fixed menu,
            with a mask of the legal ones.
        api: ``aec``: PettingZoo's turn-based interface; or ``parallel``: all agents act at once, round by round.
        render_mode: ``ansi``, ``human`` or None.
        discount: The learner's discount per round, 0 to 1, for ``shaped`` only; 1 if it is left out.

    Raises:
        AgentWorldError: The task or setting does not exist, the task file says something wrong, or a task cannot be
            seen as numbers.
        ValueError: Another argument has none of its valid values.
    """
    given = {"observation": observation, "action": action, "api": api, "reward": reward}
    for name, value in given.items():
        if value not in _CHOICES[name]:
            raise ValueError(f"{name} must be {' or '.join(map(repr, _CHOICES[name]))}, not {value!r}")
    if discount is not None and reward != "shaped":
        raise ValueError(f"discount goes with reward='shaped', not with {reward!r}")
    found, plan, shaping = resolve(task), None, None
    if setting is not None and "shared_plan" in setting:
        from agentworld_env.evaluate.shared import shared_plan

        plan = shared_plan(found, setting)
    if reward == "shaped":
        from agentworld_env.planner.potential import plan_potential

        shaping = Shaping(plan_potential, 1.0 if discount is None else discount)
    base: Literal["progress", "sparse"] = "sparse" if reward == "sparse" else "progress"
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
