"""Slightly wrong copies of a task: a certificate must be able to tell each of them from the task itself.

A copy that no episode tells apart means that a threshold, a role or a constraint of the task decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agentworld_env.calls import Call
from agentworld_env.certify.gaps import stretch
from agentworld_env.certify.honesty import kill
from agentworld_env.certify.play import PASS, Tape, play_planner, status
from agentworld_env.certify.problem import Problem
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.turns import step_on
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import (
    AllAlive,
    Area,
    Built,
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    NeverCrafted,
    PresentTogether,
    SurvivedUntil,
    Visited,
    Worn,
)
from agentworld_env.verifiers.standing import discovery_tile
from agentworld_env.world.geometry import manhattan

Tile = tuple[int, int]
_MOST_CHANGES = 12
"""Calls of the planner's episode that are changed in turn in search of a difference."""


class Mutant(msgspec.Struct, frozen=True):
    """A slightly wrong copy of a task.

    Attributes:
        what: How it differs, in words.
        task: The copy.
        point: Index of the checkpoint that differs, or -1 for a constraint.
        rule: Index of the constraint that is left out, or -1.
        ring: A tile that counts for the copy only, where an area differs.
        rival: The agent that counts for the copy instead of those named, where that differs.
        item: The item that differs, of a checkpoint that counts several.
    """

    what: str
    task: Task
    point: int
    ring: Tile | None = None
    rival: str = ""
    item: str = ""
    rule: int = -1


def mutants(task: Task) -> list[Mutant]:
    """Returns the copies of a task that differ in one threshold, role, item, area or constraint."""
    spec = task.spec
    found: list[Mutant] = []
    for i, point in enumerate(spec.checkpoints):
        for what, changes, ring in _changes(task, point):
            points = list(spec.checkpoints)
            points[i] = point.model_copy(update=changes)
            copy = spec.model_copy(update={"checkpoints": tuple(points)})
            by = changes.get("by", ())
            rival = by if isinstance(by, str) else "".join(by)
            item = next(iter(_differing(point, changes)), "")
            found.append(Mutant(f"{point.label!r} with {what}", Task(copy, task.world), i, ring, rival, item))
        if isinstance(point, Built):
            found.extend(_smaller_sites(task, point, i))
    for i, rule in enumerate(spec.constraints):
        rest = tuple(other for other in spec.constraints if other is not rule)
        copy = spec.model_copy(update={"constraints": rest})
        found.append(Mutant(f"no constraint {rule.kind}", Task(copy, task.world), -1, rule=i))
    return found


def _smaller_sites(task: Task, point: Built, index: int) -> Iterator[Mutant]:
    """Yields copies whose site wants one unit less of an item."""
    site = task.spec.sites[point.site]
    for item, count in site.wants.items():
        wants = {key: n for key, n in {**site.wants, item: count - 1}.items() if n > 0}
        if wants:
            sites = {**task.spec.sites, point.site: site.model_copy(update={"wants": wants})}
            copy = task.spec.model_copy(update={"sites": sites})
            what = f"{point.label!r} with {count - 1} {item}"
            yield Mutant(what, Task(copy, task.world), index)


def _differing(point: Checkpoint, changes: dict[str, Any]) -> list[str]:
    """Returns the items whose number a change lowers, of a checkpoint that counts several."""
    items: dict[str, int] = changes.get("items", {})
    return [item for item, n in getattr(point, "items", {}).items() if items and items.get(item, 0) < n]


