"""The linter's rules about single things: names, kinds and figures in their ranges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import get_args

from agentworld_env.errors import hint
from agentworld_env.world.catalogue import SLOTS, Drop, NodeFamily, Temper, ToolKind, WeaponKind
from agentworld_env.world.content import Standards
from agentworld_env.world.world import World

_ITEM_KINDS = (
    *("tool", "weapon", "armour", "jewellery", "food", "potion", "ammunition", "ore", "bar", "wood", "gem"),
    *("fish", "plant", "part", "curiosity"),
)
_PLACE_KINDS = ("region", "town", "mine", "forest", "coast", "lair", "cave", "camp")
_ROLES = ("merchant", "collector", "site", "villager")
_GATHERED = {
    "tree": ("lumberjacking", "axe"),
    "rock": ("mining", "pickaxe"),
    "fish": ("fishing", "fishingpole"),
    "plant": ("foraging", None),
}
_NAMESAKES = frozenset({"Magic Bead", "Emerald Ring"})
"""Names that several items bear, as published; calls take keys, and what is told of these things says the key."""

_KEY = re.compile("[a-z][a-z0-9-]*")
_TOP_CHANCE = 10_000
_TOP_LEVEL = 99
_TOP_DANGER = 300
"""Highest combat level of a mob; published ones pass 250."""


def check_figures(world: World, standards: Standards) -> Iterator[str]:
    """Yields the faults of single entries.

    Args:
        world: The world.
        standards: What to hold it against.
    """
    for rule in (_names, _items, _recipes, _node_kinds, _mob_kinds, _bosses, _drops, _people, _places):
        yield from rule(world)


def drop_lists(world: World) -> Iterator[tuple[str, tuple[Drop, ...]]]:
    """Yields (whose, drop list) of every kind of mob and every named spawn."""
    for kind in world.mob_kinds.values():
        yield f"mob kind {kind.key}", kind.drops
    for spawn in world.named_spawns.values():
        yield f"spawn {spawn.id}", spawn.drops


def _one_of(where: str, field: str, value: object, valid: tuple[str, ...]) -> Iterator[str]:
    if value not in valid:
        near = hint(str(value), valid) or f"; expected one of {', '.join(valid)}"
        yield f"{where}, field {field!r}: unknown {value!r}{near}"


def _names(world: World) -> Iterator[str]:
    """Whatever is told of has a key that calls can take, and a name and a sentence that tell it from its like."""
    families: tuple[tuple[str, Mapping[str, object], frozenset[str] | None], ...] = (
        ("item", world.items, _NAMESAKES),
        ("node kind", world.node_kinds, frozenset()),
        ("mob kind", world.mob_kinds, frozenset()),
        # Bosses of one kind share its name, as published: their ids tell them apart.
        ("spawn", world.named_spawns, None),
        ("npc", world.npcs, frozenset()),
        ("portal", world.portals, frozenset()),
        ("place", world.places, frozenset()),
    )
    for what, entries, shared in families:
        names = Counter(str(getattr(entry, "name", "")) for entry in entries.values())
        for key, entry in entries.items():
            name = str(getattr(entry, "name", ""))
            if not _KEY.fullmatch(key):
                yield f"{what} {key!r}: expected a key of small letters, digits and hyphens"
            if not name.strip():
                yield f"{what} {key}, field 'name': expected a name"
            elif shared is not None and names[name] > 1 and name not in shared:
                yield f"{what} {key}, field 'name': another one is called {name!r}"
            if not str(getattr(entry, "about", "-")).strip():
                yield f"{what} {key}, field 'about': expected one sentence"


def _items(world: World) -> Iterator[str]:
    abouts = Counter(thing.about for thing in world.items.values())
    for thing in world.items.values():
        where = f"item {thing.key}"
        yield from _one_of(where, "kind", thing.kind, _ITEM_KINDS)
        for field, value, valid in (
            ("slot", thing.slot, SLOTS),
            ("weapon", thing.weapon, get_args(WeaponKind)),
            ("tool", thing.tool, get_args(ToolKind)),
        ):
            if value is not None:
                yield from _one_of(where, field, value, valid)
        for field in ("attack", "defence", "reach", "mana_cost", "heal_hp", "heal_mana"):
            if getattr(thing, field) < 0:
                yield f"{where}, field {field!r}: expected at least 0; got {getattr(thing, field)}"
        if thing.slot is None and (thing.attack or thing.defence):
            yield f"{where}: nobody can wear it, so that attack and defence say nothing"
        if (thing.heal_hp or thing.heal_mana) and thing.kind not in ("food", "potion"):
            yield f"{where}: only food and potions restore hit points or mana"
        if thing.about and abouts[thing.about] > 1:
            yield f"item {thing.key}, field 'about': another item says the same"
        if any(not 1 <= level <= _TOP_LEVEL for level in thing.needs.values()):
            yield f"item {thing.key}, field 'needs': expected levels of 1 to {_TOP_LEVEL}"
        if thing.kind == "potion" and not (thing.heal_hp or thing.heal_mana):
            yield f"item {thing.key}: a potion restores hit points or mana"
        if (thing.weapon is not None) != (thing.reach > 0):
            yield f"item {thing.key}, field 'reach': expected tiles for a weapon and 0 otherwise"
        if (thing.weapon is not None or thing.tool is not None) and thing.slot != "weapon":
            yield f"item {thing.key}, field 'slot': a weapon or tool is worn in the weapon slot"
        if (thing.weapon == "bow") != (thing.ammunition is not None):
            yield f"item {thing.key}, field 'ammunition': expected for bows only"
        if (thing.weapon == "staff") != (thing.mana_cost > 0):
            yield f"item {thing.key}, field 'mana_cost': expected for staffs only"


def _recipes(world: World) -> Iterator[str]:
    made = [recipe.item for recipe in world.recipes]
    for recipe in world.recipes:
        if made.count(recipe.item) > 1:
            yield f"recipe {recipe.item}: given twice; expected one way to make a thing"
        if not 1 <= recipe.level <= _TOP_LEVEL or recipe.xp < 1:
            yield f"recipe {recipe.item}: expected a level of 1 to {_TOP_LEVEL} and at least 1 xp"
        if recipe.count < 1 or not recipe.inputs or min(recipe.inputs.values()) < 1:
            yield f"recipe {recipe.item}: expected at least one input and one unit made"


def _node_kinds(world: World) -> Iterator[str]:
    standing = {node.kind for node in world.nodes}
    for kind in world.node_kinds.values():
        where = f"node kind {kind.key}"
        yield from _one_of(where, "family", kind.family, get_args(NodeFamily))
        if kind.respawn < 1:
            yield f"{where}, field 'respawn': expected at least 1 round"
        if not 1 <= kind.level <= _TOP_LEVEL or kind.xp < 1:
            yield f"{where}: expected a level of 1 to {_TOP_LEVEL} and at least 1 xp"
        if kind.family in _GATHERED and (kind.skill, kind.tool) != _GATHERED[kind.family]:
            skill, tool = _GATHERED[kind.family]
            yield f"{where}: a {kind.family} takes the skill {skill} and {tool or 'no tool'}"
        if kind.key not in standing:
            yield f"{where}: none of it stands anywhere"


def _mob_kinds(world: World) -> Iterator[str]:
    living = {spawn.kind for spawn in world.mob_spawns} | {s.kind for s in world.named_spawns.values()}
    for mob in world.mob_kinds.values():
        where = f"mob kind {mob.key}"
        yield from _one_of(where, "temper", mob.temper, get_args(Temper))
        if mob.hp < 1 or mob.reach < 1 or mob.respawn < 1:
            yield f"{where}: expected at least 1 hit point, 1 tile of reach and 1 round of respawn"
        if not 1 <= mob.level <= _TOP_DANGER:
            yield f"{where}, field 'level': expected 1 to {_TOP_DANGER}"
        if mob.attack < 1 or mob.defence < 0 or mob.aggro < 0:
            yield f"{where}: expected an attack of at least 1, and a defence and aggro of at least 0"
        if mob.key not in living:
            yield f"{where}: none of it lives anywhere"


def _bosses(world: World) -> Iterator[str]:
    for spawn in world.named_spawns.values():
        where = f"spawn {spawn.id}"
        if spawn.hp < 1 or not 2 <= spawn.team <= 3:
            yield f"{where}: expected hit points and a team of 2 or 3"
        least = world.mob_kinds[spawn.kind].hp
        if spawn.hp <= least:
            yield f"{where}, field 'hp': expected more than the {least} of a common {spawn.kind}"
        if not 1 <= spawn.level <= _TOP_DANGER:
            yield f"{where}, field 'level': expected 1 to {_TOP_DANGER}"
        if spawn.attack < 1 or spawn.defence < 0:
            yield f"{where}: expected an attack of at least 1 and a defence of at least 0"


def _drops(world: World) -> Iterator[str]:
    for source, drops in drop_lists(world):
        for drop in drops:
            fits = drop.per_10000 == 0 if drop.always else 1 <= drop.per_10000 <= _TOP_CHANCE
            if not fits:
                yield f"{source}, drop {drop.item}: expected 'always' or a chance of 1 to {_TOP_CHANCE}"
            if drop.count < 1:
                yield f"{source}, drop {drop.item}, field 'count': expected at least 1"


def _people(world: World) -> Iterator[str]:
    for npc in world.npcs.values():
        yield from _one_of(f"npc {npc.id}", "role", npc.role, _ROLES)
        if (npc.role == "merchant") != bool(npc.offers):
            yield f"npc {npc.id}, field 'offers': expected for merchants only"
        if (npc.role in ("collector", "site")) != bool(npc.wants):
            yield f"npc {npc.id}, field 'wants': expected for collectors and sites only"
        if any(offer.take_count < 1 or offer.give_count < 1 for offer in npc.offers):
            yield f"npc {npc.id}, field 'offers': expected counts of at least 1"
        if any(count < 1 for count in npc.wants.values()):
            yield f"npc {npc.id}, field 'wants': expected at least 1 of each"
        takes = Counter(offer.take for offer in npc.offers)
        for key, count in takes.items():
            if count > 1:
                yield f"npc {npc.id}, field 'offers': takes {key} for {count} goods; a call could reach one only"


def _places(world: World) -> Iterator[str]:
    for place in world.places.values():
        yield from _one_of(f"place {place.key}", "kind", place.kind, _PLACE_KINDS)
