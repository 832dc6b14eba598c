"""A small world made by hand, in which every expected value can be counted on one's fingers."""

from __future__ import annotations

from functools import cache
from typing import Any

from agentworld_env.sim import ROUND_OVER, AgentSetup, Rules, Setup, Simulation
from agentworld_env.sim.events import Result
from agentworld_env.tools import TOOLS, execute
from agentworld_env.world import World
from agentworld_env.world.catalogue import (
    Drop,
    Item,
    MobKind,
    MobSpawn,
    NamedSpawn,
    Node,
    NodeKind,
    Npc,
    Offer,
    Place,
    Portal,
    Recipe,
)
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.terrain import GROUND_CODE, Terrain

SURE = Rules(jitter=0, start_depleted=0, hit_floor=1000, hit_ceiling=1000)
"""Nothing is moved or depleted by the seed, and every blow lands (its damage still varies)."""

EXACT = Rules(jitter=0, start_depleted=0)

LAKE = (300, 100, 339, 139)
"""Columns and rows (first x, first y, last x, last y) that nobody can walk on; the only way is around."""

_TRINKETS = tuple(f"trinket{i:02}" for i in range(30))

_ITEMS = (
    Item(key="logs", name="Logs", kind="wood"),
    Item(key="stick", name="Stick", kind="part"),
    Item(key="herb", name="Herb", kind="plant"),
    Item(key="fang", name="Fang", kind="part"),
    Item(key="crown", name="Crown", kind="curiosity"),
    Item(key="arrow", name="Arrow", kind="ammunition"),
    Item(key="axe", name="Axe", kind="tool", slot="weapon", weapon="melee", tool="axe", reach=1),
    Item(key="sword", name="Long Sword", kind="weapon", slot="weapon", weapon="melee", attack=40, reach=1),
    Item(
        key="club", name="Club", kind="weapon", slot="weapon", weapon="melee", attack=2, needs={"strength": 9}
    ),
    Item(key="bow", name="Bow", kind="weapon", slot="weapon", weapon="bow", reach=6, ammunition="arrow"),
    Item(key="staff", name="Staff", kind="weapon", slot="weapon", weapon="staff", reach=5, mana_cost=7),
    Item(key="leather", name="Leather", kind="armour", slot="armour", defence=5),
    Item(key="crownring", name="Ring", kind="jewellery", slot="ring", needs={"combat": 30}),
    Item(key="apple", name="Apple", kind="food", heal_hp=40),
    Item(key="flask", name="Flask", kind="potion", heal_mana=10),
    *(Item(key=key, name=key, kind="curiosity") for key in _TRINKETS),
)

_NODE_KINDS = (
    NodeKind(key="oak", name="Oak", family="tree", gives="logs", skill="lumberjacking", tool="axe",
             level=1, xp=10, respawn=3),
    NodeKind(key="elm", name="Elm", family="tree", gives="logs", skill="lumberjacking", tool="axe",
             level=20, xp=20, respawn=3),
    NodeKind(key="bush", name="Bush", family="plant", gives="herb", skill="foraging", tool=None,
             level=1, xp=5, respawn=2),
)  # fmt: skip

_MOB_KINDS = (
    MobKind(key="rat", name="Rat", level=1, hp=5, attack=0, defence=0, aggro=0, reach=1, temper="no", respawn=2,
            drops=(Drop(item="fang", count=2, always=True),)),
    MobKind(key="wolf", name="Wolf", level=10, hp=5000, attack=8, defence=0, aggro=4, reach=1, temper="yes", respawn=5),
    MobKind(key="ogre", name="Ogre", level=20, hp=100, attack=0, defence=0, aggro=3, reach=1, temper="no", respawn=9),
    MobKind(key="reaper", name="Reaper", level=90, hp=9000, attack=4000, defence=0, aggro=2, reach=1, temper="no",
            respawn=9),
)  # fmt: skip


