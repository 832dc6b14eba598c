"""Settings: each does exactly what it says, composes, and leaks nothing."""

from __future__ import annotations

import copy
import itertools
import pickle
import re

import pytest
from tests.env.teams import MINE, Call, crew, random_calls, role

from agentworld_env import make, run_episode
from agentworld_env.env import SETTINGS, AgentWorldEnv, setting_by_name
from agentworld_env.env.transforms import single_agent
from agentworld_env.episodes import played_spec, verify
from agentworld_env.errors import AgentWorldError, UnknownNameError
from agentworld_env.evaluate.seating import briefs_of
from agentworld_env.metrics import episode_metrics
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim.rules import RULES
from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.world import load_world

TASK = "t01_magic_staff"
FORGE = "t86_forge_vanguard"
NAP: Call = {"tool": "sleep", "arguments": {"rounds": 1}}


def opened(setting: str, task: str = TASK, seed: int = 1) -> AgentWorldEnv:
    env = make(task, setting=setting)
    env.reset(seed=seed)
    return env


def told(env: AgentWorldEnv) -> str:
    """Returns everything that a policy can read before its first turn."""
    briefs = briefs_of(env)
    parts = [str(brief) for brief in briefs.values()]
    for agent in env.possible_agents:
        parts += [env.observe(agent), str(env.view(agent).to_dict()), str(env.legal(agent).calls())]
    return "\n".join(parts)


# -- composing -------------------------------------------------------------------------------------------------


def test_parts_compose_in_any_order_to_one_name() -> None:
    one = setting_by_name("short_horizon+no_roles+discussion_rounds(2)")
    two = setting_by_name("discussion_rounds(2) + no_roles + short_horizon")
    assert one == two
    assert one.name == "no_roles+short_horizon+discussion_rounds(2)"


def test_default_adds_nothing_to_others() -> None:
    assert setting_by_name("default+no_docs") == setting_by_name("no_docs")


@pytest.mark.parametrize(
    "name",
    [
        "no_communication+discussion_rounds(2)",
        "shared_plan+discussion_rounds(1)",
        "discussion_rounds(1)+discussion_rounds(2)",
    ],
)
def test_contradictions_are_refused(name: str) -> None:
    with pytest.raises(AgentWorldError, match="setting"):
        setting_by_name(name)


def test_an_unknown_part_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'no_comunication'; did you mean no_communication"):
        setting_by_name("no_docs+no_comunication")


@pytest.mark.parametrize(
    "setting", [*SETTINGS, "discussion_rounds(3)", "no_roles+single_agent+short_horizon"]
)
def test_an_episode_under_any_setting_verifies_and_copies(setting: str) -> None:
    env = opened(setting)
    for _ in range(7):
        env.step(NAP)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.state_hash() == env.state_hash()
        assert twin.observe(twin.agent_selection) == env.observe(env.agent_selection)
    episode = run_episode(TASK, RandomPolicy(), seed=3, setting=setting)
    verify(episode, episode_metrics)
    assert list(episode.team) == list(played_spec(episode.header)["team"])


@pytest.mark.parametrize("pair", [*itertools.combinations([s for s in SETTINGS if s != "default"], 2)])
def test_any_two_settings_can_be_combined(pair: tuple[str, str]) -> None:
    env = opened("+".join(pair), FORGE)
    assert len(list(random_calls(env, 5, 8))) == 8
    again = run_episode(FORGE, RandomPolicy(), seed=1, setting=f"{env.setting.name}+short_horizon")
    verify(again, episode_metrics)


# -- tools -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "gone"),
    [
        ("no_communication", {"chat", "send_chat_message"}),
        ("shared_plan", {"chat", "send_chat_message"}),
        ("single_agent", {"chat", "send_chat_message"}),
        ("local_talk", {"chat"}),
    ],
)
def test_a_switched_off_tool_is_in_no_schema_and_prompt_and_a_call_to_it_fails(
    setting: str, gone: set[str]
) -> None:
    env = opened(setting)
    text = told(env)
    for tool in gone:
        assert not re.search(rf"(?<!\w){tool}(?!\w)", text)
        agent = env.agent_selection
        env.step({"tool": tool, "arguments": {"message": "hi"}})
        last = env.sim.state.agents[env.sim.index[agent]].last
        assert last is not None
        assert last.result.reason.startswith("there is no tool")
    assert env.sim.state.said == []


