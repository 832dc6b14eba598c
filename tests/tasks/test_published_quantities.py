"""Every number of the published tasks is kept, or its change is recorded with both numbers.

``published.jsonl`` holds one published task a line: the team's skills and goods (worn ones included), the round budget,
and how much of what the goal asks for. Keys are this project's; an item that has another name there is the same item.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s
from agentworld_env.tasks.task import Task

Numbers = dict[str, tuple[int, int]]

PUBLISHED: dict[int, dict[str, Any]] = {
    row["number"]: row
    for row in map(json.loads, Path(__file__).with_name("published.jsonl").read_text("utf-8").splitlines())
}
TASKS = [get_task(info.id) for info in list_tasks("main")]

# -- what a task demands -------------------------------------------------------------------------------------------


def in_the_episode(task: Task, item: str) -> set[str]:
    """Returns the ways in which units that nobody had at the start can come about and may be handed over."""
    world = task.world
    kinds = [world.mob_kinds[spawn.kind] for spawn in world.mob_spawns]
    drops = [drop for kind in kinds for drop in kind.drops]
    drops += [drop for key in task.spec.spawns for drop in world.named_spawns[key].drops]
    offers = [offer.give for npc in world.npcs.values() for offer in npc.offers]
    ways = {"gathered"} if any(node.gives == item for node in world.node_kinds.values()) else set()
    ways |= (
        {"gathered" if item in task.spec.sources else "looted"} if item in {d.item for d in drops} else set()
    )
    ways |= {"crafted"} if item in world.recipe_of else set()
    return ways | ({"bartered"} if item in offers else set())


def at_start(task: Task, item: str) -> int:
    return sum(role.inventory.get(item, 0) + role.worn.count(item) for role in task.spec.team.values())


def added(points: list[tuple[int, tuple[str, ...]]]) -> Iterator[int]:
    """Yields each count, and the sum of those that are told apart by who must do it."""
    yield from (count for count, _ in points)
    named = [by for _, by in points if by]
    if len(named) == len(points) and len({name for by in named for name in by}) == sum(map(len, named)):
        yield sum(count for count, _ in points)


def demanded_units(task: Task, kind: str, item: str) -> set[int]:
    """Returns the numbers of units that must be gathered (or crafted) in every success."""
    ways = in_the_episode(task, item)
    if kind == "gathered" and "crafted" in ways and "gathered" not in ways:
        kind = "crafted"
    named = s.Gathered if kind == "gathered" else s.Crafted
    found = set(added([(c.count, c.by) for c in task.spec.parts if isinstance(c, named) and c.item == item]))
    # What can be made in one way only has been made in it when it is handed over as made ...
    if ways - {"bartered"} == {kind}:
        found |= {
            c.count
            for c in task.spec.parts
            if isinstance(c, s.Delivered) and c.item == item and c.origin == "made"
        }
    # ... and when it is there in the end, or is handed over at all, although nobody had any.
    if ways == {kind} and not at_start(task, item):
        found |= {c.count for c in task.spec.parts if isinstance(c, s.Delivered) and c.item == item}
        for c in task.spec.checkpoints:
            if isinstance(c, s.Built):
                found.add(task.spec.sites[c.site].wants.get(item, 0))
        found |= set(
            added(
                [
                    (c.count, (c.by,))
                    for c in task.spec.parts
                    if isinstance(c, s.Held) and c.item == item and c.by
                ]
            )
        )
    return found - {0}


def demanded_kills(task: Task, mob: str) -> set[int]:
    """Returns the numbers of kills of a mob that must happen in every success."""
    killed = [c for c in task.spec.checkpoints if isinstance(c, s.Killed)]
    named = {key: re.sub(r"[^a-z]", "", key) for key in task.spec.spawns}
    plain = {c.count for c in killed if mob in (c.mob, "any")}
    # One spawn can be asked for twice, with the shares of different roles.
    single = {
        c.mob: max(o.count for o in killed if o.mob == c.mob) for c in killed if named.get(c.mob) == mob
    }
    return plain | {sum(single.values())} - {0}


def demanded_handovers(task: Task, to: str, item: str) -> set[int]:
    return {
        c.count for c in task.spec.parts if isinstance(c, s.Delivered) and (c.to, c.item) == (to, item)
    } | {c.count for c in task.spec.parts if isinstance(c, s.Held) and (c.by, c.item) == (to, item)}


def closest(numbers: set[int], published: int, *, at_least: bool) -> int:
    if published in numbers or (at_least and any(number >= published for number in numbers)):
        return published
    return max(numbers, default=0)


def goal_deviations(task: Task, row: dict[str, Any]) -> Numbers:
    found: Numbers = {}
    for kind in ("gathered", "crafted", "killed", "delivered"):
        for key, count in row[kind].items():
            numbers: set[int] = set()
            for choice in key.split("|"):
                if kind == "killed":
                    numbers |= demanded_kills(task, choice)
                elif kind == "delivered":
                    numbers |= demanded_handovers(task, *choice.split("."))
                else:
                    numbers |= demanded_units(task, kind, choice)
            # A published hand-over names a number only where it is more than one.
            ours = closest(numbers, count, at_least=kind == "delivered" and count == 1)
            if ours != count:
                found[f"{kind}.{key}"] = (count, ours)
    return found


def start_deviations(task: Task, row: dict[str, Any]) -> Numbers:
    found: Numbers = {}
    for name, role in task.spec.team.items():
        theirs = {**row["team"][name]["items"], **row["team"][name]["skills"]}
        ours = {**(Counter(role.inventory) + Counter(role.worn)), **role.skills}
        for key in {**theirs, **ours}:
            if theirs.get(key, 0) != ours.get(key, 0):
                found[f"{name}.{key}"] = (theirs.get(key, 0), ours.get(key, 0))
    return found


# -- the rules -----------------------------------------------------------------------------------------------------


def test_all_hundred_published_tasks_are_compared() -> None:
    assert [task.spec.number for task in TASKS] == sorted(PUBLISHED) == list(range(1, 101))
    assert sum(len(row["team"]) for row in PUBLISHED.values()) == 627
    counts = [
        n
        for row in PUBLISHED.values()
        for kind in ("gathered", "crafted", "killed")
        for n in row[kind].values()
    ]
    assert len(counts) > 350


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_title_team_budget_and_survival_are_the_published_ones(task: Task) -> None:
    row = PUBLISHED[task.spec.number]
    assert task.id == f"t{task.spec.number:02}_{row['slug']}"
    assert task.spec.title.casefold() == row["title"].casefold()
    assert list(task.team) == list(row["team"])
    assert task.spec.max_rounds == row["rounds"]
    # All tasks keep everyone alive, also those whose published goal did not ask for it.
    assert s.AllAlive(kind="all_alive") in task.spec.constraints


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_every_published_number_is_kept_or_its_change_is_recorded_with_both_numbers(task: Task) -> None:
    row = PUBLISHED[task.spec.number]
    recorded: Numbers = {}
    for change in task.spec.changes:
        assert not recorded.keys() & change.numbers.keys()
        recorded.update(change.numbers)
    assert recorded == {**goal_deviations(task, row), **start_deviations(task, row)}


def test_goals_differ_only_in_gold_its_coal_and_what_nobody_can_gather() -> None:
    differ = {
        (task.spec.number, key): number
        for task in TASKS
        for key, number in goal_deviations(task, PUBLISHED[task.spec.number]).items()
    }
    assert differ == {
        # The team starts with all the feathers and beads that its products take.
        (2, "gathered.feather"): (10, 0),
        (59, "gathered.bead"): (3, 0),
        (69, "gathered.bead"): (4, 0),
        # Gold needs no coal.
        (9, "gathered.coal"): (2, 0),
        (12, "delivered.gold_smith.coal"): (1, 0),
        (21, "delivered.master_smith.coal"): (1, 0),
        (38, "delivered.smith.coal"): (2, 0),
        (49, "gathered.coal"): (8, 4),
        (59, "gathered.coal"): (54, 7),
        (62, "gathered.coal"): (60, 25),
        (62, "delivered.master_forger.coal"): (60, 25),
        (69, "gathered.coal"): (69, 20),
        # A gold ring takes two bars.
        (21, "gathered.goldnugget"): (1, 2),
        (21, "crafted.goldbar"): (1, 2),
        # The caravan hands its goods over at the oasis.
        (26, "delivered.teammate.item"): (1, 0),
    }
    assert all(change.kind != "quantity" for task in TASKS for change in task.spec.changes)


def test_a_lowered_threshold_is_noticed() -> None:
    task = get_task("t46_mining_expedition")
    points = [
        c.model_copy(update={"count": c.count - 1}) if isinstance(c, s.Gathered) and c.item == "coal" else c
        for c in task.spec.checkpoints
    ]
    less = Task(task.spec.model_copy(update={"checkpoints": tuple(points)}), task.world)
    assert goal_deviations(task, PUBLISHED[46]) == {}
    assert goal_deviations(less, PUBLISHED[46]) == {"gathered.coal": (10, 9)}
