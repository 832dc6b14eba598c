"""Pictures of the world, drawn with pillow, which is loaded only when a picture is asked for."""

from __future__ import annotations

from agentworld_env.draw.map import world_map
from agentworld_env.draw.scene import scene

__all__ = ["scene", "world_map"]
