"""The linter: the shipped world has no fault, and every rule finds the fault that it is there for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from agentworld_env.world import load_world
from agentworld_env.world.catalogue import Drop, Node, Offer
from agentworld_env.world.check import check_world
from agentworld_env.world.content import Catalogue, Demand, Rule, Standards, data_path, read_standards
from agentworld_env.world.load import CATALOGUE_FILE, build_world
from agentworld_env.world.terrain import GROUND_CODE, Terrain, load_terrain
from agentworld_env.world.world import World

TERRAIN = load_terrain()
CATALOGUE = msgspec.msgpack.decode((data_path() / CATALOGUE_FILE).read_bytes(), type=Catalogue)
STANDARDS = read_standards(data_path())


def with_entry(field: str, key: str, **values: Any) -> World:
    """The shipped world with one entry changed."""
    entries = getattr(CATALOGUE, field)
    name = "id" if hasattr(entries[0], "id") else "key" if hasattr(entries[0], "key") else "item"
    changed = tuple(
        msgspec.structs.replace(entry, **values) if getattr(entry, name) == key else entry
        for entry in entries
    )
    assert changed != entries, "the entry to change must exist"
    return build_world(TERRAIN, msgspec.structs.replace(CATALOGUE, **{field: changed}))


def with_nodes(change: Callable[[list[Node]], None]) -> World:
    nodes = list(CATALOGUE.nodes)
    change(nodes)
    return build_world(TERRAIN, msgspec.structs.replace(CATALOGUE, nodes=tuple(nodes)))


def moved(world_field: str, kind: str, x: int, y: int) -> World:
    """The shipped world with the first node or mob of a kind moved."""
    first = next(entry for entry in getattr(CATALOGUE, world_field) if entry.kind == kind)
    return with_entry(world_field, first.id, x=x, y=y)


def has(faults: list[str], *parts: str) -> bool:
    return any(all(part in fault for part in parts) for fault in faults)


def test_the_shipped_world_has_no_fault() -> None:
    assert check_world(load_world()) == []


ENTRY_FAULTS: list[tuple[str, str, dict[str, Any], tuple[str, ...]]] = [
    ("items", "woodenbow", {"ammunition": "bolt"}, ("item woodenbow", "unknown item 'bolt'")),
    ("items", "axe", {"needs": {"might": 1}}, ("item axe", "unknown skill 'might'")),
    ("items", "axe", {"kind": "gadget"}, ("item axe", "'kind'")),
    ("items", "axe", {"about": ""}, ("item axe", "'about'")),
    ("items", "axe", {"reach": 0}, ("item axe", "'reach'")),
    ("items", "axe", {"slot": "ring"}, ("item axe", "'slot'")),
    ("items", "woodenbow", {"ammunition": None}, ("item woodenbow", "'ammunition'")),
    ("items", "staff", {"mana_cost": 0}, ("item staff", "'mana_cost'")),
    ("items", "axe", {"needs": {"combat": 100}}, ("item axe", "'needs'", "1 to 99")),
    ("items", "axe", {"about": load_world().items["logs"].about}, ("item axe", "another item says the same")),
    ("items", "flask", {"heal_hp": 0}, ("item flask", "a potion restores")),
    ("recipes", "axe", {"level": 0}, ("recipe axe", "level of 1 to 99")),
    ("recipes", "axe", {"level": 100}, ("recipe axe", "level of 1 to 99")),
    ("recipes", "axe", {"xp": 0}, ("recipe axe", "at least 1 xp")),
    ("recipes", "axe", {"inputs": {"mithril": 1}}, ("recipe axe", "unknown item 'mithril'")),
    ("recipes", "axe", {"skill": "carving"}, ("recipe axe", "'skill'")),
    ("recipes", "axe", {"inputs": {}}, ("recipe axe", "at least one input")),
    ("recipes", "axe", {"item": "pickaxe"}, ("recipe pickaxe", "given twice")),
    ("recipes", "ironbar", {"inputs": {"axe": 1}}, ("circle", "ironbar -> axe -> ironbar")),
    ("node_kinds", "oak", {"gives": "bark"}, ("node kind oak", "unknown item 'bark'")),
    ("node_kinds", "oak", {"skill": "smithing"}, ("node kind oak", "'skill'")),
    ("node_kinds", "oak", {"respawn": 0}, ("node kind oak", "'respawn'")),
    ("node_kinds", "tinrock", {"gives": "coal"}, ("item tinore", "nothing yields it")),
    ("mob_kinds", "rat", {"hp": 0}, ("mob kind rat", "hit point")),
    ("mob_kinds", "rat", {"drops": (Drop(item="gruel", always=True),)}, ("rat", "unknown item 'gruel'")),
    ("mob_kinds", "rat", {"drops": (Drop(item="flask"),)}, ("rat", "drop flask", "chance")),
    ("mob_kinds", "rat", {"drops": (Drop(item="flask", per_10000=10_001),)}, ("rat", "drop flask", "chance")),
    ("mob_kinds", "rat", {"drops": (Drop(item="logs", always=True),)}, ("rat", "drops logs", "tasks count")),
    ("mob_kinds", "rat", {"drops": (Drop(item="rawchicken", always=True),)}, ("rat", "drops rawchicken")),
    ("named_spawns", "iron-ogre-1", {"kind": "troll"}, ("spawn iron-ogre-1", "'troll'")),
    ("named_spawns", "iron-ogre-1", {"team": 1}, ("spawn iron-ogre-1", "team")),
    (
        "named_spawns",
        "iron-ogre-1",
        {"drops": (Drop(item="bead", always=True),)},
        ("iron-ogre-1", "drops bead"),
    ),
    ("named_spawns", "iron-ogre-1", {"x": 5000}, ("spawn iron-ogre-1", "outside the map")),
    (
        "npcs",
        "orla",
        {"offers": (Offer(take="gold", take_count=1, give="ironbar", give_count=1),)},
        ("orla", "sells ironbar"),
    ),
    (
        "npcs",
        "orla",
        {"offers": (Offer(take="gold", take_count=0, give="apple", give_count=1),)},
        ("orla", "counts"),
    ),
    (
        "npcs",
        "orla",
        {"offers": (Offer(take="velvet", take_count=1, give="apple", give_count=1),)},
        ("orla", "'velvet'"),
    ),
    ("npcs", "orla", {"offers": ()}, ("npc orla", "merchants only")),
    ("npcs", "keeper-ada", {"wants": {}}, ("npc keeper-ada", "collectors and sites only")),
    ("npcs", "keeper-ada", {"wants": {"velvet": 1}}, ("npc keeper-ada", "unknown item 'velvet'")),
    ("places", "mudwich", {"x": 500}, ("place mudwich", "outside its rectangle")),
    ("places", "mudwich", {"y0": -1}, ("place mudwich", "leaves the map")),
]


@pytest.mark.parametrize(("field", "key", "values", "parts"), ENTRY_FAULTS)
def test_a_faulty_entry_is_found(
    field: str, key: str, values: dict[str, Any], parts: tuple[str, ...]
) -> None:
    assert has(check_world(with_entry(field, key, **values), STANDARDS), *parts)


def test_a_portal_whose_partner_does_not_lead_back_is_found() -> None:
    portal = CATALOGUE.portals[0]
    assert has(
        check_world(with_entry("portals", portal.id, to=portal.id), STANDARDS), portal.id, "leads back"
    )


def test_a_portal_that_leads_out_far_from_its_partner_is_found() -> None:
    portal = CATALOGUE.portals[0]
    faults = check_world(with_entry("portals", portal.id, to_x=528, to_y=384), STANDARDS)
    assert has(faults, portal.id, "beside the mouth")


def test_a_missing_node_breaks_its_familys_total() -> None:
    faults = check_world(with_nodes(lambda nodes: nodes.pop()), STANDARDS)
    assert has(faults, "nodes of family", "expected")


def test_two_things_with_one_id_are_found() -> None:
    def same_id(nodes: list[Node]) -> None:
        nodes[1] = msgspec.structs.replace(nodes[1], id=nodes[0].id)

    assert has(check_world(with_nodes(same_id), STANDARDS), CATALOGUE.nodes[0].id, "2 things bear this id")


def test_two_nodes_on_one_tile_are_found() -> None:
    def same_tile(nodes: list[Node]) -> None:
        nodes[1] = msgspec.structs.replace(nodes[1], x=nodes[0].x, y=nodes[0].y)

    faults = check_world(with_nodes(same_tile), STANDARDS)
    assert has(faults, f"tile ({CATALOGUE.nodes[0].x}, {CATALOGUE.nodes[0].y})", "2 nodes")


def test_trees_side_by_side_are_found() -> None:
    def neighbours(nodes: list[Node]) -> None:
        nodes[1] = msgspec.structs.replace(nodes[1], x=nodes[0].x + 1, y=nodes[0].y + 1)

    assert has(check_world(with_nodes(neighbours), STANDARDS), "right beside it")


def find(wanted: Callable[[int, int], bool]) -> tuple[int, int]:
    return next((x, y) for y in range(TERRAIN.height) for x in range(TERRAIN.width) if wanted(x, y))


def test_a_fishing_spot_on_land_is_found() -> None:
    x, y = find(lambda x, y: TERRAIN.ground_at(x, y) == "grass")
    assert has(check_world(moved("nodes", "shrimpspot", x, y), STANDARDS), "shrimpspot", "lies in water")


def test_a_plant_or_a_tree_in_water_is_found() -> None:
    x, y = find(TERRAIN.is_water)
    assert has(check_world(moved("nodes", "cornbush", x, y), STANDARDS), "cornbush", "walkable ground")
    assert has(check_world(moved("nodes", "oak", x, y), STANDARDS), "oak", "could be walked without it")


def test_a_fishing_spot_far_out_at_sea_is_found() -> None:
    x, y = find(
        lambda x, y: all(
            TERRAIN.is_water(x + dx, y + dy) for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
        )
    )
    assert has(
        check_world(moved("nodes", "shrimpspot", x, y), STANDARDS), "shrimpspot", "nobody can walk up to"
    )


def test_a_tree_on_a_road_or_by_a_start_is_found() -> None:
    x, y = find(lambda x, y: TERRAIN.ground_at(x, y) == "road")
    assert has(check_world(moved("nodes", "oak", x, y), STANDARDS), "oak", "blocks a road")
    x, y = STANDARDS.anchors[0]
    assert has(check_world(moved("nodes", "oak", x, y), STANDARDS), "oak", "agents may start")


def test_a_person_in_the_sea_is_found() -> None:
    x, y = find(TERRAIN.is_water)
    assert has(check_world(with_entry("npcs", "orla", x=x, y=y), STANDARDS), "npc orla", "nobody can walk to")


def test_a_boss_on_a_blocked_tile_is_found() -> None:
    oak = next(node for node in CATALOGUE.nodes if node.kind == "oak")
    faults = check_world(with_entry("named_spawns", "iron-ogre-1", x=oak.x, y=oak.y), STANDARDS)
    assert has(faults, "spawn iron-ogre-1", "nobody can walk to")


def test_a_portal_mouth_cut_off_by_water_opens_nothing_that_lies_behind_it() -> None:
    ground = bytearray(TERRAIN.ground)
    for row in range(328, 333):
        ground[row * TERRAIN.width + 934 : row * TERRAIN.width + 939] = bytes([GROUND_CODE["sand"]] * 5)
    stranded = {"isle-ferry": {"x": 936, "y": 330}, "isle-ferry-far": {"to_x": 936, "to_y": 331}}
    portals = tuple(
        msgspec.structs.replace(portal, **stranded.get(portal.id, {})) for portal in CATALOGUE.portals
    )
    world = build_world(
        Terrain(bytes(ground), TERRAIN.biome), msgspec.structs.replace(CATALOGUE, portals=portals)
    )
    isle = world.places["gull-isle"]

    def on_the_isle(x: int, y: int) -> bool:
        return isle.x0 <= x <= isle.x1 and isle.y0 <= y <= isle.y1

    people = [npc for npc in world.npcs.values() if on_the_isle(npc.x, npc.y)]
    mobs = [mob for mob in world.mob_spawns if on_the_isle(mob.x, mob.y)]
    assert len(people) >= 2
    assert mobs
    faults = check_world(world, read_standards(data_path()))
    for name in (
        "portal isle-ferry:",
        "portal isle-ferry-far:",
        "exit of portal isle-ferry:",
        "place gull-isle:",
        *(f"npc {npc.id}:" for npc in people),
        *(f"mob {mob.id}:" for mob in mobs),
    ):
        assert has(faults, name, "nobody can walk to"), name


def test_an_aggressive_mob_by_a_start_is_found_and_a_peaceful_one_is_not() -> None:
    x, y = next((x, y) for x, y in STANDARDS.anchors if load_world().is_walkable(x, y))
    assert has(check_world(moved("mob_spawns", "wolf", x, y), STANDARDS), "wolf", "starts fights")
    assert not has(check_world(moved("mob_spawns", "rat", x, y), STANDARDS), "rat", "starts fights")


def test_a_thing_outside_its_habitat_is_found_unless_a_demand_asks_for_it() -> None:
    x, y = find(lambda x, y: TERRAIN.ground_at(x, y) == "dune" and load_world().is_walkable(x, y))
    world = moved("mob_spawns", "snowrabbit", x, y)
    assert has(check_world(world, STANDARDS), "snowrabbit", "outside its habitat")
    asked = msgspec.structs.replace(
        STANDARDS,
        demands=(*STANDARDS.demands, Demand(kind="snowrabbit", x=x, y=y, count=1, within=1, note="")),
    )
    assert not has(check_world(world, asked), "snowrabbit", "outside its habitat")


def test_an_unmet_demand_is_found() -> None:
    demand = Demand(kind="oak", x=528, y=384, count=400, within=5, note="")
    standards: Standards = msgspec.structs.replace(STANDARDS, demands=(demand,))
    assert has(check_world(load_world(), standards), "demand for oak at (528, 384)", "expected 400")


def test_a_gathering_tool_without_protection_is_found() -> None:
    economy = tuple(rule for rule in STANDARDS.economy if "goldaxe" not in rule.keys)
    faults = check_world(load_world(), msgspec.structs.replace(STANDARDS, economy=economy))
    assert has(faults, "item goldaxe", "'protected'")


def test_an_unknown_key_in_the_economy_is_found() -> None:
    rule = msgspec.structs.replace(STANDARDS.economy[0], keys=("mithril",))
    faults = check_world(load_world(), msgspec.structs.replace(STANDARDS, economy=(rule,)))
    assert has(faults, "economy", "'mithril'")


def test_starting_goods_need_no_other_source() -> None:
    world = with_entry("node_kinds", "tinrock", gives="coal")
    rule = Rule(standing="start", keys=("tinore",))
    assert has(check_world(world, STANDARDS), "item tinore", "nothing yields it")
    given = msgspec.structs.replace(STANDARDS, economy=(*STANDARDS.economy, rule))
    assert not has(check_world(world, given), "item tinore", "nothing yields it")


def test_a_boss_that_only_the_open_world_has_may_drop_what_tasks_count() -> None:
    bound = tuple(rule for rule in STANDARDS.economy if rule.standing != "open")
    faults = check_world(load_world(), msgspec.structs.replace(STANDARDS, economy=bound))
    assert has(faults, "spawn mimic-2", "drops bead")
    assert not has(check_world(load_world(), STANDARDS), "mimic-2")
