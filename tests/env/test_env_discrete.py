from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, chance, crew, hunters, playable, random_calls

from agentworld_env import make
from agentworld_env.env import AgentWorldEnv, LegalCalls
from agentworld_env.env.discrete.slots import SEGMENTS, SIZE, START
from agentworld_env.env.features.layout import MATES, NODES
from agentworld_env.env.features.spot import OWN_NODES
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.words import read_words, say_have, say_help, say_need, say_place
from agentworld_env.errors import UnknownNameError
from agentworld_env.sim.events import Result
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tools import TOOLS, parse

ALL = st.sampled_from((*(info.id for info in list_tasks()), crew(), boss_crew(), hunters()))

HIDDEN = {
    "move_character": {"no_way"},
    "harvest_resource": {"out_of_reach", "interrupted"},
    "attack_entity": {"out_of_reach", "interrupted"},
    "transfer_items": {"bag_full"},
}
"""Why a listed call may fail: for what the view does not show, such as the ground between, or a mate's bag."""


def learner(task: Any, seed: int = 1, **options: Any) -> LearningEnv:
    env = LearningEnv(get_task(task) if isinstance(task, str) else task, **options)
    env.reset(seed=seed)
    return env


def midway(task: Any, seed: int, steps: int) -> LearningEnv:
    """Returns an episode after random play, half of it by tools and half by indices."""
    env = learner(task, seed, action="tool")
    for _ in random_calls(env, seed, steps):
        pass
    twin = LearningEnv(env.task)
    twin.restore(env.snapshot())
    below = chance(seed)
    for _ in range(steps // 2):
        if twin.agents and playable(twin):
            legal = np.flatnonzero(twin.action_mask(twin.agent_selection))
            twin.step(int(legal[below(len(legal))]))
    return twin


def key(call: dict[str, Any]) -> tuple[Any, ...]:
    read = parse(call, TOOLS)
    assert not isinstance(read, Result), call
    return (read[0].name, *read[1])


def within_reach(env: LearningEnv, agent: str, legal: LegalCalls) -> set[tuple[Any, ...]]:
    """Returns the legal calls that the menu has rows for, worked out from the list and the view."""
    view = env.view(agent)
    sim, tiles = env.sim, env.sim.world.node_tiles
    own, others = [], []
    for seen in view.nodes:
        kind = sim.world.node_kinds[seen.kind]
        if sim.level(view.agent, kind.skill) >= kind.level:
            own += [number for _, number in seen.nearest[:OWN_NODES]]
        else:
            others += [number for _, number in seen.nearest[:1]]
    nodes = [*own[:18], *others][:NODES]
    people, told = [], 0
    for _, person in view.people:
        if told < 3 or person.role == "site":
            people.append(person)
            told += 1
    people = people[:6]
    things = view.ground[:8]
    reach_of = {
        "harvest_resource": {sim.world.nodes[n].id for n in nodes},
        "attack_entity": {sim.spec(mob.number).id for mob in view.listed_mobs[:8]},
        "pickup_item": {thing.id for thing in things},
    }
    moves = {tiles[n] for n in nodes}
    moves |= {(mob.x, mob.y) for mob in view.listed_mobs[:8]}
    moves |= {(sim.state.agents[i].x, sim.state.agents[i].y) for _, _, i in view.mate_rows}
    moves |= {(p.x, p.y) for p in people} | {(p.x, p.y) for _, p in view.portals[:4]}
    moves |= {(g.x, g.y) for g in things} | {(x, y) for _, x, y in view.landmarks[:8]}
    # Whatever is listed stands where it stands: a stride may end there although it could not be begun.
    strides = set()
    for dx, dy in ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)):
        for stride in (8, 30, 120):
            n = stride // (abs(dx) + abs(dy))
            strides.add((min(max(view.x + dx * n, 0), 1055), min(max(view.y + dy * n, 0), 767)))
    makes = (
        list(dict.fromkeys(arguments["item"] for arguments in legal["craft_item"]))
        if "craft_item" in legal
        else []
    )
    found = set()
    for tool in legal:
        for arguments in legal[tool]:
            if tool in ("chat", "send_chat_message", "complete"):
                continue
            if tool == "move_character" and (arguments["x"], arguments["y"]) not in moves | strides:
                continue
            if tool == "craft_item" and arguments["item"] not in makes[:16]:
                continue
            if tool in reach_of and arguments["target"] not in reach_of[tool]:
                continue
            known = {*sim.index, *(p.id for p in people)}
            if tool == "transfer_items" and arguments["to"] not in known:
                continue
            found.add(key({"tool": tool, "arguments": arguments}))
    return found


