"""A siege, a watch or survival is dangerous: whoever strikes no blow does not get through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentworld_env.certify.danger import asks_for_danger, danger_problems, play_peaceful
from agentworld_env.certify.play import play_planner
from agentworld_env.certify.truth import guide_problems
from agentworld_env.planner import Style
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task, get_task, list_tasks

Make = Callable[..., Task]
CAMP = {"kind": "held_for_rounds", "label": "Camp held", "area": {"at": (390, 14), "within": 8}, "rounds": 4}
STRONG = {"mob": "orcwarlord", "count": 4, "at": (370, 10), "appears": 3}
GENTLE = {"mob": "rat", "count": 1, "at": (370, 10), "appears": 3}


def danger_texts(task: Task, seed: int, style: Style) -> list[str]:
    return [problem.text for problem in danger_problems(task, seed, style)]


def _camp(*waves: dict[str, Any], **hold: Any) -> Callable[[dict[str, Any]], None]:
    """Returns a spoiler that lets the team hold a camp against waves."""

    def spoil(task: dict[str, Any]) -> None:
        task["checkpoints"].append({**CAMP, **hold})
        task["waves"] = list(waves)

    return spoil


def _without_waves(task: Task) -> Task:
    return Task(task.spec.model_copy(update={"waves": ()}))


SIEGES = ("t72_fortress_defense", "t77_harbor_defense", "t82_evacuation")


@pytest.mark.parametrize("task_id", SIEGES)
def test_a_siege_cannot_be_sat_out_and_could_before_anybody_attacked(task_id: str) -> None:
    task = get_task(task_id)
    assert danger_texts(task, 1, Style()) == []
    found = danger_texts(_without_waves(task), 1, Style())
    assert any("nobody is in danger" in problem for problem in found)
    assert any("a team that strikes no blow reaches" in problem for problem in found)


@pytest.mark.parametrize("task_id", SIEGES)
@pytest.mark.parametrize("seed", [3, 4])
def test_defenders_who_merely_stand_there_lose_somebody_and_do_not_hold(task_id: str, seed: int) -> None:
    found = play_peaceful(get_task(task_id), seed, Style(), eats=False)
    assert found.died
    assert (found.success, found.held) == (False, ())


def test_every_main_task_about_holding_or_surviving_is_raided() -> None:
    asking = [task for info in list_tasks("main") if asks_for_danger(task := get_task(info.id))]
    assert len(asking) >= 12
    assert [task.id for task in asking if not task.spec.waves] == []


def test_what_a_peaceful_team_gets_away_with_is_named(doctored: Make) -> None:
    quiet = doctored(_camp())
    assert danger_texts(quiet, 0, Style()) == [
        "a team that strikes no blow reaches 'Camp held'",
        "nobody is in danger: a team that neither fights nor eats loses nobody by the end",
    ]
    # One rat in the camp keeps it from being held, but hurts nobody to death.
    assert danger_texts(doctored(_camp(GENTLE)), 0, Style()) == [
        "nobody is in danger: a team that neither fights nor eats loses nobody by the end"
    ]
    assert danger_texts(doctored(_camp(STRONG)), 0, Style()) == []


def test_a_hold_that_is_over_before_the_first_wave_is_named(doctored: Make) -> None:
    # All three start within 8 tiles: four rounds are over at the end of round 4. The wave stands 24 tiles away, 16 from
    # the camp's edge and 22 where the seed puts it farthest away: that takes two world's turns.
    early, late = ({**STRONG, "appears": appears} for appears in (3, 4))
    assert danger_texts(doctored(_camp(early)), 0, Style()) == []
    found = danger_texts(doctored(_camp(late)), 0, Style())
    assert "'Camp held' may be reached in round 4, before the first wave comes" in found
    # What follows other work is not over so soon.
    assert not any(
        "before the first wave" in each
        for each in danger_texts(doctored(_camp(late, after="Sticks")), 0, Style())
    )


def test_a_task_that_is_about_something_else_needs_no_danger(doctored: Make) -> None:
    task = doctored()
    assert not asks_for_danger(task)
    assert danger_texts(task, 0, Style()) == []
    survival = doctored(lambda content: content.update(category="survival"))
    assert asks_for_danger(survival)
    assert "a team that strikes no blow solves the task" in danger_texts(survival, 0, Style())


def test_a_wave_of_which_the_team_is_told_nothing_is_named(doctored: Make) -> None:
    def problems(task: Task) -> list[str]:
        sim = Simulation(task.world, task.setup())
        sim.reset(0)
        found = guide_problems(task, sim, play_planner(task, 0, rehearsals=False))
        return [each.text for each in found if "wave" in each.text]

    assert problems(doctored(_camp(STRONG))) == [
        "no guide names the mob orcwarlord of wave 1",
        "no text says that wave 1 comes in round 3",
    ]

    def told(content: dict[str, Any]) -> None:
        _camp(STRONG)(content)
        content["objective"] += " Warlords come in round 3."
        content["team"]["keeper"]["guide"] = {"mobs": ["orcwarlord"]}

    assert problems(doctored(told)) == []
