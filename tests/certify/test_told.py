"""Whatever a checkpoint asks for must be told to somebody, and must not hold by itself on any seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentworld_env.certify import Problem, certify_task
from agentworld_env.tasks import Task

Make = Callable[..., Task]
FAR = (388, 200)
"""A tile some 190 tiles from every start and place of the small task."""


def _extra(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda task: task["checkpoints"].append({"label": "Extra", **fields})


def _site(task: dict[str, Any]) -> None:
    task["sites"] = {"post": {"name": "Post", "at": FAR, "wants": {"logs": 1}}}
    task["checkpoints"].append({"kind": "built", "label": "Extra", "site": "post"})


@pytest.mark.parametrize(
    "spoil", [_extra(kind="visited", area={"at": FAR, "within": 2}, by=("keeper",)), _site]
)
def test_a_place_that_nobody_is_told_is_a_problem(
    spoil: Callable[[dict[str, Any]], None], doctored: Make
) -> None:
    task = doctored(spoil)
    where = ("checkpoints", len(task.spec.checkpoints) - 1)
    wrong = Problem("untold", f"no guide names a place near {FAR}, which 'Extra' asks for", where)
    assert wrong in certify_task(task, (0,)).problems


def test_a_place_whose_numbers_stand_in_a_note_is_told(doctored: Make) -> None:
    def spoil(task: dict[str, Any]) -> None:
        _site(task)
        task["team"]["carver"]["guide"]["notes"] = "A post at (388, 200) wants 1 log."

    assert not [
        p for p in certify_task(doctored(spoil), (0,)).problems if p.text.startswith("no guide names a place")
    ]


def test_prey_in_a_country_that_no_guide_names_is_a_problem(doctored: Make) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["checkpoints"].append({"kind": "killed", "label": "Extra", "mob": "rat"})
        task["team"]["keeper"]["guide"] = {"mobs": ["rat"]}

    task = doctored(spoil)
    homes = [(s.x, s.y) for s in task.world.mob_spawns if s.kind == "rat"]
    assert min(abs(x - 390) + abs(y - 10) for x, y in homes) > 70
    said = "no guide names a place near any rat, which 'Extra' asks for"
    where = ("checkpoints", len(task.spec.checkpoints) - 1)
    assert Problem("untold", said, where) in certify_task(task, (0,)).problems


def test_a_place_where_some_seed_puts_an_agent_may_hold_at_the_start(doctored: Make) -> None:
    # The keeper starts at (392, 10), and a seed moves it by up to three tiles each way.
    near = _extra(kind="visited", area={"at": (395, 12), "within": 0}, by=("keeper",))
    beyond = _extra(kind="visited", area={"at": (396, 14), "within": 0}, by=("keeper",))
    task = doctored(near)
    where = ("checkpoints", len(task.spec.checkpoints) - 1)
    wrong = Problem("start", "'Extra' may hold at the start, since seeds move the start tiles", where)
    assert wrong in certify_task(task, (1,)).problems
    assert wrong not in certify_task(doctored(beyond), (1,)).problems


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("Beware of rat-0903.", "the text of keeper names rat-0903, which is not there"),
        ("Fell oak-9999.", "the text of keeper names oak-9999, which is not there"),
        # A boss of the world that the task does not list stands nowhere.
        ("Slay iron-ogre-1.", "the text of keeper names iron-ogre-1, which is not there"),
        ("Beware of rat-0001 and oak-0001.", None),
        ("Flee wolf-wave1-2, and level-2 is the level of x-1.", None),
    ],
)
def test_an_id_in_prose_that_nothing_has_is_a_problem(doctored: Make, said: str, problem: str | None) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["waves"] = [{"mob": "wolf", "count": 2, "at": (390, 100), "appears": 20, "seeks": 1}]
        task["objective"] += " In round 20, 2 wolves come at (390, 100)."
        task["team"]["keeper"]["guide"] = {"mobs": ["wolf"], "notes": said}

    problems = [
        each for each in certify_task(doctored(spoil), quick=True).problems if each.kind == "not_there"
    ]
    assert [each.text.split(";")[0] for each in problems] == ([] if problem is None else [problem])


def test_guides_that_all_say_the_same_are_noted_and_no_problem(doctored: Make) -> None:
    guide = {"nodes": ["oak"], "recipes": ["stick"], "places": ["oak-grove"], "notes": "Cut, carve, keep."}

    def same(task: dict[str, Any]) -> None:
        for role in task["team"].values():
            role["guide"] = dict(guide)

    def but_one(task: dict[str, Any]) -> None:
        same(task)
        task["team"]["keeper"]["guide"]["notes"] = "Keep."

    found = certify_task(doctored(same), quick=True)
    assert found.ok
    assert found.notes == (
        "all roles have the same guide: nobody needs to be told anything that another knows",
    )
    assert certify_task(doctored(but_one), quick=True).notes == ()