def test_only_talking_and_waiting_exist_while_the_team_discusses_and_everything_afterwards() -> None:
    env = opened("discussion_rounds(2)")
    for round_ in (1, 1, 1, 2, 2, 2):
        assert env.round == round_
        assert set(env.legal(env.agent_selection)) <= {"chat", "send_chat_message", "sleep"}
        assert "discusses until the end of round 2" in env.observe(env.agent_selection)
        agent = env.agent_selection
        x, y = MINE
        env.step({"tool": "move_character", "arguments": {"x": x, "y": y}})
        last = env.sim.state.agents[env.sim.index[agent]].last
        assert last is not None
        assert not last.result.ok
    assert env.round == 3  # the rounds count towards the budget
    assert "move_character" in env.legal(env.agent_selection)
    assert "discusses" not in env.observe(env.agent_selection)


def test_a_discussion_must_leave_a_round_to_act() -> None:
    with pytest.raises(AgentWorldError, match="leaves no round to act"):
        make(TASK, setting="short_horizon+discussion_rounds(10)")


# -- what is told ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("t19_farm_defense", "Tomatoes picked by the tomato gatherer"),
        ("t37_survival_gathering", "Logs cut"),
        ("t75_relief_convoy", "Pickaxes delivered"),
    ],
)
def test_alone_a_hold_follows_what_stands_for_the_hand_over_that_it_followed(name: str, after: str) -> None:
    points = opened("single_agent", name).task.spec.checkpoints
    assert [point.after for point in points if point.kind == "held_for_rounds"] == [after]
    assert after in [point.label for point in points]


@pytest.mark.parametrize("name", ["t72_fortress_defense", "t29_castle_siege"])
def test_without_roles_a_hold_with_or_without_an_earlier_checkpoint_stays_what_it_is(name: str) -> None:
    plain, anonymous = (opened(setting, name) for setting in ("default", "no_roles"))
    holds = [
        [point for point in env.task.spec.checkpoints if point.kind == "held_for_rounds"]
        for env in (plain, anonymous)
    ]
    assert [point.after for point in holds[0]] == [point.after for point in holds[1]]
    assert anonymous.task.spec.waves == plain.task.spec.waves != ()


def test_no_roles_leaves_no_role_name_anywhere() -> None:
    for name in (TASK, FORGE, "t76_elemental_bosses"):
        env = opened("no_roles", name)
        text = told(env)
        for old in get_task(name).team:
            assert not re.search(rf"(?<!\w){old}(?!\w)", text, re.IGNORECASE), old
        assert env.possible_agents == [f"agent_{i}" for i in range(1, len(env.possible_agents) + 1)]


def test_without_roles_everybody_is_told_the_same() -> None:
    briefs = briefs_of(opened("no_roles", FORGE)).values()
    assert len({(brief.role, brief.guide, brief.objective) for brief in briefs}) == 1


def test_without_roles_the_planner_still_wins_so_that_ids_are_renamed_everywhere() -> None:
    for name in (TASK, FORGE):
        assert run_episode(name, PlannerPolicy(), seed=0, setting="no_roles").verdict.success


def test_no_docs_takes_the_guide_and_its_places_away() -> None:
    env, plain = opened("no_docs"), opened("default")
    for agent in env.possible_agents:
        assert "Recipes" not in env.guide(agent)
        assert "Notes" not in env.guide(agent)
        assert env.view(agent).landmarks == ()
    assert any(plain.view(agent).landmarks for agent in plain.possible_agents)
    assert env.task.objective == plain.task.objective


def test_the_shared_plan_is_the_same_for_all_and_names_who_does_what() -> None:
    env = opened("shared_plan")
    plans = {env.guide(agent).split("which everybody has:\n")[1] for agent in env.possible_agents}
    assert len(plans) == 1
    plan = plans.pop()
    assert "lumberjack gathers 2 logs" in plan
    assert "wizard makes staff" in plan


def test_a_plan_is_never_silently_missing() -> None:
    env = AgentWorldEnv(get_task(TASK), setting="shared_plan")
    with pytest.raises(AgentWorldError, match="needs a plan"):
        env.guide("wizard")


