"""The lower bound never exceeds what brute force finds in tiny tasks, nor what the planner needs in whole ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from tests.certify.brute import STILL, Brute, tiny_task

from agentworld_env.certify import lower_bound
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task

OAKS = ("oak-0001", "oak-0002")
LOGGER: dict[str, Any] = {"skills": {"lumberjacking": 5}, "worn": ["axe"]}
CARVER: dict[str, Any] = {"skills": {"fletching": 20}}
FIGHTER: dict[str, Any] = {"skills": {"strength": 90, "health": 90}, "worn": ["sword"]}


def gathered(item: str, count: int) -> dict[str, Any]:
    return {"kind": "gathered", "item": item, "count": count}


def delivered(item: str, count: int, to: str, origin: str = "made") -> dict[str, Any]:
    return {"kind": "delivered", "item": item, "count": count, "to": to, "origin": origin}


def at(x: int, y: int, within: int = 4) -> dict[str, Any]:
    return {"at": (x, y), "within": within}


class Case(NamedTuple):
    """A tiny task, what brute force may do in it, and the optimum counted by hand where that is easy."""

    task: Task
    limit: int
    optimum: int | None = None
    places: tuple[tuple[int, int], ...] = ()
    items: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    mobs: tuple[str, ...] = ()


CASES: dict[str, Case] = {
    # One turn a log.
    "one log": Case(tiny_task({"a": LOGGER}, gathered("logs", 1)), 2, 1, nodes=OAKS),
    "two logs": Case(tiny_task({"a": LOGGER}, gathered("logs", 2)), 3, 2, nodes=OAKS),
    "two loggers": Case(tiny_task({"a": LOGGER, "b": LOGGER}, gathered("logs", 2)), 2, 1, nodes=OAKS),
    # Two oaks that rest three rounds give the third and fourth log in round 4.
    "scarce oaks": Case(tiny_task({"a": LOGGER, "b": LOGGER}, gathered("logs", 4)), 5, 4, nodes=OAKS),
    # 205 tiles to the first oak: two walks of 120 bring the logger into sight (64) of it.
    "far oak": Case(
        tiny_task({"a": {**LOGGER, "start": (310, 100 - 60)}}, gathered("logs", 1)),
        5,
        places=((105, 99), (250, 40), (190, 40)),
        nodes=OAKS,
    ),
    "log handed over": Case(
        tiny_task({"a": LOGGER, "b": {}}, delivered("logs", 1, "b")), 3, 2, items=("logs",), nodes=OAKS
    ),
    "log handed to somebody far": Case(
        tiny_task({"a": LOGGER, "b": {"start": (100, 500)}}, delivered("logs", 1, "b")),
        5,
        places=((100, 300), (105, 220), (100, 500)),
        items=("logs",),
        nodes=OAKS[:1],
    ),
    "sticks by a mate": Case(
        tiny_task({"a": LOGGER, "b": CARVER}, {"kind": "crafted", "item": "stick", "count": 4}),
        4,
        2,
        items=("logs", "stick"),
        nodes=OAKS,
    ),
    "sticks by an earlier mate": Case(
        tiny_task({"b": CARVER, "a": LOGGER}, {"kind": "crafted", "item": "stick", "count": 4}),
        4,
        3,
        items=("logs", "stick"),
        nodes=OAKS,
    ),
    "sticks there and back": Case(
        tiny_task({"a": LOGGER, "b": CARVER}, delivered("stick", 4, "a")),
        4,
        3,
        items=("logs", "stick"),
        nodes=OAKS,
    ),
    # Take over the axe, put it on, cut: the giver moves first.
    "borrowed axe": Case(
        tiny_task(
            {"b": {"inventory": {"axe": 1}}, "a": {"skills": {"lumberjacking": 5}}}, gathered("logs", 1)
        ),
        4,
        2,
        items=("axe",),
        nodes=OAKS,
    ),
    "axe in the bag": Case(
        tiny_task({"a": {"skills": {"lumberjacking": 5}, "inventory": {"axe": 1}}}, gathered("logs", 1)),
        3,
        2,
        items=("axe",),
        nodes=OAKS,
    ),
    "two places": Case(
        tiny_task(
            {"a": {}},
            {"kind": "visited", "area": at(100, 190)},
            {"kind": "visited", "area": at(100, 60)},
        ),
        4,
        places=((100, 190), (100, 60), (100, 186), (100, 64)),
    ),
    "all together": Case(
        tiny_task({"a": {}, "b": {"start": (100, 330)}}, {"kind": "present_together", "area": at(100, 215)}),
        4,
        1,
        places=((100, 215),),
    ),
    "held for three rounds": Case(
        tiny_task({"a": {}}, {"kind": "held_for_rounds", "area": at(100, 215), "rounds": 3}),
        5,
        3,
        places=((100, 215),),
    ),
    # Full damage lands every time, yet the fang comes only with the kill.
    "rat": Case(
        tiny_task({"a": FIGHTER}, {"kind": "killed", "mob": "rat", "count": 1}), 3, 1, mobs=("rat-0001",)
    ),
    "ogre king": Case(
        tiny_task(
            {"a": {**FIGHTER, "start": (148, 150)}, "b": {**FIGHTER, "start": (150, 148)}},
            {"kind": "killed", "mob": "ogre-king-1"},
            spawns=["ogre-king-1"],
        ),
        3,
        1,
        mobs=("ogre-king-1",),
    ),
    "site of two goods": Case(
        tiny_task(
            {"a": LOGGER, "b": {"skills": {"foraging": 5}}},
            {"kind": "built", "site": "hut"},
            sites={"hut": {"name": "Hut", "at": (100, 100), "wants": {"logs": 1, "herb": 1}}},
        ),
        3,
        2,
        items=("logs", "herb"),
        nodes=(*OAKS[:1], "bush-0001"),
    ),
    "far site": Case(
        tiny_task(
            {"a": LOGGER},
            {"kind": "built", "site": "hut"},
            sites={"hut": {"name": "Hut", "at": (100, 300), "wants": {"logs": 1}}},
        ),
        5,
        4,
        places=((100, 300), (105, 220)),
        items=("logs",),
        nodes=OAKS[:1],
    ),
    "through the portal": Case(
        tiny_task({"a": {}}, {"kind": "visited", "area": at(500, 501)}), 3, 2, places=((90, 90), (500, 501))
    ),
    "arrows from nothing": Case(
        tiny_task(
            {"a": {**LOGGER, "skills": {"lumberjacking": 5, "strength": 90}}, "b": CARVER},
            {"kind": "crafted", "item": "arrow", "count": 10},
        ),
        6,
        items=("logs", "stick", "fang", "arrow"),
        nodes=OAKS[:1],
        mobs=("rat-0001",),
    ),
    "relay": Case(
        tiny_task(
            {
                "a": {"inventory": {"logs": 1}},
                "b": {"start": (100, 215)},
                "c": {"start": (100, 335)},
            },
            delivered("logs", 1, "c", origin="any"),
        ),
        4,
        places=((100, 211), (100, 220), (100, 323), (100, 331)),
        items=("logs",),
    ),
    "patience": Case(
        tiny_task(
            {"a": LOGGER}, gathered("logs", 1), {"kind": "survived_until", "round": 3, "after": "Point 0"}
        ),
        4,
        3,
        nodes=OAKS,
    ),
    "discovery": Case(
        tiny_task({"a": {"start": (100, 200)}}, {"kind": "discovered", "target": "tom", "within": 4}),
        3,
        1,
        places=((121, 120), (121, 123)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_bound_never_exceeds_what_brute_force_achieves(name: str) -> None:
    case = CASES[name]
    best = Brute(case.task, case.places, case.items, case.nodes, case.mobs).fewest_rounds(case.limit)
    if case.optimum is not None:
        assert best == case.optimum
    bound = lower_bound(case.task.spec, Simulation(case.task.world, case.task.setup(), STILL))
    assert bound.rounds <= best


def test_the_bound_is_tight_in_most_tiny_tasks_whose_optimum_is_known() -> None:
    known = [case for case in CASES.values() if case.optimum is not None]
    tight = 0
    for case in known:
        sim = Simulation(case.task.world, case.task.setup(), STILL)
        tight += lower_bound(case.task.spec, sim).rounds == case.optimum
    assert 2 * tight > len(known)


def test_a_lone_agent_gets_no_smaller_bound_than_the_team() -> None:
    task = tiny_task({"a": LOGGER, "b": LOGGER}, gathered("logs", 7))
    sim = Simulation(task.world, task.setup(), STILL)
    # Seven turns of one agent, or four rounds of two.
    assert lower_bound(task.spec, sim).rounds == 4
    assert lower_bound(task.spec, sim, (1,)).rounds == 7


def test_jitter_of_the_start_lowers_the_bound_rather_than_breaking_it() -> None:
    # 245 tiles are three walks, but a start moved by 3 and 3 tiles may leave only 239.
    task = tiny_task({"a": {}}, {"kind": "visited", "area": at(100, 345, within=0)})
    exact = Simulation(task.world, task.setup(), STILL)
    loose = Simulation(task.world, task.setup())
    assert (lower_bound(task.spec, exact).rounds, lower_bound(task.spec, loose).rounds) == (3, 2)