@settings(max_examples=80, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 60))
def test_the_mask_is_exactly_the_legal_calls_within_the_menus_reach(task: Any, seed: int, steps: int) -> None:
    env = midway(task, seed, steps)
    for agent in env.agents:
        mask = env.action_mask(agent)
        assert mask.dtype == np.int8
        assert mask.shape == (SIZE,)
        calls = [key(env.call_of(agent, index)) for index in np.flatnonzero(mask).tolist()]
        assert len(set(calls)) == len(calls)
        silent = {call for call in calls if call[0] not in ("chat", "send_chat_message")}
        assert silent == within_reach(env, agent, env.legal(agent))
        view = env.view(agent)
        spoken = {call[1] for call in calls if call[0] == "chat"}
        if calls:
            assert len(spoken) == 2 + len(view.bag) + len(view.listed_mobs[:8]) + len(
                {c for c in spoken if c.startswith("I need") and not c.startswith("I need help")}
            )


def assert_exact(env: LearningEnv, agent: str) -> None:
    """Checks index for index that what is marked is what is listed, and that each listed call is marked once."""
    legal = env.legal(agent)
    listed = {key({"tool": tool, "arguments": arguments}) for tool in legal for arguments in legal[tool]}
    mask, marked = env.action_mask(agent), {}
    for index in range(START["chat"]):
        call = key(env.call_of(agent, index))
        if call in listed:
            marked[call] = marked.get(call, 0) + int(mask[index])
        else:
            assert not mask[index], (agent, index, call)
    assert set(marked.values()) <= {1}, (agent, [call for call, times in marked.items() if times != 1])


@settings(max_examples=60, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 60))
def test_an_index_is_marked_if_and_only_if_its_call_is_listed_and_no_other_index_has_it(
    task: Any, seed: int, steps: int
) -> None:
    env = midway(task, seed, steps)
    for agent in env.agents[:4]:
        assert_exact(env, agent)


def test_a_stride_along_a_wall_is_marked_where_something_without_a_row_stands_at_its_end() -> None:
    env = learner("t51_survival_challenge", 3)
    rng = np.random.default_rng(3)
    for _ in range(5):
        env.step(int(rng.choice(np.flatnonzero(env.action_mask(env.agent_selection)[:1252]))))
    agent = env.agent_selection
    me = env.view(agent)
    assert (me.x, me.y) == (575, 736)
    assert not env.sim.world.is_walkable(575, 737)
    south = START["stride"] + 4 * 3
    call = {"tool": "move_character", "arguments": {"x": 575, "y": 744}}
    assert env.call_of(agent, south) == call
    assert env.action_mask(agent)[south] == 1
    assert env.index_of(agent, call) == south
    for each in env.agents:
        assert_exact(env, each)


def test_of_many_things_on_the_ground_only_those_are_walked_to_that_the_list_of_moves_names() -> None:
    env = learner(crew(), seed=3)
    me = env.view("miner")
    free = [x for x in range(me.x + 2, me.x + 60) if env.sim.world.is_walkable(x, me.y)][:7]
    for k, x in enumerate(free):
        env.sim.put_down(f"apple-{k}", ("apple", ((0, 0, 1),), x, me.y))
    assert len(env.view("miner").ground) == 7
    assert_exact(env, "miner")


