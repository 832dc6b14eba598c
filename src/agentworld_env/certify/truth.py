"""Checks that the guides tell the team what it needs: nothing the plan uses is kept from everybody."""

from __future__ import annotations

import re

from agentworld_env.certify.play import Played
from agentworld_env.certify.problem import Path, Problem, point_path
from agentworld_env.errors import hint
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import (
    Built,
    Delivered,
    Discovered,
    HeldForRounds,
    Killed,
    PresentTogether,
    Visited,
)
from agentworld_env.world.geometry import manhattan

_ID = re.compile(r"\b[a-z][a-z0-9]*(?:-[a-z0-9]+)*-\d+\b")
"""What looks like the id of a mob, node or spawn."""


def guide_problems(task: Task, sim: Simulation, played: Played) -> list[Problem]:
    """Returns what the plan uses and no guide names, and what texts name in vain: places out of reach, unknown ids.

    Args:
        task: The task.
        sim: A simulation of its set-up.
        played: The planner's episode.
    """
    problems = _unreachable(task, sim)
    problems += _untold(task, sim)
    problems += _not_there(task, sim)
    guides = [role.guide for role in task.spec.team.values()]
    nodes = {key for guide in guides for key in guide.nodes}
    recipes = {key for guide in guides for key in guide.recipes}
    mobs = {key for guide in guides for key in guide.mobs}
    # Mobs that are only in the way need no mention.
    prey = {point.mob for point in task.spec.checkpoints if isinstance(point, Killed)}
    prey.update(
        kind.key
        for kind in sim.world.mob_kinds.values()
        if {d.item for d in kind.drops} & set(task.spec.sources)
    )
    seen: dict[str, None] = {}
    for event in played.env.sim.state.events:
        match event:
            case ev.Harvested():
                node = sim.world.nodes[sim.world.node_index[event.node]]
                if node.kind not in nodes:
                    seen[f"no guide names the resource {node.kind}"] = None
                if not _near_a_landmark(task, sim, node.x, node.y):
                    seen[f"no guide names a place near {event.node} ({node.x}, {node.y})"] = None
            case ev.Crafted() if event.item not in recipes:
                seen[f"no guide names the recipe for {event.item}"] = None
            case ev.Killed() if {event.mob, event.kind} & prey and not {event.mob, event.kind} & mobs:
                seen[f"no guide names the mob {event.mob}"] = None
            case _:
                pass
    return problems + [Problem("untold", said, ("team",)) for said in seen]


def guide_notes(task: Task) -> list[str]:
    """Returns what is worth knowing about the guides and wrong in no way: that they all say the same."""
    guides = [role.guide for role in task.spec.team.values()]
    if len(guides) > 1 and all(guide == guides[0] for guide in guides):
        return ["all roles have the same guide: nobody needs to be told anything that another knows"]
    return []


def _not_there(task: Task, sim: Simulation) -> list[Problem]:
    """Returns the ids in prose, such as rat-0003, that nothing in the task's world has."""
    world, spec = sim.world, task.spec
    ids = [*world.node_index, *world.mob_index, *sim.mentioned, *world.portals, *world.places]
    there = set(ids)
    kinds = {*world.mob_kinds, *world.node_kinds, *(re.sub(r"-\d+$", "", key) for key in world.named_spawns)}
    texts: list[tuple[str, Path, str]] = [("the objective names", ("objective",), spec.objective)]
    texts += [
        (f"the text of {name} names", ("team", name), f"{r.about} {r.guide.notes}")
        for name, r in spec.team.items()
    ]
    return [
        Problem("not_there", f"{where} {said}, which is not there{hint(said, ids, 1)}", path)
        for where, path, text in texts
        for said in dict.fromkeys(_ID.findall(text.lower()))
        if said not in there and (re.search(r"-\d{4}$", said) or re.sub(r"-\d+$", "", said) in kinds)
    ]


def _near_a_landmark(task: Task, sim: Simulation, x: int, y: int) -> bool:
    """Whether a tile can be seen from a start or a place that some guide names, or lies inside such a place."""
    sight = sim.rules.sight_nodes
    for name, role in task.spec.team.items():
        if manhattan(x, y, *role.start) <= sight:
            return True
        if any(manhattan(x, y, px, py) <= sight for _, px, py in task.landmarks(name)):
            return True
        for key in role.guide.places:
            place = sim.world.places[key]
            if place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1:
                return True
    return False


