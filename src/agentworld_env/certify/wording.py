"""Checks that the objective and the checkpoints name the same numbers of the same things.

Objectives are prose. What is read from them is only this: a number, and which goods, creatures or rounds it counts. So
a threshold that was lowered in the file, a number that was changed in the text, or another item does not go unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentworld_env.certify.problem import Path, Problem, point_path
from agentworld_env.certify.prose import number_of, read_numbers, speaks
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import (
    Built,
    Crafted,
    Delivered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    SurvivedUntil,
    Worn,
)


class _Threshold(NamedTuple):
    """A number that a checkpoint asks for.

    Attributes:
        label: The checkpoint's label.
        thing: Key of the item or kind of mob that is counted.
        units: How many.
    """

    label: str
    thing: str
    units: int


def wording_problems(task: Task) -> list[Problem]:
    """Returns where the numbers of the objective and those of the checkpoints disagree.

    Every number of two or more that a checkpoint asks for must be said of that item or mob by the objective, or, where
    the objective gives no number for it, by the notes of some role. A single unit needs no number, unless all numbers
    said are others. And a number that the objective says of something must not be just above what is asked for. The
    name of whatever is asked for must occur in the objective or a label, and of what neither is asked for nor goes into
    it nor lies in a bag, the objective must not say a number of two or more.

    Args:
        task: The task.
    """
    asked = list(_thresholds(task))
    names = _names(task)
    things = frozenset(point.thing for point in asked)
    objective = read_numbers(task.spec.objective, names, things)
    notes = read_numbers(_notes(task), names, things)
    problems = [*_rounds(task), *_unnamed(task, names)]
    for label, thing, count in asked:
        said = objective.get(thing) or notes.get(thing) or []
        numbers = {number for number, *_ in said}
        if count not in numbers and (count > 1 or any(how != "summed" for _, how, _ in said)):
            told = " and ".join(map(str, sorted(numbers))) or "no number"
            lacking = f"{label!r} asks for {count} {thing}, the objective says {told}"
            problems.append(_problem(lacking, point_path(task.spec, label)))
    known = things | _used(task, things)
    for thing, said in objective.items():
        for number, how, meant in said:
            if how == "asked" and number > 1 and not known & meant:
                told = f"the objective says {number} {thing}, which nothing that is asked for takes"
                problems.append(_problem(told, ("objective",)))
    portions: dict[str, int] = {}
    for point in task.spec.parts:
        if isinstance(point, Delivered | Held):
            portions[point.item] = portions.get(point.item, 0) + point.count
    for point in task.spec.parts:
        if isinstance(point, Gathered | Crafted):
            portions.pop(point.item, None)
    for thing, said in objective.items():
        counts = [point.units for point in asked if point.thing == thing]
        for number, how, _ in said:
            # "Forge 2 rings and pay one to each": what is asked for in portions is said as a whole.
            if how == "asked" and number not in (*counts, portions.get(thing)) and number - 1 in counts:
                told = f"the objective says {number} {thing}, the checkpoints ask for {number - 1}"
                problems.append(_problem(told, ("objective",)))
    return list(dict.fromkeys(problems))


def _problem(text: str, path: Path) -> Problem:
    return Problem("wording", text, path)


def _thresholds(task: Task) -> Iterator[_Threshold]:
    for point in task.spec.parts:
        match point:
            case Gathered() | Crafted() | Delivered() | Held():
                yield _Threshold(point.label, point.item, point.count)
            case Killed() if point.mob in task.world.mob_kinds:
                yield _Threshold(point.label, point.mob, point.count)
            case Built():
                for item, count in task.spec.sites[point.site].wants.items():
                    yield _Threshold(point.label, item, count)
            case _:
                pass


def _rounds(task: Task) -> list[Problem]:
    """Returns checkpoints about rounds whose number no text says, and numbers of rounds that none asks for."""
    told = f"{task.spec.objective} {_notes(task)}".lower()
    found = re.findall(r"\b([a-z]+|\d+) (?:full |whole |more )?rounds?\b", told)
    spans = {n for n in map(number_of, found) if n is not None}
    ends = {int(number) for number in re.findall(r"\bround (\d+)\b", told)}
    problems = []
    for i, point in enumerate(task.spec.checkpoints):
        said = ""
        if isinstance(point, HeldForRounds) and point.rounds > 1 and point.rounds not in spans:
            said = f"{point.label!r} asks for {point.rounds} rounds, no text says that number"
        elif isinstance(point, SurvivedUntil) and point.round not in ends:
            said = f"{point.label!r} waits for round {point.round}, no text says that number"
        if said:
            problems.append(_problem(said, ("checkpoints", i)))
    return problems


def _notes(task: Task) -> str:
    return " . ".join(text for role in task.spec.team.values() for text in (role.about, role.guide.notes))


def _names(task: Task) -> dict[str, str]:
    """Returns key -> name in lower case of all items and kinds of mobs."""
    return {
        key: kind.name.lower()
        for kind_of in (task.world.items, task.world.mob_kinds)
        for key, kind in kind_of.items()
    }


def _used(task: Task, things: frozenset[str]) -> frozenset[str]:
    """Returns the things besides those asked for of which an objective may speak: what they take, what roles have.

    Args:
        task: The task.
        things: Keys of what is asked for.
    """
    world, spec = task.world, task.spec
    found: set[str] = set()
    open_ = [*things, *(point.item for point in spec.parts if isinstance(point, Worn))]
    while open_:
        thing = open_.pop()
        if thing in found:
            continue
        found.add(thing)
        recipe = world.recipe_of.get(thing)
        open_.extend(recipe.inputs if recipe is not None else ())
        open_.extend(offer.take for npc in world.npcs.values() for offer in npc.offers if offer.give == thing)
        open_.extend(
            key for key, kind in world.mob_kinds.items() if thing in {drop.item for drop in kind.drops}
        )
    for role in spec.team.values():
        found.update(role.inventory, role.worn, role.guide.mobs)
    found.update(wave.mob for wave in spec.waves)
    for key in spec.spawns:
        found.add(world.named_spawns[key].kind)
        found.update(drop.item for drop in world.named_spawns[key].drops)
    return frozenset(found)


def _unnamed(task: Task, names: Mapping[str, str]) -> list[Problem]:
    """Returns what checkpoints ask for and neither objective nor labels name."""
    labels = (point.label for point in task.spec.checkpoints)
    texts = [task.spec.objective, *labels]
    asked = [(label, thing, names[thing]) for label, thing, _ in _thresholds(task)]
    # Named bosses are left out: an objective may paraphrase one, which nothing else can be mistaken for.
    worn = (point for point in task.spec.parts if isinstance(point, Worn))
    asked.extend((point.label, point.item, names[point.item]) for point in worn)
    return [
        _problem(
            f"{label!r} counts {thing}, which neither the objective nor a label names ({name})",
            point_path(task.spec, label),
        )
        for label, thing, name in asked
        if not any(speaks(text, name, thing) for text in texts)
    ]
