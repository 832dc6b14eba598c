"""Other grounds, other starts, other places to build and to meet."""

from __future__ import annotations

from agentworld_env.tasks.schema import Checkpoint, HeldForRounds, Killed, PresentTogether, TaskSpec, Visited
from agentworld_env.variants.atlas import GROUND, Atlas, atlas
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.edit import (
    Tile,
    groups,
    moved,
    with_area,
    with_points,
    with_site,
    with_waves_moved,
)
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World
from agentworld_env.world.geometry import manhattan

FAR = (48, 520)
"""How far (tiles) a variant moves people and places: at least far enough to matter, at most some five walks."""
_SIGHT = 60
_NEAR_BOSS = 40
_RAID = 60
"""Waves that come so near (tiles) to a place follow it."""


def swap_ground(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Sends the gatherers of a material to another region where all that they gather grows."""
    needs = Needs(spec, world)
    raws = [item for item in needs.items if needs.harvesters(item) and needs.make[item]]
    for item in dice.shuffled(raws):
        for name in dice.shuffled(needs.harvesters(item)):
            party = _party(spec, needs, name)
            grounds = [
                key
                for key in _grounds(spec, world, needs, party)
                if _fits(spec.team[name].start, world.places[key].x, world.places[key].y)
            ]
            if grounds:
                place = world.places[dice.choice(grounds)]
                return _gather_at(spec, world, party, (place.x, place.y))
    return None


def settle(spec: TaskSpec, world: World, dice: Dice, item: str) -> TaskSpec | None:
    """Returns a task whose gatherers of an item start where it grows; None if it grows nowhere that suits them."""
    needs = Needs(spec, world)
    gatherers = needs.harvesters(item)
    if not needs.make.get(item) or not gatherers or needs.crafts.get(item):
        return spec
    book = atlas(world)
    for name in gatherers:
        if any(book.near(*spec.team[name].start, kind, _SIGHT) for kind in needs.kinds(name, item)):
            return spec
    party = _party(spec, needs, gatherers[0])
    grounds = _grounds(spec, world, needs, party)
    if not grounds:
        return None
    start = spec.team[gatherers[0]].start
    grounds.sort(key=lambda key: (manhattan(*start, world.places[key].x, world.places[key].y), key))
    place = world.places[dice.choice(grounds[:3])]
    return _gather_at(spec, world, party, (place.x, place.y))


def scatter(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Lets a role group that is bound to no ground start somewhere else."""
    needs = Needs(spec, world)
    bound = {name for item in needs.items if needs.make[item] for name in needs.harvesters(item)}
    parties = [names for names in groups(spec).values() if not set(names) & bound]
    for names in dice.shuffled(parties):
        tile = _quiet_place(spec, world, dice, spec.team[names[0]].start, names)
        if tile is not None:
            return _gather_at(spec, world, tuple(names), tile)
    return None


def swap_meeting(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Moves a place where the team must be, to meet, to wait or to look, to another named place."""
    bosses = _boss_tiles(spec, world)
    areas = [
        (i, point.area.at)
        for i, point in enumerate(spec.checkpoints)
        if isinstance(point, Visited | PresentTogether | HeldForRounds)
        and point.area.at is not None
        and all(manhattan(*point.area.at, *boss) > _NEAR_BOSS for boss in bosses)
    ]
    if not areas:
        return None
    number, old = dice.choice(areas)
    new = _quiet_place(spec, world, dice, old)
    if new is None:
        return None
    points = list(spec.checkpoints)
    for i, at in areas:
        if at == old or i == number:
            point = points[i]
            points[i] = with_area(point, new, point.area.within)  # type: ignore[union-attr]
    spec = spec.model_copy(update={"checkpoints": tuple(points)})
    return with_waves_moved(spec, old, new, _RAID, atlas(world).walkable)


def swap_site(spec: TaskSpec, world: World, dice: Dice) -> TaskSpec | None:
    """Puts a building site or a collector somewhere else, and with it the places of checkpoints beside it."""
    bosses = _boss_tiles(spec, world)
    keys = [
        key
        for key, site in spec.sites.items()
        if all(manhattan(*site.at, *boss) > _NEAR_BOSS for boss in bosses)
    ]
    if not keys:
        return None
    key = dice.choice(keys)
    old = spec.sites[key].at
    new = _quiet_place(spec, world, dice, old)
    if new is None:
        return None
    hidden = any(getattr(point, "target", None) == key for point in spec.checkpoints)
    if hidden:
        spots = [tile for tile in atlas(world).free(*new) if manhattan(*tile, *new) >= 6]
        if not spots:
            return None
        new = dice.choice(spots)
    return _with_areas_moved(with_site(spec, key, at=new), world, old, new)


def _with_areas_moved(spec: TaskSpec, world: World, old: Tile, new: Tile) -> TaskSpec:
    """Returns a task whose areas around one tile lie around another."""

    def follow(point: Checkpoint) -> Checkpoint | None:
        if isinstance(point, Visited | PresentTogether | HeldForRounds):
            at = point.area.at
            if at is not None and manhattan(*at, *old) <= _NEAR_BOSS:
                return with_area(point, new, point.area.within)
        return point

    return with_waves_moved(with_points(spec, follow), old, new, _RAID, atlas(world).walkable)


def _boss_tiles(spec: TaskSpec, world: World) -> list[Tile]:
    return [
        (world.named_spawns[point.mob].x, world.named_spawns[point.mob].y)
        for point in spec.checkpoints
        if isinstance(point, Killed) and point.mob in world.named_spawns
    ]


def _party(spec: TaskSpec, needs: Needs, name: str) -> tuple[str, ...]:
    """Returns the roles of an agent's group that start near it, itself included."""
    role = spec.team[name]
    return tuple(
        other
        for other, mate in spec.team.items()
        if mate.group == role.group and manhattan(*mate.start, *role.start) <= GROUND
    )


def _grounds(spec: TaskSpec, world: World, needs: Needs, party: tuple[str, ...]) -> list[str]:
    """Returns the places where everything grows that a party gathers."""
    book = atlas(world)
    wanted = [
        [kind for name in party for kind in needs.kinds(name, item)]
        for item in needs.items
        if needs.make[item]
        and not needs.crafts.get(item)
        and set(party) & set(needs.harvesters(item))
        # What a party can gather, but others stand beside, is left to them.
        and (_stands_at(spec, needs, book, party, item) or not _others_stand(spec, needs, book, party, item))
    ]
    if not wanted:
        return []
    return sorted(
        key
        for key in book.places
        if all(any(key in book.grounds[kind] for kind in kinds) for kinds in wanted) and book.quiet(key)
    )


def _stands_at(spec: TaskSpec, needs: Needs, book: Atlas, party: tuple[str, ...], item: str) -> bool:
    return any(
        book.near(*spec.team[name].start, kind, _SIGHT) for name in party for kind in needs.kinds(name, item)
    )


def _others_stand(spec: TaskSpec, needs: Needs, book: Atlas, party: tuple[str, ...], item: str) -> bool:
    others = tuple(name for name in needs.harvesters(item) if name not in party)
    return _stands_at(spec, needs, book, others, item)


def _fits(start: Tile, x: int, y: int) -> bool:
    return FAR[0] <= manhattan(*start, x, y) <= FAR[1]


def _quiet_place(
    spec: TaskSpec, world: World, dice: Dice, old: Tile, party: list[str] | None = None
) -> Tile | None:
    """Returns the middle of another place, not too far from where the team starts, where nothing feared lives."""
    book = atlas(world)
    starts = [role.start for name, role in spec.team.items() if name not in (party or ())]
    keys = [
        key
        for key, place in book.places.items()
        if _fits(old, place.x, place.y)
        and (not starts or min(manhattan(*start, place.x, place.y) for start in starts) <= FAR[1] * 3 // 4)
        and book.quiet(key)
    ]
    if not keys:
        return None
    place = book.places[dice.choice(keys)]
    tiles = book.free(place.x, place.y)
    return tiles[0] if tiles else None


def _gather_at(spec: TaskSpec, world: World, party: tuple[str, ...], tile: Tile) -> TaskSpec | None:
    tiles = atlas(world).free(*tile)
    if not tiles:
        return None
    return moved(spec, {name: tiles[i % len(tiles)] for i, name in enumerate(party)})
