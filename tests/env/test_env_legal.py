from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import active, boss_crew, chance, crew, fresh, playable, random_calls

from agentworld_env.env import StaleViewError
from agentworld_env.env.legal import LISTERS
from agentworld_env.errors import InvalidValueError
from agentworld_env.sim.events import Result
from agentworld_env.tasks import get_task
from agentworld_env.tasks.task import Task
from agentworld_env.tools import TOOLS, parse
from agentworld_env.world.geometry import DIRECTIONS

TASKS = st.sampled_from(
    (crew(), boss_crew(), get_task("t93_fortress_construction"), get_task("t76_elemental_bosses"))
)

HIDDEN = {
    "move_character": {"no_way"},
    "harvest_resource": {"out_of_reach", "interrupted"},
    "attack_entity": {"out_of_reach", "interrupted"},
    "transfer_items": {"bag_full"},
}
"""Why a listed call may fail: for what the view does not show, such as the ground between, or a mate's bag."""


@settings(max_examples=40, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32), steps=st.integers(0, 60))
def test_a_listed_call_never_fails_for_a_reason_that_the_view_shows(
    task: Task, seed: int, steps: int
) -> None:
    env, below = fresh(task, seed), chance(seed + 1)
    for _ in random_calls(env, seed, steps):
        pass
    if not env.agents or not playable(env):
        return
    agent = env.agent_selection
    legal = env.legal(agent)
    aside = env.snapshot()
    by_tool = {tool: list(legal[tool]) for tool in legal}
    for tool, choices in by_tool.items():
        for _ in range(4):
            arguments = choices[below(len(choices))]
            env.step({"tool": tool, "arguments": arguments})
            last = env.sim.state.agents[env.sim.index[agent]].last
            assert last is not None
            allowed = HIDDEN.get(tool, set())
            assert last.result.ok or last.result.code in allowed, (tool, arguments, last.result)
            if last.result.code == "bag_full":
                assert arguments["to"] in env.sim.index
            env.restore(aside)


@settings(max_examples=25, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32), steps=st.integers(0, 60))
def test_the_list_is_finite_free_of_doubles_and_well_typed(task: Task, seed: int, steps: int) -> None:
    env = fresh(task, seed)
    for _ in random_calls(env, seed, steps):
        pass
    for agent in env.agents:
        legal = env.legal(agent)
        for tool in legal:
            keys = [tuple(sorted(arguments.items())) for arguments in legal[tool]]
            assert keys
            assert len(set(keys)) == len(keys)
            assert all(
                not isinstance(parse({"tool": tool, "arguments": a}, TOOLS), Result) for a in legal[tool]
            )
        assert set(legal) == {tool for tool in TOOLS if tool in legal}
        assert len(legal.calls()) == sum(len(legal[tool]) for tool in legal)


@settings(max_examples=25, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32), steps=st.integers(0, 60), order=st.permutations(list(TOOLS)))
def test_the_calls_of_a_tool_do_not_depend_on_what_was_asked_before(
    task: Task, seed: int, steps: int, order: list[str]
) -> None:
    env = fresh(task, seed)
    for _ in random_calls(env, seed, steps):
        pass
    for agent in active(env):
        alone = {tool: tuple(LISTERS[tool](env.view(agent))) for tool in env.tools}
        legal = env.legal(agent)
        assert {tool: legal[tool] for tool in order if tool in legal} == {t: c for t, c in alone.items() if c}
        assert list(legal) == [tool for tool in env.tools if alone[tool]]
        # Whoever writes into a list spoils no later one.
        legal["sleep"][0]["rounds"] = 99
        legal["chat"][0]["message"] = "spoilt"
        assert {tool: env.legal(agent)[tool] for tool in legal} == {t: c for t, c in alone.items() if c}


def test_moves_go_8_30_and_120_tiles_in_eight_directions_and_to_landmarks() -> None:
    env = fresh(seed=3)
    me = env.view("miner")
    tiles = {(a["x"], a["y"]) for a in env.legal("miner")["move_character"]}
    for stride in (8, 30, 120):
        for dx, dy in DIRECTIONS.values():
            length = stride // (abs(dx) + abs(dy))
            x, y = max(me.x + dx * length, 0), max(me.y + dy * length, 0)
            steps_free = [
                env.sim.world.is_walkable(me.x + sx, me.y + sy)
                for sx, sy in ((dx, 0), (0, dy))
                if (sx, sy) != (0, 0)
            ]
            assert ((x, y) in tiles) == any(steps_free)
    place = env.sim.world.places["mountain-mine"]
    assert (place.x, place.y) in tiles


def test_crafts_offer_one_and_the_most_of_one_five_ten_that_can_be_made() -> None:
    # Twelve ore and twelve coal make up to ten bars in one call.
    env = fresh(seed=3)
    crafts = env.legal("smith")["craft_item"]
    bars = [a["count"] for a in crafts if a["item"] == "ironbar"]
    need = max(env.sim.world.recipe_of["ironbar"].inputs.values())
    most = max(n for n in (1, 5, 10) if n * need <= 12)
    assert bars == sorted({1, most})


