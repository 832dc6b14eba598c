"""What nobody can make or get, a team must have enough of without whom it is said to be able to do without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentworld_env.certify.play import attempt
from agentworld_env.certify.proofs import group_needs
from agentworld_env.certify.scarcity import shortage
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task, get_task

Make = Callable[..., Task]

LOGGER, CARVER, KEEPER = 0, 1, 2


def _short(task: Task, *members: int) -> str | None:
    return shortage(task.spec, Simulation(task.world, task.setup()), members)


def _beads(*points: dict[str, Any], **holders: int) -> Callable[[dict[str, Any]], None]:
    """Returns a spoiler that hands out fire beads, which nothing in the world gives, and asks for something."""

    def spoil(task: dict[str, Any]) -> None:
        for name, units in holders.items():
            task["team"][name]["inventory"] = {"firebead": units}
        task["checkpoints"] = [{"label": f"Point {i}", **point} for i, point in enumerate(points)]

    return spoil


HANDED = {"kind": "delivered", "item": "firebead", "count": 2, "to": "keeper", "origin": "any"}


def test_who_holds_what_must_be_handed_over_cannot_be_missed(doctored: Make) -> None:
    task = doctored(_beads(HANDED, logger=1, carver=1))
    assert _short(task, LOGGER, CARVER, KEEPER) is None
    assert _short(task, LOGGER, KEEPER) == "2 firebead must reach keeper, 1 are there and no more can be had"


def test_what_the_receiver_holds_itself_does_not_count_as_handed_over(doctored: Make) -> None:
    assert _short(doctored(_beads(HANDED, keeper=9, carver=1)), LOGGER, CARVER, KEEPER) is not None
    assert _short(doctored(_beads(HANDED, keeper=9, carver=2)), LOGGER, CARVER, KEEPER) is None


def test_what_different_agents_must_hold_adds_up(doctored: Make) -> None:
    points = [{"kind": "held", "item": "firebead", "count": 2, "by": by} for by in ("keeper", "carver")]
    task = doctored(_beads(*points, logger=3, keeper=1))
    assert _short(task, LOGGER, CARVER, KEEPER) is None
    assert _short(task, LOGGER, CARVER) == "4 firebead are needed, 3 are there and no more can be had"


def test_what_can_be_made_is_never_scarce(doctored: Make) -> None:
    points = {"kind": "delivered", "item": "logs", "count": 50, "to": "keeper", "origin": "any"}
    task = doctored(_beads(points, keeper=1))
    assert _short(task, LOGGER, KEEPER) is None
    assert _short(task, CARVER, KEEPER) is not None


def test_where_deaths_leave_goods_to_the_living_those_count(doctored: Make) -> None:
    def mortal(task: dict[str, Any]) -> None:
        _beads(HANDED, logger=1, carver=1)(task)
        task["constraints"] = []

    assert _short(doctored(mortal), LOGGER, KEEPER) is None


@pytest.mark.parametrize(
    "task_id", ["t02_arrow_production", "t57_grand_jewelry_expedition", "t87_canal_restoration"]
)
def test_without_a_group_that_is_proven_scarce_the_planner_fails(task_id: str) -> None:
    task = get_task(task_id)
    needs = group_needs(task, Simulation(task.world, task.setup()), 0)
    scarce = [need.group for need in needs if need.how == "scarcity"]
    assert len(scarce) == 2
    for group in scarce:
        assert not attempt(task, 0, task.groups[group]).success
