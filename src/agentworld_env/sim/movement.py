"""Walking, being noticed on the way, and portals."""

from __future__ import annotations

from typing import NamedTuple

from agentworld_env.sim.events import Moved, Need, Result, Travelled, fail
from agentworld_env.sim.mobspec import MobSpec
from agentworld_env.sim.simulation import Simulation
from agentworld_env.world.geometry import HEIGHT, WIDTH, manhattan
from agentworld_env.world.paths import Walk


class Outcome(NamedTuple):
    """How a walk ended.

    Attributes:
        steps: Tiles walked.
        reached: Whether the agent is as near the goal as asked.
        noticed: Id of the mob that noticed the agent and stopped it, or empty.
    """

    steps: int
    reached: bool
    noticed: str


def walk(sim: Simulation, agent: int, x: int, y: int, within: int, *, ignore: int = -1) -> Outcome:
    """Walks an agent towards a tile, as far as one call allows, and logs the walk.

    Args:
        sim: The simulation.
        agent: Index of the agent.
        x: Column of the goal.
        y: Row of the goal.
        within: How near is near enough (tiles).
        ignore: Index of a mob whose notice does not stop the walk.
    """
    me = sim.state.agents[agent]
    if abs(me.x - x) + abs(me.y - y) <= within and (within or sim.world.is_walkable(x, y)):
        return Outcome(0, True, "")
    way = sim.world.paths.walk(me.x, me.y, x, y, sim.rules.path_limit, within)
    if way is None or way.length == 0:
        return Outcome(0, way is not None and way.reached, "")
    steps = way.length
    mob = -1
    if sim.state.round > sim.rules.calm_rounds:
        steps, mob = _first_notice(sim, agent, way, ignore)
    end = way.end if steps == way.length else way.at(steps)
    noticed = sim.spec(mob).id if mob >= 0 else ""
    reached = way.reached and steps == way.length
    stopped = noticed or ("" if reached else "limit" if steps >= sim.rules.path_limit else "blocked")
    sim.log(
        Moved(
            sim.state.actions,
            sim.state.round,
            (),
            sim.names[agent],
            me.x,
            me.y,
            end[0],
            end[1],
            steps,
            stopped,
        )
    )
    sim.place(agent, *end)
    if mob >= 0:
        sim.touch(mob).target = agent
    return Outcome(steps, reached, noticed)


def notices(sim: Simulation, agent: int, spec: MobSpec) -> bool:
    """Returns whether a mob of these figures picks a fight with an agent that walks by within its ``aggro`` tiles.

    One of temper ``no`` never does, one of temper ``yes`` spares agents whose combat level exceeds ``temper_factor``
    times its own, one of temper ``always`` spares nobody. Being noticed ends the walk on that tile, and the mob is
    after the agent from then on. Who stands still is not noticed (own choice: a place that nobody seeks needs no
    defence, and waiting for others is safe).
    """
    if spec.temper == "no":
        return False
    return spec.temper == "always" or sim.levels[agent] <= sim.rules.temper_factor * spec.level


def _first_notice(sim: Simulation, agent: int, way: Walk, ignore: int) -> tuple[int, int]:
    """Returns the step at which the walk ends and the mob that stops it, or (length, -1)."""
    xs, ys = zip(*way.corners, strict=True)
    margin = sim.notice_margin
    box = (min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)
    touched, homes = sim.state.mobs, sim.homes
    best, by = way.length + 1, -1
    for number in (*sim.world.aggressive_in_box(*box), *sim.named.values()):
        if number in touched or number == ignore:
            continue
        spec = sim.spec(number)
        if notices(sim, agent, spec):
            home_x, home_y = homes.get(number) or sim.home(number)
            step = way.first_near(home_x, home_y, spec.aggro)
            if step is not None and (max(step, 1), number) < (best, by):
                best, by = max(step, 1), number
    # Mobs that were drawn away from home are noticed where they are.
    for number in sim.whereabouts.mobs(*box):
        mob = touched[number]
        if mob.dead_until or mob.target >= 0 or number == ignore:
            continue
        spec = sim.spec(number)
        if notices(sim, agent, spec):
            step = way.first_near(mob.x, mob.y, spec.aggro)
            if step is not None and (max(step, 1), number) < (best, by):
                best, by = max(step, 1), number
    return (way.length, -1) if by < 0 else (best, by)


def move(sim: Simulation, agent: int, x: int, y: int) -> Result:
    """The tool ``move_character``: walks towards a tile, at most ``Rules.path_limit`` tiles of path."""
    if not (0 <= x < WIDTH and 0 <= y < HEIGHT):
        return fail(
            "outside_map",
            f"({x}, {y}) lies outside the map",
            f"x must be 0..{WIDTH - 1} and y 0..{HEIGHT - 1}",
        )
    me = sim.state.agents[agent]
    if (me.x, me.y) == (x, y):
        return fail("already_there", "you already stand there")
    outcome = walk(sim, agent, x, y, 0)
    if not outcome.steps:
        return fail("no_way", f"there is no way from here towards ({x}, {y})", "try another direction")
    return Result(True, needs=(Need(sim.names[agent], me.x, me.y, sim.rules.path_limit),))


def enter_portal(sim: Simulation, agent: int) -> Result:
    """The tool ``enter_portal``: goes through the nearest portal within reach."""
    me = sim.state.agents[agent]
    best = None
    for portal in sim.world.portals.values():
        distance = manhattan(me.x, me.y, portal.x, portal.y)
        if distance <= sim.rules.portal_reach and (best is None or (distance, portal.id) < best[:2]):
            best = (distance, portal.id, portal)
    if best is None:
        return fail(
            "no_portal", f"no portal within {sim.rules.portal_reach} tiles", "move next to a portal first"
        )
    portal = best[2]
    sim.log(
        Travelled(
            sim.state.actions,
            sim.state.round,
            (),
            sim.names[agent],
            portal.id,
            me.x,
            me.y,
            portal.to_x,
            portal.to_y,
        )
    )
    need = Need(sim.names[agent], portal.x, portal.y, sim.rules.portal_reach)
    sim.place(agent, portal.to_x, portal.to_y)
    return Result(True, needs=(need,))