@settings(max_examples=80, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 60))
def test_a_legal_index_never_fails_for_a_reason_that_can_be_seen(task: Any, seed: int, steps: int) -> None:
    env, below = midway(task, seed, steps), chance(seed + 1)
    if not env.agents or not playable(env):
        return
    agent = env.agent_selection
    aside = env.snapshot()
    legal = np.flatnonzero(env.action_mask(agent)).tolist()
    calls = {index: env.call_of(agent, index) for index in legal}
    by_tool: dict[str, list[int]] = {}
    for index, call in calls.items():
        by_tool.setdefault(call["tool"], []).append(index)
    for tool, indices in by_tool.items():
        for _ in range(4):
            index = indices[below(len(indices))]
            env.step(index)
            last = env.sim.state.agents[env.sim.index[agent]].last
            assert last is not None
            assert (last.tool, last.arguments) == (tool, calls[index]["arguments"])
            assert last.result.ok or last.result.code in HIDDEN.get(tool, set()), (calls[index], last.result)
            env.restore(aside)


@settings(max_examples=40, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 40))
def test_indices_and_calls_map_to_each_other_without_loss(task: Any, seed: int, steps: int) -> None:
    env, below = midway(task, seed, steps), chance(seed)
    for agent in env.agents[:2]:
        legal = np.flatnonzero(env.action_mask(agent)).tolist()
        for _ in range(min(len(legal), 6)):
            index = legal[below(len(legal))]
            assert env.index_of(agent, env.call_of(agent, index)) == index


@settings(max_examples=30, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 30), data=st.data())
def test_an_index_that_is_not_legal_fails_with_a_reason_and_never_raises(
    task: Any, seed: int, steps: int, data: Any
) -> None:
    env = midway(task, seed, steps)
    if not env.agents or not playable(env):
        return
    agent = env.agent_selection
    mask = env.action_mask(agent)
    aside = env.snapshot()
    legal_calls = {key(env.call_of(agent, i)) for i in np.flatnonzero(mask).tolist()}
    for segment in SEGMENTS:
        offset = data.draw(st.integers(0, segment.size - 1))
        index = START[segment.name] + offset
        call = env.call_of(agent, index)
        if mask[index] or key(call) in legal_calls:
            continue
        env.step(index)
        last = env.sim.state.agents[env.sim.index[agent]].last
        assert last is not None
        # A step beside oneself, and a walk along a wall, are possible although nobody would call them worth listing.
        assert segment.tool == "move_character" or (not last.result.ok and last.result.reason)
        env.restore(aside)


def test_the_menu_is_one_for_all_tasks_and_has_no_way_to_leave() -> None:
    sizes = {
        env.action_space(a).n
        for env in (learner(crew()), learner("t94_maritime_trading"))
        for a in env.agents
    }
    assert sizes == {SIZE} == {sum(segment.size for segment in SEGMENTS)} == {1370}
    assert {segment.tool for segment in SEGMENTS} == set(TOOLS) - {"complete"}


def test_a_slot_names_what_its_row_of_the_features_shows() -> None:
    env = learner(crew(), seed=3)
    agent = "miner"
    rows = env.observe(agent)["observation"]
    view, ids = env.view(agent), env.interface.senses.layout.ids
    for k in range(NODES):
        target = env.call_of(agent, START["harvest"] + k)["arguments"]["target"]
        number = rows["node_kinds"][k]
        if number == 0:
            assert target == "-"
            continue
        node = env.sim.world.nodes[env.sim.world.node_index[target]]
        assert ids.node[node.kind] == number
        assert rows["nodes"][k][0] == np.float32((node.x - view.x) / 64)
        assert rows["nodes"][k][1] == np.float32((node.y - view.y) / 64)
    mates = [name for name in env.possible_agents if name != agent]
    smith = env.sim.state.agents[1]
    smith.x, smith.y = view.x, view.y
    for k in range(MATES):
        to = env.call_of(agent, START["give"] + k * 50)["arguments"]["to"]
        assert to == (mates[k] if k < 2 and rows["mates"][k][1] else "-")


