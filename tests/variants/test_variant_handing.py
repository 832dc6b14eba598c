"""The guides of a variant tell of all hand-overs that the team cannot do without."""

from __future__ import annotations

import pytest
from tests.variants.conftest import Drafts

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s
from agentworld_env.variants.edit import units, with_stock
from agentworld_env.variants.text import worded
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import noun
from agentworld_env.world import World

PLENTY = 10_000


def within_reach(name: str, item: str, facts: Facts) -> int:
    """Units of an item that a role makes, holds, or is handed by whoever is told to."""
    givers = facts.handing.givers(name, item)
    if any(maker in facts.makers(item) for maker in (name, *givers)):
        return PLENTY
    relays = [giver for giver in givers if giver not in facts.providers(item)]
    return sum(facts.spec.team[role].inventory.get(item, 0) for role in (name, *givers)) + PLENTY * bool(
        relays
    )


def left_out(facts: Facts) -> list[str]:
    """What cannot be made, or does not get where it has to, if everybody does as told and no more."""
    found = []
    for product, crafts in facts.needs.crafts.items():
        parts = facts.world.recipe_of[product].inputs
        could = sum(
            min(within_reach(name, item, facts) // count for item, count in parts.items())
            for name in facts.makers(product)
        )
        if could < crafts:
            found.append(f"{product}: {could} of {crafts} crafts")
    for point in facts.spec.checkpoints:
        to = point.to if isinstance(point, s.Delivered) else getattr(point, "by", None)
        if point.kind not in ("delivered", "held", "worn") or not isinstance(to, str):
            continue
        for item in units(point):
            role = facts.spec.team.get(to)
            has = role is not None and point.kind != "delivered" and item in role.inventory
            if not has and to not in facts.makers(item) and not facts.handing.givers(to, item):
                found.append(f"nobody hands {item} to {to}")
    for site in facts.spec.sites:
        lacking = [item for item in facts.spec.sites[site].wants if not facts.handing.givers(site, item)]
        found += [f"nobody brings {item} to {site}" for item in lacking]
    return found


@pytest.mark.parametrize("name", [info.id for info in list_tasks("augmented")])
def test_no_augmented_task_leaves_out_a_hand_over_that_the_team_needs(name: str, world: World) -> None:
    spec = get_task(name).spec
    source = get_task(name.removesuffix("_aug")).spec
    assert left_out(Facts(spec, source, world)) == []


def test_no_draft_leaves_out_a_hand_over_that_the_team_needs(drafts: Drafts, world: World) -> None:
    for source, spec, _ in drafts:
        assert left_out(Facts(spec, source.spec, world)) == [], spec.id


def told(name: str, world: World, changes: dict[tuple[str, str], int]) -> dict[str, str]:
    """The notes of a main task with other units in some bags, (role, item) -> units, in the renderer's words."""
    source = get_task(name).spec
    spec = source
    for (role, item), count in changes.items():
        spec = with_stock(spec, role, item, count)
    found = worded(spec, source, world)
    assert found is not None
    return {role: found.team[role].guide.notes for role in found.team}


def test_a_part_that_lies_with_two_users_too_little_with_each_goes_to_one_of_them(world: World) -> None:
    # A golden bow takes ten strings at once.
    notes = told("t66_archery_production", world, {("fletcher1", "string"): 5, ("fletcher2", "string"): 5})
    sent = [name for name in ("fletcher1", "fletcher2") if "string" in sentence(notes[name], "Hand ")]
    got = [name for name in ("fletcher1", "fletcher2") if "string" in sentence(notes[name], "You get ")]
    assert len(sent) == len(got) == 1
    assert sent != got


def test_a_part_that_one_of_two_users_holds_in_full_stays_where_it_is(world: World) -> None:
    notes = told("t66_archery_production", world, {("fletcher1", "string"): 0, ("fletcher2", "string"): 10})
    assert "string" not in sentence(notes["fletcher1"], "Hand ")


def sentence(notes: str, start: str) -> str:
    """All sentences of notes that begin with some words."""
    return " ".join(part for part in notes.split(". ") if part.startswith(start))


def test_who_alone_can_do_more_than_it_has_parts_for_gets_the_rest_and_gives_none_away(world: World) -> None:
    # Three swords take three hilts, of which their only smith holds two.
    notes = {
        name: role.guide.notes
        for name, role in get_task("t69_legendary_equipment_forge_aug").spec.team.items()
    }
    assert "hilts" in sentence(notes["component_master"], "Hand the hilts and logs to master_smelter_supreme")
    assert "hilt" not in sentence(notes["master_smelter_supreme"], "Hand ")


def test_whoever_must_be_handed_all_of_a_part_makes_what_it_is_for(world: World) -> None:
    # All gold ore goes to the forger, so that the weaponsmith gets bars.
    notes = {
        name: role.guide.notes for name, role in get_task("t62_weaponsmith_consortium_aug").spec.team.items()
    }
    assert "gold ore" not in notes["weaponsmith"]
    assert "gold bars" in sentence(notes["weaponsmith"], "You get ")
    assert "gold bars" in sentence(notes["master_forger"], "Hand ")


def test_whoever_is_handed_all_and_works_on_a_part_of_it_brings_the_rest_on(world: World) -> None:
    # Eight logs are cut, and all of them handed to the crafter, who uses four; the site takes four.
    team = get_task("t96_mountain_rescue_aug").spec.team
    assert "logs" in sentence(team["crafter"].guide.notes, "Bring ")
    assert "Bring " not in team["logger1"].guide.notes


def test_a_single_unit_is_not_handed_to_several(world: World) -> None:
    notes = get_task("t72_fortress_defense_aug").spec.team["guard1"].guide.notes
    assert "Hand the wooden bow to archer1 or archer2, whoever has none yet." in notes


def test_what_any_of_several_may_work_on_is_handed_to_one_of_them(drafts: Drafts, world: World) -> None:
    either = 0
    for source, spec, _ in drafts:
        facts = Facts(spec, source.spec, world)
        for name, role in spec.team.items():
            for item in facts.needs.items:
                mates = [other for other in facts.handing.gives(name, item) if other in spec.team]
                if len(mates) > 1 and not any(facts.handing.must(other, item) for other in mates):
                    assert f"{', '.join(mates[:-1])} or {mates[-1]}" in role.guide.notes, (
                        spec.id,
                        name,
                        item,
                    )
                    either += 1
    assert either > 10


def test_notes_say_what_the_work_takes_where_a_checkpoint_counts_less(world: World) -> None:
    # Six logs count, and a bow takes one more.
    team = get_task("t73_biome_expedition_aug").spec.team
    assert "6 logs must be cut in all; the work takes 7." in team["logger1"].guide.notes


@pytest.mark.parametrize("name", [info.id for info in list_tasks("augmented")])
def test_whoever_starts_with_one_and_gets_none_is_not_told_to_hand_over_several(
    name: str, world: World
) -> None:
    spec = get_task(name).spec
    facts = Facts(spec, get_task(name.removesuffix("_aug")).spec, world)
    for role in spec.team:
        for item, count in spec.team[role].inventory.items():
            one, many = (noun(item, number, world) for number in (1, 2))
            if (
                count == 1
                and one != many
                and role not in facts.makers(item)
                and not facts.handing.givers(role, item)
            ):
                told = [
                    said
                    for said in spec.team[role].guide.notes.split(". ")
                    if said.startswith(("Hand", "Bring"))
                ]
                assert not any(many in said for said in told), (role, item)


@pytest.mark.parametrize(
    ("name", "role", "told"),
    [
        # Each archer is to hold one bow; two who start with one each can hand it over.
        ("t72_fortress_defense_aug", "archer1", "You get the wooden bow from guard1 or support2."),
        # The cooks need four russulas together; one forager has three, the other one has one.
        ("t65_cooking_guild_aug", "cook1", "You get the russulas from forager1 and forager2."),
        ("t65_cooking_guild_aug", "cook1", "You get the corn from forager1 or forager2."),
        (
            "t91_royal_tournament_aug",
            "champion1",
            "You get the gold ring from fighter2, support1 or support2.",
        ),
    ],
)
def test_a_role_is_told_whether_it_gets_something_from_one_of_several_or_from_all(
    name: str, role: str, told: str
) -> None:
    assert told in get_task(name).spec.team[role].guide.notes


@pytest.mark.parametrize(
    ("name", "wares"),
    [("t92_trade_network_aug", "Gold Rings from"), ("t72_fortress_defense_aug", "Wooden Bows from")],
)
def test_a_title_speaks_of_several_where_several_are_to_have_one_each(name: str, wares: str) -> None:
    spec = get_task(name).spec
    holders = [point for point in spec.checkpoints if isinstance(point, s.Held)]
    assert len(holders) == 2
    assert wares in spec.title
