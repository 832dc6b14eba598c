"""No variant asks for what nobody would ask for, or leaves somebody without a part."""

from __future__ import annotations

from tests.variants.conftest import Drafts

from agentworld_env.tasks import get_task
from agentworld_env.tasks import schema as s
from agentworld_env.variants.edit import units, with_points, with_role, with_units
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.sense import grown, labour, senseless, trimmed
from agentworld_env.variants.text.facts import Facts
from agentworld_env.world import World


def doubled(spec: s.TaskSpec, *items: str) -> s.TaskSpec:
    """The task with twice as many of some items wherever they are counted."""

    def twice(point: s.Checkpoint) -> s.Checkpoint | None:
        counted = units(point)
        more = {item: n * (2 if item in items else 1) for item, n in counted.items()}
        return point if more == counted else with_units(point, more)

    return with_points(spec, twice)


def test_a_main_task_is_its_own_measure(world: World) -> None:
    for name in ("t01_magic_staff", "t14_shrimp_cooking", "t62_weaponsmith_consortium"):
        spec = get_task(name).spec
        assert trimmed(spec, spec, world) == spec
        assert not grown(spec, spec)
        assert senseless(spec, spec, world) is None


def test_more_of_a_part_than_its_one_product_takes_is_asked_for_no_more(world: World) -> None:
    # One axe takes 3 iron bars, these 3 iron ore and 3 coal, whatever is asked for.
    source = get_task("t04_axe_crafting").spec
    spec = doubled(source, "ironbar", "ironore", "coal")
    assert trimmed(spec, source, world) == source


def test_shared_quotas_of_a_part_stay_what_they_are_unless_more_is_used(world: World) -> None:
    # Two roles cut 3 and 2 logs for a bucket of 5; two buckets take 10.
    source = get_task("t13_bucket_crafting").spec
    assert trimmed(doubled(source, "logs"), source, world) == source
    more = doubled(source, "logs", "bucket")
    assert trimmed(more, source, world) == more


def test_more_of_a_product_and_of_its_parts_stays(world: World) -> None:
    source = get_task("t04_axe_crafting").spec
    spec = doubled(source, "axe", "ironbar", "ironore", "coal", "logs")
    assert trimmed(spec, source, world) == spec
    assert grown(spec, source)


def test_what_a_source_asks_for_beyond_the_need_may_stay(world: World) -> None:
    # Five shrimp are to be caught and one to be cooked; ten caught would be five too many.
    source = get_task("t14_shrimp_cooking").spec
    assert {n for p in source.checkpoints if "rawshrimp" in units(p) for n in units(p).values()} == {5}
    assert trimmed(doubled(source, "rawshrimp"), source, world) == source


def test_drafts_ask_for_no_more_of_a_part_than_is_used_beyond_what_their_sources_do(
    drafts: Drafts, world: World
) -> None:
    for source, spec, _ in drafts:
        assert trimmed(spec, source.spec, world) == spec


def test_a_claim_to_ask_for_more_is_true(drafts: Drafts) -> None:
    told = [(source, spec) for source, spec, names in drafts if "quantity" in names]
    assert told
    assert all(grown(spec, source.spec) for source, spec in told)


def test_labour_counts_units_crafts_kills_and_places(world: World) -> None:
    # 2 logs, 5 shafts (2 crafts of 4) and a staff; 4 goblins, since those of each share are among them.
    staff, goblins = get_task("t01_magic_staff").spec, get_task("t35_combat_training").spec
    assert labour(Facts(staff, staff, world)) == 2 + Needs(staff, world).crafts["stick"] + 1
    assert labour(Facts(goblins, goblins, world)) == 4


def test_a_variant_in_which_too_little_is_left_to_do_makes_no_sense(world: World) -> None:
    source = get_task("t04_axe_crafting").spec
    bare = with_role(source, "smith", inventory={**source.team["smith"].inventory, "ironbar": 3, "logs": 1})
    points = tuple(p for p in bare.checkpoints if p.kind == "crafted" and "axe" in units(p))
    spec = bare.model_copy(update={"checkpoints": points})
    assert senseless(spec, source, world) == "too little of the work is left"


def test_a_variant_that_leaves_a_member_of_a_small_team_idle_makes_no_sense(world: World) -> None:
    source = get_task("t33_resource_collection").spec
    points = tuple(p for p in source.checkpoints if "coal" not in units(p))
    spec = source.model_copy(update={"checkpoints": points})
    assert senseless(spec, source, world) == "miner has no part in it"


def test_a_keeper_that_keeps_nothing_makes_no_sense_in_any_team(world: World) -> None:
    for name in ("t33_resource_collection", "t93_fortress_construction"):
        source = get_task(name).spec
        first = next(iter(source.team.values()))
        keeper = first.model_copy(
            update={
                "group": "keepers",
                "skills": {"strength": 25},
                "inventory": {},
                "worn": ("leatherarmor",),
            }
        )
        spec = source.model_copy(update={"team": {**source.team, "keeper": keeper}})
        assert senseless(spec, source, world) == "keeper has no part in it"


def test_every_draft_makes_sense(drafts: Drafts, world: World) -> None:
    for source, spec, _ in drafts:
        # Roles that got another name count as those of the source, at the same place of the team.
        assert 5 * labour(Facts(spec, source.spec, world)) >= 2 * labour(
            Facts(source.spec, source.spec, world)
        )
