"""Small changes of a task's specification, each of which returns a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentworld_env.tasks.schema import Area, Checkpoint, Killed, Role, TaskSpec

Tile = tuple[int, int]


def units(point: Checkpoint) -> dict[str, int]:
    """Returns the items that a checkpoint counts, item -> units; one for something worn, none for other kinds."""
    several: Mapping[str, int] | None = getattr(point, "items", None)
    if several:
        return dict(several)
    item: str | None = getattr(point, "item", None)
    return {item: getattr(point, "count", 1)} if item else {}


def with_units(point: Checkpoint, wanted: Mapping[str, int]) -> Checkpoint | None:
    """Returns a checkpoint with other items and units, or None if nothing is left to count."""
    if not wanted:
        return None
    if len(wanted) > 1:
        return point.model_copy(update={"items": dict(wanted)})
    ((item, count),) = wanted.items()
    update: dict[str, Any] = {"item": item}
    if hasattr(point, "count"):
        update["count"] = count
    if getattr(point, "items", None):
        update["items"] = {}
    return point.model_copy(update=update)


def named(point: Checkpoint) -> tuple[str, ...]:
    """Returns the roles that a checkpoint names."""
    by = getattr(point, "by", None)
    names = [by] if isinstance(by, str) else list(by or ())
    to = getattr(point, "to", None)
    return tuple([*names, to] if to else names)


def with_points(spec: TaskSpec, change: Callable[[Checkpoint], Checkpoint | None]) -> TaskSpec:
    """Returns a task with every checkpoint changed; those changed to None are dropped."""
    changed = [change(point) for point in spec.checkpoints]
    return spec.model_copy(update={"checkpoints": tuple(point for point in changed if point is not None)})


def add_point(spec: TaskSpec, point: Checkpoint) -> TaskSpec:
    """Returns a task with one more checkpoint, before those that have the team wait somewhere."""
    last = len(spec.checkpoints)
    while last and spec.checkpoints[last - 1].kind in (
        "present_together",
        "held_for_rounds",
        "survived_until",
    ):
        last -= 1
    points = (*spec.checkpoints[:last], point, *spec.checkpoints[last:])
    return spec.model_copy(update={"checkpoints": points})


def with_role(spec: TaskSpec, name: str, **changes: Any) -> TaskSpec:
    """Returns a task with one role changed."""
    team = {key: role.model_copy(update=changes) if key == name else role for key, role in spec.team.items()}
    return spec.model_copy(update={"team": team})


def moved(spec: TaskSpec, starts: Mapping[str, Tile]) -> TaskSpec:
    """Returns a task whose roles start elsewhere."""
    for name, tile in starts.items():
        spec = with_role(spec, name, start=tile)
    return spec


def with_stock(spec: TaskSpec, name: str, item: str, units_: int) -> TaskSpec:
    """Returns a task in which a role starts with so many units of an item in its bag."""
    bag = {key: count for key, count in spec.team[name].inventory.items() if key != item}
    if units_ > 0:
        bag[item] = units_
    return with_role(spec, name, inventory=bag)


def stock(spec: TaskSpec, item: str) -> int:
    """Returns the units that all roles start with in their bags; worn things do not count, they are in use."""
    return sum(role.inventory.get(item, 0) for role in spec.team.values())


def holders(spec: TaskSpec, item: str) -> list[str]:
    """Returns the roles that start with an item in their bags."""
    return [name for name, role in spec.team.items() if item in role.inventory]


def groups(spec: TaskSpec) -> dict[str, list[str]]:
    """Returns the role groups, group -> its roles."""
    found: dict[str, list[str]] = {}
    for name, role in spec.team.items():
        found.setdefault(role.group, []).append(name)
    return found


def with_area(point: Checkpoint, tile: Tile, within: int) -> Checkpoint:
    """Returns a checkpoint about a place, about another place."""
    return point.model_copy(update={"area": Area(at=tile, within=within)})


def with_site(spec: TaskSpec, key: str, **changes: Any) -> TaskSpec:
    """Returns a task with one site changed."""
    sites = {k: site.model_copy(update=changes) if k == key else site for k, site in spec.sites.items()}
    return spec.model_copy(update={"sites": sites})


def fresh_name(taken: Iterable[str], stem: str) -> str:
    """Returns a name that nobody has: the stem, or the stem with another number."""
    names = set(taken)
    if stem not in names:
        return stem
    bare = stem.rstrip("0123456789")
    return next(f"{bare}{number}" for number in range(2, 1100) if f"{bare}{number}" not in names)


def skilled(role: Role, skill: str, level: int) -> bool:
    """Returns whether a role has a gathering or production skill at a level."""
    return role.skills.get(skill, 0) >= max(level, 1)


def waves(spec: TaskSpec) -> tuple[Any, ...]:
    """Returns the creatures that come in the course of a task, if its schema knows any: mob, count, tile, round."""
    return tuple(getattr(spec, "waves", ()))


def has_fights(spec: TaskSpec) -> bool:
    """Returns whether somebody is to fight: mobs are to be killed, or come by themselves."""
    return bool(waves(spec)) or any(isinstance(point, Killed) for point in spec.checkpoints)


def with_waves_moved(
    spec: TaskSpec, old: Tile, new: Tile, radius: int, fit: Callable[[Tile], Tile]
) -> TaskSpec:
    """Returns a task whose waves near one tile come as near to another.

    Args:
        spec: The task.
        old: Middle of what has moved.
        new: Where it is now.
        radius: Waves farther from ``old`` (tiles) stay where they are.
        fit: Returns the nearest tile that a wave can come from.
    """
    found = []
    for wave in waves(spec):
        dx, dy = wave.at[0] - old[0], wave.at[1] - old[1]
        near = abs(dx) + abs(dy) <= radius
        found.append(wave.model_copy(update={"at": fit((new[0] + dx, new[1] + dy))}) if near else wave)
    return spec.model_copy(update={"waves": tuple(found)}) if found else spec
