"""Making environments: the one call that most users need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agentworld_env.env import AgentWorldEnv
from agentworld_env.variants import resolve

if TYPE_CHECKING:
    from agentworld_env.tasks import Task

_CHOICES = {"observation": ("text",), "action": ("tool",), "api": ("aec",)}


def make(
    task: str | Path | Task,
    *,
    setting: str | None = None,
    reward: Literal["progress", "sparse"] = "progress",
    observation: str = "text",
    action: str = "tool",
    api: str = "aec",
    render_mode: str | None = None,
) -> AgentWorldEnv:
    """Returns an environment for a task.

    Args:
        task: The id of a task, the path of a task file, or a task.
        setting: Name of a setting, or several joined by ``+``; None means ``default``.
        reward: ``progress`` (change of PSR) or ``sparse`` (1 on success).
        observation: ``text``.
        action: ``tool``: calls as ``{"tool": name, "arguments": {...}}``.
        api: ``aec``: PettingZoo's turn-based interface.
        render_mode: ``ansi``, ``human`` or None.

    Raises:
        AgentWorldError: The task or setting does not exist, or the task file says something wrong.
        ValueError: Another argument has none of its valid values.
    """
    for name, given in (("observation", observation), ("action", action), ("api", api)):
        valid = _CHOICES[name]
        if given not in valid:
            raise ValueError(f"{name} must be {' or '.join(map(repr, valid))}, not {given!r}")
    found, plan = resolve(task), None
    if setting is not None and "shared_plan" in setting:
        from agentworld_env.evaluate.shared import shared_plan

        plan = shared_plan(found, setting)
    return AgentWorldEnv(found, setting=setting, reward=reward, render_mode=render_mode, plan=plan)
