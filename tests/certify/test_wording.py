"""Objective and checkpoints name the same numbers: any threshold lowered by one unit is found, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentworld_env.certify.wording import wording_problems
from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.tasks.schema import Built, HeldForRounds, SurvivedUntil, TaskSpec

Make = Callable[..., Task]


def wording_texts(task: Task) -> list[str]:
    return [problem.text for problem in wording_problems(task)]


def _lowered(spec: TaskSpec) -> Iterator[TaskSpec]:
    """Yields copies of a task with one number above 1 of one checkpoint, or of its site, lowered by one."""
    for i, point in enumerate(spec.checkpoints):
        items: dict[str, int] = getattr(point, "items", {})
        changes: list[dict[str, Any]] = [{"items": {**items, k: n - 1}} for k, n in items.items() if n > 1]
        numbers = {field: getattr(point, field, 0) for field in ("count", "rounds")}
        changes.extend({field: number - 1} for field, number in numbers.items() if number > 1)
        for change in changes:
            points = [*spec.checkpoints]
            points[i] = point.model_copy(update=change)
            yield spec.model_copy(update={"checkpoints": tuple(points)})
        if isinstance(point, Built):
            site = spec.sites[point.site]
            for item, count in site.wants.items():
                if count > 1:
                    less = site.model_copy(update={"wants": {**site.wants, item: count - 1}})
                    yield spec.model_copy(update={"sites": {**spec.sites, point.site: less}})


@pytest.mark.parametrize("task_id", [info.id for info in list_tasks()])
def test_no_task_of_the_package_disagrees_with_its_objective(task_id: str) -> None:
    assert wording_texts(get_task(task_id)) == []


def test_every_threshold_of_the_main_tasks_lowered_by_one_is_found() -> None:
    tried, unnoticed = 0, []
    for info in list_tasks("main"):
        task = get_task(info.id)
        for spec in _lowered(task.spec):
            tried += 1
            if not wording_texts(Task(spec, task.world)):
                unnoticed.append((info.id, spec.checkpoints, spec.sites))
    assert tried > 400
    assert unnoticed == []


@pytest.mark.parametrize(
    ("objective", "problems"),
    [
        ("Cut 2 logs, carve sticks and hand 5 stick to the keeper.", []),
        ("Cut two logs, carve shafts and hand the keeper five shafts (stick).", []),
        ("Carve 5 shafts (stick) for the keeper from 2 logs of your own.", []),
        ("Cut both logs, carve shafts (stick) and hand 5 to the keeper. Hand 5 stick.", []),
        ("Cut logs, hand 5 stick over.", ["'Logs' asks for 2 logs, the objective says no number"]),
        ("Cut 3 logs, hand 5 stick over.", [
            "'Logs' asks for 2 logs, the objective says 3",
            "the objective says 3 logs, the checkpoints ask for 2",
        ]),
        ("Cut 2 logs, hand 4 stick over.", ["'Sticks' asks for 5 stick, the objective says 4"]),
        ("Cut 2 logs, carve 6 stick, hand 5 stick over.", [
            "the objective says 6 stick, the checkpoints ask for 5",
        ]),
        ("Cut 2 logs, hand 5 stick over from 6 stick.", []),
        ("Go to (5, 2) with 2 logs and 5 stick within 8 tiles of (3, 1).", []),
    ],
)  # fmt: skip
def test_numbers_are_read_from_prose(doctored: Make, objective: str, problems: list[str]) -> None:
    assert wording_texts(doctored(lambda task: task.update(objective=objective))) == problems


def _counting(objective: str, *points: dict[str, Any], notes: str = "") -> Callable[[dict[str, Any]], None]:
    """Returns a spoiler that makes a task of an objective and what its checkpoints count."""

    def spoil(task: dict[str, Any]) -> None:
        task["objective"] = objective
        task["team"]["logger"]["guide"]["notes"] = notes
        task["checkpoints"] = [{"label": f"Point {i}", **point} for i, point in enumerate(points)]

    return spoil


def _gathered(item: str, count: int, **fields: Any) -> dict[str, Any]:
    return {"kind": "gathered", "item": item, "count": count, **fields}


@pytest.mark.parametrize(
    ("objective", "point", "notes", "thing"),
    [
        ("Mine 5 coal.", _gathered("ironore", 5), "Your share is 5 ironore.", "ironore"),
        ("Mine 5 copper ore.", _gathered("ironore", 5), "", "ironore"),
        ("Mine 1 coal.", _gathered("ironore", 1), "", "ironore"),
        ("Mine some coal.", _gathered("ironore", 1), "", "ironore"),
        ("Cut 5 logs.", _gathered("icelogs", 5), "", "icelogs"),
        ("Make 1 silver ring.", {"kind": "crafted", "item": "goldring", "count": 1}, "", "goldring"),
        ("Kill 1 goblin.", {"kind": "killed", "mob": "rat", "count": 1}, "", "rat"),
        ("Put it on.", {"kind": "worn", "item": "axe", "by": "keeper"}, "", "axe"),
    ],
)
def test_a_counted_thing_that_neither_objective_nor_label_names_is_found(
    doctored: Make, objective: str, point: dict[str, Any], notes: str, thing: str
) -> None:
    problems = wording_texts(doctored(_counting(objective, point, notes=notes)))
    assert any(
        text.startswith(f"'Point 0' counts {thing}, which neither the objective nor a label names")
        for text in problems
    ), problems


@pytest.mark.parametrize(
    ("objective", "point"),
    [
        ("Mine 5 ironore.", _gathered("ironore", 5)),
        ("Mine 5 iron ores.", _gathered("ironore", 5)),
        ("Mine what is needed: 5.", _gathered("ironore", 5, label="Iron ore 5")),
        ("Cut ice logs and hand in 5 logs.", _gathered("icelogs", 5)),
        ("Dig for 5 gold nuggets.", _gathered("goldnugget", 5)),
        ("Cook 2 shrimp.", {"kind": "crafted", "item": "cookedshrimp", "count": 2}),
        ("Make a fire and an ice staff.", {"kind": "crafted", "items": {"firestaff": 1, "icestaff": 1}}),
    ],
)
def test_plurals_keys_labels_and_names_in_pieces_count_as_names(
    doctored: Make, objective: str, point: dict[str, Any]
) -> None:
    problems = wording_texts(doctored(_counting(objective, point)))
    assert not [text for text in problems if "names" in text]


def test_a_number_of_the_wrong_thing_is_found_though_the_label_has_the_right_name(doctored: Make) -> None:
    point = _gathered("ironore", 5, label="Iron ore mined")
    problems = wording_texts(doctored(_counting("Mine 5 coal.", point, notes="Mine 5 ironore.")))
    assert problems == ["the objective says 5 coal, which nothing that is asked for takes"]


@pytest.mark.parametrize(
    "objective",
    [
        "Smelt 5 iron bars from 5 iron ore and 5 coal.",  # what a bar is made of
        "Smelt 5 iron bars with the 3 apples in your bag.",  # what a role has
        "Smelt 5 iron bars within 8 tiles of the rat, 4 of you, and let the others come down in 6 rounds.",
    ],
)
def test_what_is_used_or_held_and_numbers_of_tiles_rounds_and_people_are_no_findings(
    doctored: Make, objective: str
) -> None:
    def spoil(task: dict[str, Any]) -> None:
        _counting(objective, {"kind": "crafted", "item": "ironbar", "count": 5})(task)
        task["team"]["carver"]["inventory"] = {"apple": 3}

    assert wording_texts(doctored(spoil)) == []


def test_a_number_may_stand_in_the_notes_if_the_objective_gives_none(doctored: Make) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["objective"] = "Cut logs and hand 5 stick over."
        task["team"]["logger"]["guide"]["notes"] = "Your share is 2 logs."

    assert wording_texts(doctored(spoil)) == []


@pytest.mark.parametrize(
    ("kind", "said", "problem"),
    [
        ("held", "for 5 rounds in a row", "'Wait' asks for 4 rounds, no text says that number"),
        ("held", "for four rounds in a row", ""),
        ("survived", "until the end of round 9", "'Wait' waits for round 8, no text says that number"),
        ("survived", "until the end of round 8", ""),
    ],
)
def test_rounds_must_be_said_as_well(doctored: Make, kind: str, said: str, problem: str) -> None:
    points = {
        "held": HeldForRounds(kind="held_for_rounds", label="Wait", area={"at": (388, 60)}, rounds=4),
        "survived": SurvivedUntil(kind="survived_until", label="Wait", round=8, after="Logs"),
    }

    def spoil(task: dict[str, Any]) -> None:
        task["objective"] = f"Cut 2 logs, hand 5 stick over and wait {said}."
        task["checkpoints"].append(points[kind].model_dump())

    assert wording_texts(doctored(spoil)) == ([problem] if problem else [])
