"""The content linter: what must hold of a world beyond the types of its entries.

``check_world`` returns one line per fault, ``check_package`` those of what the package ships. This module holds the
rules about references, check_figures.py those about single things, check_goods.py those about where goods come from
and go, check_land.py those about where things stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from agentworld_env.world.catalogue import GATHERING_SKILLS, PRODUCTION_SKILLS, SKILLS
from agentworld_env.world.check_figures import check_figures, drop_lists
from agentworld_env.world.check_goods import check_goods
from agentworld_env.world.check_land import check_land
from agentworld_env.world.content import (
    Catalogue,
    Standards,
    check_keys,
    data_path,
    read_catalogue,
    read_standards,
)
from agentworld_env.world.load import CATALOGUE_FILE, build_world, load_catalogue
from agentworld_env.world.sources import ContentError
from agentworld_env.world.terrain import load_terrain
from agentworld_env.world.world import World

_SIGN = "items.yaml"
"""The source whose presence shows that the sources are there at all."""


def check_world(world: World, standards: Standards | None = None) -> list[str]:
    """Returns the faults of a world, one clear line each; an empty list if there are none.

    Args:
        world: The world.
        standards: What to hold it against; by default what the package's sources say.
    """
    if standards is None:
        standards = read_standards(data_path())
    faults = list(_references(world, standards))
    if faults:
        # The other rules look keys up and would only repeat that they are missing.
        return faults
    for rule in (check_figures, _portals, check_goods, check_land):
        faults += rule(world, standards)
    return faults


def check_catalogue(catalogue: Catalogue, standards: Standards | None = None) -> list[str]:
    """Returns the faults of a catalogue on the package's land, those included that no world could be built with.

    Args:
        catalogue: The catalogue.
        standards: What to hold it against; by default what the package's sources say.
    """
    try:
        check_keys(catalogue)
    except ContentError as error:
        return [str(error)]
    terrain = load_terrain()
    # The land is built with the nodes on it.
    off = [
        node for node in catalogue.nodes if not (0 <= node.x < terrain.width and 0 <= node.y < terrain.height)
    ]
    if off:
        return [f"node {node.id}: ({node.x}, {node.y}) lies outside the map" for node in off]
    return check_world(build_world(terrain, catalogue), standards)


def has_sources(folder: Path | None = None) -> bool:
    """Returns whether the content sources lie beside the compiled catalogue, as in a checkout.

    Args:
        folder: Where they would lie; by default in the package.
    """
    return (data_path() if folder is None else folder).joinpath(_SIGN).is_file()


def check_package(folder: Path | None = None) -> list[str]:
    """Returns the faults of the compiled catalogue and, where its sources lie beside it, of these.

    Sources that differ from what was compiled of them are a fault of their own; then it is the sources that are held
    against the rules, since they are what somebody is working on.

    Args:
        folder: The folder of the content; by default that of the package.

    Raises:
        AgentWorldError: The compiled catalogue does not fit this version of the package, or what the world is held
            against cannot be read.
    """
    folder = data_path() if folder is None else folder
    if not has_sources(folder):
        return check_catalogue(load_catalogue(folder), read_standards(folder))
    try:
        sources = read_catalogue(folder)
    except ContentError as error:
        return [str(error)]
    faults = check_catalogue(sources, read_standards(folder))
    if msgspec.msgpack.encode(sources) != (folder / CATALOGUE_FILE).read_bytes():
        faults.append(
            f"{CATALOGUE_FILE}: not what the sources say; "
            "expected the result of 'python -m agentworld_env.world.compile'"
        )
    return faults


def _references(world: World, standards: Standards) -> Iterator[str]:
    kinds = world.node_kinds.keys() | world.mob_kinds.keys()

    def item(entry: str, field: str, key: str) -> Iterator[str]:
        if key not in world.items:
            yield f"{entry}, field {field!r}: unknown item {key!r}"

    for thing in world.items.values():
        for skill in thing.needs:
            if skill not in SKILLS and skill != "combat":
                yield f"item {thing.key}, field 'needs': unknown skill {skill!r}"
        if thing.ammunition is not None:
            yield from item(f"item {thing.key}", "ammunition", thing.ammunition)
    for recipe in world.recipes:
        for key in (recipe.item, *recipe.inputs):
            yield from item(f"recipe {recipe.item}", "inputs", key)
        if recipe.skill not in PRODUCTION_SKILLS:
            yield f"recipe {recipe.item}, field 'skill': expected one of {', '.join(PRODUCTION_SKILLS)}"
    for kind in world.node_kinds.values():
        yield from item(f"node kind {kind.key}", "gives", kind.gives)
        if kind.skill not in GATHERING_SKILLS:
            yield f"node kind {kind.key}, field 'skill': expected one of {', '.join(GATHERING_SKILLS)}"
    for source, drops in drop_lists(world):
        for drop in drops:
            yield from item(source, "drops", drop.item)
    for spawn in world.named_spawns.values():
        if spawn.kind not in world.mob_kinds:
            yield f"spawn {spawn.id}, field 'kind': unknown mob kind {spawn.kind!r}"
    for npc in world.npcs.values():
        for offer in npc.offers:
            yield from item(f"npc {npc.id}", "offers", offer.take)
            yield from item(f"npc {npc.id}", "offers", offer.give)
        for key in npc.wants:
            yield from item(f"npc {npc.id}", "wants", key)
    for key in [h.kind for h in standards.habitats] + [d.kind for d in standards.demands]:
        if key not in kinds:
            yield f"habitats and demands: unknown kind {key!r}"
    for rule in standards.economy:
        valid = world.named_spawns.keys() if rule.standing == "open" else world.items.keys()
        for key in rule.keys:
            if key not in valid:
                yield f"economy, standing {rule.standing!r}: unknown key {key!r}"
        for source in rule.by:
            if source not in world.mob_kinds and source not in world.named_spawns:
                yield f"economy, field 'by': unknown mob kind or spawn {source!r}"


def _portals(world: World, standards: Standards) -> Iterator[str]:
    for portal in world.portals.values():
        mouth = world.portals.get(portal.to)
        if mouth is None or mouth.to != portal.id or mouth.id == portal.id:
            yield f"portal {portal.id}, field 'to': expected a portal that leads back; got {portal.to!r}"
        elif abs(portal.to_x - mouth.x) + abs(portal.to_y - mouth.y) not in (1, 2):
            yield f"portal {portal.id}, fields 'to_x' and 'to_y': expected a tile beside the mouth {mouth.id}"
