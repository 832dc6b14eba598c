"""A PettingZoo benchmark for long-horizon collaboration of blackbox agents.

Everything public loads when it is first asked for, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentworld_env._version import __version__

if TYPE_CHECKING:
    from agentworld_env.errors import AgentWorldError, RecordWarning
    from agentworld_env.evaluate import run_episode, run_episode_async, run_evaluation, run_evaluation_async
    from agentworld_env.facade import gym_env, make, vector
    from agentworld_env.learning.registration import register
    from agentworld_env.policies.discrete import DiscretePolicy
    from agentworld_env.policies.mixed import MixedPolicy
    from agentworld_env.report.replay import replay
    from agentworld_env.tasks import list_tasks, load_task

__all__ = [
    "AgentWorldError",
    "DiscretePolicy",
    "MixedPolicy",
    "RecordWarning",
    "__version__",
    "gym_env",
    "list_tasks",
    "load_task",
    "make",
    "register",
    "replay",
    "run_episode",
    "run_episode_async",
    "run_evaluation",
    "run_evaluation_async",
    "vector",
]

_HOMES = {
    "AgentWorldError": "agentworld_env.errors",
    "DiscretePolicy": "agentworld_env.policies.discrete",
    "MixedPolicy": "agentworld_env.policies.mixed",
    "RecordWarning": "agentworld_env.errors",
    "list_tasks": "agentworld_env.tasks",
    "load_task": "agentworld_env.tasks",
    "gym_env": "agentworld_env.facade",
    "make": "agentworld_env.facade",
    "register": "agentworld_env.learning.registration",
    "replay": "agentworld_env.report.replay",
    "run_episode": "agentworld_env.evaluate",
    "run_episode_async": "agentworld_env.evaluate",
    "run_evaluation": "agentworld_env.evaluate",
    "run_evaluation_async": "agentworld_env.evaluate",
    "vector": "agentworld_env.facade",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