@cache
def small_world() -> World:
    """Returns the small world; every call returns the same object."""
    ground = bytearray([GROUND_CODE["grass"]]) * (WIDTH * HEIGHT)
    x0, y0, x1, y1 = LAKE
    for y in range(y0, y1 + 1):
        for x in range(x0, x1 + 1):
            ground[y * WIDTH + x] = GROUND_CODE["deep water"]
    nodes = (
        Node("oak-0001", "oak", 105, 100),
        Node("oak-0002", "oak", 107, 100),
        Node("elm-0001", "elm", 105, 105),
        Node("bush-0001", "bush", 100, 103),
    )
    terrain = Terrain(bytes(ground), bytes(WIDTH * HEIGHT))
    return World(
        terrain=terrain.with_blocked((n.x, n.y) for n in nodes if n.kind != "bush"),
        items=_ITEMS,
        recipes=(
            Recipe(skill="fletching", item="stick", count=4, level=1, inputs={"logs": 1}, xp=3),
            Recipe(skill="fletching", item="arrow", count=10, level=15, inputs={"stick": 2, "fang": 1}, xp=8),
        ),
        node_kinds=_NODE_KINDS,
        nodes=nodes,
        mob_kinds=_MOB_KINDS,
        mob_spawns=(
            MobSpawn("rat-0001", "rat", 110, 110),
            MobSpawn("wolf-0001", "wolf", 200, 200),
            MobSpawn("reaper-0001", "reaper", 400, 400),
        ),
        named_spawns=(
            NamedSpawn(id="ogre-king-1", kind="ogre", name="Ogre King", level=20, hp=100, attack=0, defence=0,
                       x=150, y=150, team=2, drops=(Drop(item="crown", always=True), Drop(item="crown", always=True))),
        ),
        npcs=(
            Npc(id="mira", name="Mira", role="merchant", x=120, y=120,
                offers=(Offer(take="logs", take_count=2, give="apple", give_count=3),)),
            Npc(id="warden", name="Warden", role="collector", x=130, y=130, wants={"logs": 5, "herb": 2}),
            Npc(id="tom", name="Tom", role="villager", x=121, y=120),
        ),
        portals=(
            Portal(id="hole", name="hole", x=90, y=90, to="burrow", to_x=500, to_y=501),
            Portal(id="burrow", name="burrow", x=500, y=500, to="hole", to_x=90, to_y=91),
        ),
        places=(
            Place(key="camp", name="Old Camp", kind="camp", x=100, y=100, x0=95, y0=95, x1=115, y1=115),
            Place(key="shire", name="Shire", kind="region", x=120, y=120, x0=50, y0=50, x1=200, y1=200),
        ),
    )  # fmt: skip


def agent(name: str, x: int = 100, y: int = 100, **more: Any) -> AgentSetup:
    """Returns an agent's start; ``skills``, ``bag`` and ``worn`` may be given."""
    return AgentSetup(
        name=name,
        x=x,
        y=y,
        skills=more.get("skills", {}),
        bag=more.get("bag", {}),
        worn=more.get("worn", ()),
    )


def start(*agents: AgentSetup, rules: Rules = SURE, seed: int = 1, **more: Any) -> Simulation:
    """Returns a running simulation of the small world; ``spawns``, ``sites`` and ``growth`` may be given."""
    sim = Simulation(small_world(), Setup(agents=agents, **more), rules)
    sim.reset(seed)
    return sim


def do(sim: Simulation, name: str, tool: str, **arguments: Any) -> Result:
    """Lets an agent make a call, whoever's turn it is."""
    sim.state.turn = sim.index[name]
    return execute(sim, {"tool": tool, "arguments": arguments}, TOOLS)


def end_round(sim: Simulation, rounds: int = 1) -> None:
    """Runs the world's turn and begins the next round."""
    for _ in range(rounds):
        sim.state.turn = len(sim.names) - 1
        assert sim.next_turn() == ROUND_OVER


def of_type(sim: Simulation, kind: type[Any]) -> list[Any]:
    """Returns the events of one type so far."""
    return [event for event in sim.state.events if type(event) is kind]


def full_bag(item: str | None = None) -> dict[str, int]:
    """Returns a bag of 25 kinds, one of which may be named."""
    kinds = list(_TRINKETS[:25])
    if item is not None:
        kinds[0] = item
    return dict.fromkeys(kinds, 1)