def _changes(task: Task, point: Checkpoint) -> Iterator[tuple[str, dict[str, Any], Tile | None]]:
    match point:
        case Gathered() | Crafted() | Delivered() | Held() | Killed():
            if isinstance(point, Killed) or not point.items:
                item = "" if isinstance(point, Killed) else point.item
                less = _one_less(task, item, point.count, crafted=isinstance(point, Crafted))
                if less > 0:
                    yield f"count {less}", {"count": less}, None
            else:
                for item, count in point.items.items():
                    less = _one_less(task, item, count, crafted=isinstance(point, Crafted))
                    rest = {key: n for key, n in {**point.items, item: less}.items() if n > 0}
                    yield f"{less} {item}", {"items": rest}, None
            yield from _others(task, point)
        case HeldForRounds():
            if point.rounds > 1:
                yield f"rounds {point.rounds - 1}", {"rounds": point.rounds - 1}, None
            if point.after is not None:
                inside = _free(task, [stretch(task.world, point.area)[0]])
                yield "rounds that follow nothing", {"after": None}, inside[0] if inside else None
        case SurvivedUntil():
            if point.round > 1:
                yield f"round {point.round - 1}", {"round": point.round - 1}, None
        case Worn():
            yield from _others(task, point)
        case Built():
            for other in task.spec.sites:
                if other != point.site:
                    yield f"site {other}", {"site": other}, None
        case _:
            pass
    if isinstance(point, Visited | Discovered) and point.need == "all" and len(point.by or task.team) > 1:
        yield "any for all", {"need": "any"}, None
    if isinstance(point, Visited | PresentTogether | HeldForRounds):
        area, ring = _wider(task, point.area)
        if ring is not None:
            yield "a wider area", {"area": area}, ring
    if isinstance(point, Discovered):
        sim = Simulation(task.world, task.setup())
        sim.reset(0)
        middle = discovery_tile(point.target, sim)
        free = [] if middle is None else _free(task, _ring(middle, point.within + 1))
        if free:
            yield f"within {point.within + 1}", {"within": point.within + 1}, free[0]


