"""The plan that the setting ``shared_plan`` gives to a whole team."""

from __future__ import annotations

from functools import lru_cache

from agentworld_env.env import AgentWorldEnv, setting_by_name
from agentworld_env.tasks import Task


def shared_plan(task: Task, setting: str | None) -> str | None:
    """Returns the planner's plan for a task in words, or None if the setting gives none.

    It is made for the start of seed 0 and is therefore the same in every episode of the task: where the start is moved
    by the seed, it is a plan as people would write it beforehand.

    Args:
        task: The task.
        setting: Name of the setting.
    """
    chosen = setting_by_name(setting)
    return _plan(task, chosen.name) if chosen.has("shared_plan") else None


@lru_cache(maxsize=256)
def _plan(task: Task, setting: str) -> str:
    from agentworld_env.planner import Team, make_plan, plan_text

    env = AgentWorldEnv(task, setting=setting)
    env.reset(seed=0)
    plan = make_plan(env.task.spec, Team(env.sim, tuple(range(len(env.sim.names)))))
    return plan_text(plan, env.sim.names, env.task.world)
