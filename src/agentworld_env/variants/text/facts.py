"""What texts and guides are made from: who makes, holds and uses what, and who knows which place."""

from __future__ import annotations

import re
from functools import cached_property

from agentworld_env.tasks.schema import (
    Checkpoint,
    Discovered,
    HeldForRounds,
    Killed,
    PresentTogether,
    TaskSpec,
    Visited,
)
from agentworld_env.variants.atlas import Atlas, atlas
from agentworld_env.variants.edit import Tile, groups, units
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.text.nouns import place_name
from agentworld_env.world import World
from agentworld_env.world.catalogue import Place
from agentworld_env.world.geometry import manhattan

Areas = Visited | PresentTogether | HeldForRounds
_BESIDE = 24
"""A place or site so near (tiles) gives away where the team meets."""


class Facts:
    """A variant's facts, as its texts need them.

    Args:
        spec: The variant; its own texts are not read.
        source: The task that it comes from, for who is told where the team meets.
        world: The world.
    """

    def __init__(self, spec: TaskSpec, source: TaskSpec, world: World) -> None:
        self.spec = spec
        self.source = source
        self.world = world
        self.needs = Needs(spec, world)
        self.book: Atlas = atlas(world)
        self.groups = groups(spec)
        self.team = list(spec.team)
        self.areas: list[Areas] = [point for point in spec.checkpoints if isinstance(point, Areas)]
        self.hidden = {point.target for point in spec.checkpoints if isinstance(point, Discovered)}

    @cached_property
    def informed(self) -> frozenset[str] | None:
        """Roles that alone know where the team meets, or None if everybody is told."""
        return _informed(self.source, self.spec, self.world)

    def tile(self, point: Areas) -> Tile:
        """Returns the middle of a checkpoint's area."""
        if point.area.at is not None:
            return point.area.at
        place = self.world.places[point.area.place or ""]
        return place.x, place.y

    def secret(self, point: Checkpoint) -> bool:
        """Returns whether only some are told where a checkpoint's area lies."""
        return self.informed is not None and isinstance(point, PresentTogether)

    def place(self, tile: Tile) -> Place:
        """Returns the place that a tile belongs to, which is none that has to be found."""
        place = self.book.place_of(*tile)
        if place.key not in self.hidden:
            return place
        others = (p for p in self.book.places.values() if p.key not in self.hidden)
        return min(others, key=lambda p: (manhattan(*tile, p.x, p.y), p.key))

    def at(self, tile: Tile) -> str:
        """Returns where a tile is, in words: at a place that it is in, or by its numbers alone."""
        place = self.place(tile)
        inside = place.x0 <= tile[0] <= place.x1 and place.y0 <= tile[1] <= place.y1
        return f"{place_name(place.name)} ({tile[0]}, {tile[1]})" if inside else f"({tile[0]}, {tile[1]})"

    def providers(self, item: str) -> list[str]:
        """Returns the roles that make an item the task takes, or start with it, in turn order."""
        making = set(self.needs.makers(item)) if self.needs.make.get(item) else set()
        if item in self.needs.crafts:
            making = set(self.needs.chosen(item))
        return [name for name, role in self.spec.team.items() if name in making or item in role.inventory]

    def receivers(self, item: str) -> list[str]:
        """Returns the roles and sites that use, get, hold or wear an item."""
        found = dict.fromkeys(self.needs.users(item))
        for point in self.spec.checkpoints:
            if point.kind in ("delivered", "held", "worn") and item in units(point):
                to = getattr(point, "to", None) or getattr(point, "by", None)
                if to:
                    found[to] = None
        for key, site in self.spec.sites.items():
            if item in site.wants:
                found[key] = None
        return list(found)

    def trades(self, name: str) -> list[str]:
        """Returns the items that a role makes for the task."""
        return [
            item
            for item in self.needs.items
            if self.needs.make.get(item)
            and item not in self.spec.sources
            and name
            in (self.needs.chosen(item) if item in self.needs.crafts else self.needs.harvesters(item))
        ]

    def prey(self, name: str) -> list[Killed]:
        """Returns the kills in which a role is to share."""
        return [
            point
            for point in self.spec.checkpoints
            if isinstance(point, Killed) and (not point.by or name in point.by)
        ]

    def fights(self, name: str) -> bool:
        """Returns whether a role hunts where no role is named: those who do in the source, or else all."""
        hunters = [n for n, role in self.source.team.items() if role.guide.mobs and n in self.spec.team]
        return not hunters or name in hunters

    def home(self, kind: str, start: Tile) -> Tile:
        """Returns where the nearest mob of a kind lives."""
        homes = [(spawn.x, spawn.y) for spawn in self.world.mob_spawns if spawn.kind == kind]
        return min(homes, key=lambda home: (manhattan(*start, *home), home))


def _tells(source: TaskSpec, name: str, tile: Tile, numbers: re.Pattern[str], world: World) -> bool:
    """Returns whether a role of the source is told of a tile: in words, or by a place or site beside it."""
    role = source.team[name]
    beside = [(world.places[key].x, world.places[key].y) for key in role.guide.places if key in world.places]
    beside += [source.sites[key].at for key in role.guide.sites if key in source.sites]
    return bool(numbers.search(role.about + role.guide.notes)) or any(
        manhattan(*tile, *other) <= _BESIDE for other in beside
    )


def _informed(source: TaskSpec, spec: TaskSpec, world: World) -> frozenset[str] | None:
    """Returns who alone is told where the source's team meets, if it is not told to all, and is still in the team."""
    for point in source.checkpoints:
        if not isinstance(point, PresentTogether) or point.area.at is None:
            continue
        x, y = point.area.at
        numbers = re.compile(rf"\b{x}, ?{y}\b")
        if numbers.search(source.objective):
            continue
        names = point.by or tuple(source.team)
        told = {n for n in names if _tells(source, n, (x, y), numbers, world)}
        if told and 2 * len(told) <= len(names):
            kept = frozenset(told & set(spec.team))
            return kept or None
    return None
