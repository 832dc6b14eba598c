"""Checks a task against the world: names exist, worn things can be worn, goals have a source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentworld_env.errors import hint, quoted
from agentworld_env.sim.rules import combat_level
from agentworld_env.tasks import schema
from agentworld_env.tasks.reading import Path
from agentworld_env.tasks.waves import raiders_of
from agentworld_env.world import World
from agentworld_env.world.catalogue import COMBAT_SKILLS, SKILLS
from agentworld_env.world.geometry import HEIGHT, WIDTH


class Mistake(NamedTuple):
    """One mistake in a task: where it is, and what was expected there, with the nearest valid choice."""

    path: Path
    expected: str


def check_spec(spec: schema.TaskSpec, world: World, *, allow_python: bool = False) -> list[Mistake]:
    """Returns everything that is wrong with a task, in no particular order.

    Args:
        spec: The task file's content.
        world: The world it plays in.
        allow_python: Whether checkpoints of kind ``python`` may be used.
    """
    return list(_Check(spec, world, allow_python).all())


class _Check:
    def __init__(self, spec: schema.TaskSpec, world: World, allow_python: bool) -> None:
        self.spec = spec
        self.world = world
        self.allow_python = allow_python
        self.mobs = [*world.mob_kinds, *spec.spawns]
        self.yields = {kind.gives for kind in world.node_kinds.values()} | set(spec.sources)

    def all(self) -> Iterator[Mistake]:
        spec = self.spec
        for i, key in enumerate(spec.spawns):
            yield from self.known("named spawn", key, self.world.named_spawns, ("spawns", i))
        for i, wave in enumerate(spec.waves):
            yield from self.wave(i, wave, ("waves", i))
        for i, key in enumerate(spec.sources):
            yield from self.known("item", key, self.world.items, ("sources", i))
        for name, role in spec.team.items():
            if name in self.world.npcs:
                yield Mistake(("team", name), f"an id of its own, {quoted(name)} is a person of the world")
            yield from self.role(role, ("team", name))
        for key, site in spec.sites.items():
            yield from self.site(key, site, ("sites", key))
        yield from self.checkpoints()
        for i, constraint in enumerate(spec.constraints):
            if isinstance(constraint, schema.AllAlive):
                yield from self.roles(constraint.by, ("constraints", i, "by"))
            else:
                yield from self.known("item", constraint.item, self.world.items, ("constraints", i, "item"))

    def known(self, what: str, name: str, names: Iterable[str], path: Path) -> Iterator[Mistake]:
        names = dict.fromkeys(names)
        if name not in names:
            yield Mistake(path, f"a known {what}, got {quoted(name)}{hint(name, names, 1)}")

    def roles(self, names: Iterable[str], path: Path) -> Iterator[Mistake]:
        for i, name in enumerate(names):
            yield from self.known("role of the team", name, self.spec.team, (*path, i))

    # -- team and sites --------------------------------------------------------------------------------------

    def role(self, role: schema.Role, path: Path) -> Iterator[Mistake]:
        items = self.world.items
        yield from self.walkable(role.start, (*path, "start"))
        for skill in role.skills:
            yield from self.known("skill", skill, SKILLS, (*path, "skills", skill))
        for key in role.inventory:
            yield from self.known("item", key, items, (*path, "inventory", key))
        taken: dict[str, str] = {}
        for i, key in enumerate(role.worn):
            where = (*path, "worn", i)
            item = items.get(key)
            if item is None:
                yield from self.known("item", key, items, where)
            elif item.slot is None:
                yield Mistake(where, f"something that can be worn, got {quoted(key)}")
            elif item.slot in taken:
                yield Mistake(
                    where, f"one item per slot: {quoted(taken[item.slot])} is already the {item.slot}"
                )
            else:
                taken[item.slot] = key
                yield from self.needs(role, key, where)
        guide = role.guide
        sections = (
            ("recipes", "recipe", guide.recipes, self.world.recipe_of),
            ("nodes", "kind of resource", guide.nodes, self.world.node_kinds),
            ("mobs", "mob kind or listed spawn", guide.mobs, self.mobs),
            ("places", "place", guide.places, self.world.places),
            ("sites", "site of the task", guide.sites, self.spec.sites),
        )
        for section, what, keys, names in sections:
            for i, key in enumerate(keys):
                yield from self.known(what, key, names, (*path, "guide", section, i))

    def needs(self, role: schema.Role, key: str, path: Path) -> Iterator[Mistake]:
        for skill, level in self.world.items[key].needs.items():
            has = combat_level(role.skills, COMBAT_SKILLS) if skill == "combat" else role.skills.get(skill, 1)
            if has < level:
                yield Mistake(path, f"{skill} {level} to wear {quoted(key)}, the role has {has}")

    def walkable(self, tile: tuple[int, int], path: Path) -> Iterator[Mistake]:
        x, y = tile
        if not (0 <= x < WIDTH and 0 <= y < HEIGHT):
            yield Mistake(path, f"a tile within {WIDTH} x {HEIGHT}, got [{x}, {y}]")
        elif not self.world.is_walkable(x, y):
            yield Mistake(path, f"a walkable tile, got [{x}, {y}]")

    def site(self, key: str, site: schema.Site, path: Path) -> Iterator[Mistake]:
        yield from self.walkable(site.at, (*path, "at"))
        if key in self.spec.team or key in self.world.npcs:
            yield Mistake(
                path, f"an id of its own, {quoted(key)} is taken by a role or a person of the world"
            )
        for item in site.wants:
            yield from self.known("item", item, self.world.items, (*path, "wants", item))

    def wave(self, i: int, wave: schema.Wave, path: Path) -> Iterator[Mistake]:
        yield from self.known("mob kind", wave.mob, self.world.mob_kinds, (*path, "mob"))
        yield from self.walkable(wave.at, (*path, "at"))
        yield from self.in_budget(wave.appears, (*path, "appears"))
        for raider in raiders_of(i, wave):
            if raider.id in self.spec.team or raider.id in self.spec.sites or raider.id in self.world.npcs:
                yield Mistake(path, f"ids of its own, {quoted(raider.id)} is taken")

    # -- checkpoints -----------------------------------------------------------------------------------------

    def checkpoints(self) -> Iterator[Mistake]:
        labels: list[str] = []
        several = [c for c in self.spec.checkpoints if getattr(c, "items", None)]
        parts = {part.label for part in schema.parts_of(several)}
        for i, checkpoint in enumerate(self.spec.checkpoints):
            path: Path = ("checkpoints", i)
            if checkpoint.label in labels:
                yield Mistake(
                    (*path, "label"), f"a label of its own, got {quoted(checkpoint.label)} a second time"
                )
            elif checkpoint.label in parts:
                yield Mistake(
                    (*path, "label"), f"a label of its own, {quoted(checkpoint.label)} is part of another"
                )
            yield from self.checkpoint(checkpoint, labels, path)
            labels.append(checkpoint.label)

    def checkpoint(self, c: schema.Checkpoint, labels: list[str], path: Path) -> Iterator[Mistake]:
        by = getattr(c, "by", None)
        if by:
            many = isinstance(by, tuple)
            yield from (
                self.roles(by, (*path, "by"))
                if many
                else self.known("role of the team", by, self.spec.team, (*path, "by"))
            )
        area = getattr(c, "area", None)
        if area is not None:
            yield from self.area(area, (*path, "area"))
        if isinstance(c, schema.Gathered | schema.Crafted | schema.Delivered | schema.Held):
            for item in c.items or (c.item,):
                yield from self.goods(c, item, (*path, "items", item) if c.items else (*path, "item"))
        if isinstance(c, schema.Worn):
            yield from self.goods(c, c.item, (*path, "item"))
        elif isinstance(c, schema.Killed):
            what = "mob kind, or a named spawn that 'spawns' lists"
            yield from self.known(what, c.mob, self.mobs, (*path, "mob"))
        elif isinstance(c, schema.Delivered):
            receivers = [*self.spec.team, *self.spec.sites, *self.world.npcs]
            yield from self.known("role, site or person", c.to, receivers, (*path, "to"))
        elif isinstance(c, schema.Discovered):
            yield from self.hidden(c.target, (*path, "target"))
        elif isinstance(c, schema.Built):
            yield from self.known("site of the task", c.site, self.spec.sites, (*path, "site"))
        elif isinstance(c, schema.SurvivedUntil):
            yield from self.known("label of a checkpoint above", c.after, labels, (*path, "after"))
            yield from self.in_budget(c.round, (*path, "round"))
        elif isinstance(c, schema.HeldForRounds):
            if c.after is not None:
                yield from self.known("label of a checkpoint above", c.after, labels, (*path, "after"))
            yield from self.in_budget(c.rounds, (*path, "rounds"))
        elif isinstance(c, schema.PythonCheckpoint) and not self.allow_python:
            yield Mistake((*path, "kind"), "a kind other than 'python', which only the caller can allow")

    def goods(self, c: schema.Checkpoint, item: str, path: Path) -> Iterator[Mistake]:
        """Checks that an item is known and that there is a way to do with it what a checkpoint asks for."""
        known = self.world.items.get(item)
        if known is None:
            yield from self.known("item", item, self.world.items, path)
        elif isinstance(c, schema.Gathered) and item not in self.yields:
            yield Mistake(path, f"something that a resource gives or 'sources' lists, got {quoted(item)}")
        elif isinstance(c, schema.Crafted) and item not in self.world.recipe_of:
            yield Mistake(path, f"something that a recipe makes, got {quoted(item)}")
        elif isinstance(c, schema.Worn) and known.slot is None:
            yield Mistake(path, f"something that can be worn, got {quoted(item)}")

    def hidden(self, target: str, path: Path) -> Iterator[Mistake]:
        world, spec = self.world, self.spec
        things = [*spec.sites, *spec.spawns, *world.npcs, *world.portals, *world.places]
        yield from self.known("person, site, portal, listed spawn or place", target, things, path)
        for name, role in spec.team.items():
            guide = role.guide
            if target in (*guide.places, *guide.sites, *guide.mobs):
                yield Mistake(
                    path, f"something that no guide lists, the guide of {name} gives {quoted(target)} away"
                )

    def area(self, area: schema.Area, path: Path) -> Iterator[Mistake]:
        if area.place is not None:
            yield from self.known("place", area.place, self.world.places, (*path, "place"))
        elif area.at is not None:
            yield from self.walkable(area.at, (*path, "at"))

    def in_budget(self, rounds: int, path: Path) -> Iterator[Mistake]:
        if rounds > self.spec.max_rounds:
            yield Mistake(path, f"at most max_rounds ({self.spec.max_rounds}), got {rounds}")
