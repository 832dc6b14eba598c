"""How things come into the world: every way to an item, and for each item one chain that starts from nothing."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Literal

import msgspec

from agentworld_env.world.content import Rule
from agentworld_env.world.world import World

How = Literal["harvest", "drop", "recipe", "barter", "boss", "start"]


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One way to an item.

    Attributes:
        item: Item key.
        how: ``harvest`` of a node that stands somewhere, ``drop`` of a common mob that stands somewhere, ``recipe``,
            ``barter`` with a merchant, drop of a named ``boss``, or among a task's goods at the ``start``.
        source: Key of the node kind or mob kind, production skill, id of the merchant or named spawn.
        inputs: Keys of the items that are given for it, none for what is found.
        tools: Keys of the items one of which must be worn for it; none where bare hands do, as in fights.
        level: Skill level needed for a harvest or a recipe, 0 otherwise.
    """

    item: str
    how: How
    source: str
    inputs: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    level: int = 0

    def open_to(self, have: Container[str]) -> bool:
        """Returns whether somebody who has certain items, and no others, can go this way.

        Args:
            have: Keys of the items.
        """
        held = all(key in have for key in self.inputs)
        return held and (not self.tools or any(key in have for key in self.tools))


def ways(world: World, economy: Iterable[Rule] = ()) -> tuple[Way, ...]:
    """Returns all ways to all items.

    Args:
        world: The world.
        economy: Rules of the economy, for the goods that only tasks hand out.
    """
    return tuple(_found(world)) + tuple(_made(world)) + tuple(_rare(world, economy))


def chains(found: Iterable[Way]) -> dict[str, Way]:
    """Returns one way for each item that can be had, such that following inputs and tools ends with things found.

    What the common world gives is preferred: a boss, or a task's goods, are named only where nothing else leads to an
    item.

    Args:
        found: The ways that are open.
    """
    first: dict[str, Way] = {}
    found = tuple(found)
    common = [way for way in found if way.how not in ("boss", "start")]
    for step in (common, found):
        _close(step, first)
    return first


def chain(item: str, first: dict[str, Way]) -> list[str]:
    """Returns the steps to an item in an order in which they can be taken, one line each.

    Args:
        item: Item key, one that can be had.
        first: One way per item, from ``chains``, in whose order things can be had.
    """
    steps: dict[str, str] = {}
    order = {key: place for place, key in enumerate(first)}

    def visit(key: str) -> None:
        if key in steps:
            return
        way = first[key]
        # Of several tools, the one that is had first: it alone is sure not to come of this very way.
        worn = min((tool for tool in way.tools if tool in order), key=order.__getitem__, default=None)
        for needed in (*way.inputs, *([] if worn is None else [worn])):
            visit(needed)
        given = f" from {', '.join(way.inputs)}" if way.inputs else ""
        level = f" at level {way.level}" if way.level else ""
        wearing = "" if worn is None else f" wearing {worn}"
        steps[key] = f"{key}: {way.how} ({way.source}){level}{given}{wearing}"

    visit(item)
    return list(steps.values())


def _close(open_ways: Iterable[Way], first: dict[str, Way]) -> None:
    waiting = [way for way in open_ways if way.item not in first]
    while True:
        # Round by round: a way counts only once all it takes was had in an earlier round, so that no chain can
        # lead back to itself, and each item gets one of its shortest chains.
        reached = [way for way in waiting if way.open_to(first)]
        if not reached:
            return
        for way in reached:
            first.setdefault(way.item, way)
        waiting = [way for way in waiting if way.item not in first]


def _found(world: World) -> Iterator[Way]:
    standing = {node.kind for node in world.nodes}
    tools: dict[str, list[str]] = {}
    for thing in world.items.values():
        if thing.tool is not None:
            tools.setdefault(thing.tool, []).append(thing.key)
    for kind in world.node_kinds.values():
        if kind.key in standing and (kind.tool is None or kind.tool in tools):
            worn = () if kind.tool is None else tuple(tools[kind.tool])
            yield Way(item=kind.gives, how="harvest", source=kind.key, tools=worn, level=kind.level)
    roaming = {spawn.kind for spawn in world.mob_spawns}
    for mob in world.mob_kinds.values():
        if mob.key in roaming:
            for drop in mob.drops:
                yield Way(item=drop.item, how="drop", source=mob.key)


def _made(world: World) -> Iterator[Way]:
    for recipe in world.recipes:
        yield Way(
            item=recipe.item,
            how="recipe",
            source=recipe.skill,
            inputs=tuple(recipe.inputs),
            level=recipe.level,
        )
    for npc in world.npcs.values():
        for offer in npc.offers:
            yield Way(item=offer.give, how="barter", source=npc.id, inputs=(offer.take,))


def _rare(world: World, economy: Iterable[Rule]) -> Iterator[Way]:
    for spawn in world.named_spawns.values():
        for drop in spawn.drops:
            yield Way(item=drop.item, how="boss", source=spawn.id)
    for rule in economy:
        if rule.standing == "start":
            for key in rule.keys:
                yield Way(item=key, how="start", source="a task's own goods")