def _one_less(task: Task, item: str, count: int, *, crafted: bool) -> int:
    """Returns the next lower threshold that means anything: crafted units come in lots of a recipe's count."""
    recipe = task.world.recipe_of.get(item) if crafted else None
    step = 1 if recipe is None else recipe.count
    return (-(-count // step) - 1) * step


def _others(
    task: Task, point: Gathered | Crafted | Delivered | Held | Killed | Worn
) -> Iterator[tuple[str, dict[str, Any], Tile | None]]:
    """Yields the same checkpoint about another item, mob or agent."""
    if isinstance(point, Killed):
        other = next(key for key in sorted(task.world.mob_kinds) if key != point.mob)
        yield f"mob {other}", {"mob": other}, None
    elif isinstance(point, Worn) or not point.items:
        other = next(key for key in sorted(task.world.items) if key != point.item)
        yield f"item {other}", {"item": other}, None
    else:
        other = next(key for key in sorted(task.world.items) if key not in point.items)
        for item in point.items:
            swapped = {other if key == item else key: n for key, n in point.items.items()}
            yield f"{other} for {item}", {"items": swapped}, None
    if isinstance(point, Delivered):
        strangers = [name for name in task.team if name != point.to]
        if strangers:
            yield f"to {strangers[-1]}", {"to": strangers[-1]}, None
    elif isinstance(point, Worn):
        strangers = [name for name in task.team if name != point.by]
        if strangers:
            yield f"by {strangers[-1]}", {"by": strangers[-1]}, None
    elif not isinstance(point, Held) and point.by:
        strangers = [name for name in task.team if name not in point.by]
        if strangers:
            yield f"by {strangers[-1]}", {"by": (strangers[-1],)}, None


def _wider(task: Task, area: Area) -> tuple[Area, Tile | None]:
    """Returns an area a little wider, and a tile that belongs to it only."""
    middle, radius = stretch(task.world, area)
    if area.at is not None:
        wide = Area(at=area.at, within=min(200, area.within + 1))
        inside = list(_ring(middle, radius + 1))
    else:
        place = task.world.places[area.place or ""]
        wide = Area(at=middle, within=min(200, radius + 1))
        inside = [
            (x, y)
            for x, y in _ring(middle, min(200, radius + 1))
            if not (place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1)
        ]
    free = _free(task, inside)
    return wide, (free[0] if free and wide != area else None)


def _free(task: Task, tiles: Iterable[Tile]) -> list[Tile]:
    return [tile for tile in tiles if task.world.is_walkable(*tile)]


def _ring(middle: Tile, radius: int) -> Iterator[Tile]:
    x0, y0 = middle
    for dx in range(-radius, radius + 1):
        dy = radius - abs(dx)
        yield x0 + dx, y0 + dy
        if dy:
            yield x0 + dx, y0 - dy


# -- telling them apart ----------------------------------------------------------------------------------------------


def survivors(tape: Tape) -> tuple[int, list[Problem]]:
    """Returns how many mutants of a task there are, and those that no episode tells from the task.

    Args:
        tape: The planner's episode.
    """
    found = mutants(tape.task)
    return len(found), [
        Problem(
            "mutant",
            f"no episode tells the task from a copy that says {mutant.what}",
            ("constraints", mutant.rule) if mutant.point < 0 else ("checkpoints", mutant.point),
        )
        for mutant in found
        if not _told_apart(mutant, tape)
    ]


def _told_apart(mutant: Mutant, tape: Tape) -> bool:
    if mutant.point < 0:
        return _constraint_matters(mutant, tape)
    if mutant.ring is not None:
        where = (tape.seed, mutant.point, mutant.ring)
        if _stands(mutant.task, *where) != _stands(tape.task, *where):
            return True
        # Rounds that follow another checkpoint do not count yet: look at the area by itself.
        return _stands(_at_once(mutant), *where) != _stands(_at_once(mutant, tape.task), *where)
    smaller = mutant.task.spec.sites != tape.task.spec.sites
    # A smaller site refuses what the planner brings to the full one: only an episode that fills it tells them apart.
    if not smaller and _differs(mutant.task, tape.seed, tape.calls, tape.statuses):
        return True
    if mutant.item:
        calls = _short_of(mutant.item, mutant.point, tape)
        if _differs(mutant.task, tape.seed, calls, _statuses(tape.task, tape.seed, calls)):
            return True
    for calls in () if smaller else _variations(mutant, tape):
        if _differs(mutant.task, tape.seed, calls, Tape(tape.task, tape.seed, calls).statuses):
            return True
    if mutant.rival:
        # The rival had a part in everything: let the others do it without.
        without = play_planner(tape.task, tape.seed, (mutant.rival,), rehearsals=False).calls
        if _differs(mutant.task, tape.seed, without, _statuses(tape.task, tape.seed, without)):
            return True
        point = tape.task.spec.checkpoints[mutant.point]
        if isinstance(point, Killed) and point.by:
            return _credits(mutant.task, tape.seed, mutant.point, point) != _credits(
                tape.task, tape.seed, mutant.point, point
            )
    played = play_planner(mutant.task, tape.seed, rehearsals=False)
    if smaller and not played.verdict.checkpoints[mutant.point].reached:
        return False
    return _differs(mutant.task, tape.seed, played.calls, _statuses(tape.task, tape.seed, played.calls))


def _at_once(mutant: Mutant, task: Task | None = None) -> Task:
    """Returns the mutant, or the task, with a checkpoint that follows no other where the mutant differs."""
    task = task or mutant.task
    points = list(task.spec.checkpoints)
    point = points[mutant.point]
    if isinstance(point, HeldForRounds):
        points[mutant.point] = point.model_copy(update={"after": None})
    return Task(task.spec.model_copy(update={"checkpoints": tuple(points)}), task.world)


def _statuses(task: Task, seed: int, calls: list[Call]) -> list[Any]:
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    found = []
    for call in calls:
        if env.is_over:
            break
        step_on(env, call)
        found.append(status(env))
    return found


def _differs(task: Task, seed: int, calls: list[Call], expected: list[Any]) -> bool:
    """Whether a task judges an episode differently, after any of its calls, from what is expected."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    for number, call in enumerate(calls):
        if env.is_over or number >= len(expected):
            return env.is_over != (number >= len(expected))
        step_on(env, call)
        if status(env) != expected[number]:
            return True
    return False


def _variations(mutant: Mutant, tape: Tape) -> Iterator[list[Call]]:
    """Yields the planner's calls up to one that counted, which is then made unit by unit while all others wait."""
    end = tape.before(len(tape.calls) - 1)
    step_on(end, tape.calls[-1])
    actions = end.verdict().checkpoints[mutant.point].actions
    for number in actions[-_MOST_CHANGES:]:
        call = tape.calls[number]
        count = call["arguments"].get("count", 1)
        if call["tool"] not in ("transfer_items", "craft_item") or count < 2:
            continue
        single = {"tool": call["tool"], "arguments": {**call["arguments"], "count": 1}}
        env = tape.before(number)
        agent = env.agent_selection
        calls = tape.calls[:number]
        while not env.is_over and count:
            mine = env.agent_selection == agent
            count -= mine
            calls.append(single if mine else PASS)
            step_on(env, calls[-1])
        yield calls


def _short_of(item: str, point: int, tape: Tape) -> list[Call]:
    """Returns the planner's calls, less what would make one item of a checkpoint complete: it stays one unit short.

    A call that would bring several units is made for single ones as long as they do not complete the item, the last of
    them after all other calls.
    """
    env = AgentWorldEnv(tape.task)
    env.reset(seed=tape.seed)
    calls: list[Call] = []
    late: tuple[str, Call] | None = None

    def completes(call: Call) -> bool:
        before = env.snapshot()
        step_on(env, call)
        calls.append(call)
        if not any(
            key == item and have >= need for key, have, need in env.verdict().checkpoints[point].items
        ):
            return False
        env.restore(before)
        calls.pop()
        return True

    for call in tape.calls:
        if env.is_over:
            return calls
        agent = env.agent_selection
        if completes(call):
            if call["arguments"].get("count", 1) > 1:
                late = agent, {"tool": call["tool"], "arguments": {**call["arguments"], "count": 1}}
            step_on(env, PASS)
            calls.append(PASS)
    while late is not None and not env.is_over:
        if env.agent_selection == late[0] and completes(late[1]):
            break
        if env.agent_selection != late[0]:
            step_on(env, PASS)
            calls.append(PASS)
    return calls


def _constraint_matters(mutant: Mutant, tape: Tape) -> bool:
    dropped = next(rule for rule in tape.task.spec.constraints if rule not in mutant.task.spec.constraints)
    return _breaks(tape.task, tape.seed, dropped) and not _breaks(mutant.task, tape.seed, dropped)


def _breaks(task: Task, seed: int, rule: AllAlive | NeverCrafted) -> bool:
    """Whether what a constraint forbids, done at the start, puts a task beyond saving."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    name = task.team[0]
    if isinstance(rule, AllAlive):
        kill(env, rule.by[0] if rule.by else name)
    else:
        env.sim.log(ev.Crafted(0, 1, (), name, "crafting", rule.item, 1, 1, 0, ()))
        env.verifier.update()
    return env.verdict().impossible


def _credits(task: Task, seed: int, index: int, point: Killed) -> int:
    """Returns how far a checkpoint has come after a kill in which only the first role shares that ``point`` names."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    spawn = task.world.named_spawns.get(point.mob)
    name = point.by[0]
    env.sim.log(ev.Killed(0, 1, (), point.mob, spawn.kind if spawn else point.mob, name, ((name, 1),)))
    env.verifier.update()
    return env.verdict().checkpoints[index].have


def _stands(task: Task, seed: int, point: int, tile: Tile) -> int:
    """Returns how far a checkpoint has come after a round at whose start all its agents came to stand on a tile."""
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    sim = env.sim
    for i, name in enumerate(sim.names):
        me = sim.state.agents[i]
        sim.log(ev.Moved(0, 1, (), name, me.x, me.y, *tile, manhattan(me.x, me.y, *tile), ""))
        sim.place(i, *tile)
    env.verifier.update()
    while env.round == 1 and not env.is_over:
        step_on(env, PASS)
    return env.verdict().checkpoints[point].have
