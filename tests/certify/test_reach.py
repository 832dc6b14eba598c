"""The relaxation over-estimates: whatever a lone agent brings about in play lies within its reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentworld_env.certify import Reach
from agentworld_env.certify.play import PASS
from agentworld_env.env import AgentWorldEnv
from agentworld_env.policies.protocol import Brief, Turn
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import TaskSpec

Make = Callable[..., Task]

_STARTS = [(388, 10), (232, 40), (200, 232), (350, 250), (528, 384)]
_SKILLS = ["lumberjacking", "mining", "fishing", "foraging", "fletching", "smelting", "smithing", "cooking"]
_GOODS = ["logs", "ironore", "coal", "corn", "stick", "rawshrimp", "ironbar", "axe", "pickaxe", "fishingpole"]
_TOOLS = ["axe", "pickaxe", "fishingpole", "sword2"]


@st.composite
def tasks(draw: Any) -> Task:
    """Draws a team of two with random skills, goods and tools, and a goal that no play can reach by accident."""
    start = draw(st.sampled_from(_STARTS))
    team = {}
    for name in ("a", "b"):
        skills = draw(st.dictionaries(st.sampled_from(_SKILLS), st.integers(1, 60), max_size=5))
        team[name] = {
            "group": name,
            "about": "A hand.",
            "start": start,
            "skills": {**skills, "health": 90, "strength": 90},
            "inventory": draw(st.dictionaries(st.sampled_from(_GOODS), st.integers(1, 6), max_size=5)),
            "worn": [draw(st.sampled_from(_TOOLS))],
        }
    spec = {
        "id": "drawn",
        "title": "Drawn",
        "category": "gathering",
        "max_rounds": 25,
        "objective": "Do it.",
        "team": team,
        "checkpoints": [{"kind": "crafted", "label": "Never", "item": "goldenbow", "count": 500}],
        "constraints": [{"kind": "all_alive"}],
    }
    return Task(TaskSpec.model_validate(spec))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(task=tasks(), seed=st.integers(0, 1000))
def test_whatever_a_lone_agent_achieves_at_random_is_within_its_reach(task: Task, seed: int) -> None:
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    reach = Reach(task.spec, env.sim, (0,))
    policy = RandomPolicy()
    policy.begin(
        dict.fromkeys(
            task.team,
            Brief(
                agent="a", title="", objective="", role="", guide="", team=task.team, max_rounds=25, tools=()
            ),
        ),
        seed,
    )
    while not env.is_over:
        agent = env.agent_selection
        turn = Turn(agent=agent, round=env.round, observation="", info=env.infos[agent])
        env.step(policy.act(turn) if agent == "a" else PASS)
    for event in env.sim.state.events:
        if isinstance(event, ev.Harvested | ev.Crafted | ev.Looted | ev.Bartered) and event.agent == "a":
            assert 0 in reach.makers[event.item], event
    me = env.sim.state.agents[0]
    assert {*me.bag, *(piece[0] for piece in me.worn.values())} <= reach.items


def _reach(task: Task, *members: int) -> Reach:
    sim = Simulation(task.world, task.setup())
    sim.reset(0)
    return Reach(task.spec, sim, members)


def test_skills_tools_and_materials_bound_what_can_be_made(doctored: Make) -> None:
    task = doctored()
    logger, carver, both = _reach(task, 0), _reach(task, 1), _reach(task, 0, 1)
    assert "logs" in logger.items
    assert "stick" not in logger.items
    # The carver has the skill for sticks but neither axe nor logs.
    assert not {"logs", "stick"} & carver.items
    assert both.makers["stick"] == {1}
    assert logger.first_obstacle() == ("capability", "Sticks: cannot make stick")
    assert both.first_obstacle() is None


def test_what_idle_mates_hold_is_out_of_reach_only_while_their_death_fails_the_task(doctored: Make) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["team"]["keeper"]["inventory"] = {"bead": 1}

    assert "bead" not in _reach(doctored(spoil), 0).items

    def mortal(task: dict[str, Any]) -> None:
        spoil(task)
        task["constraints"] = []

    assert "bead" in _reach(doctored(mortal), 0).items


def test_each_of_several_items_must_be_within_reach(doctored: Make) -> None:
    points = [
        {"kind": "crafted", "label": "Made", "items": {"stick": 1, "ironbar": 1}},
        {"kind": "survived_until", "label": "Lived", "round": 9, "after": "Made"},
    ]
    task = doctored(lambda task: task.update(checkpoints=points))
    sim = Simulation(task.world, task.setup())
    reach = Reach(task.spec, sim, (0, 1, 2))
    assert reach.first_obstacle() == ("capability", "Made: ironbar: cannot make ironbar")
    assert reach.obstacle(task.spec.checkpoints[1]) == ("capability", "cannot make ironbar")


def test_nobody_hands_things_to_itself(doctored: Make) -> None:
    points = [{"kind": "delivered", "label": "Logs", "item": "logs", "count": 1, "to": "logger"}]
    task = doctored(lambda content: content.update(checkpoints=points))
    assert _reach(task, 0).first_obstacle() == ("joint", "Logs: logger cannot hand over to itself")


@pytest.mark.parametrize(("members", "possible"), [((0,), False), ((0, 1), True)])
def test_a_boss_for_two_takes_two(doctored: Make, members: tuple[int, ...], possible: bool) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["spawns"] = ["iron-ogre-1"]
        task["checkpoints"] = [{"kind": "killed", "label": "Ogre", "mob": "iron-ogre-1"}]

    found = _reach(doctored(spoil), *members).first_obstacle()
    assert (found is None) == possible
    if found is not None:
        assert found[0] == "joint"


@pytest.mark.parametrize(("boss", "tool"), [("baby-sea-dragon-1", "pickaxe"), ("mimic-6", "axe")])
def test_a_bosss_tool_is_within_reach_only_where_the_task_lists_it_and_for_a_team_that_fells_it(
    doctored: Make, boss: str, tool: str
) -> None:
    def strip(task: dict[str, Any]) -> None:
        for role in task["team"].values():
            role["inventory"] = {key: n for key, n in role.get("inventory", {}).items() if key != tool}
            role["worn"] = [key for key in role.get("worn", []) if key != tool]

    def with_boss(task: dict[str, Any]) -> None:
        strip(task)
        task["spawns"] = [boss]

    assert tool not in _reach(doctored(strip), 0, 1, 2).items
    assert tool not in _reach(doctored(with_boss), 0, 1).items
    assert tool in _reach(doctored(with_boss), 0, 1, 2).items


def test_presence_needs_everybody_named_unless_one_may_already_stand_there(doctored: Make) -> None:
    def meet(x: int, y: int) -> Callable[[dict[str, Any]], None]:
        area = {"at": (x, y), "within": 10}
        point = {"kind": "present_together", "label": "Met", "area": area, "by": ["logger", "keeper"]}
        return lambda task: task.update(checkpoints=[point])

    away = _reach(doctored(meet(388, 80)), 0).first_obstacle()
    assert away == ("joint", "Met: keeper must come there")
    assert _reach(doctored(meet(390, 10)), 0).first_obstacle() is None


BY_LOGGER = {"kind": "gathered", "label": "Logs", "item": "logs", "count": 1, "by": ["logger"]}
"""The keeper may be given an axe and the skill, too; a checkpoint counts the logger's logs only."""


