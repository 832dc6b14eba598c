"""The lists of the world, by which task writers find keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentworld_env.cli.main import main
from agentworld_env.report.world_lists import LISTS
from agentworld_env.world import load_world
from agentworld_env.world.geometry import manhattan


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["world", "list", *arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    code, out, _ = called(capsys, *arguments, "--json")
    assert code == 0
    found: list[dict[str, Any]] = json.loads(out)
    return found


def test_every_list_names_exactly_the_keys_that_task_files_may_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = load_world()
    expected = {
        "items": set(world.items),
        "recipes": set(world.recipe_of),
        "nodes": {node.kind for node in world.nodes},
        "mobs": {spawn.kind for spawn in world.mob_spawns},
        "places": set(world.places),
        "people": set(world.npcs),
        "spawns": set(world.named_spawns),
    }
    assert set(expected) == set(LISTS)
    for what, keys in expected.items():
        found = [next(iter(row.values())) for row in rows(capsys, what)]
        assert sorted(found) == sorted(keys), what


def test_near_sorts_by_straight_distance_and_counts_what_is_in_sight(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = rows(capsys, "nodes", "--near", "388,10")
    oaks = [manhattan(388, 10, node.x, node.y) for node in load_world().nodes if node.kind == "oak"]
    oak = next(row for row in found if row["node"] == "oak")
    assert oak["distance"] == min(oaks)
    assert oak["in sight"] == sum(distance <= 64 for distance in oaks)
    x, y = map(int, oak["nearest"].split(","))
    assert manhattan(388, 10, x, y) == oak["distance"]
    assert [row["distance"] for row in found] == sorted(row["distance"] for row in found)


@pytest.mark.parametrize("what", ["nodes", "mobs", "places", "people", "spawns"])
def test_near_goes_with_everything_that_has_a_place(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    distances = [row["distance"] for row in rows(capsys, what, "--near", "0,0")]
    assert distances == sorted(distances)


def test_match_keeps_the_rows_with_the_text_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    everything = rows(capsys, "recipes")
    found = rows(capsys, "recipes", "--match", "BOWLsmall")
    assert found == [row for row in everything if "bowlsmall" in f"{row['item']} {row['takes']}"]
    assert found


def test_an_item_tells_how_it_is_come_by(capsys: pytest.CaptureFixture[str]) -> None:
    by_key = {row["item"]: row for row in rows(capsys, "items")}
    assert by_key["stick"]["from"].startswith("recipe fletching 1 (logs)")
    assert "harvest oak 1" in by_key["logs"]["from"]


def test_nothing_found_is_said_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys, "items", "--match", "no such thing") == (0, "", "no items with 'no such thing'\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("items", "--near", "1,1"), "items have no place"),
        (("recipes", "--near", "1,1"), "recipes have no place"),
        (("nodes", "--near", "1056,0"), "1056 x 768"),
        (("nodes", "--near", "here"), "expected X,Y"),
        (("stars",), "stars"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
