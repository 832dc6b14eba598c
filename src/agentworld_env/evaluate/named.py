"""Policies by name. Each is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from agentworld_env.errors import (
    AgentWorldError,
    UnknownNameError,
    broken_entry_point,
    load_entry_point,
)
from agentworld_env.models.endpoints import PRESETS, installed_endpoint
from agentworld_env.policies.protocol import Policy, as_policy

_FACTORIES = {
    "idle": "agentworld_env.policies.idle:IdlePolicy",
    "random": "agentworld_env.policies.random_play:RandomPolicy",
    "random_flat": "agentworld_env.policies.random_play:random_flat",
    "scripted": "agentworld_env.policies.scripted:ScriptedPolicy",
    "human": "agentworld_env.policies.human:HumanPolicy",
    "planner": "agentworld_env.planner:PlannerPolicy",
}
"""Name -> ``module:attribute`` of what makes the policy."""

_PROVIDERS = (*PRESETS, "local")
_OWN = ("python:FILE.py:NAME", "python:MODULE:NAME")
_FORMS = ("replay:FILE", *_OWN, "local:URL#MODEL", *(f"{provider}:MODEL" for provider in PRESETS))


def is_model(name: str) -> bool:
    """Returns whether a policy's name is that of a language model."""
    kind, colon, _ = name.partition(":")
    return bool(colon) and (kind in _PROVIDERS or installed_endpoint(kind) is not None)


def answers_at_once(name: str) -> bool:
    """Returns whether a policy's name is one of the package's own that are never waited for."""
    return name in _FACTORIES or name.startswith("replay:")


def policy_names() -> tuple[str, ...]:
    """Returns every name that ``policy_by_name`` takes; capitals stand for what the user fills in."""
    return (*_FACTORIES, *_FORMS)


def anchored_name(name: str) -> str:
    """Returns a policy's name with the path of its file made absolute, so that it names the same policy everywhere."""
    kind, _, rest = name.partition(":")
    if kind == "replay" and rest:
        return f"replay:{Path(rest).resolve()}"
    if kind == "python":
        from agentworld_env.evaluate.own import anchored

        return f"python:{anchored(rest)}"
    return name


ENTRY_POINTS = "agentworld_env.policies"
"""Entry-point group in which other packages offer policies: a kind -> a function from what follows the colon."""


def policy_by_name(name: str) -> Policy:
    """Returns a new policy.

    Args:
        name: ``planner``, ``scripted``, ``random``, ``random_flat``, ``idle`` or ``human``; ``provider:model`` or
            ``local:URL#model`` for a language model; ``replay:FILE`` for the calls of a record;
            ``python:FILE.py:NAME`` or ``python:MODULE:NAME`` for a policy of one's own; or a kind that an installed
            package offers.

    Raises:
        UnknownNameError: There is no such policy; the nearest names are offered.
        AgentWorldError: The policy cannot be made, such as a model without its key.
    """
    kind, colon, rest = name.partition(":")
    if colon and kind == "replay":
        from agentworld_env.episodes import read_episode
        from agentworld_env.policies.replay import ReplayPolicy

        return ReplayPolicy(read_episode(rest))
    if colon and kind == "python":
        from agentworld_env.evaluate.own import own_policy

        return own_policy(rest)
    if is_model(name):
        from agentworld_env.policies.llm import LLMPolicy

        return LLMPolicy(name)
    place = _FACTORIES.get(name)
    if place is None:
        for point in entry_points(group=ENTRY_POINTS, name=kind):
            return _offered(point, rest)
        if colon and kind not in _FACTORIES:
            # What stands in front of the colon is what can be mistyped; behind it is a name of somebody else's.
            raise UnknownNameError(
                "model provider or kind of policy", kind, (*_PROVIDERS, "replay", "python")
            )
        raise UnknownNameError("policy", name, policy_names())
    module, attribute = place.split(":")
    factory = cast(Callable[[], Policy], getattr(import_module(module), attribute))
    return factory()


def _offered(point: Any, rest: str) -> Policy:
    make = load_entry_point(point, "policy")
    try:
        made = make(rest)
    except AgentWorldError:
        raise
    except (Exception, SystemExit) as error:  # whatever another package does
        raise broken_entry_point(point, "policy", error) from error
    return as_policy(made)