def _second_logger(*points: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    def spoil(task: dict[str, Any]) -> None:
        task["team"]["keeper"].update(skills={"lumberjacking": 30, "health": 30}, worn=["axe"])
        task["checkpoints"] = list(points)

    return spoil


def test_a_name_in_a_checkpoint_is_a_ground_of_its_own_where_others_can_do_as_much(doctored: Make) -> None:
    rest = _reach(doctored(_second_logger(BY_LOGGER)), 1, 2)
    assert rest.first_obstacle() == ("named", "Logs: the checkpoint counts only logger")
    # Without axe and skill the keeper cannot, whatever the checkpoint says.
    alone = doctored(lambda task: task.update(checkpoints=[BY_LOGGER]))
    assert _reach(alone, 1, 2).first_obstacle() == ("capability", "Logs: cannot make logs")


@pytest.mark.parametrize(
    ("point", "kind"),
    [
        ({"kind": "killed", "mob": "rat", "by": ["logger"]}, "named"),
        ({"kind": "visited", "area": {"at": (388, 80), "within": 5}, "by": ["logger"]}, "named"),
        ({"kind": "visited", "area": {"at": (388, 80), "within": 5}, "need": "all"}, "named"),
        ({"kind": "held_for_rounds", "area": {"at": (388, 80), "within": 5}, "rounds": 2, "by": ["logger"]}, "named"),
        ({"kind": "held_for_rounds", "area": {"at": (388, 80), "within": 5}, "rounds": 2}, "joint"),
        ({"kind": "worn", "item": "axe", "by": "logger"}, "named"),
        # The sword asks for a level that nobody of the rest has, and nobody could come by it otherwise.
        ({"kind": "worn", "item": "goldensword", "by": "logger"}, "capability"),
        ({"kind": "killed", "mob": "iron-ogre-1", "by": ["logger"]}, "named"),
    ],
)  # fmt: skip
def test_what_each_kind_of_checkpoint_rests_on_for_those_it_does_not_name(
    doctored: Make, point: dict[str, Any], kind: str
) -> None:
    def spoil(task: dict[str, Any]) -> None:
        _second_logger({"label": "Point", **point})(task)
        task["spawns"] = ["iron-ogre-1"]
        task["team"]["carver"]["inventory"] = {"goldensword": 1}

    found = _reach(doctored(spoil), 1, 2).first_obstacle()
    assert found is not None
    assert found[0] == kind, found


def test_the_strongest_ground_is_given_wherever_it_stands(doctored: Make) -> None:
    far = {"kind": "present_together", "label": "Met", "area": {"at": (388, 80), "within": 5}}
    bars = {"kind": "crafted", "label": "Bars", "item": "ironbar", "count": 1}
    assert _reach(doctored(_second_logger(BY_LOGGER, far)), 1, 2).first_obstacle() == (
        "joint",
        "Met: logger must come there",
    )
    assert _reach(doctored(_second_logger(BY_LOGGER, far, bars)), 1, 2).first_obstacle() == (
        "capability",
        "Bars: cannot make ironbar",
    )
