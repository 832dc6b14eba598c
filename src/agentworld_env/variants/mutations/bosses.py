"""Other prey: bosses of like strength, and other common mobs."""

from __future__ import annotations

from agentworld_env.tasks.schema import (
    Checkpoint,
    Discovered,
    HeldForRounds,
    Killed,
    PresentTogether,
    TaskSpec,
    Visited,
)
from agentworld_env.variants.atlas import atlas
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.edit import (
    Tile,
    moved,
    waves,
    with_area,
    with_points,
    with_site,
    with_waves_moved,
)
from agentworld_env.world import World
from agentworld_env.world.catalogue import NamedSpawn
from agentworld_env.world.geometry import manhattan

LIKE = (70, 135)
"""Per cent of a boss's hit points and attack within which another is of like strength."""
LEVELS = 10
"""Levels by which other prey may differ."""
PACK = 4
"""So many of a kind must live somewhere to be hunted."""
_BESIDE = 40
_RAID = 60
_MARCH = 360


def swap_boss(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Puts another named boss of like strength in the place of one, with all that lies around it."""
    if not all(isinstance(key, str) for key in spec.spawns):
        return None
    prey = {point.mob for point in spec.checkpoints if isinstance(point, Killed)}
    for key in dice.shuffled([key for key in spec.spawns if key in prey]):
        old = world.named_spawns[key]
        if {drop.item for drop in old.drops} & set(spec.sources):
            continue
        rivals = [
            spawn
            for spawn in world.named_spawns.values()
            if spawn.kind not in {world.named_spawns[other].kind for other in spec.spawns}
            and _alike(old, spawn)
            and not {drop.item for drop in spawn.drops} & _counted(spec)
        ]
        if rivals:
            return _in_place(spec, world, old, dice.choice(rivals))
    return None


def swap_prey(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Sends the hunters after another kind of common mob of about the same level."""
    packs: dict[str, list[Tile]] = {}
    for spawn in world.mob_spawns:
        packs.setdefault(spawn.kind, []).append((spawn.x, spawn.y))
    kinds = {point.mob for point in spec.checkpoints if isinstance(point, Killed) and point.mob in packs}
    kinds -= {wave.mob for wave in waves(spec)}  # what comes by itself is hunted where it comes
    for old in dice.shuffled(sorted(kinds)):
        figures = world.mob_kinds[old]
        if {drop.item for drop in figures.drops} & set(spec.sources):
            continue
        rivals = [
            kind.key
            for kind in world.mob_kinds.values()
            if kind.key not in kinds
            and len(packs.get(kind.key, ())) >= PACK
            and abs(kind.level - figures.level) <= LEVELS
            and kind.hp <= 2 * figures.hp
            and not {drop.item for drop in kind.drops} & _counted(spec)
            and not any(
                world.named_spawns[key].kind == kind.key for key in spec.spawns if isinstance(key, str)
            )
        ]
        for new in dice.shuffled(rivals):
            found = _hunt(spec, world, old, new, packs[new])
            if found is not None:
                return found
    return None


def _alike(old: NamedSpawn, new: NamedSpawn) -> bool:
    return new.team == old.team and all(
        LIKE[0] * before <= 100 * after <= LIKE[1] * before
        for before, after in ((old.hp, new.hp), (old.attack, new.attack))
    )


def _counted(spec: TaskSpec) -> set[str]:
    from agentworld_env.variants.edit import units

    counted = {item for point in spec.checkpoints for item in units(point)}
    return counted | {item for site in spec.sites.values() for item in site.wants}


def _in_place(spec: TaskSpec, world: World, old: NamedSpawn, new: NamedSpawn) -> TaskSpec | None:
    tiles = [tile for tile in atlas(world).free(new.x, new.y) if tile != (new.x, new.y)]
    grounds: dict[Tile, Tile] = {}

    def follow(point: Checkpoint) -> Checkpoint | None:
        if isinstance(point, Killed) and point.mob == old.id:
            return point.model_copy(update={"mob": new.id})
        if isinstance(point, Discovered) and point.target == old.id:
            return point.model_copy(update={"target": new.id})
        if isinstance(point, Visited | PresentTogether | HeldForRounds):
            at = point.area.at
            if at is not None and manhattan(*at, old.x, old.y) <= _BESIDE:
                # Different areas stay different ones; further ones lie further out.
                where = tiles[min(7 * len(grounds), len(tiles) - 1)] if tiles else (new.x, new.y)
                return with_area(point, grounds.setdefault(at, where), point.area.within)
        return point

    changed = with_points(spec, follow)
    spots = iter(tiles[3:] or tiles)
    for key, site in spec.sites.items():
        if manhattan(*site.at, old.x, old.y) <= _BESIDE:
            spot = next(spots, None)
            if spot is None:
                return None
            changed = with_site(changed, key, at=spot)
    spawns = tuple(new.id if key == old.id else key for key in spec.spawns)
    changed = changed.model_copy(update={"spawns": spawns})
    return with_waves_moved(changed, (old.x, old.y), (new.x, new.y), _RAID, atlas(world).walkable)


def _hunt(spec: TaskSpec, world: World, old: str, new: str, homes: list[Tile]) -> TaskSpec | None:
    """Returns the task with other prey; hunters whom it would take too long to walk there start nearer."""

    def follow(point: Checkpoint) -> Checkpoint | None:
        if isinstance(point, Killed) and point.mob == old:
            return point.model_copy(update={"mob": new})
        return point

    changed = with_points(spec, follow)
    hunters = {
        name
        for point in spec.checkpoints
        if isinstance(point, Killed) and point.mob == old
        for name in (point.by or spec.team)
    }
    starts = [spec.team[name].start for name in spec.team if name in hunters]
    if min(manhattan(*start, *home) for start in starts for home in homes) <= _MARCH:
        return changed
    if len(hunters) == len(spec.team):
        return None
    book = atlas(world)
    near = min(homes, key=lambda home: (min(manhattan(*start, *home) for start in starts), home))
    camps = sorted(
        (key for key in book.places if book.quiet(key)),
        key=lambda key: (manhattan(*near, book.places[key].x, book.places[key].y), key),
    )
    place = book.places[camps[0]]
    tiles = book.free(place.x, place.y)
    return moved(changed, {name: tiles[i % len(tiles)] for i, name in enumerate(sorted(hunters))})
