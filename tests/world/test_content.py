"""Sources: an entry that does not fit is refused in one line that says where and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.errors import AgentWorldError
from agentworld_env.world.catalogue import Item, Node, Recipe
from agentworld_env.world.content import data_path, read_catalogue
from agentworld_env.world.sources import ContentError, read_csv, read_yaml


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entry_is_read_with_its_defaults(tmp_path: Path) -> None:
    path = write(tmp_path, "items.yaml", "- {key: pebble, name: Pebble, kind: ore, needs: {combat: 2}}\n")
    assert read_yaml(path, Item) == (Item(key="pebble", name="Pebble", kind="ore", needs={"combat": 2}),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "- {key: a, name: A, kind: ore}\n- {key: b, name: B, kind: ore, attack: strong}\n",
            ["items.yaml, line 2", "entry 'b'", "field 'attack'", "`int`"],
        ),
        ("- {key: a, name: A, kind: ore, colour: red}\n", ["line 1", "'colour'", "unknown", "heal_hp"]),
        ("- {key: a, kind: ore}\n", ["line 1", "field 'name'", "missing"]),
        ("- {key: a, name: A, kind: ore, slot: head}\n", ["entry 'a'", "field 'slot'", "'head'"]),
        ("- {key: a, name: A, kind: ore, kind: bar}\n", ["line 1", "'kind'", "given twice"]),
        ("- just words\n", ["line 1", "expected an entry"]),
        ("key: a\n", ["expected a list"]),
        ("- {key: a\n", ["items.yaml"]),
    ],
)
def test_a_faulty_yaml_entry_is_refused_with_file_line_field_and_expectation(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    with pytest.raises(ContentError) as caught:
        read_yaml(write(tmp_path, "items.yaml", text), Item)
    message = str(caught.value)
    assert "\n" not in message
    for part in expected:
        assert part in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "id,kind,x,y\na-1,a,3,4\na-2,a,three,4\n",
            ["nodes.csv, line 3", "entry 'a-2'", "field 'x'", "`int`"],
        ),
        ("id,kind,x\na-1,a,3\n", ["line 1", "id,kind,x,y"]),
        ("id,kind,x,y\na-1,a,3\n", ["line 2", "expected 4 values, got 3"]),
    ],
)
def test_a_faulty_csv_row_is_refused_with_file_line_field_and_expectation(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    with pytest.raises(ContentError) as caught:
        read_csv(write(tmp_path, "nodes.csv", text), Node)
    for part in expected:
        assert part in str(caught.value)


def test_csv_values_become_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, "nodes.csv", "id,kind,x,y\noak-0001,oak,3,4\n")
    assert read_csv(path, Node) == (Node("oak-0001", "oak", 3, 4),)


def test_content_errors_are_users_errors() -> None:
    assert issubclass(ContentError, AgentWorldError)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"items\.yaml"):
        read_catalogue(tmp_path)


def copy_sources(folder: Path) -> None:
    for source in data_path().iterdir():
        if source.suffix in (".yaml", ".csv"):
            write(folder, source.name, source.read_text(encoding="utf-8"))


def test_two_entries_with_one_key_are_refused(tmp_path: Path) -> None:
    copy_sources(tmp_path)
    text = (tmp_path / "items.yaml").read_text(encoding="utf-8")
    write(tmp_path, "items.yaml", text + "- {key: axe, name: Axe, kind: tool}\n")
    with pytest.raises(ContentError, match=r"items\.yaml, entry 'axe'.*twice"):
        read_catalogue(tmp_path)


@pytest.mark.parametrize(("file", "row"), [("nodes.csv", "oka-1,oka,5,5"), ("mobs.csv", "gobln-1,gobln,5,5")])
def test_a_row_of_an_unknown_kind_is_refused_and_the_nearest_offered(
    tmp_path: Path, file: str, row: str
) -> None:
    copy_sources(tmp_path)
    write(tmp_path, file, f"id,kind,x,y\n{row}\n")
    with pytest.raises(ContentError, match=f"{file}.*'kind'.*expected .*(oak|goblin)"):
        read_catalogue(tmp_path)


def test_people_only_fields_are_let_through_only_where_they_are_declared(tmp_path: Path) -> None:
    text = "- {skill: smithing, item: a, count: 1, level: 1, inputs: {b: 1}, xp: 1, why: because}\n"
    path = write(tmp_path, "recipes.yaml", text)
    assert read_yaml(path, Recipe, frozenset({"why"}))[0].item == "a"
    with pytest.raises(ContentError, match="'why'"):
        read_yaml(path, Recipe)
