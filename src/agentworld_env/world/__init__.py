"""The immutable world: terrain, kinds of things, and where everything stands."""

from __future__ import annotations

from agentworld_env.world.load import load_world
from agentworld_env.world.world import World

__all__ = ["World", "load_world"]
