"""Texts say what the variant's own facts say, and keep nothing of its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.variants.conftest import Drafts

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks.registry import TaskInfo
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.variants.edit import groups, units
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.text import worded
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.names import outdated, practices, truthful, used_skills
from agentworld_env.variants.text.nouns import amount, listing, mobs, plural
from agentworld_env.world import World
from agentworld_env.world.geometry import manhattan


def texts(spec: TaskSpec) -> Iterator[str]:
    yield spec.objective
    yield from (site.about for site in spec.sites.values())
    for role in spec.team.values():
        yield role.about
        yield role.guide.notes
    yield from (point.label for point in spec.checkpoints)


def numbers_of(value: Any) -> Iterator[int]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from numbers_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers_of(part)


def known_numbers(spec: TaskSpec, world: World) -> set[int]:
    """Numbers that the variant's file, the world at its places, or its recipes hold."""
    found = set(numbers_of(spec.model_dump(mode="json", exclude={"number"})))
    for role in spec.team.values():
        for key in role.guide.places:
            place = world.places[key]
            found |= {place.x, place.y, place.x0, place.x1, place.y0, place.y1}
    for key in spec.spawns:
        found |= {world.named_spawns[key].x, world.named_spawns[key].y, world.named_spawns[key].team}
    found |= {len(names) for names in groups(spec).values()}
    needs = Needs(spec, world)
    for item in needs.items:
        found |= {needs.use.get(item, 0), needs.make.get(item, 0)}
        for crafts in [needs.crafts.get(item, 0)]:
            found |= {crafts * n for n in (world.recipe_of[item].inputs.values() if crafts else ())}
    return found


def test_every_number_of_a_text_belongs_to_the_variant(drafts: Drafts, world: World) -> None:
    assert len(drafts) >= 95
    homes = {(spawn.x, spawn.y) for spawn in world.mob_spawns}
    strange = []
    for _, spec, _ in drafts:
        known = known_numbers(spec, world)
        for text in texts(spec):
            # Searched areas are told as far too wide, in steps of 20 tiles, and around a named place.
            text = re.sub(r"within \d+ tiles of [^;.:]*?\(\d+, \d+\)|, x \d+-\d+, y \d+-\d+", "", text)
            text = re.sub(r"\b[a-z_]+\d+\b|\([a-z0-9]+\)", "", text)
            for x, y in re.findall(r"around \((\d+), (\d+)\)", text):
                assert (int(x), int(y)) in homes
            text = re.sub(r"around \(\d+, \d+\)", "", text)
            strange += [(spec.id, int(n), text) for n in re.findall(r"\b\d+\b", text) if int(n) not in known]
    assert strange == []


def test_no_text_names_a_thing_that_only_the_source_is_about(drafts: Drafts, world: World) -> None:
    for source, spec, _ in drafts:
        before, after = Needs(source.spec, world).items, set(Needs(spec, world).items)
        after |= {item for role in spec.team.values() for item in (*role.inventory, *role.worn)}
        kept = {world.items[item].name.lower() for item in after}
        for item in set(before) - after:
            name = world.items[item].name.lower()
            if any(name in other for other in kept):
                continue  # a log is no ice log, but the words contain each other
            for text in texts(spec):
                assert not re.search(rf"\b{re.escape(name)}s?\b", text.lower()), (spec.id, item, text)


def test_no_text_names_a_boss_or_prey_that_only_the_source_is_about(drafts: Drafts, world: World) -> None:
    for source, spec, _ in drafts:
        after = {getattr(point, "mob", None) for point in spec.checkpoints}
        for point in source.spec.checkpoints:
            mob = getattr(point, "mob", None)
            if mob is None or mob in after or mob not in world.named_spawns:
                continue
            name = world.named_spawns[mob].name
            if all(world.named_spawns[key].name != name for key in spec.spawns):
                assert all(name not in text for text in texts(spec) if name not in spec.title), (
                    spec.id,
                    name,
                )


