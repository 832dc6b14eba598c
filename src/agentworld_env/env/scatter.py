"""Random start tiles, for the setting that takes the arranged ones away."""

from __future__ import annotations

from agentworld_env.sim import Simulation
from agentworld_env.sim import randomness as rng
from agentworld_env.world.geometry import HEIGHT, WIDTH

MARGIN = 64
"""The box that holds the team's starts is widened by so many tiles on each side."""

ATTEMPTS = 512
"""So many tiles are tried for an agent; on land so narrow that none of them will do it stays at its start."""


def scatter(sim: Simulation) -> None:
    """Moves the agents of a fresh episode to random tiles of the widened box that a walk connects to their starts.

    Args:
        sim: The simulation right after ``reset``; its seed decides the tiles.
    """
    starts = sim.setup.agents
    left = max(0, min(start.x for start in starts) - MARGIN)
    top = max(0, min(start.y for start in starts) - MARGIN)
    wide = min(WIDTH - 1, max(start.x for start in starts) + MARGIN) - left + 1
    high = min(HEIGHT - 1, max(start.y for start in starts) + MARGIN) - top + 1
    for i, (start, agent) in enumerate(zip(starts, sim.state.agents, strict=True)):
        for attempt in range(ATTEMPTS):
            cell = rng.below(wide * high, rng.draw(sim.state.seed, rng.SCATTER, i, attempt))
            x, y = left + cell % wide, top + cell // wide
            if sim.world.paths.connected(start.x, start.y, x, y):
                agent.x, agent.y = x, y
                break
