"""The content linter: what must hold of a world beyond the types of its entries.

``check_world`` returns one line per fault. This module holds the rules about what single things are,
check_goods.py those about where goods come from and go, check_land.py those about where things stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agentworld_env.world.catalogue import GATHERING_SKILLS, PRODUCTION_SKILLS, SKILLS, Drop
from agentworld_env.world.check_goods import check_goods
from agentworld_env.world.check_land import check_land
from agentworld_env.world.content import Standards, data_path, read_standards
from agentworld_env.world.world import World

_ITEM_KINDS = frozenset(
    {"tool", "weapon", "armour", "jewellery", "food", "potion", "ammunition", "ore", "bar", "wood", "gem"}
    | {"fish", "plant", "part", "curiosity"}
)
_TOP_CHANCE = 10_000
_TOP_LEVEL = 99


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
    for rule in (_figures, _portals, check_goods, check_land):
        faults += rule(world, standards)
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
    for source, drops in _drop_lists(world):
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


def _figures(world: World, standards: Standards) -> Iterator[str]:
    abouts = Counter(thing.about for thing in world.items.values())
    for thing in world.items.values():
        if thing.kind not in _ITEM_KINDS:
            yield f"item {thing.key}, field 'kind': expected one of {', '.join(sorted(_ITEM_KINDS))}"
        if not thing.about:
            yield f"item {thing.key}, field 'about': expected one sentence"
        elif abouts[thing.about] > 1:
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
    made = [recipe.item for recipe in world.recipes]
    for recipe in world.recipes:
        if made.count(recipe.item) > 1:
            yield f"recipe {recipe.item}: given twice; expected one way to make a thing"
        if not 1 <= recipe.level <= _TOP_LEVEL or recipe.xp < 1:
            yield f"recipe {recipe.item}: expected a level of 1 to {_TOP_LEVEL} and at least 1 xp"
        if recipe.count < 1 or not recipe.inputs or min(recipe.inputs.values()) < 1:
            yield f"recipe {recipe.item}: expected at least one input and one unit made"
    for kind in world.node_kinds.values():
        if kind.respawn < 1:
            yield f"node kind {kind.key}, field 'respawn': expected at least 1 round"
    for mob in world.mob_kinds.values():
        if mob.hp < 1 or mob.reach < 1 or mob.respawn < 1:
            yield f"mob kind {mob.key}: expected at least 1 hit point, 1 tile of reach and 1 round of respawn"
    for spawn in world.named_spawns.values():
        if spawn.hp < 1 or not 2 <= spawn.team <= 3:
            yield f"spawn {spawn.id}: expected hit points and a team of 2 or 3"
    for source, drops in _drop_lists(world):
        for drop in drops:
            if drop.count < 1 or drop.always == (drop.per_10000 > 0) or drop.per_10000 > _TOP_CHANCE:
                yield f"{source}, drop {drop.item}: expected 'always' or a chance of 1 to {_TOP_CHANCE}"
    for npc in world.npcs.values():
        if (npc.role == "merchant") != bool(npc.offers):
            yield f"npc {npc.id}, field 'offers': expected for merchants only"
        if (npc.role in ("collector", "site")) != bool(npc.wants):
            yield f"npc {npc.id}, field 'wants': expected for collectors and sites only"
        if any(offer.take_count < 1 or offer.give_count < 1 for offer in npc.offers):
            yield f"npc {npc.id}, field 'offers': expected counts of at least 1"


def _portals(world: World, standards: Standards) -> Iterator[str]:
    for portal in world.portals.values():
        mouth = world.portals.get(portal.to)
        if mouth is None or mouth.to != portal.id or mouth.id == portal.id:
            yield f"portal {portal.id}, field 'to': expected a portal that leads back; got {portal.to!r}"
        elif abs(portal.to_x - mouth.x) + abs(portal.to_y - mouth.y) not in (1, 2):
            yield f"portal {portal.id}, fields 'to_x' and 'to_y': expected a tile beside the mouth {mouth.id}"


def _drop_lists(world: World) -> Iterator[tuple[str, tuple[Drop, ...]]]:
    for kind in world.mob_kinds.values():
        yield f"mob kind {kind.key}", kind.drops
    for spawn in world.named_spawns.values():
        yield f"spawn {spawn.id}", spawn.drops
