"""Which class follows which kind of checkpoint and constraint."""

from __future__ import annotations

from typing import Any

from agentworld_env.verifiers import constraints, counting, standing
from agentworld_env.verifiers.constraints import Watch
from agentworld_env.verifiers.scene import Scene
from agentworld_env.verifiers.several import Several, SeveralHeld
from agentworld_env.verifiers.tracker import Tracker

CHECKPOINTS: dict[str, type[Tracker]] = {
    "gathered": counting.Gathered,
    "crafted": counting.Crafted,
    "killed": counting.Killed,
    "delivered": counting.Delivered,
    "worn": counting.Worn,
    "built": counting.Built,
    "held": standing.Held,
    "visited": standing.Visited,
    "discovered": standing.Discovered,
    "present_together": standing.PresentTogether,
    "held_for_rounds": standing.HeldForRounds,
    "survived_until": standing.SurvivedUntil,
    "python": standing.Python,
}
"""Kind of checkpoint -> class that follows it."""

CONSTRAINTS: dict[str, type[Watch]] = {
    "all_alive": constraints.AllAlive,
    "never_crafted": constraints.NeverCrafted,
}
"""Kind of constraint -> class that watches it."""


def tracker_of(spec: Any, scene: Scene) -> Tracker:
    """Returns what follows a checkpoint.

    Args:
        spec: The checkpoint from the task file.
        scene: The episode.
    """
    kind = CHECKPOINTS[spec.kind]
    if not getattr(spec, "items", None):
        return kind(spec, scene)
    return (Several if kind.latches else SeveralHeld)(spec, scene, kind)