def _untold(task: Task, sim: Simulation) -> list[Problem]:
    """Returns the places that checkpoints ask for and that nothing the team is told lies near.

    A tile counts as told if a start or a place of some guide is in sight of it, or if its numbers stand in some text.
    """
    spec = task.spec
    tiles: dict[str, tuple[int, int]] = {}
    for point in spec.checkpoints:
        if isinstance(point, Visited | PresentTogether | HeldForRounds):
            place = sim.world.places.get(point.area.place or "")
            tiles[point.label] = point.area.at or ((place.x, place.y) if place is not None else (0, 0))
        elif isinstance(point, Built | Delivered):
            person = sim.people.get(point.site if isinstance(point, Built) else point.to)
            if person is not None and person.id not in _hidden(task):
                tiles[point.label] = (person.x, person.y)
    told = " ".join(
        [spec.objective, *(text for role in spec.team.values() for text in (role.about, role.guide.notes))]
    )
    problems = [
        Problem(
            "untold",
            f"no guide names a place near ({x}, {y}), which {label!r} asks for",
            point_path(spec, label),
        )
        for label, (x, y) in tiles.items()
        if not _near_a_landmark(task, sim, x, y) and not re.search(rf"\b{x}, ?{y}\b", told)
    ]
    problems += _prey_untold(task, sim, told)
    return problems + _raiders_untold(task, sim, told)


def _raiders_untold(task: Task, sim: Simulation, told: str) -> list[Problem]:
    """Returns what the team is not told of its waves: what comes, when, and where."""
    mobs = {key for role in task.spec.team.values() for key in role.guide.mobs}
    problems = []
    for number, wave in enumerate(task.spec.waves, 1):
        x, y = wave.at
        path = ("waves", number - 1)
        if wave.mob not in mobs:
            problems.append(Problem("untold", f"no guide names the mob {wave.mob} of wave {number}", path))
        if not re.search(rf"\brounds? {wave.appears}\b", told, re.IGNORECASE):
            problems.append(
                Problem("wording", f"no text says that wave {number} comes in round {wave.appears}", path)
            )
        if not _near_a_landmark(task, sim, x, y) and not re.search(rf"\b{x}, ?{y}\b", told):
            said = f"no guide names a place near ({x}, {y}), where wave {number} comes from"
            problems.append(Problem("untold", said, path))
    return problems


def _prey_untold(task: Task, sim: Simulation, told: str) -> list[Problem]:
    """Returns the kinds of common mobs to be killed of which none lives near anything the team is told."""
    spots = [(int(x), int(y)) for x, y in re.findall(r"\b(\d{1,4}), ?(\d{1,3})\b", told)]
    sight = sim.rules.sight_mobs
    problems = []
    for i, point in enumerate(task.spec.checkpoints):
        if not isinstance(point, Killed):
            continue
        homes = [(spawn.x, spawn.y) for spawn in sim.world.mob_spawns if spawn.kind == point.mob]
        if homes and not any(
            _near_a_landmark(task, sim, x, y) or any(manhattan(x, y, *spot) <= sight for spot in spots)
            for x, y in homes
        ):
            said = f"no guide names a place near any {point.mob}, which {point.label!r} asks for"
            problems.append(Problem("untold", said, ("checkpoints", i)))
    return problems


def _hidden(task: Task) -> set[str]:
    """Returns what has to be found: no guide may tell where it is."""
    return {point.target for point in task.spec.checkpoints if isinstance(point, Discovered)}


def _unreachable(task: Task, sim: Simulation) -> list[Problem]:
    problems = []
    for name, role in task.spec.team.items():
        for key, x, y in task.landmarks(name):
            if not _reachable(sim, role.start, (x, y)):
                said = f"{name} cannot get to {key} ({x}, {y}), which its guide names"
                problems.append(Problem("unreachable", said, ("team", name, "guide")))
    return problems


def _reachable(sim: Simulation, start: tuple[int, int], goal: tuple[int, int]) -> bool:
    """Whether a tile can be walked to, portals included."""
    paths = sim.world.paths
    known = {start}
    frontier = [start]
    while frontier:
        here = frontier.pop()
        if paths.distance(*here, *goal) is not None:
            return True
        for portal in sim.world.portals.values():
            out = (portal.to_x, portal.to_y)
            if out not in known and paths.distance(*here, portal.x, portal.y) is not None:
                known.add(out)
                frontier.append(out)
    return False
