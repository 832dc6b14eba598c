"""The linter's rules about goods: where they come from, what they are for, and what the economy forbids."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.world.chains import chains, ways
from agentworld_env.world.content import Standards
from agentworld_env.world.world import World

_ENDS = frozenset({"ammunition", "curiosity"})
"""Kinds of items that need no further use, besides what is worn, eaten or drunk."""


def check_goods(world: World, standards: Standards) -> Iterator[str]:
    """Yields the faults of everything that is found, made or bartered.

    Args:
        world: The world.
        standards: What to hold it against.
    """
    for rule in (_recipes_acyclic, _trade_acyclic, _obtainable, _dead_ends, _economy):
        yield from rule(world, standards)


def _recipes_acyclic(world: World, standards: Standards) -> Iterator[str]:
    done: set[str] = set()

    def visit(key: str, way: tuple[str, ...]) -> str | None:
        if key in way:
            return " -> ".join((*way[way.index(key) :], key))
        recipe = world.recipe_of.get(key)
        if key in done or recipe is None:
            return None
        for needed in recipe.inputs:
            circle = visit(needed, (*way, key))
            if circle is not None:
                return circle
        done.add(key)
        return None

    for key in world.recipe_of:
        circle = visit(key, ())
        if circle is not None:
            yield f"recipes go round in a circle: {circle}"
            return


def _trade_acyclic(world: World, standards: Standards) -> Iterator[str]:
    """No chain of offers and recipes leads a good back to itself, so that trade makes nothing from nothing."""
    leads: dict[str, set[str]] = {}
    for recipe in world.recipes:
        for needed in recipe.inputs:
            leads.setdefault(needed, set()).add(recipe.item)
    for npc in world.npcs.values():
        for offer in npc.offers:
            leads.setdefault(offer.take, set()).add(offer.give)

    def beyond(start: str) -> set[str]:
        reached: set[str] = set()
        left = [start]
        while left:
            key = left.pop()
            if key not in reached:
                reached.add(key)
                left += leads.get(key, ())
        return reached

    for npc in world.npcs.values():
        for offer in npc.offers:
            if offer.take in beyond(offer.give):
                yield (
                    f"npc {npc.id}, field 'offers': {offer.take} for {offer.give}, from which recipes and offers "
                    f"lead back to {offer.take}; expected no way round"
                )


def _obtainable(world: World, standards: Standards) -> Iterator[str]:
    have = chains(ways(world, standards.economy))
    for key in world.items:
        if key not in have:
            yield f"item {key}: nothing yields it; expected a source or the standing 'start' in the economy"


def _dead_ends(world: World, standards: Standards) -> Iterator[str]:
    used = {key for recipe in world.recipes for key in recipe.inputs}
    for npc in world.npcs.values():
        used.update(offer.take for offer in npc.offers)
        used.update(npc.wants)
    for thing in world.items.values():
        an_end = thing.kind in _ENDS or thing.slot is not None or thing.heal_hp > 0 or thing.heal_mana > 0
        if not an_end and thing.key not in used:
            yield f"item {thing.key}: a dead end; expected a recipe, a merchant or a collector that takes it"


def _economy(world: World, standards: Standards) -> Iterator[str]:
    allowed: dict[str, set[str]] = {}
    free: set[str] = set()
    for rule in standards.economy:
        if rule.standing == "protected":
            for key in rule.keys:
                allowed.setdefault(key, set()).update(rule.by)
        elif rule.standing == "open":
            free.update(rule.keys)
    for thing in world.items.values():
        if thing.tool is not None and thing.key not in allowed:
            yield f"item {thing.key}: a gathering tool must have the standing 'protected' in the economy"
    for kind in world.mob_kinds.values():
        for drop in kind.drops:
            if kind.key not in allowed.get(drop.item, {kind.key}):
                yield f"mob kind {kind.key}: drops {drop.item}, which tasks count or use up"
    for spawn in world.named_spawns.values():
        for drop in spawn.drops:
            if spawn.id not in free and spawn.id not in allowed.get(drop.item, {spawn.id}):
                yield f"spawn {spawn.id}: drops {drop.item}, which tasks count or use up"
    for npc in world.npcs.values():
        for offer in npc.offers:
            if offer.give in allowed:
                yield f"npc {npc.id}: sells {offer.give}, which tasks count or use up"
