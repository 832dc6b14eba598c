"""The two questions that a judge is asked, and how an action is put to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from agentworld_env.env import outcome_text
from agentworld_env.episodes import TurnLine
from agentworld_env.metrics.causal.export import said
from agentworld_env.sim.events import Hurt, Said

VERSION = 1
"""Version of the wording; answers to another wording are not taken from the cache."""

_LONGEST = 240
"""Longest outcome that is shown (characters)."""


def describe(line: TurnLine) -> str:
    """Returns an action in one line: ``[id] round r, agent: call -> outcome``.

    Outcomes are told without reference to a reader, so that names mean the same on every line.
    """
    own = [event for event in line.events if event.action == line.action]
    told = [event for event in own if not isinstance(event, Hurt)]
    outcome = " ".join(outcome_text("", line.result, told).split())
    if len(outcome) > _LONGEST:
        outcome = outcome[: _LONGEST - 3] + "..."
    heard = next((event.heard for event in own if isinstance(event, Said)), None)
    if heard is not None:
        outcome += f" ({', '.join(heard) or 'nobody'})"
    return f"[{line.action}] round {line.round}, {line.agent}: {said(line)} -> {outcome}"


def success_question(spec: Mapping[str, Any], actions: Sequence[str]) -> str:
    """Returns the question for the success actions.

    Args:
        spec: The task file as plain data.
        actions: All actions, described.
    """
    return _render(
        "success",
        title=spec["title"],
        objective=_folded(spec["objective"]),
        checkpoints=[_wanted(checkpoint) for checkpoint in spec["checkpoints"]],
        actions=actions,
    )


def sweep_question(
    spec: Mapping[str, Any],
    known: Sequence[str],
    asked: Sequence[str],
    rounds: tuple[int, int],
    *,
    hidden: int = 0,
    window: int | None = None,
) -> str:
    """Returns the question for some rounds of the sweep.

    Args:
        spec: The task file as plain data.
        known: Contributing actions, described.
        asked: The actions to judge, described.
        rounds: First and last round that these are of.
        hidden: So many contributing actions are not shown, being too late.
        window: Rounds after which they are too late.
    """
    first, last = rounds
    return _render(
        "sweep",
        title=spec["title"],
        objective=_folded(spec["objective"]),
        known=known,
        asked=asked,
        span=f"round {first}" if first == last else f"rounds {first} to {last}",
        hidden=hidden,
        window=window,
    )


def again(problem: str) -> str:
    """Returns what is said after an answer that cannot be used."""
    return _render("again", problem=problem)


def _wanted(checkpoint: Mapping[str, Any]) -> str:
    if checkpoint.get("items"):
        return (
            f"{checkpoint['label']} ({', '.join(f'{n} {item}' for item, n in checkpoint['items'].items())})"
        )
    count = checkpoint.get("count")
    return str(checkpoint["label"]) + (f" ({count})" if isinstance(count, int) and count > 1 else "")


def _folded(text: str) -> str:
    return " ".join(text.split())


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("agentworld_env.metrics.judge", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text for a model, no HTML
    )


def _render(name: str, **values: Any) -> str:
    return _environment().get_template(f"{name}.txt.j2").render(**values)
