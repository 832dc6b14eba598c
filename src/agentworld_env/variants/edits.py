"""What an author may ask for: typed edits of a task, checked before anything is done.

An author, such as a language model, names keys and numbers and nothing else. It cannot write text, and so neither YAML
nor code nor the path of a file: objective, labels, roles and guides are rendered from the facts that result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentworld_env.errors import hint, quoted
from agentworld_env.models.thoughts import after_thoughts
from agentworld_env.tasks.schema import (
    Checkpoint,
    Discovered,
    HeldForRounds,
    Key,
    Killed,
    Line,
    Name,
    PresentTogether,
    TaskSpec,
    Visited,
    Worn,
)
from agentworld_env.variants.atlas import atlas
from agentworld_env.variants.edit import (
    moved,
    units,
    with_area,
    with_points,
    with_role,
    with_site,
    with_units,
)
from agentworld_env.variants.mutations.products import wearable
from agentworld_env.world import World

MOST_BYTES = 16 * 1024
"""Longest reply of an author that is read (bytes)."""
Label = Annotated[Line, Field(min_length=1, max_length=80)]
Units = Annotated[int, Field(ge=0, le=200)]


class EditError(ValueError):
    """Edits that cannot be made: one line that says which and what was expected."""


class Edits(BaseModel):
    """Edits of a task.

    Attributes:
        starts: Role -> place where it starts.
        bags: Role -> item -> units in its bag at the start; 0 takes an item away.
        items: Item that checkpoints or sites ask for -> the item they ask for instead.
        counts: Label of a checkpoint that counts -> units or kills.
        wants: Site -> item -> units it takes.
        sites: Site -> place where it stands.
        areas: Label of a checkpoint about a place -> place.
        prey: Mob kind or named spawn to be killed -> another.
        rounds: Round budget.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    starts: dict[Name, Key] = Field(default={}, max_length=20)
    bags: dict[Name, dict[Key, Units]] = Field(default={}, max_length=20)
    items: dict[Key, Key] = Field(default={}, max_length=8)
    counts: dict[Label, Annotated[int, Field(ge=1, le=60)]] = Field(default={}, max_length=12)
    wants: dict[Key, dict[Key, Annotated[int, Field(ge=1, le=60)]]] = Field(default={}, max_length=4)
    sites: dict[Key, Key] = Field(default={}, max_length=4)
    areas: dict[Label, Key] = Field(default={}, max_length=12)
    prey: dict[Key, Key] = Field(default={}, max_length=6)
    rounds: Annotated[int, Field(ge=10, le=60)] | None = None


def read_edits(reply: str) -> Edits:
    """Reads the JSON object in an author's reply, behind what it thought aloud.

    Raises:
        EditError: There is none, it is too long, or it says something that no edit says.
    """
    answer = after_thoughts(reply)
    if answer is None:
        raise EditError("expected one JSON object and found thoughts without an end")
    reply = answer
    if len(reply.encode()) > MOST_BYTES:
        raise EditError(f"expected at most {MOST_BYTES} bytes")
    first, last = reply.find("{"), reply.rfind("}")
    if first < 0 or last < first:
        raise EditError("expected one JSON object and found none")
    try:
        return Edits.model_validate_json(reply[first : last + 1])
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part)[:40] for part in detail["loc"])
        raise EditError(f"{where or 'the object'}: {detail['msg']}") from None
    except RecursionError:
        raise EditError("expected an object of the given schema, not one so deep") from None


def applied(spec: TaskSpec, edits: Edits, world: World) -> TaskSpec:
    """Returns an edited task, its texts still the old ones.

    Raises:
        EditError: An edit names something that is not there, or that does not fit.
    """
    _check(spec, edits, world)
    spec = _moved(spec, edits, world)
    for name, bag in edits.bags.items():
        full = {**spec.team[name].inventory, **bag}
        spec = with_role(spec, name, inventory={item: count for item, count in full.items() if count})
    spec = with_points(spec, lambda point: _point(point, spec, edits, world))
    for key, site in spec.sites.items():
        wants = {edits.items.get(item, item): count for item, count in site.wants.items()}
        spec = with_site(spec, key, wants=dict(edits.wants.get(key, wants)))
    spawns = tuple(dict.fromkeys(_swapped(key, edits, world) for key in spec.spawns))
    wanted = [new for new in edits.prey.values() if new in world.named_spawns and new not in spawns]
    update: dict[str, object] = {"spawns": (*spawns, *wanted)}
    if edits.rounds is not None:
        update["max_rounds"] = edits.rounds
    return spec.model_copy(update=update)


