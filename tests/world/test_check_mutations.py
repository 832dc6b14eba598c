"""The linter against a list of worlds that are each broken in one way: not one of them passes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentworld_env.cli.main import main
from agentworld_env.world import check as checking
from agentworld_env.world import load_world
from agentworld_env.world.catalogue import Drop, Offer
from agentworld_env.world.check import check_catalogue, check_package, has_sources
from agentworld_env.world.content import Catalogue, data_path, read_standards
from agentworld_env.world.load import CATALOGUE_FILE, load_catalogue

CATALOGUE = load_catalogue()
STANDARDS = read_standards(data_path())

Change = Callable[[Catalogue], Catalogue]


def entry(field: str, key: str, /, **values: Any) -> Change:
    """One entry with other values."""

    def change(catalogue: Catalogue) -> Catalogue:
        entries = getattr(catalogue, field)
        name = next(name for name in ("id", "key", "item") if hasattr(entries[0], name))
        changed = tuple(
            msgspec.structs.replace(one, **values) if getattr(one, name) == key else one for one in entries
        )
        assert changed != entries, "the entry to change must exist"
        return msgspec.structs.replace(catalogue, **{field: changed})

    return change


def without(field: str, **values: str) -> Change:
    """All entries but those with certain values."""

    def change(catalogue: Catalogue) -> Catalogue:
        entries = getattr(catalogue, field)
        kept = tuple(one for one in entries if any(getattr(one, k) != v for k, v in values.items()))
        assert len(kept) < len(entries), "the entry to drop must exist"
        return msgspec.structs.replace(catalogue, **{field: kept})

    return change


def twice(field: str) -> Change:
    """The first entry once more."""

    def change(catalogue: Catalogue) -> Catalogue:
        entries = getattr(catalogue, field)
        return msgspec.structs.replace(catalogue, **{field: (*entries, entries[0])})

    return change


PORTAL = CATALOGUE.portals[0]
ORLA, TAMSIN = (next(npc for npc in CATALOGUE.npcs if npc.id == key) for key in ("orla", "tamsin"))
NODE = next(node for node in CATALOGUE.nodes if node.kind == "cornbush")


def trades(*offers: tuple[str, int, str, int]) -> Change:
    made = tuple(Offer(take=a, take_count=n, give=b, give_count=m) for a, n, b, m in offers)
    return entry("npcs", "orla", offers=made)


MUTATIONS: dict[str, tuple[Change, tuple[str, ...]]] = {
    # items
    "no name": (entry("items", "apple", name=""), ("item apple", "'name'")),
    "blank name": (entry("items", "apple", name="  "), ("item apple", "'name'")),
    "name of another": (entry("items", "apple", name="Logs"), ("item apple", "'Logs'")),
    "key with a space": (entry("places", "mudwich", key="old mud"), ("place 'old mud'", "key")),
    "item twice": (twice("items"), ("items.yaml", "given twice")),
    "negative healing": (entry("items", "apple", heal_hp=-450), ("item apple", "'heal_hp'", "-450")),
    "negative mana": (entry("items", "manapotion", heal_mana=-1), ("item manapotion", "'heal_mana'")),
    "negative armour": (entry("items", "wolfarmor", defence=-3), ("item wolfarmor", "'defence'", "-3")),
    "negative attack": (entry("items", "sword2", attack=-3), ("item sword2", "'attack'", "-3")),
    "negative reach": (entry("items", "sword2", reach=-1), ("item sword2", "'reach'")),
    "negative mana cost": (entry("items", "staff", mana_cost=-1), ("item staff", "'mana_cost'")),
    "unknown slot": (entry("items", "goldring", slot="tail"), ("item goldring", "'tail'", "weapon, armour")),
    "nearly a slot": (
        entry("items", "goldring", slot="rng"),
        ("item goldring", "'rng'", "did you mean ring"),
    ),
    "unknown weapon": (entry("items", "sword2", weapon="whip"), ("item sword2", "'weapon'", "'whip'")),
    "unknown tool": (entry("items", "axe", tool="saw"), ("item axe", "'tool'", "'saw'")),
    "armour in the bag": (entry("items", "wolfarmor", slot=None), ("item wolfarmor", "nobody can wear it")),
    "edible ore": (entry("items", "ironore", heal_hp=5), ("item ironore", "only food and potions")),
    # recipes
    "recipe twice": (twice("recipes"), ("recipes.yaml", "given twice")),
    "negative input": (entry("recipes", "axe", inputs={"logs": -1}), ("recipe axe", "at least one input")),
    "nothing made": (entry("recipes", "axe", count=0), ("recipe axe", "one unit made")),
    # nodes
    "node level 200": (entry("node_kinds", "oak", level=200), ("node kind oak", "level of 1 to 99")),
    "node level 0": (entry("node_kinds", "oak", level=0), ("node kind oak", "level of 1 to 99")),
    "no experience": (entry("node_kinds", "oak", xp=0), ("node kind oak", "1 xp")),
    "unknown family": (entry("node_kinds", "oak", family="moss"), ("node kind oak", "'moss'")),
    "mined tree": (entry("node_kinds", "oak", skill="mining"), ("node kind oak", "lumberjacking")),
    "bare hands": (entry("node_kinds", "oak", tool=None), ("node kind oak", "axe")),
    "kind without a node": (without("nodes", kind="oak"), ("node kind oak", "stands anywhere")),
    "node of no kind": (entry("nodes", NODE.id, kind="corn"), ("nodes.csv", NODE.id, "'corn'")),
    # mobs
    "mob level -3": (entry("mob_kinds", "rat", level=-3), ("mob kind rat", "'level'")),
    "mob level 301": (entry("mob_kinds", "rat", level=301), ("mob kind rat", "'level'")),
    "negative mob attack": (entry("mob_kinds", "rat", attack=-1), ("mob kind rat", "attack")),
    "negative mob defence": (entry("mob_kinds", "rat", defence=-1), ("mob kind rat", "defence")),
    "negative notice": (entry("mob_kinds", "rat", aggro=-1), ("mob kind rat", "aggro")),
    "unknown temper": (entry("mob_kinds", "rat", temper="sulky"), ("mob kind rat", "'sulky'")),
    "mob without a name": (entry("mob_kinds", "rat", name=""), ("mob kind rat", "'name'")),
    "mob without a sentence": (entry("mob_kinds", "rat", about=""), ("mob kind rat", "'about'")),
    "kind without a mob": (without("mob_spawns", kind="elderdragon"), ("elderdragon", "lives anywhere")),
    "no units dropped": (
        entry("mob_kinds", "rat", drops=(Drop(item="flask", count=0, always=True),)),
        ("rat", "drop flask", "'count'"),
    ),
    "negative chance": (
        entry("mob_kinds", "rat", drops=(Drop(item="flask", per_10000=-5, always=True),)),
        ("rat", "drop flask", "chance"),
    ),
    # bosses
    "boss of 1 hit point": (entry("named_spawns", "iron-ogre-1", hp=1), ("spawn iron-ogre-1", "'hp'", "300")),
    "boss of level 0": (entry("named_spawns", "iron-ogre-1", level=0), ("spawn iron-ogre-1", "'level'")),
    "tame boss": (entry("named_spawns", "iron-ogre-1", attack=0), ("spawn iron-ogre-1", "attack")),
    "boss beside the castle": (
        entry("named_spawns", "iron-ogre-1", x=ORLA.x + 1, y=ORLA.y),
        ("spawn iron-ogre-1", "expected at (238, 48)"),
    ),
    "boss missing": (without("named_spawns", id="iron-ogre-1"), ("spawn iron-ogre-1", "missing")),
    "boss renamed": (entry("named_spawns", "iron-ogre-1", id="ogre-9"), ("ogre-9", "names no place")),
    "no first pickaxe": (
        entry("named_spawns", "baby-sea-dragon-1", drops=()),
        ("item ironore", "nothing yields it"),
    ),
    # people
    "apples for apples": (trades(("apple", 1, "apple", 99)), ("npc orla", "apple for apple", "no way round")),
    "a loop of trade": (
        trades(("apple", 1, "potato", 3), ("potato", 1, "apple", 1)),
        ("npc orla", "apple for potato", "no way round"),
    ),
    "two goods for one": (
        trades(("gold", 1, "apple", 1), ("gold", 1, "potato", 1)),
        ("npc orla", "takes gold for 2 goods"),
    ),
    "negative wish": (entry("npcs", "wilfrid", wants={"fossil": -2}), ("npc wilfrid", "'wants'")),
    "unknown role": (entry("npcs", "orla", role="bard"), ("npc orla", "'role'", "'bard'")),
    "nameless person": (entry("npcs", "orla", name=""), ("npc orla", "'name'")),
    "person of another's name": (entry("npcs", "orla", name=TAMSIN.name), ("npc orla", TAMSIN.name)),
    "person on a portal": (
        entry("npcs", "orla", x=PORTAL.x, y=PORTAL.y),
        ("npc orla", f"portal {PORTAL.id}"),
    ),
    "person in a portal's way": (
        entry("npcs", "orla", x=PORTAL.to_x, y=PORTAL.to_y),
        ("npc orla", f"exit of portal {PORTAL.id}"),
    ),
    "two people on a tile": (entry("npcs", "orla", x=TAMSIN.x, y=TAMSIN.y), ("npc orla and npc tamsin",)),
    "person on a plant": (entry("npcs", "orla", x=NODE.x, y=NODE.y), ("npc orla", NODE.id)),
    # places
    "unknown kind of place": (
        entry("places", "mudwich", kind="twon"),
        ("place mudwich", "did you mean town"),
    ),
    "nameless portal": (entry("portals", PORTAL.id, name=""), (f"portal {PORTAL.id}", "'name'")),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_world_broken_in_one_way_has_a_fault_that_says_so(name: str) -> None:
    change, parts = MUTATIONS[name]
    faults = check_catalogue(change(CATALOGUE), STANDARDS)
    assert any(all(part in fault for part in parts) for fault in faults), faults


def test_the_unbroken_world_has_none() -> None:
    assert check_catalogue(CATALOGUE, STANDARDS) == []


# -- sources and what was compiled of them -----------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(data_path(), folder)
    return folder


def test_sources_that_do_not_parse_are_a_fault_that_names_file_and_place(sources: Path) -> None:
    (sources / "items.yaml").write_text("- {key: apple, name: [\n", encoding="utf-8")
    (fault,) = check_package(sources)
    assert fault.startswith("items.yaml:")


@pytest.mark.parametrize(
    ("file", "at"),
    [("nodes.csv", 2), ("mobs.csv", 2), ("anchors.csv", 0), ("demands.csv", 1), ("bosses.csv", 1)],
)
@pytest.mark.parametrize("beyond", ["-1", "1056", "1000000000"])
def test_whatever_the_sources_put_off_the_map_is_one_fault(
    sources: Path, file: str, at: int, beyond: str
) -> None:
    lines = (sources / file).read_text("utf-8").splitlines()
    cells = lines[1].split(",")
    assert lines[0].split(",")[at] == "x"
    lines[1] = ",".join([*cells[:at], beyond, *cells[at + 1 :]])
    (sources / file).write_text("\n".join(lines) + "\n", "utf-8")
    assert any("lies outside the map" in fault for fault in check_package(sources))


def test_sources_that_are_no_text_are_a_fault_that_names_file_and_line(sources: Path) -> None:
    path = sources / "items.yaml"
    line = path.read_bytes().count(b"\n") + 1
    path.write_bytes(path.read_bytes() + b"\xff\xfe")
    assert check_package(sources) == [f"items.yaml:{line}: expected text in UTF-8"]


def test_sources_changed_since_the_compilation_are_a_fault(sources: Path) -> None:
    recipes = sources / "recipes.yaml"
    text = recipes.read_text(encoding="utf-8")
    assert text.count("item: axe,") == 1
    changed = [
        line.replace("xp: 35", "xp: 36") if "item: axe," in line else line for line in text.split("\n")
    ]
    assert "\n".join(changed) != text
    recipes.write_text("\n".join(changed), encoding="utf-8")
    (fault,) = check_package(sources)
    assert CATALOGUE_FILE in fault
    assert "world.compile" in fault


def test_a_fault_of_the_sources_is_found_before_they_are_compiled(sources: Path) -> None:
    npcs = sources / "npcs.yaml"
    text = npcs.read_text(encoding="utf-8")
    assert "fossil: 12" in text
    npcs.write_text(text.replace("fossil: 12", "fossil: -2"), encoding="utf-8")
    faults = check_package(sources)
    assert any("npc wilfrid" in fault and "'wants'" in fault for fault in faults)
    assert any(CATALOGUE_FILE in fault for fault in faults)


def test_without_sources_the_compiled_catalogue_is_checked_alone(sources: Path) -> None:
    (sources / "items.yaml").unlink()
    assert not has_sources(sources)
    assert check_package(sources) == []
    broken = MUTATIONS["negative wish"][0](CATALOGUE)
    (sources / CATALOGUE_FILE).write_bytes(msgspec.msgpack.encode(broken))
    assert any("npc wilfrid" in fault for fault in check_package(sources))


def _world_check(capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["world", "check"])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("there", [True, False])
def test_the_command_says_whether_it_looked_at_the_sources(
    there: bool, sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not there:
        (sources / "items.yaml").unlink()
    monkeypatch.setattr(checking, "data_path", lambda: sources)
    code, out, err = _world_check(capsys)
    assert (code, out) == (0, "The world has no faults.\n")
    assert ("compiled catalogue only" in err) == (not there)


def test_the_command_ends_with_code_1_and_one_line_for_a_source_that_does_not_parse(
    sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (sources / "items.yaml").write_text("{", encoding="utf-8")
    monkeypatch.setattr(checking, "data_path", lambda: sources)
    code, out, _ = _world_check(capsys)
    assert code == 1
    assert out.count("\n") == 1
    assert "items.yaml" in out


def test_the_shipped_world_is_the_one_that_is_checked() -> None:
    assert load_world().items.keys() == {item.key for item in CATALOGUE.items}