def test_transfers_offer_one_and_all_of_each_kind_to_each_mate_in_reach() -> None:
    env = fresh(seed=3)
    me, smith = env.sim.state.agents[0], env.sim.state.agents[1]
    smith.x, smith.y = me.x, me.y
    env.sim.state.agents[2].x += 60
    offers = [
        (a["to"], a["item"], a["count"]) for a in env.legal("miner")["transfer_items"] if a["to"] == "smith"
    ]
    assert offers == [
        ("smith", "apple", 1), ("smith", "apple", 3), ("smith", "axe", 1), ("smith", "coal", 1), ("smith", "coal", 10),
        ("smith", "gold", 1), ("smith", "gold", 60),
    ]  # fmt: skip
    assert not [a for a in env.legal("miner")["transfer_items"] if a["to"] == "guard"]


def test_four_phrases_can_be_said_and_sleep_and_complete_are_always_on_offer() -> None:
    legal = fresh().legal("miner")
    assert len(legal["chat"]) == len(legal["send_chat_message"]) == 4
    assert legal["sleep"] == ({"rounds": 1},)
    assert len(legal["complete"]) == 1


def test_tools_that_a_setting_removes_are_not_on_offer() -> None:
    legal = fresh(setting="no_communication").legal("miner")
    assert "chat" not in legal
    assert "send_chat_message" not in legal
    assert "transfer_items" in set(TOOLS)


def test_who_has_left_or_died_has_no_legal_calls() -> None:
    env = fresh()
    env.step({"tool": "complete", "arguments": {"response": "bye"}})
    assert len(env.legal("miner")) == 0


def test_handles_of_an_earlier_turn_raise_instead_of_lying() -> None:
    env = fresh()
    view, legal = env.infos["miner"]["view"], env.infos["miner"]["legal"]
    sleep, nodes = legal["sleep"], view.nodes
    env.step({"tool": "sleep", "arguments": {}})
    with pytest.raises(StaleViewError):
        view.to_dict()
    with pytest.raises(StaleViewError):
        legal["move_character"]
    assert (legal["sleep"], view.nodes) == (sleep, nodes)
    assert repr(view) == "<View of miner in round 1, stale: ask env.view() again>"
    assert env.view("miner").to_dict()["round"] == 1


def test_a_view_says_what_it_is_and_what_can_be_asked_of_it() -> None:
    view = fresh().view("miner")
    text = repr(view)
    assert text.startswith(f"<View of miner in round 1 at ({view.x}, {view.y}): nodes, mobs, ")
    assert text.endswith("to_dict() has everything>")
    listed = text.partition(": ")[2].partition(";")[0].split(", ")
    assert all(hasattr(view, name) for name in listed)


def test_sampling_with_a_mask_never_completes_while_anything_else_can_be_done() -> None:
    env = fresh()
    space = env.action_space("miner")
    space.seed(1)
    tools = {space.sample(env.legal("miner"))["tool"] for _ in range(200)}
    assert "complete" not in tools
    assert len(tools) >= 6


def test_sampling_without_a_mask_draws_well_typed_calls_of_every_tool_but_complete() -> None:
    space = fresh().action_space("miner")
    space.seed(1)
    calls = [space.sample() for _ in range(400)]
    assert {call["tool"] for call in calls} == set(TOOLS) - {"complete"}
    assert all(space.contains(call) for call in calls)
    assert not space.contains({"tool": "fly"})
    assert not space.contains({"tool": "sleep", "more": 1})
    assert not space.contains(7)


def test_sampling_for_an_agent_that_has_left_says_that_it_has() -> None:
    env = fresh()
    env.step({"tool": "complete", "arguments": {"response": "Done."}})
    observation, _, terminated, _, info = env.last()
    assert terminated
    assert observation is not None
    with pytest.raises(InvalidValueError, match="the agent has left the episode, its action is None"):
        env.action_space("miner").sample(info["action_mask"])
    env.step(None)
    assert env.agent_selection == "smith"
    env.step(env.action_space("smith").sample(env.infos["smith"]["action_mask"]))


def test_where_nothing_but_leaving_is_legal_it_is_drawn() -> None:
    space = fresh().action_space("miner")
    left: Any = {"complete": ({"response": "My part is done."},)}
    assert space.sample(left) == {"tool": "complete", "arguments": {"response": "My part is done."}}


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 99), task=TASKS)
def test_every_legal_call_lies_in_the_action_space(seed: int, task: Task) -> None:
    env = fresh(task, seed)
    list(random_calls(env, seed, 20))
    for agent in active(env):
        space = env.action_space(agent)
        assert all(space.contains(call) for call in env.legal(agent).calls())
