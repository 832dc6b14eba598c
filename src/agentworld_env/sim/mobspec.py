"""The figures of the mobs that stand in an episode, common ones and named bosses alike."""

from __future__ import annotations

import msgspec

from agentworld_env.world import World
from agentworld_env.world.catalogue import Drop


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


def mob_spec(world: World, number: int, spawns: tuple[str, ...]) -> MobSpec:
    """Returns the figures of a mob.

    Args:
        world: The world.
        number: Its index: common mobs first, then the named spawns of the episode.
        spawns: Ids of these.
    """
    common = len(world.mob_spawns)
    if number < common:
        spawn = world.mob_spawns[number]
        kind = world.mob_kinds[spawn.kind]
        return MobSpec(
            spawn.id, kind.key, kind.name, spawn.x, spawn.y, kind.level, kind.hp, kind.attack,
            kind.defence, kind.aggro, kind.reach, kind.temper, kind.respawn, 1, kind.drops,
        )  # fmt: skip
    boss = world.named_spawns[spawns[number - common]]
    kind = world.mob_kinds[boss.kind]
    return MobSpec(
        boss.id, boss.kind, boss.name, boss.x, boss.y, boss.level, boss.hp, boss.attack,
        boss.defence, kind.aggro, kind.reach, kind.temper, kind.respawn, boss.team, boss.drops,
    )  # fmt: skip
