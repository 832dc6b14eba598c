"""Pictures of the world, drawn with pillow, which is loaded only when a picture is asked for."""

from __future__ import annotations

from agentworld_env.draw.map import world_map

__all__ = ["world_map"]
