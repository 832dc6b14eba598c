"""Deliveries of what must be made in the episode, served in mid-episode from what has been made."""

from __future__ import annotations

from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.planner import Style, Team, make_plan
from agentworld_env.planner.jobs import Gather, Give
from agentworld_env.planner.ready import Ready
from agentworld_env.sim.events import Harvested, Transferred
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

REUSING = Style(reuses=True)


def spread(*wanted: tuple[str, int], logs: dict[str, int] | None = None) -> AgentWorldEnv:
    """Two cutters and two keepers side by side; some have logs at the start."""
    own = logs or {}
    cutter = {"group": "c", "about": "You cut.", "skills": {"lumberjacking": 30}, "worn": ("axe",)}
    keeper = {"group": "k", "about": "You keep."}
    team: dict[str, dict[str, Any]] = {"c1": cutter, "c2": cutter, "k1": keeper, "k2": keeper}
    spec = {
        "id": "spread",
        "title": "Spread",
        "category": "gathering",
        "max_rounds": 40,
        "objective": "Hand logs to the keepers.",
        "team": {
            name: {**role, "start": (388, 10), "inventory": {"logs": own[name]} if name in own else {}}
            for name, role in team.items()
        },
        "checkpoints": [
            {"kind": "delivered", "label": f"Logs for {to}", "item": "logs", "count": count, "to": to}
            for to, count in wanted
        ],
    }
    env = AgentWorldEnv(Task(TaskSpec.model_validate(spec)))
    env.reset(seed=0)
    return env


def make(env: AgentWorldEnv, agent: str, *counts: int) -> None:
    """Lets an agent have cut logs, in so many calls with so many units each."""
    sim = env.sim
    bag = sim.state.agents[sim.index[agent]].bag
    for count in counts:
        action = sim.state.actions
        sim.state.actions += 1
        bag["logs"] = (*bag.get("logs", ()), (action, action, count))
        sim.log(Harvested(action, 1, (), agent, "oak", "logs", count, "lumberjacking", 0))


def plan_of(env: AgentWorldEnv, style: Style) -> tuple[dict[tuple[str, str], int], int]:
    """Returns (giver, receiver) -> units to hand over, and units still to be gathered."""
    team = Team(env.sim, (0, 1, 2, 3))
    jobs = make_plan(env.task.spec, team, style).jobs
    gives = {(env.sim.names[j.agent], j.to): j.left for j in jobs if isinstance(j, Give)}
    return gives, sum(job.left for job in jobs if isinstance(job, Gather))


def ready(env: AgentWorldEnv) -> Ready:
    return Ready(Team(env.sim, (0, 1, 2, 3)), "logs")


def test_what_was_made_is_handed_over_and_not_made_again_unless_the_style_says_otherwise() -> None:
    env = spread(("k1", 3))
    make(env, "c1", 1, 1, 1, 1)
    assert plan_of(env, REUSING) == ({("c1", "k1"): 3}, 0)
    assert plan_of(env, Style())[1] == 3


def test_only_what_is_lacking_is_made() -> None:
    env = spread(("k1", 5))
    make(env, "c1", 2)
    gives, gathered = plan_of(env, REUSING)
    assert gathered == 3
    assert sum(gives.values()) == 5


def test_no_unit_is_promised_to_two() -> None:
    env = spread(("k1", 2), ("k2", 2))
    make(env, "c1", 3)
    gives, gathered = plan_of(env, REUSING)
    assert gathered == 1
    assert sum(gives.values()) == 4


def test_start_items_count_for_nothing_and_go_along_where_they_lie_before_what_counts() -> None:
    env = spread(("k1", 2), logs={"c1": 4})
    assert plan_of(env, REUSING)[1] == 2
    make(env, "c1", 1, 1)
    assert ready(env).promise(0, "k1", 2) == (6, 2)
    assert plan_of(env, REUSING) == ({("c1", "k1"): 6}, 0)


def test_what_the_receiver_made_itself_or_has_had_before_does_not_count() -> None:
    env = spread(("k1", 2))
    make(env, "c1", 1, 1)
    assert ready(env).promise(0, "c1", 2) == (0, 0)
    env.sim.log(Transferred(2, 1, (), "c1", "k1", "logs", 1, ((0, 0, 1),)))
    # The first unit came back from k1, so that it goes along with the second, which counts.
    assert ready(env).promise(0, "k1", 2) == (2, 1)
    assert ready(env).promise(0, "k2", 2) == (2, 2)


def test_at_the_start_of_an_episode_the_style_makes_no_difference() -> None:
    env = spread(("k1", 3), ("k2", 1), logs={"c2": 9})
    assert plan_of(env, REUSING) == plan_of(env, Style())
