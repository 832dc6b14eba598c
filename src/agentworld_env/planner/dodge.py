"""Walking round mobs that would notice an agent and stop it."""

from __future__ import annotations

from agentworld_env.planner.jobs import Tile
from agentworld_env.sim import Simulation
from agentworld_env.sim.movement import notices
from agentworld_env.world.geometry import manhattan
from agentworld_env.world.walk import Walk

_ASIDE = (16, -16, 32, -32)
"""How far to the side a detour may lead (tiles)."""
_FORTH = (1, 2, 3)
"""Quarters of the direct walk beside which a detour may lead."""
_WORTH = 12
"""Tiles that a detour must gain."""


def free_steps(sim: Simulation, agent: int, way: Walk) -> int:
    """Returns how many steps of a walk an agent takes before a mob notices it; all of them if none does."""
    if sim.state.round <= 1:
        return way.length
    xs = [corner[0] for corner in way.corners]
    ys = [corner[1] for corner in way.corners]
    margin = sim.notice_margin
    numbers = set(
        sim.world.aggressive_in_box(min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)
    )
    numbers.update(sim.named.values(), sim.state.mobs)
    best = way.length
    for number in numbers:
        mob = sim.state.mobs.get(number)
        if (mob is not None and (mob.dead_until or mob.target >= 0)) or not notices(
            sim, agent, sim.spec(number)
        ):
            continue
        step = way.first_near(
            *((mob.x, mob.y) if mob is not None else sim.home(number)), sim.spec(number).aggro
        )
        if step is not None:
            best = min(best, max(step, 1))
    return best


def detour(sim: Simulation, agent: int, goal: Tile) -> Tile:
    """Returns where to walk in order to get to a goal: the goal itself, or a tile that leads round a mob.

    Args:
        sim: The simulation.
        agent: Who walks.
        goal: A tile that it can walk to.
    """
    me = sim.state.agents[agent]
    paths, limit = sim.world.paths, sim.rules.path_limit
    way = paths.walk(me.x, me.y, *goal, limit)
    if way is None or not way.length:
        return goal
    free = free_steps(sim, agent, way)
    if free >= way.length:
        return goal
    best, choice = manhattan(*way.at(free), *goal) - _WORTH, goal
    end = way.end
    along_x = abs(end[0] - me.x) >= abs(end[1] - me.y)
    for quarter in _FORTH:
        x, y = way.at(way.length * quarter // 4)
        for aside in _ASIDE:
            tile = (x, y + aside) if along_x else (x + aside, y)
            if not sim.world.is_walkable(*tile) or not paths.connected(me.x, me.y, *tile):
                continue
            other = paths.walk(me.x, me.y, *tile, limit)
            if other is None or not other.length:
                continue
            left = manhattan(*other.at(free_steps(sim, agent, other)), *goal)
            if left < best:
                best, choice = left, tile
    return choice
