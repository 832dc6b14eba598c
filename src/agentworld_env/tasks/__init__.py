"""Tasks: what a task file may say, reading such files, the list of tasks, and the guides of the roles.

Listing tasks reads a small index; the schema, the world and the template engine load only when a task is
opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentworld_env.tasks.registry import TaskInfo, get_task, list_tasks, resolve

if TYPE_CHECKING:
    from agentworld_env.tasks.load import load_task
    from agentworld_env.tasks.task import Task

__all__ = ["Task", "TaskInfo", "get_task", "list_tasks", "load_task", "resolve"]


def __getattr__(name: str) -> Any:
    if name == "Task":
        from agentworld_env.tasks.task import Task

        return Task
    if name == "load_task":
        from agentworld_env.tasks.load import load_task

        return load_task
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