def _swapped(key: str, edits: Edits, world: World) -> str:
    new = edits.prey.get(key, key) if isinstance(key, str) else key
    return new if new in world.named_spawns else key


def _moved(spec: TaskSpec, edits: Edits, world: World) -> TaskSpec:
    book = atlas(world)
    seats: dict[str, int] = {}
    starts = {}
    for name, key in edits.starts.items():
        place = book.places[key]
        tiles = book.free(place.x, place.y)
        if not tiles:
            raise EditError(f"starts.{name}: {key} is too dangerous to start at")
        starts[name] = tiles[seats.get(key, 0) % len(tiles)]
        seats[key] = seats.get(key, 0) + 1
    spec = moved(spec, starts)
    for site, key in edits.sites.items():
        place = book.places[key]
        spots = book.free(place.x, place.y)
        if not spots:
            raise EditError(f"sites.{site}: nothing can be built at {key}")
        spec = with_site(spec, site, at=spots[0])
    return spec


def _point(point: Checkpoint, spec: TaskSpec, edits: Edits, world: World) -> Checkpoint | None:
    counted = units(point)
    if isinstance(point, Killed):
        mob = edits.prey.get(point.mob, point.mob)
        return point.model_copy(update={"mob": mob, "count": edits.counts.get(point.label, point.count)})
    if isinstance(point, Discovered) and point.target in edits.prey:
        return point.model_copy(update={"target": edits.prey[point.target]})
    if counted:
        single = edits.counts.get(point.label) if len(counted) == 1 else None
        wanted: dict[str, int] = {}
        for item, count in counted.items():
            new = edits.items.get(item, item)
            wanted[new] = wanted.get(new, 0) + (single or count)
        if isinstance(point, Worn) and not wearable(spec, world, point.by, next(iter(wanted))):
            raise EditError(f"items: {point.by} cannot wear {next(iter(wanted))}")
        return with_units(point, wanted)
    if isinstance(point, Visited | PresentTogether | HeldForRounds) and point.label in edits.areas:
        place = atlas(world).places[edits.areas[point.label]]
        tiles = atlas(world).free(place.x, place.y)
        if not tiles:
            raise EditError(f"areas.{point.label}: {place.key} is too dangerous to wait at")
        return with_area(point, tiles[0], point.area.within)
    return point


def _check(spec: TaskSpec, edits: Edits, world: World) -> None:
    places = atlas(world).places
    counting = [p.label for p in spec.checkpoints if isinstance(p, Killed) or len(units(p)) == 1]
    areas = [p.label for p in spec.checkpoints if isinstance(p, Visited | PresentTogether | HeldForRounds)]
    asked = {item for point in spec.checkpoints for item in units(point)}
    asked |= {item for site in spec.sites.values() for item in site.wants}
    prey = {point.mob for point in spec.checkpoints if isinstance(point, Killed)}
    _names("starts", edits.starts, spec.team, places)
    _names("sites", edits.sites, spec.sites, places)
    _names("areas", edits.areas, areas, places)
    _names("items", edits.items, asked, world.items)
    _names("prey", edits.prey, prey, [*world.mob_kinds, *world.named_spawns])
    _names("counts", dict.fromkeys(edits.counts, ""), counting, [""])
    for name, bag in edits.bags.items():
        _names("bags", {name: ""}, spec.team, [""])
        _names(f"bags.{name}", dict.fromkeys(bag, ""), world.items, [""])
    for key, wants in edits.wants.items():
        _names("wants", {key: ""}, spec.sites, [""])
        _names(f"wants.{key}", dict.fromkeys(wants, ""), world.items, [""])


def _names(where: str, given: Mapping[str, str], keys: Iterable[str], values: Iterable[str]) -> None:
    keys, values = list(keys), list(values)
    for key, value in given.items():
        if key not in keys:
            raise EditError(f"{where}: there is no {quoted(key)} here{hint(key, keys)}")
        if value not in values:
            raise EditError(f"{where}.{key}: there is no {quoted(value)}{hint(value, values)}")
