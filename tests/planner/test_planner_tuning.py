"""What rehearsals vary: meeting places, shares of the work, and how often parts are handed over."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.certify.brute import STILL, tiny_task

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner import Plan, Style, Team, make_plan
from agentworld_env.planner.jobs import Give, Kill
from agentworld_env.planner.rehearse import Performance, rehearse
from agentworld_env.planner.tuning import other_hubs
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task, get_task
from agentworld_env.world.geometry import manhattan

LOGGER: dict[str, Any] = {"skills": {"lumberjacking": 5}, "worn": ["axe"]}
FIGHTER: dict[str, Any] = {"skills": {"strength": 90, "health": 90}, "worn": ["sword"]}
CARVER: dict[str, Any] = {"skills": {"fletching": 20}, "inventory": {"logs": 5}}

FAR = tiny_task(
    {"a": LOGGER, "b": {"start": (100, 500)}},
    {"kind": "delivered", "item": "logs", "count": 2, "to": "b"},
)


def planned(task: Task, style: Style | None = None) -> tuple[Team, Plan]:
    sim = Simulation(task.world, task.setup(), STILL)
    sim.reset(1)
    team = Team(sim, tuple(range(len(sim.names))))
    return team, make_plan(task.spec, team, style or Style())


def test_other_meeting_places_lie_a_step_nearer_to_a_place_of_work() -> None:
    team, plan = planned(FAR)
    hub = plan.hubs[1]
    giver = next(job for job in plan.jobs if isinstance(job, Give)).agent
    assert giver == 0
    found = [dict(hubs)[1] for hubs in other_hubs(team, plan)]
    assert found
    assert hub not in found
    # Between the oaks and where the receiver starts, never beyond either.
    assert all(manhattan(*tile, 105, 100) + manhattan(*tile, 100, 500) <= 400 + 2 * 12 for tile in found)
    # The tile of an oak cannot be stood on, so that a way may begin beside it.
    assert any(abs(manhattan(*tile, *hub) - step) <= 1 for tile in found for step in (60, 120, 240))


def test_a_meeting_place_of_a_style_takes_the_place_of_the_planners_own() -> None:
    _, plan = planned(FAR, Style(hubs=((0, (1, 1)), (1, (100, 300)))))
    # Nobody hands anything to the first, which therefore has no meeting place to be moved.
    assert plan.hubs == {1: (100, 300)}


def test_nobody_who_takes_no_part_is_told_to_meet_elsewhere() -> None:
    sim = Simulation(FAR.world, FAR.setup(), STILL)
    sim.reset(1)
    team = Team(sim, (0,))
    plan = make_plan(FAR.spec, team)
    assert set(plan.hubs) == {1}
    assert list(other_hubs(team, plan)) == []


def test_hunters_of_equal_strength_share_the_kills_and_each_counts_its_own() -> None:
    # Forty arrows are four crafts, which take four fangs; a rat drops two.
    task = tiny_task(
        {"a": FIGHTER, "b": FIGHTER, "c": CARVER}, {"kind": "crafted", "item": "arrow", "count": 40}
    )
    _, plan = planned(task, Style(new_hand=0))
    kills = [job for job in plan.jobs if isinstance(job, Kill)]
    assert sorted((job.agents, job.by, job.left) for job in kills) == [((0,), (0,), 1), ((1,), (1,), 1)]


def test_who_fights_much_worse_is_not_sent_hunting() -> None:
    weak = {"skills": {"strength": 1, "health": 1}}
    task = tiny_task(
        {"a": FIGHTER, "b": weak, "c": CARVER}, {"kind": "crafted", "item": "arrow", "count": 40}
    )
    _, plan = planned(task, Style(new_hand=0))
    assert {job.agents for job in plan.jobs if isinstance(job, Kill)} == {(0,)}


def test_styles_with_one_course_lead_to_one_episode() -> None:
    env = AgentWorldEnv(get_task("t13_bucket_crafting"))
    env.reset(seed=0)
    start = env.snapshot()
    members = tuple(range(len(env.sim.names)))
    scores: dict[str, set[tuple[object, ...]]] = {}
    styles = [Style(), Style(crowd=0), Style(crowd=8), Style(caution=65), Style(portion=1)]
    for style in styles:
        env.restore(start)
        course = Performance(env, members, style).course
        scores.setdefault(course, set()).add(rehearse(env, start, members, style, env.max_rounds))
    # Without a boss the size of a crowd does not matter; caution and portions may.
    assert len(scores) == 3
    assert all(len(found) == 1 for found in scores.values())


def test_an_eager_giver_hands_over_a_part_no_oftener_than_its_style_says() -> None:
    # Five crafts take five logs, which the logger cuts one by one beside the carver.
    task = tiny_task(
        {"a": {"skills": {"lumberjacking": 20}, "worn": ["axe"]}, "c": {"skills": {"fletching": 20}}},
        {"kind": "crafted", "item": "stick", "count": 12},
    )
    handed = {}
    for eager in (0, 1, 9):
        env = AgentWorldEnv(task)
        env.reset(seed=1)
        style = msgspec.structs.replace(Style(), eager=eager)
        performance = Performance(env, (0, 1), style)
        calls = []
        while not env.is_over:
            calls.append(performance.call(env.agent_selection))
            env.step(calls[-1])
        assert env.verdict().success
        handed[eager] = sum(call["tool"] == "transfer_items" for call in calls)
    assert handed[0] == 1
    assert handed[1] == 2
    assert handed[9] == 3