def test_every_place_of_a_text_is_one_that_matters(drafts: Drafts, world: World) -> None:
    for _, spec, _ in drafts:
        told = {key for role in spec.team.values() for key in role.guide.places}
        tiles = [role.start for role in spec.team.values()] + [site.at for site in spec.sites.values()]
        tiles += [point.area.at for point in spec.checkpoints if getattr(point, "area", None)]
        hidden = [point.target for point in spec.checkpoints if point.kind == "discovered"]
        for known in (world.named_spawns, world.places, world.portals, world.npcs):
            tiles += [(known[key].x, known[key].y) for key in (*spec.spawns, *hidden) if key in known]
        for text in texts(spec):
            for key, place in world.places.items():
                if re.search(rf"\b{re.escape(place.name)} \(\d", text):
                    near = any(manhattan(*tile, place.x, place.y) <= 200 for tile in tiles)
                    assert key in told or near, (spec.id, key)


def test_every_item_that_counts_is_named_in_the_objective(drafts: Drafts, world: World) -> None:
    for _, spec, _ in drafts:
        for point in spec.checkpoints:
            for item in units(point):
                name = world.items[item].name.lower()
                stem = name.removesuffix("s").removesuffix("y").removesuffix("o")
                assert stem in spec.objective.lower(), (spec.id, item)


def test_objectives_and_roles_keep_to_the_lengths_of_task_files(drafts: Drafts) -> None:
    for _, spec, _ in drafts:
        assert len(spec.objective) <= 600
        assert len(spec.title) <= 80
        assert all(0 < len(role.about) <= 600 for role in spec.team.values())
        assert all(0 < len(role.guide.notes) <= 2000 for role in spec.team.values())


def test_who_alone_knows_the_meeting_point_alone_is_told(world: World) -> None:
    from agentworld_env.tasks import get_task
    from agentworld_env.variants.draft import draft

    source = get_task("t44_messenger_run")
    for attempt in range(6):
        drawn = draft(source, 3, attempt)
        if drawn is None:
            continue
        spec = drawn[0]
        area = next(p.area for p in spec.checkpoints if p.kind == "present_together")
        assert area.at is not None
        tile = f"({area.at[0]}, {area.at[1]})"
        assert tile not in spec.objective
        told = [name for name, role in spec.team.items() if tile in role.guide.notes]
        assert told == ["coordinator"]


@pytest.mark.parametrize(
    ("item", "one", "three"),
    [
        ("ironbar", "1 iron bar", "3 iron bars"),
        ("ironore", "1 iron ore", "3 iron ore"),
        ("logs", "1 log", "3 logs"),
        ("bluelily", "1 blue lily", "3 blue lilies"),
        ("peach", "1 peach", "3 peaches"),
        ("tomato", "1 tomato", "3 tomatoes"),
        ("goldboots", "1 pair of golden boots", "3 pairs of golden boots"),
        ("naturebead", "1 magic bead (naturebead)", "3 magic beads (naturebead)"),
    ],
)
def test_amounts_are_said_in_plain_english(item: str, one: str, three: str, world: World) -> None:
    assert (amount(item, 1, world), amount(item, 3, world)) == (one, three)


def test_a_key_is_added_where_the_name_does_not_tell_it(world: World) -> None:
    assert amount("stick", 4, world, key=True) == "4 shafts (stick)"
    assert amount("ironbar", 4, world, key=True) == "4 iron bars"


def test_mobs_have_plurals(world: World) -> None:
    assert mobs("goblin", 1, world) == "1 goblin"
    assert mobs("wolf", 2, world) == "2 wolves"


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=6))
def test_a_list_has_one_and_before_its_last_part(parts: list[str]) -> None:
    assert listing(parts) == ", ".join(parts[:-1]) + " and " + parts[-1]


def test_plurals_of_words() -> None:
    words = {"axe": "axes", "ruby": "rubies", "topaz": "topazes", "bow": "bows", "key": "keys"}
    assert {word: plural(word) for word in words} == words


@pytest.mark.parametrize(
    ("name", "skills"),
    [
        ("lumberjack", [("lumberjacking",)]),
        ("mountain_miner2", [("mining",)]),
        ("crafter_gold", [("crafting", "fletching", "smithing", "cooking")]),
        ("woodcutters", [("lumberjacking",)]),
        ("berylminer", [("mining",)]),
        ("iceloggers", [("lumberjacking",)]),
        ("support", []),
    ],
)
def test_words_of_names_speak_of_skills(name: str, skills: list[tuple[str, ...]]) -> None:
    assert practices(name) == skills