def test_the_oracle_alone_sees_everybodys_bag_and_place() -> None:
    env = opened("oracle_view", FORGE)
    first, *others = env.possible_agents
    text = env.observe(first)
    for i, name in enumerate(env.possible_agents):
        agent = env.sim.state.agents[i]
        assert f"You are {name} at ({agent.x}, {agent.y})" in text
    for name in others:
        assert env.observe(name) == opened("default", FORGE).observe(name)
        assert "views" not in env.infos.get(name, {})
    assert set(env.infos[first]["views"]) == set(others)


def test_the_oracle_hears_what_is_said_out_of_its_earshot_and_nobody_else_does() -> None:
    for setting, heard in (("oracle_view", True), ("default", False)):
        plain = crew().spec.model_dump()
        plain["team"]["miner"]["start"] = (388, 3)
        env = AgentWorldEnv(Task(TaskSpec.model_validate(plain)), setting=setting)
        env.reset(seed=1)
        env.step(NAP)
        env.step({"tool": "send_chat_message", "arguments": {"message": "iron here"}})
        env.step(NAP)
        assert ("iron here" in env.observe("miner")) is heard
        assert ("iron here" in env.observe("guard")) is True


# -- team, time and place --------------------------------------------------------------------------------------


def test_a_single_agent_has_the_most_skill_and_all_things_at_the_first_place() -> None:
    env = opened("single_agent")
    (only,) = env.possible_agents
    start = env.task.spec.team[only]
    assert start.start == (388, 3)
    assert start.skills["strength"] == 25  # 25, 20, 15
    assert start.skills["crafting"] == 15  # -, 10, 15
    assert start.skills["fletching"] == 15
    assert start.inventory["flask"] == 28  # 10 + 8 + 10
    # One suit is worn; the two others lie in the bag.
    assert start.inventory["leatherarmor"] == 2
    assert env.max_rounds == get_task(TASK).spec.max_rounds


def test_for_a_single_agent_handovers_within_the_team_fall_away_and_the_goods_stay_due() -> None:
    spec = opened("single_agent").task.spec
    assert [(c.kind, c.item) for c in spec.checkpoints] == [  # type: ignore[union-attr]
        ("gathered", "logs"),
        ("crafted", "stick"),
        ("crafted", "staff"),
        ("worn", "staff"),
    ]
    assert run_episode(TASK, PlannerPolicy(), seed=0, setting="single_agent").verdict.success


def test_a_handover_of_several_items_leaves_a_single_agent_each_of_them_to_get() -> None:
    spec = get_task(TASK).spec
    handed = {
        "kind": "delivered",
        "label": "Handed",
        "items": {"logs": 3, "stick": 5},
        "to": list(spec.team)[-1],
    }
    both = {"kind": "gathered", "label": "Cut", "items": {"logs": 3, "beryl": 1}}
    points = TaskSpec.model_validate({**spec.model_dump(), "checkpoints": [both, handed]}).checkpoints
    task = Task(spec.model_copy(update={"checkpoints": points}), get_task(TASK).world)
    alone = make(task, setting="single_agent").task.spec.checkpoints
    # The logs are among those cut already; nothing else asks for the sticks.
    assert [(c.kind, c.label) for c in alone] == [("gathered", "Cut"), ("crafted", "Handed: stick")]


def test_a_task_that_only_moves_things_around_is_refused_to_a_single_agent() -> None:
    spec = TaskSpec.model_validate(
        {
            "id": "errand",
            "title": "Errand",
            "category": "trading",
            "max_rounds": 20,
            "objective": "Bring coal.",
            "team": {"a": role(inventory={"coal": 5}), "b": role()},
            "checkpoints": [
                {"kind": "delivered", "label": "Coal", "item": "coal", "count": 5, "to": "b", "origin": "any"}
            ],
        }
    )
    with pytest.raises(AgentWorldError, match="only moves things around"):
        AgentWorldEnv(Task(spec), setting="single_agent")


def test_the_things_of_every_team_fit_into_one_bag_with_room_for_the_work() -> None:
    for info in list_tasks("main"):
        (alone,) = single_agent(get_task(info.id)).spec.team.values()
        # What is worn is in no bag, but may be taken off.
        assert len(alone.inventory) + len(alone.worn) <= RULES.bag_kinds - 8, info.id


