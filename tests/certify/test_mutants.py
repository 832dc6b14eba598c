"""Slightly wrong copies of a task are made for every threshold, and none of them passes for the task."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentworld_env.certify.mutants import mutants, survivors
from agentworld_env.certify.play import Tape, play_planner
from agentworld_env.certify.problem import Problem
from agentworld_env.tasks import Task, get_task, list_tasks

Make = Callable[..., Task]


def _words(task: Task) -> list[str]:
    return [mutant.what for mutant in mutants(task)]


def test_thresholds_items_receivers_and_constraints_are_changed(doctored: Make) -> None:
    words = _words(doctored())
    # Two logs become one, five sticks become four: sticks are handed over one by one, though carved in fours.
    assert "'Logs' with count 1" in words
    assert "'Sticks' with count 4" in words
    assert any("'Sticks' with to carver" in text for text in words)
    assert sum("with item" in text for text in words) == 2
    assert "no constraint all_alive" in words


def test_crafted_counts_go_down_by_what_one_craft_makes(doctored: Make) -> None:
    points = [{"kind": "crafted", "label": "Carved", "item": "stick", "count": 10}]
    words = _words(doctored(lambda task: task.update(checkpoints=points)))
    # One craft makes four sticks: three crafts are needed for ten, and eight is what two crafts make.
    assert "'Carved' with count 8" in words


def test_each_of_several_items_loses_a_unit_and_is_swapped_for_another(doctored: Make) -> None:
    points = [
        {"kind": "delivered", "label": "Goods", "items": {"logs": 2, "stick": 1}, "to": "keeper"},
        {"kind": "crafted", "label": "Carved", "items": {"stick": 6, "bowlsmall": 1}},
    ]
    words = set(_words(doctored(lambda task: task.update(checkpoints=points))))
    assert {"'Goods' with 1 logs", "'Goods' with 0 stick", "'Carved' with 4 stick"} <= words
    assert {"'Carved' with 0 bowlsmall", "'Goods' with to carver"} <= words
    assert sum(" for logs" in text or " for stick" in text for text in words) == 3


def test_sites_want_a_unit_less_of_every_item(doctored: Make) -> None:
    shed = {"name": "Shed", "at": (392, 12), "wants": {"logs": 2, "stick": 1}}
    points = [{"kind": "built", "label": "Filled", "site": "shed"}]
    task = doctored(lambda task: task.update(checkpoints=points, sites={"shed": shed}))
    found = mutants(task)
    assert {"'Filled' with 1 logs", "'Filled' with 0 stick"} <= {mutant.what for mutant in found}
    wants = [mutant.task.spec.sites["shed"].wants for mutant in found if mutant.point == 0]
    assert wants == [{"logs": 1, "stick": 1}, {"logs": 2}]
    assert survivors(Tape(task, 0, play_planner(task, 0).calls))[1] == []


def test_every_threshold_of_every_main_task_has_a_mutant() -> None:
    for info in list_tasks("main"):
        task = get_task(info.id)
        changed = {mutant.point for mutant in mutants(task)}
        without = {i for i, point in enumerate(task.spec.checkpoints) if i not in changed}
        assert {task.spec.checkpoints[i].kind for i in without} <= {"built", "discovered", "visited"}
        for i in without:
            point = task.spec.checkpoints[i]
            assert sum(task.spec.sites[point.site].wants.values()) == 1 if point.kind == "built" else True


def test_an_item_whose_number_decides_nothing_beside_the_others_is_found(doctored: Make) -> None:
    # A small bowl is made of two sticks, and four come of a log: no episode has the bowl and fewer sticks.
    points = [
        {"kind": "crafted", "label": "Carved", "items": {"stick": 4, "bowlsmall": 1}},
        {"kind": "delivered", "label": "Logs", "item": "logs", "count": 1, "to": "carver"},
    ]
    task = doctored(lambda task: task.update(checkpoints=points))
    tape = Tape(task, 0, play_planner(task, 0).calls)
    said = "no episode tells the task from a copy that says 'Carved' with 0 stick"
    assert survivors(tape)[1] == [Problem("mutant", said, ("checkpoints", 0))]


def test_areas_and_rounds_are_changed(doctored: Make) -> None:
    far = {"at": (388, 60), "within": 6}
    points = [
        {"kind": "visited", "label": "Seen", "area": far, "by": ["logger", "carver"], "need": "all"},
        {"kind": "held_for_rounds", "label": "Held", "area": far, "rounds": 4, "by": ["keeper"]},
        {"kind": "present_together", "label": "Met", "area": {"place": "oak-grove"}},
    ]
    found = mutants(doctored(lambda task: task.update(checkpoints=points)))
    words = [mutant.what for mutant in found]
    assert {"'Seen' with any for all", "'Seen' with a wider area", "'Held' with rounds 3"} <= set(words)
    ring = next(mutant.ring for mutant in found if mutant.what == "'Seen' with a wider area")
    assert ring is not None
    assert abs(ring[0] - 388) + abs(ring[1] - 60) == 7


def test_rounds_that_follow_a_checkpoint_are_told_from_rounds_that_follow_none() -> None:
    task = get_task("t29_castle_siege")
    (free,) = [m for m in mutants(task) if m.what.endswith("with rounds that follow nothing")]
    assert task.spec.checkpoints[free.point].model_dump()["after"]
    assert free.task.spec.checkpoints[free.point].model_dump()["after"] is None


@pytest.mark.parametrize(
    "points",
    [
        [
            {"kind": "gathered", "label": "Logs", "item": "logs", "count": 3, "by": ["logger"]},
            {"kind": "held", "label": "Kept", "item": "logs", "count": 2, "by": "keeper"},
        ],
        [
            {"kind": "crafted", "label": "Carved", "item": "stick", "count": 8, "by": ["carver"]},
            {"kind": "present_together", "label": "Met", "area": {"at": (388, 80), "within": 5}},
        ],
        [
            {"kind": "delivered", "label": "Goods", "items": {"logs": 4, "stick": 7}, "to": "keeper"},
            {"kind": "held", "label": "Kept", "items": {"logs": 2, "bowlsmall": 1}, "by": "keeper"},
        ],
        [
            {"kind": "gathered", "label": "Cut", "items": {"logs": 3, "icelogs": 2}},
            {"kind": "crafted", "label": "Carved", "items": {"stick": 12, "bowlsmall": 2}},
        ],
        [
            {"kind": "delivered", "label": "Logs", "item": "logs", "count": 4, "to": "keeper"},
            {"kind": "discovered", "label": "Found", "target": "keeper-ada", "within": 6},
        ],
    ],
)
def test_every_copy_is_told_apart_by_some_episode(doctored: Make, points: list[dict[str, object]]) -> None:
    def spoil(task: dict[str, object]) -> None:
        task["checkpoints"] = points
        task["constraints"] = [{"kind": "all_alive"}, {"kind": "never_crafted", "item": "arrow"}]

    task = doctored(spoil)
    played = play_planner(task, 0)
    assert played.verdict.success
    count, alive = survivors(Tape(task, 0, played.calls))
    assert count >= 5
    assert alive == []


@pytest.mark.parametrize("task_id", ["t02_arrow_production", "t29_castle_siege", "t51_survival_challenge"])
def test_every_copy_of_a_task_of_the_package_is_told_apart(task_id: str) -> None:
    task = get_task(task_id)
    assert survivors(Tape(task, 0, play_planner(task, 0).calls))[1] == []
