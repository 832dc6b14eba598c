"""What texts and guides are made from: who makes, holds and uses what, and who knows which place."""

from __future__ import annotations

import re
from functools import cached_property

from agentworld_env.tasks.schema import (
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    HeldForRounds,
    Killed,
    PresentTogether,
    TaskSpec,
    Visited,
)
from agentworld_env.variants.atlas import Atlas, atlas
from agentworld_env.variants.edit import Tile, groups, units
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.text.handing import Handing
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
        self.handing = Handing(self)
        self._made: dict[str, tuple[str, ...]] = {}

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

    def around(self, tile: Tile) -> str:
        """Returns the key of the smallest place of any size that holds a tile, or else of that which it belongs to."""
        x, y = tile
        holding = [p for p in self.world.places.values() if p.x0 <= x <= p.x1 and p.y0 <= y <= p.y1]
        holding = [p for p in holding if p.key not in self.hidden]
        size = {p.key: ((p.x1 - p.x0) * (p.y1 - p.y0), p.key) for p in holding}
        return min(size, key=size.__getitem__) if size else self.place(tile).key

    def at(self, tile: Tile) -> str:
        """Returns where a tile is, in words: a place by its name, or its numbers with the place that it is in, if any.

        Only in the middle of a place do name and numbers stand as one: guides give a place those of its middle.
        """
        place, numbers = self.place(tile), f"({tile[0]}, {tile[1]})"
        if tile == (place.x, place.y):
            return f"{place_name(place.name)} {numbers}"
        return f"{numbers} at {place_name(place.name)}" if holds(place, tile) else numbers

    def makers(self, item: str) -> tuple[str, ...]:
        """Returns the roles whose part it is to make, gather or loot an item, in turn order.

        Of all that can, these are those whom a checkpoint names, who can hand it to whoever must be handed it, who must
        be handed all that it is made from, and, for a part of something else, who work on it themselves.
        """
        if item not in self._made:
            self._made[item] = self._makers(item) if self.needs.make.get(item) else ()
        return self._made[item]

    def _makers(self, item: str) -> tuple[str, ...]:
        counting = [point for point in self.spec.checkpoints if item in units(point)]
        quotas = [p for p in counting if isinstance(p, Gathered | Crafted) and p.by]
        able = self.able(item)
        if quotas and sum(units(p)[item] for p in quotas) >= self.needs.make[item]:
            able = tuple(name for name in able if any(name in p.by for p in quotas)) or able
        for point in counting:
            # Nobody can be handed what it has made itself.
            if isinstance(point, Delivered) and units(point)[item] >= self.needs.make[item]:
                able = tuple(name for name in able if name != point.to) or able
        able = self._served(item, able)
        wanted = any(item in site.wants for site in self.spec.sites.values())
        if (
            item in self.needs.crafts
            and not wanted
            and all(p.kind == "crafted" and p not in quotas for p in counting)
        ):
            users = self.users(item)
            if users and set(users) <= set(able):
                return users
        return able

    def _served(self, item: str, able: tuple[str, ...]) -> tuple[str, ...]:
        """Returns those who can make an item who must be handed all that there is of a part of it, or else all."""
        parts = self.world.recipe_of[item].inputs if item in self.needs.crafts else {}
        for part in parts:
            handed = [
                point
                for point in self.spec.checkpoints
                if isinstance(point, Delivered) and point.to in able and part in units(point)
            ]
            if handed and sum(units(point)[part] for point in handed) >= self.needs.spent(part):
                able = tuple(name for name in able if any(name == point.to for point in handed))
        return able

    def able(self, item: str) -> tuple[str, ...]:
        """Returns the roles that can make, gather or, where it is a spoil, loot an item."""
        if item in self.needs.crafts:
            return self.needs.chosen(item)
        if self.needs.harvesters(item):
            return self.needs.harvesters(item)
        by = {n for p in self.spec.checkpoints if isinstance(p, Gathered) and item in units(p) for n in p.by}
        return tuple(name for name in self.spec.team if name in by or (not by and self.fights(name)))

    def spoil(self, item: str) -> bool:
        """Returns whether an item is to be taken from mobs."""
        return item in self.spec.sources and not self.needs.harvesters(item) and item not in self.needs.crafts

    def users(self, item: str) -> tuple[str, ...]:
        """Returns the roles that use an item for what they are to make, in turn order."""
        found = {
            name
            for product in self.needs.items
            if self.needs.crafts.get(product) and item in self.world.recipe_of[product].inputs
            for name in self.makers(product)
        }
        return tuple(name for name in self.spec.team if name in found)

    def providers(self, item: str) -> list[str]:
        """Returns the roles that make an item the task takes, or start with it, in turn order."""
        making = self.makers(item)
        return [name for name, role in self.spec.team.items() if name in making or item in role.inventory]

    def receivers(self, item: str) -> list[str]:
        """Returns the roles and sites that use, get, hold or wear an item."""
        found = dict.fromkeys(self.users(item))
        for point in self.spec.checkpoints:
            if point.kind in ("delivered", "held", "worn") and item in units(point):
                to = getattr(point, "to", None) or getattr(point, "by", None)
                if to:
                    found[to] = None
        for key, site in self.spec.sites.items():
            if item in site.wants:
                found[key] = None
        return list(found)

    def droppers(self, name: str, item: str) -> list[str]:
        """Returns the kinds of common mobs that a role is told of for a spoil, or else that anybody is."""
        known = self.world.mob_kinds
        told = {
            other: [
                key
                for key in role.guide.mobs
                if key in known and item in {drop.item for drop in known[key].drops}
            ]
            for other, role in self.source.team.items()
        }
        return told.get(name) or next((kinds for kinds in told.values() if kinds), [])

    def trades(self, name: str) -> list[str]:
        """Returns the items that a role gathers or crafts for the task."""
        return [item for item in self.needs.items if not self.spoil(item) and name in self.makers(item)]

    def spoils(self, name: str) -> list[str]:
        """Returns the items that a role takes from mobs for the task."""
        return [item for item in self.needs.items if self.spoil(item) and name in self.makers(item)]

    def hunters(self, point: Killed) -> list[str]:
        """Returns the roles that have a part in a kill: those named, or who hunt; more where a boss takes more."""
        named = [
            n for p in self.spec.checkpoints if isinstance(p, Killed) and p.mob == point.mob for n in p.by
        ]
        told = [n for n in self.team if n in named or (not point.by and self.fights(n))]
        spawn = self.world.named_spawns.get(point.mob)
        if spawn is not None and spawn.team > len(told):
            told = [n for n in self.team if n in told or self.armed(n)]
            told = told if len(told) >= spawn.team else self.team
        return told

    def prey(self, name: str) -> list[Killed]:
        """Returns the kills in which a role has a part."""
        return [p for p in self.spec.checkpoints if isinstance(p, Killed) and name in self.hunters(p)]

    def fights(self, name: str) -> bool:
        """Returns whether a role hunts where no role is named: those who do in the source, or else all."""
        hunters = [n for n, role in self.source.team.items() if role.guide.mobs and n in self.spec.team]
        return not hunters or name in hunters

    def armed(self, name: str) -> bool:
        """Returns whether a role wears a weapon that is no tool."""
        items = (self.world.items[key] for key in self.spec.team[name].worn)
        return any(item.weapon is not None and item.tool is None for item in items)

    def hideout(self, point: Areas) -> Discovered | None:
        """Returns what has to be found in the middle of a checkpoint's area, whose tile no text may tell."""
        sites = self.spec.sites
        for other in self.spec.checkpoints:
            if not isinstance(other, Discovered) or other.target not in sites:
                continue
            if sites[other.target].at == self.tile(point):
                return other
        return None

    def home(self, kind: str, start: Tile) -> Tile:
        """Returns where the nearest mob of a kind lives."""
        homes = [(spawn.x, spawn.y) for spawn in self.world.mob_spawns if spawn.kind == kind]
        return min(homes, key=lambda home: (manhattan(*start, *home), home))


def holds(place: Place, tile: Tile) -> bool:
    """Returns whether a tile is within the bounds of a place."""
    return place.x0 <= tile[0] <= place.x1 and place.y0 <= tile[1] <= place.y1


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
