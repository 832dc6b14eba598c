"""Each mutation changes what it says, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from tests.variants.conftest import Drafts

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.digests import demand
from agentworld_env.variants.edit import groups, stock, units, with_stock
from agentworld_env.variants.mutations import MUTATIONS
from agentworld_env.variants.mutations.gear import stripped
from agentworld_env.variants.mutations.quantities import horizon
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World
from agentworld_env.world.geometry import manhattan

BY_NAME = {mutation.name: mutation for mutation in MUTATIONS}


def changed(name: str, task: str, world: World, seed: object = 0) -> s.TaskSpec:
    spec = get_task(task).spec
    found = BY_NAME[name].apply(spec, world, Dice(seed))
    assert found is not None
    return found


def asked(spec: s.TaskSpec) -> set[str]:
    goods = {item for point in spec.checkpoints for item in units(point)}
    return goods | {item for site in spec.sites.values() for item in site.wants}


def test_names_are_unique_and_every_mutation_is_described() -> None:
    assert len(BY_NAME) == len(MUTATIONS) == 15
    assert all(mutation.about.endswith(".") for mutation in MUTATIONS)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_mutation_is_a_pure_function_that_really_changes_something(name: str, world: World) -> None:
    mutation = BY_NAME[name]
    hits = 0
    for info in list_tasks("main")[::6]:
        spec = get_task(info.id).spec
        before = spec.model_dump_json()
        found = mutation.apply(spec, world, Dice(info.id, 1))
        assert spec.model_dump_json() == before
        assert mutation.apply(spec, world, Dice(info.id, 1)) == found
        if found is not None:
            hits += 1
            assert found != spec
    if not hits:  # rarer ones are looked at where they apply, below
        assert name in {"boss", "prey", "meeting", "strip", "site", "hand_on"}


@pytest.mark.parametrize("name", [m.name for m in MUTATIONS if not m.structural])
def test_quantities_and_budgets_alone_leave_the_demand_as_it_is(name: str, world: World) -> None:
    for info in list_tasks("main")[::9]:
        spec = get_task(info.id).spec
        found = BY_NAME[name].apply(spec, world, Dice(3))
        if found is not None:
            assert demand(found, world) == demand(spec, world)


def test_another_product_comes_of_the_same_skill_with_materials_that_can_be_had(world: World) -> None:
    for seed in range(8):
        source = get_task("t03_silver_ring").spec
        spec = changed("product", "t03_silver_ring", world, seed)
        new = asked(spec) - asked(source)
        crafted = {item for p in spec.checkpoints if p.kind == "crafted" for item in units(p)}
        assert new & crafted
        assert "silverring" not in asked(spec)
        needs = Needs(spec, world)
        assert needs.short == {}
        assert all(needs.crafters(item) for item in crafted)


def test_another_material_is_gathered_by_the_same_skill_where_it_grows(world: World) -> None:
    source, spec = get_task("t18_coastal_harvest").spec, changed("material", "t18_coastal_harvest", world)
    (new,) = asked(spec) - asked(source)
    needs = Needs(spec, world)
    for name in needs.harvesters(new)[:1]:
        x, y = spec.team[name].start
        kinds = needs.kinds(name, new)
        assert any(node.kind in kinds and manhattan(node.x, node.y, x, y) <= 64 for node in world.nodes)


def test_another_ground_has_all_that_its_gatherers_gather(world: World) -> None:
    spec = changed("ground", "t86_forge_vanguard", world)
    source = get_task("t86_forge_vanguard").spec
    moved = [name for name in spec.team if spec.team[name].start != source.team[name].start]
    assert moved == ["miner1", "miner2", "miner3"]
    x, y = spec.team["miner1"].start
    assert manhattan(x, y, *source.team["miner1"].start) >= 40
    near = {node.kind for node in world.nodes if manhattan(node.x, node.y, x, y) <= 64}
    assert {"ironrock", "coalrock"} <= near


def test_another_start_moves_a_whole_group_that_gathers_nothing(world: World) -> None:
    source = get_task("t86_forge_vanguard").spec
    for seed in range(6):
        spec = changed("start", "t86_forge_vanguard", world, seed)
        moved = {name for name in spec.team if spec.team[name].start != source.team[name].start}
        assert moved in [set(names) for group, names in groups(source).items() if group != "miners"]
        assert all(world.is_walkable(*spec.team[name].start) for name in moved)


def test_another_meeting_place_is_a_quiet_one_elsewhere(world: World) -> None:
    spec = changed("meeting", "t44_messenger_run", world)
    (area,) = [p.area for p in spec.checkpoints if isinstance(p, s.PresentTogether)]
    assert area.at is not None
    assert area.within == 12
    assert manhattan(*area.at, 450, 400) >= 40


def test_a_site_moves_with_the_areas_beside_it(world: World) -> None:
    spec = changed("site", "t75_relief_convoy", world)
    at = spec.sites["relief_post"].at
    assert manhattan(*at, 352, 246) >= 40
    (area,) = [p.area for p in spec.checkpoints if isinstance(p, s.HeldForRounds)]
    assert area.at == at


@pytest.mark.parametrize("task", ["t22_magical_defense", "t30_legendary_boss_hunt", "t76_elemental_bosses"])
def test_another_boss_is_of_like_strength(task: str, world: World) -> None:
    source, spec = get_task(task).spec, changed("boss", task, world)
    (old,), (new,) = set(source.spawns) - set(spec.spawns), set(spec.spawns) - set(source.spawns)
    before, after = world.named_spawns[old], world.named_spawns[new]
    assert after.team == before.team
    assert 0.7 <= after.hp / before.hp <= 1.35
    assert 0.7 <= after.attack / before.attack <= 1.35
    assert new in {p.mob for p in spec.checkpoints if isinstance(p, s.Killed)}
    assert old not in {p.mob for p in spec.checkpoints if isinstance(p, s.Killed)}


def test_what_lies_beside_a_boss_goes_with_it(world: World) -> None:
    spec = changed("boss", "t22_magical_defense", world)
    boss = world.named_spawns[spec.spawns[0]]
    (area,) = [p.area for p in spec.checkpoints if isinstance(p, s.HeldForRounds)]
    assert area.at is not None
    assert manhattan(*area.at, boss.x, boss.y) <= 40


def test_other_prey_is_of_about_the_same_level(world: World) -> None:
    for seed in range(5):
        spec = changed("prey", "t19_farm_defense", world, seed)
        (mob,) = [p.mob for p in spec.checkpoints if isinstance(p, s.Killed)]
        assert mob != "goblin"
        assert abs(world.mob_kinds[mob].level - world.mob_kinds["goblin"].level) <= 10
        assert sum(spawn.kind == mob for spawn in world.mob_spawns) >= 4


def test_a_part_that_one_role_needs_lies_with_another_group(world: World) -> None:
    source, spec = get_task("t01_magic_staff").spec, changed("reassign", "t01_magic_staff", world)
    assert "bead" in source.team["wizard"].inventory
    assert "bead" not in spec.team["wizard"].inventory
    assert stock(spec, "bead") == stock(source, "bead") == 1


def test_stripped_materials_have_to_be_made_and_can_be(world: World) -> None:
    source, spec = get_task("t41_tool_production").spec, changed("strip", "t41_tool_production", world)
    gone = [i for r in source.team.values() for i in r.inventory if stock(spec, i) < stock(source, i)]
    assert gone
    needs = Needs(spec, world)
    assert needs.short == {}
    assert all(needs.makers(item) and needs.use[item] > stock(spec, item) for item in gone)


@pytest.mark.parametrize("task", ["t86_forge_vanguard", "t98_mining_conglomerate"])
def test_nothing_is_stripped_that_is_made_anyway(task: str, world: World) -> None:
    # Coal lies in two bags, and as much as would be missing without one of them is mined for another checkpoint.
    source = get_task(task).spec
    assert all(BY_NAME["strip"].apply(source, world, Dice(seed)) is None for seed in range(6))


def test_what_is_stripped_is_handed_to_one_who_could_make_it_only_by_another_maker(world: World) -> None:
    # Strings lie with the string maker; the weaponsmith, who gets them, has the skill to make them as well, and so has
    # the master forger.
    for seed in range(12):
        spec = changed("strip", "t62_weaponsmith_consortium", world, seed)
        if not stock(spec, "string"):
            break
    assert Needs(spec, world).makers("string") == ("string_maker", "master_forger", "weaponsmith")
    points = {
        item: point.origin for point in spec.checkpoints if point.kind == "delivered" for item in units(point)
    }
    assert points["string"] == "made"
    assert points["hilt2"] == "any"


def test_what_is_stripped_lets_more_be_made_until_it_is_given_back(world: World) -> None:
    hits = 0
    for task in ("t41_tool_production", "t64_ice_expedition", "t71_supply_network", "t83_elemental_ritual"):
        source = get_task(task).spec
        for seed in range(4):
            spec = BY_NAME["strip"].apply(source, world, Dice(seed))
            if spec is None:
                continue
            hits += 1
            ((name, gone),) = (
                (name, item)
                for name, role in source.team.items()
                for item in role.inventory
                if item not in spec.team[name].inventory
            )
            assert Needs(spec, world).make[gone] > Needs(source, world).make[gone]
            assert stripped(spec, source, world)
            back = with_stock(spec, name, gone, source.team[name].inventory[gone])
            assert not stripped(back, source, world)
    assert hits


def test_a_draft_claims_no_stripping_that_others_have_undone(drafts: Drafts, world: World) -> None:
    claims = [(spec, source) for source, spec, names in drafts if "strip" in names]
    assert claims
    for spec, source in claims:
        roles = dict(zip(source.spec.team, spec.team, strict=False))
        before = source.spec.model_copy(
            update={"team": {roles[name]: role for name, role in source.spec.team.items() if name in roles}}
        )
        if len(spec.team) == len(source.spec.team):
            assert stripped(spec, before, world)


def test_what_is_handed_on_goes_to_a_group_that_had_no_part_in_it(world: World) -> None:
    spec = changed("hand_on", "t51_survival_challenge", world)
    point = next(p for p in spec.checkpoints if isinstance(p, s.Delivered))
    makers = Needs(spec, world).makers(point.item)
    assert spec.team[point.to].group not in {spec.team[name].group for name in makers}


def test_an_added_keeper_gives_or_gets_something_that_counts(world: World) -> None:
    for seed in range(6):
        source = get_task("t31_woodworking_production").spec
        found = BY_NAME["add_role"].apply(source, world, Dice(seed))
        if found is None:
            continue
        assert list(found.team) == [*source.team, "keeper"]
        gives = set(found.team["keeper"].inventory) & set(Needs(found, world).items)
        gets = [p for p in found.checkpoints if getattr(p, "by", None) == "keeper"]
        assert bool(gives) != bool(gets)


def test_a_dropped_member_has_a_mate_who_inherits_what_the_team_needs(world: World) -> None:
    source = get_task("t56_cross_region_trading_network").spec
    for seed in range(6):
        spec = changed("drop_role", source.id, world, seed)
        (gone,) = set(source.team) - set(spec.team)
        assert len(groups(source)[source.team[gone].group]) == 2
        assert stock(spec, "ironbar") == stock(source, "ironbar")
        assert all(gone not in (getattr(p, "by", None) or ()) for p in spec.checkpoints)


def test_more_of_everything_comes_with_more_of_what_only_the_start_gives(world: World) -> None:
    source, spec = get_task("t40_healing_supplies").spec, changed("quantity", "t40_healing_supplies", world)

    def counts(it: s.TaskSpec) -> list[int]:
        return [n for p in it.checkpoints for n in units(p).values()]

    assert all(after >= before for before, after in zip(counts(source), counts(spec), strict=True))
    assert sum(counts(spec)) > sum(counts(source))
    assert Needs(spec, world).short == {}


@pytest.mark.parametrize("rounds", [25, 31, 42, 55])
def test_a_tighter_budget_stays_within_its_horizon(rounds: int, world: World) -> None:
    source = get_task("t01_magic_staff").spec.model_copy(update={"max_rounds": rounds})
    for seed in range(8):
        found: Any = BY_NAME["budget"].apply(source, world, Dice(seed))
        if found is not None:
            assert found.max_rounds < rounds
            assert horizon(found.max_rounds) == horizon(rounds)


def test_horizons_begin_where_the_documents_say() -> None:
    assert [horizon(rounds) for rounds in (12, 30, 31, 40, 41, 50, 51, 60)] == [0, 0, 1, 1, 2, 2, 3, 3]