def test_a_planners_call_within_reach_has_an_index_and_one_beyond_has_none() -> None:
    env = learner(crew(), seed=3)
    assert env.index_of("miner", {"tool": "sleep", "arguments": {}}) == 0
    assert env.index_of("miner", {"tool": "sleep", "arguments": {"rounds": 3}}) is None
    assert env.index_of("miner", {"tool": "fly"}) is None
    give = {"tool": "transfer_items", "arguments": {"to": "smith", "item": "coal", "count": 10}}
    index = env.index_of("miner", give)
    assert index is not None
    assert env.call_of("miner", index) == give


def test_a_discrete_action_outside_the_menu_or_of_another_type_raises_one_clear_line() -> None:
    env = learner(crew())
    with pytest.raises(ValueError, match=r"a discrete action is 0\.\.1369, not 1370"):
        env.step(1370)
    with pytest.raises(TypeError, match=r"a discrete action is an integer in 0\.\.1369, not dict"):
        env.step({"tool": "sleep"})
    env.step(np.int64(0))
    env.step(np.array(0))


def test_tools_that_a_setting_removes_are_masked_out() -> None:
    env = learner(crew(), setting="no_communication")
    mask = env.action_mask("miner")
    assert not mask[START["chat"] :].any()
    talk = learner(crew(), setting="discussion_rounds(2)").action_mask("miner")
    assert talk[START["chat"] :].any()
    assert talk[START["wait"]]
    assert talk[1 : START["chat"]].sum() == 0


def test_who_has_left_has_no_legal_index() -> None:
    env = learner(crew())
    AgentWorldEnv.step(env, {"tool": "complete", "arguments": {"response": ""}})
    assert not env.action_mask("miner").any()


def test_messages_are_plain_sentences_and_are_read_back() -> None:
    assert say_need("ironbar", 3, 4) == "I need ironbar at (3, 4)."
    assert read_words("I need ironbar at (3, 4).") == ("need", "ironbar", "", 0, 3, 4)
    assert read_words(say_have("logs", 12, 3, 4)) == ("have", "logs", "", 12, 3, 4)
    assert read_words(say_place(3, 4)) == ("place", "", "", 0, 3, 4)
    assert read_words(say_help("", 3, 4)) == ("help", "", "", 0, 3, 4)
    assert read_words(say_help("iron-ogre-1", 3, 4)) == ("help", "", "iron-ogre-1", 0, 3, 4)
    assert read_words("let us meet, I need ironbar") == ("other", "", "", 0, -1, -1)


def test_what_one_says_by_index_others_read_as_text_and_as_numbers() -> None:
    env = learner(crew(), seed=3)
    bag = list(env.view("miner").bag)
    index = START["chat"] + 1 + 24 + bag.index("coal")
    env.step(index)
    assert "I have 10 coal at (" in AgentWorldEnv.observe(env, "smith")
    rows = env.observe("smith")["observation"]
    layout = env.interface.senses.layout
    assert rows["message_ids"][0].tolist() == [1, 3, layout.ids.item["coal"], 0]
    assert rows["messages"][0][1] == 1
    assert rows["messages"][0][3] == np.float32(10 / 18)


@pytest.mark.parametrize("api", ["aec", "parallel"])
def test_asking_about_an_agent_that_is_none_names_the_agents(api: Any) -> None:
    env: Any = make(crew(), api=api, observation="features", action="discrete")
    env.reset(seed=0)
    for ask in (
        env.observation_space,
        env.action_space,
        env.action_mask,
        lambda agent: env.call_of(agent, 0),
        lambda agent: env.index_of(agent, {"tool": "sleep"}),
    ):
        with pytest.raises(
            UnknownNameError, match="unknown agent 'zed'; expected one of miner, smith, guard"
        ):
            ask("zed")
    with pytest.raises(TypeError, match=r"^a call is a dict such as .*, not NoneType$"):
        env.index_of("miner", None)
    with pytest.raises(TypeError, match=r"^a discrete action is an integer in 0\.\.1369, not str$"):
        env.call_of("miner", "1")


@pytest.mark.parametrize("discount", ["x", True])
def test_a_discount_that_is_no_number_is_refused_in_one_line(discount: Any) -> None:
    with pytest.raises(TypeError, match=r"^discount must be a number from 0 to 1, not "):
        make(crew(), reward="shaped", discount=discount)