def test_no_role_is_named_after_a_trade_that_it_has_no_more(drafts: Drafts, world: World) -> None:
    kept = changed = 0
    for source, spec, _ in drafts:
        now, was = Facts(spec, spec, world), Facts(source.spec, source.spec, world)
        for name in spec.team:
            skills = used_skills(name, now)
            if name not in source.spec.team or list(spec.team).index(name) != list(source.spec.team).index(
                name
            ):
                changed += 1
                continue
            kept += 1
            for spoken in practices(name):
                assert skills & set(spoken) or not used_skills(name, was) & set(spoken), (source.id, name)
    assert kept
    assert changed


def test_a_lumberjack_without_wood_to_cut_gets_another_name(world: World) -> None:
    # Wood is cut for arrows alone; where none are asked for, nobody cuts any.
    source = get_task("t02_arrow_production").spec
    cutters = [n for n in source.team if "lumberjacking" in used_skills(n, Facts(source, source, world))]
    points = tuple(p for p in source.checkpoints if not {"logs", "stick", "arrow"} & set(units(p)))
    spec = source.model_copy(update={"checkpoints": points})
    names = truthful(spec, source, Facts(spec, source, world), Facts(source, source, world))
    assert cutters
    assert {name for name in cutters if practices(name)} <= set(names)


@pytest.mark.parametrize(
    ("task", "name", "parts", "new"),
    [
        # A jewel's miner without jewels to mine, a maker of what lies in its bag, a frost that is far away.
        ("t63_jewelry_crafting", "berylminer", {"beryl", "berylpendant"}, "miner"),
        ("t62_weaponsmith_consortium", "string_maker", set(), "helper"),
        ("t25_ice_cavern_challenge", "frost_lumberjack", {"icelogs"}, None),
    ],
)
def test_names_follow_what_their_roles_do(
    task: str, name: str, parts: set[str], new: str | None, world: World
) -> None:
    source = get_task(task).spec
    points = tuple(p for p in source.checkpoints if not parts & set(units(p)))
    sites = {key: site for key, site in source.sites.items() if not parts & site.wants.keys()}
    spec = source.model_copy(update={"checkpoints": points, "sites": sites})
    names = truthful(spec, source, Facts(spec, source, world), Facts(source, source, world))
    assert name in names
    assert new is None or names[name].rstrip("0123456789") == new


@pytest.mark.parametrize("info", list_tasks("augmented"), ids=lambda info: info.id)
def test_no_augmented_task_keeps_a_name_that_its_roles_have_outgrown(info: TaskInfo, world: World) -> None:
    spec, source = get_task(info.id).spec, get_task(info.id.removesuffix("_aug")).spec
    now, before = Facts(spec, source, world), Facts(source, source, world)
    assert truthful(spec, source, now, before) == {}
    assert not outdated(spec, source, now, before)


@pytest.mark.parametrize(
    ("place", "apart", "said"),
    [
        ("sandholm", (0, 0), "Sandholm (404, 679)"),
        ("sandholm", (2, 0), "(406, 679) at Sandholm"),
        ("crossroads", (0, 2), "(450, 402) at the Crossroads"),
        ("sandholm", (60, 0), "(464, 679)"),
    ],
)
def test_name_and_numbers_of_a_place_are_those_of_its_middle(
    place: str, apart: tuple[int, int], said: str, world: World
) -> None:
    spec = get_task("t01_magic_staff").spec
    x, y = world.places[place].x + apart[0], world.places[place].y + apart[1]
    assert Facts(spec, spec, world).at((x, y)) == said


def test_no_text_gives_a_place_other_numbers_than_the_world_does(drafts: Drafts, world: World) -> None:
    middles = {place.name.removeprefix("The "): (place.x, place.y) for place in world.places.values()}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, middles))}) \((\d+), (\d+)\)")
    seen = 0
    shipped = [get_task(info.id).spec for info in list_tasks("augmented")]
    for spec in (*shipped, *(spec for _, spec, _ in drafts)):
        texts = [spec.objective, *(role.guide.notes for role in spec.team.values())]
        for name, x, y in pattern.findall(" ".join(texts)):
            assert (int(x), int(y)) == middles[name], (spec.id, name)
            seen += 1
    assert seen > 100


def test_labels_tell_what_is_at_a_place_from_what_is_near_it(world: World) -> None:
    spec = get_task("t35_combat_training").spec
    labels = [point.label for point in (worded(spec, spec, world) or spec).checkpoints]
    assert "Together near Mudwich" in labels  # the muster point lies outside of the village
