"""The figures of the mobs that stand in an episode, common ones and named bosses alike."""

from __future__ import annotations

import msgspec

from agentworld_env.sim.setup import Setup
from agentworld_env.world import World
from agentworld_env.world.catalogue import Drop

NEVER = 1_000_000
"""Rounds after which a raider that has fallen would stand again: more than any episode has."""


class MobSpec(msgspec.Struct, frozen=True, gc=False):
    """The figures of one mob, common or named.

    Attributes:
        id: Entity id.
        kind: Key of its kind.
        name: Name for people.
        x: Home column before jitter (tiles).
        y: Home row before jitter (tiles).
        level: Combat level.
        hp: Hit points.
        attack: Attack level.
        defence: Defence level.
        aggro: How near an agent must come to be noticed (tiles).
        reach: How far it strikes (tiles).
        temper: ``no``, ``yes`` or ``always``.
        respawn: Rounds until it stands again.
        team: Different attackers needed between two world's turns; 1 for common mobs.
        drops: Drop list.
        seeks: How near to its home an agent must end a round for it to go for that agent (tiles); -1 for all but
            raiders.
    """

    id: str
    kind: str
    name: str
    x: int
    y: int
    level: int
    hp: int
    attack: int
    defence: int
    aggro: int
    reach: int
    temper: str
    respawn: int
    team: int
    drops: tuple[Drop, ...]
    seeks: int = -1


def mob_spec(world: World, number: int, setup: Setup) -> MobSpec:
    """Returns the figures of a mob.

    Args:
        world: The world.
        number: Its index: common mobs first, then the named spawns of the episode, then its raiders.
        setup: What stands in the episode.
    """
    common = len(world.mob_spawns)
    if number < common:
        spawn = world.mob_spawns[number]
        kind = world.mob_kinds[spawn.kind]
        return MobSpec(
            spawn.id, kind.key, kind.name, spawn.x, spawn.y, kind.level, kind.hp, kind.attack,
            kind.defence, kind.aggro, kind.reach, kind.temper, kind.respawn, 1, kind.drops,
        )  # fmt: skip
    number -= common
    if number >= len(setup.spawns):
        raider = setup.raiders[number - len(setup.spawns)]
        kind = world.mob_kinds[raider.kind]
        return MobSpec(
            raider.id, kind.key, kind.name, raider.x, raider.y, kind.level, kind.hp, kind.attack,
            kind.defence, kind.aggro, kind.reach, "always", NEVER, 1, (), raider.seeks,
        )  # fmt: skip
    boss = world.named_spawns[setup.spawns[number]]
    kind = world.mob_kinds[boss.kind]
    return MobSpec(
        boss.id, boss.kind, boss.name, boss.x, boss.y, boss.level, boss.hp, boss.attack,
        boss.defence, kind.aggro, kind.reach, kind.temper, kind.respawn, boss.team, boss.drops,
    )  # fmt: skip