@pytest.mark.parametrize("kinds", [25, 26])
def test_a_team_with_more_kinds_of_things_than_a_bag_holds_is_refused_to_a_single_agent(kinds: int) -> None:
    names = sorted(load_world().items)[:kinds]
    spec = TaskSpec.model_validate(
        {
            "id": "movers",
            "title": "Movers",
            "category": "trading",
            "max_rounds": 20,
            "objective": "Cut logs.",
            "team": {
                "a": role(inventory=dict.fromkeys(names[:13], 1)),
                "b": role(inventory=dict.fromkeys(names[12:], 1)),
            },
            "checkpoints": [{"kind": "gathered", "label": "Logs", "item": "logs", "count": 5}],
        }
    )
    if kinds == 25:
        env = AgentWorldEnv(Task(spec), setting="single_agent")
        env.reset(seed=0)
        assert len(env.sim.state.agents[0].bag) == 25
    else:
        with pytest.raises(
            AgentWorldError, match="its team starts with 26 kinds of things, and a bag holds 25"
        ):
            AgentWorldEnv(Task(spec), setting="single_agent")


def test_the_short_horizon_ends_after_ten_rounds() -> None:
    episode = run_episode(TASK, RandomPolicy(), seed=2, setting="short_horizon")
    assert episode.footer is not None
    assert episode.footer.rounds == 10
    assert max(line.round for line in episode.lines) == 10


def test_random_spawns_are_connected_repeatable_and_differ_by_seed() -> None:
    places = {}
    for seed in (1, 2):
        env = opened("random_spawn", seed=seed)
        again = opened("random_spawn", seed=seed)
        places[seed] = [(agent.x, agent.y) for agent in env.sim.state.agents]
        assert places[seed] == [(agent.x, agent.y) for agent in again.sim.state.agents]
        for (x, y), start in zip(places[seed], env.sim.setup.agents, strict=True):
            assert env.sim.world.paths.connected(start.x, start.y, x, y)
            assert max(abs(x - start.x), abs(y - start.y)) <= 64 + 4  # starts stand within 4 tiles here
    assert places[1] != places[2]


def test_the_task_given_is_kept_beside_the_one_played() -> None:
    env = opened("short_horizon+no_roles")
    assert env.source == get_task(TASK)
    assert env.task.spec.max_rounds == 10
    assert (
        run_episode(TASK, RandomPolicy(), seed=1, setting="no_roles").header.task_hash
        == env.source.content_hash
    )


@pytest.mark.parametrize("setting", [*SETTINGS, "no_roles+single_agent+oracle_view"])
def test_a_setting_applied_twice_changes_nothing_more(setting: str) -> None:
    chosen = setting_by_name(setting)
    once = chosen.task(get_task(FORGE))
    assert chosen.task(once) == once


def test_a_setting_leaves_the_task_it_is_given_as_it_was() -> None:
    before = get_task(FORGE).spec.model_dump_json()
    for setting in SETTINGS:
        setting_by_name(setting).task(get_task(FORGE))
    assert get_task(FORGE).spec.model_dump_json() == before


def test_descriptions_of_tools_leave_out_what_a_setting_takes_away_and_nothing_else() -> None:
    def told(setting: str) -> dict[str, str]:
        tools = setting_by_name(setting).tools()
        return {name: tool.about for name, tool in tools.items()}

    plain = told("default")
    assert plain == told("local_talk") | {"chat": plain["chat"]}
    silent, alone = told("no_communication"), told("single_agent")
    assert silent["sleep"] == alone["sleep"] == "Wait for some rounds and regenerate. Damage wakes you."
    assert {name for name in silent if silent[name] != plain[name]} == {"sleep"}
    assert {name for name in alone if alone[name] != plain[name]} == {
        "sleep",
        "attack_entity",
        "transfer_items",
    }
    assert not any("team" in about for about in alone.values())


def test_the_schemas_of_a_turn_are_those_of_the_setting() -> None:
    env = opened("no_communication")
    shown = env.action_space(env.agent_selection).openai_tools()
    assert not any("message" in tool["function"]["description"] for tool in shown)
