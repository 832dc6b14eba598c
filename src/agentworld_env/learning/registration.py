"""Entering tasks into the registries of PettingZoo and Gymnasium. Nothing is made before it is asked for."""

from __future__ import annotations

from agentworld_env._version import NAME, RULES_VERSION
from agentworld_env.tasks import list_tasks


def register() -> tuple[str, ...]:
    """Registers every task with PettingZoo (``aec`` and ``parallel``) and with Gymnasium (one learner).

    The version at the end of an id is that of the rules; without it the registries take the newest:

    - ``pettingzoo.make("aec", "agentworld/t01_magic_staff", observation="features", action="discrete")``
    - ``gymnasium.make("agentworld/t01_magic_staff-v1", learner="wizard", mates="planner")``

    Further arguments are those of ``agentworld_env.make`` and ``agentworld_env.gym_env``. Calling it again changes
    nothing.

    Returns:
        The ids.
    """
    import gymnasium
    import pettingzoo

    ids = []
    for info in list_tasks():
        name = f"{NAME}/{info.id}-v{RULES_VERSION}"
        ids.append(name)
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, "agentworld_env.facade:make", kwargs={"task": info.id})
        if name not in pettingzoo.parallel_registry:
            kwargs = {"task": info.id, "api": "parallel"}
            pettingzoo.register("parallel", name, "agentworld_env.facade:make", kwargs=kwargs)
        if name not in gymnasium.registry:
            # The task counts its rounds itself, and what its observations may be has been tested.
            gymnasium.register(
                name, "agentworld_env.facade:gym_env", kwargs={"task": info.id}, disable_env_checker=True
            )
    return tuple(ids)
