"""What the world is made of: the types of the catalogue. Instances come from data files, never from code."""

from __future__ import annotations

from typing import Literal

import msgspec

GATHERING_SKILLS = ("lumberjacking", "mining", "fishing", "foraging")
PRODUCTION_SKILLS = ("crafting", "smithing", "smelting", "fletching", "cooking")
COMBAT_SKILLS = ("strength", "accuracy", "defense", "health", "magic", "archery")
SKILLS = GATHERING_SKILLS + PRODUCTION_SKILLS + COMBAT_SKILLS
"""Every skill. The paper counts eight gathering and production skills; smelting is counted under smithing
there, but some published roles list it apart, so it gates recipes of its own here."""

SLOTS = ("weapon", "armour", "boots", "ring", "pendant")
Slot = Literal["weapon", "armour", "boots", "ring", "pendant"]
ToolKind = Literal["axe", "pickaxe", "fishingpole"]
WeaponKind = Literal["melee", "bow", "staff"]
NodeFamily = Literal["tree", "rock", "fish", "plant"]
Temper = Literal["no", "yes", "always"]


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A kind of item.

    Attributes:
        key: Unique key that tools take, such as ``"ironbar"``.
        name: Name for people.
        kind: Family: ``tool``, ``weapon``, ``armour``, ``jewellery``, ``food``, ``potion``, ``ammunition``,
            ``ore``, ``bar``, ``wood``, ``gem``, ``fish``, ``plant``, ``part`` or ``curiosity``.
        about: One sentence for people.
        slot: Where it is worn, or None if it cannot be.
        weapon: How it strikes, or None if it is no weapon.
        tool: What gathering it serves when worn, or None.
        needs: Skill -> level to wear it; ``combat`` means the combat level.
        attack: Added to the damage formula while worn.
        defence: Added to the defence rating while worn.
        reach: How far it strikes (tiles), 0 unless a weapon.
        mana_cost: Mana per exchange, for staffs.
        ammunition: Item key used up once per exchange, for bows.
        heal_hp: Hit points restored by ``use_item``.
        heal_mana: Mana restored by ``use_item``.
    """

    key: str
    name: str
    kind: str
    about: str = ""
    slot: Slot | None = None
    weapon: WeaponKind | None = None
    tool: ToolKind | None = None
    needs: dict[str, int] = {}
    attack: int = 0
    defence: int = 0
    reach: int = 0
    mana_cost: int = 0
    ammunition: str | None = None
    heal_hp: int = 0
    heal_mana: int = 0


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """How items are made: ``inputs`` of one craft give ``count`` units of ``item``, without fail.

    Attributes:
        skill: Production skill that gates it.
        item: Key of the product.
        count: Units made per craft.
        level: Skill level needed.
        inputs: Item key -> units used up per craft.
        xp: Experience per craft.
    """

    skill: str
    item: str
    count: int
    level: int
    inputs: dict[str, int]
    xp: int


class NodeKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of resource node.

    Attributes:
        key: Unique key, such as ``"oak"``.
        name: Name for people.
        family: ``tree``, ``rock``, ``fish`` or ``plant``. Trees and rocks block their tile; fishing spots lie in
            water; plants are walked over.
        gives: Item key of the yield.
        skill: Gathering skill needed.
        tool: Tool that must be worn, or None.
        level: Skill level needed.
        xp: Experience per harvest.
        respawn: Rounds until it can be harvested again.
    """

    key: str
    name: str
    family: NodeFamily
    gives: str
    skill: str
    tool: ToolKind | None
    level: int
    xp: int
    respawn: int


class Node(msgspec.Struct, frozen=True, array_like=True):
    """One resource node of the world: ``id`` such as ``"oak-0123"``, kind key, tile."""

    id: str
    kind: str
    x: int
    y: int


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a mob's drop list.

    When a mob falls, one entry of its list is drawn uniformly, then rolled against its chance (published rule).
    Entries with ``always`` are given on every kill instead.

    Attributes:
        item: Item key.
        count: Units.
        per_10000: Chance in ten-thousandths.
        always: Given on every kill.
    """

    item: str
    count: int = 1
    per_10000: int = 0
    always: bool = False


class MobKind(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A kind of mob.

    Attributes:
        key: Unique key, such as ``"icerat"``.
        name: Name for people.
        level: Combat level.
        hp: Hit points.
        attack: Attack level; the most damage of one strike is 5/2 of it (published rule).
        defence: Defence level.
        aggro: How near an agent must come to be noticed (tiles).
        reach: How far it strikes (tiles).
        temper: ``no``: never starts a fight; ``yes``: notices agents up to twice its level; ``always``.
        respawn: Rounds until it stands again after a kill.
        drops: Its drop list.
        about: One sentence for people.
    """

    key: str
    name: str
    level: int
    hp: int
    attack: int
    defence: int
    aggro: int
    reach: int
    temper: Temper
    respawn: int
    drops: tuple[Drop, ...] = ()
    about: str = ""


class MobSpawn(msgspec.Struct, frozen=True, array_like=True):
    """A common mob of the world: ``id`` such as ``"rat-0012"``, kind key, home tile."""

    id: str
    kind: str
    x: int
    y: int


class NamedSpawn(msgspec.Struct, frozen=True, kw_only=True):
    """A named boss. It stands only in episodes whose task lists it.

    Attributes:
        id: Entity id, such as ``"ice-guardian-1"``.
        kind: Key of the mob kind whose temper, reach and drops it shares.
        name: Name for people.
        level: Combat level.
        hp: Hit points.
        attack: Attack level.
        defence: Defence level.
        x: Column (tiles).
        y: Row (tiles).
        team: So many different agents must have hit it since the last world turn, or it regains everything.
        drops: Its own drop list.
    """

    id: str
    kind: str
    name: str
    level: int
    hp: int
    attack: int
    defence: int
    x: int
    y: int
    team: int
    drops: tuple[Drop, ...] = ()


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a merchant's price list: ``take`` units of an item for ``give`` units of another."""

    take: str
    take_count: int
    give: str
    give_count: int


class Npc(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person of the world, or a site that takes deliveries.

    Attributes:
        id: Entity id.
        name: Name for people.
        role: ``merchant``, ``collector``, ``site`` or ``villager``.
        x: Column (tiles).
        y: Row (tiles).
        about: One sentence for people.
        offers: Price list, for merchants.
        wants: Item key -> units it accepts in all, for collectors and sites. A site is built once the list is
            complete.
    """

    id: str
    name: str
    role: Literal["merchant", "collector", "site", "villager"]
    x: int
    y: int
    about: str = ""
    offers: tuple[Offer, ...] = ()
    wants: dict[str, int] = {}


class Portal(msgspec.Struct, frozen=True, kw_only=True):
    """One mouth of a linked pair: stepping in at (x, y) leads out at (to_x, to_y), beside the mouth ``to``."""

    id: str
    name: str
    x: int
    y: int
    to: str
    to_x: int
    to_y: int


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A named rectangle of the map.

    Attributes:
        key: Unique key, such as ``"north-mine"``.
        name: Name for people.
        kind: ``region``, ``town``, ``mine``, ``forest``, ``coast``, ``lair``, ``cave`` or ``camp``.
        x: Column of its middle, a walkable tile.
        y: Row of its middle.
        x0: First column.
        y0: First row.
        x1: Last column.
        y1: Last row.
        about: One sentence for people.
    """

    key: str
    name: str
    kind: str
    x: int
    y: int
    x0: int
    y0: int
    x1: int
    y1: int
    about: str = ""
