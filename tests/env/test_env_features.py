from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, chance, crew, hunters, random_calls

from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.learning import LearningEnv
from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task, list_tasks

WAIT = {"tool": "sleep", "arguments": {"rounds": 1}}
ALL = st.sampled_from((*(info.id for info in list_tasks()), crew(), boss_crew(), hunters()))


def seer(task: Any, seed: int = 1, **options: Any) -> LearningEnv:
    options = {"action": "tool", **options}
    env = LearningEnv(get_task(task) if isinstance(task, str) else task, **options)
    env.reset(seed=seed)
    return env


@settings(max_examples=60, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 60))
def test_features_lie_in_their_space_whatever_happens(task: Any, seed: int, steps: int) -> None:
    env = seer(task, seed)
    for _ in random_calls(env, seed, steps):
        agent = env.agent_selection
        space, seen = env.observation_space(agent), env.observe(agent)
        for name, array in seen.items():
            assert space[name].contains(array), (name, array.min(), array.max(), space[name])  # type: ignore[index]
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(env.observe(agent))


def test_all_tasks_and_agents_share_one_space() -> None:
    spaces = [env.observation_space(env.agents[-1]) for env in (seer(crew()), seer("t94_maritime_trading"))]
    assert spaces[0] == spaces[1]


def test_an_observation_is_new_memory_each_time() -> None:
    env = seer(crew(), seed=3)
    before = env.observe("miner")
    kept = {name: array.copy() for name, array in before.items()}
    for _ in random_calls(env, 4, 30):
        pass
    env.observe("miner")
    assert all(np.array_equal(before[name], kept[name]) for name in kept)


def disturb(env: AgentWorldEnv, agent: str, below: Any) -> None:
    """Changes what an agent cannot see: mates' bags and figures, what is far away, who slept where nobody looks."""
    sim = env.sim
    me = sim.index[agent]
    view = env.view(agent)
    near = {number for seen in view.nodes_near.kinds for _, number in seen[1]}
    seen_mobs = {mob.number for mob in view.mobs}
    in_sight = {i for _, _, i in view.mate_rows}
    for i, other in enumerate(sim.state.agents):
        if i == me:
            continue
        other.bag = {"gold": ((-1, -1, 5),), "apple": ((-1, -1, 1 + below(9)),)}
        other.mana = max(other.mana - 1 - below(5), 0)
        other.xp = {"mining": 99}
        other.fought += 1
        other.turns += 3
        if i not in in_sight:
            other.hp = max(1, other.hp - 7)
            other.asleep = 1
            other.worn = {}
    for number in range(len(sim.world.nodes)):
        if number not in near and below(4) == 0:
            sim.state.nodes[number] = sim.state.round + 5
    for number in range(0, len(sim.world.mob_spawns), 7):
        home = sim.home(number)
        if number not in seen_mobs and abs(home[0] - view.x) + abs(home[1] - view.y) > 120:
            sim.touch(number).hp = 1
    for x, y in ((5, 5), (1000, 700)):
        if abs(x - view.x) + abs(y - view.y) > 64:
            sim.put_down(f"gold-of-{x}", ("gold", ((-1, -1, 3),), x, y))


@settings(max_examples=40, deadline=None)
@given(task=ALL, seed=st.integers(0, 2**32), steps=st.integers(0, 40))
def test_what_an_agent_cannot_see_changes_neither_features_nor_mask(task: Any, seed: int, steps: int) -> None:
    env = seer(task, seed)
    for _ in random_calls(env, seed, steps):
        pass
    if not env.agents:
        return
    agent = env.agents[chance(seed)(len(env.agents))]
    text = AgentWorldEnv.observe(env, agent)
    features, mask = env.observe(agent), env.action_mask(agent)
    twin = LearningEnv(env.task, action="tool")
    twin.restore(env.snapshot())
    disturb(twin, agent, chance(seed))
    assert AgentWorldEnv.observe(twin, agent) == text
    disturbed = twin.observe(agent)
    assert [name for name in features if not np.array_equal(features[name], disturbed[name])] == []
    assert np.array_equal(twin.action_mask(agent), mask)


def test_features_say_what_the_text_says() -> None:
    env = seer(crew(), seed=3)
    view, seen = env.view("miner"), env.observe("miner")
    ids = env.interface.senses.layout.ids
    assert seen["ids"].tolist()[0] == 1
    assert seen["ids"].tolist()[3:] == [0, 3]
    assert seen["status"][0] == np.float32(1 / 40)
    assert seen["status"][2] == np.float32(view.x / 1056)
    assert seen["inventory"][ids.item["coal"] - 1] == np.float32(10 / 18)
    assert seen["bag_items"][:4].tolist() == [ids.item[item] for item in ("apple", "axe", "coal", "gold")]
    assert seen["bag"][0].tolist() == pytest.approx([3 / 11, 0, 1, 0, 0])
    assert seen["bag"][1].tolist() == pytest.approx([1 / 9, 1, 0, 0, 1])
    assert seen["worn_items"].tolist() == [ids.item["pickaxe"], 0, 0, 0, 0]
    assert seen["mates"][:, 0].sum() == 2
    assert seen["goal_ids"][:4, 1].tolist() == [ids.item["ironore"], ids.item["axe"], ids.item["logs"], 0]
    assert seen["goals"][:3, 1].tolist() == [1, 1, 0]
    marks = {".": 1, "=": 2, "~": 3, "#": 4, ">": 5, " ": 0}
    rows = env.sim.world.overview.around(view.x, view.y)
    for shown, row in zip(seen["terrain"], rows, strict=True):
        assert [marks[mark] for mark in row if mark != "@"] == [
            code for code, mark in zip(shown.tolist(), row, strict=True) if mark != "@"
        ]


def test_progress_is_what_rewards_have_told() -> None:
    env, sparse = seer(crew(), seed=3), seer(crew(), seed=3, reward="sparse")
    view = env.view("miner")
    rocks = next(seen for seen in view.nodes if seen.kind == "ironrock" and len(seen.nearest) > 1)
    for _, number in rocks.nearest[:2]:
        target = env.sim.world.nodes[number].id
        for call in ({"tool": "harvest_resource", "arguments": {"target": target}}, WAIT, WAIT):
            env.step(call)
            sparse.step(call)
    assert env.team_return == pytest.approx(1 / 3)
    assert env.observe("miner")["status"][9] == np.float32(1 / 3)
    assert sparse.observe("miner")["status"][9] == 0


def test_teams_too_large_and_settings_with_more_than_one_sight_are_refused_at_once() -> None:
    from tests.env.crowds import crowd

    with pytest.raises(AgentWorldError, match="30 agents; features and the menu hold at most 20"):
        LearningEnv(crowd(30))
    with pytest.raises(AgentWorldError, match="oracle_view is for texts"):
        LearningEnv(crew(), setting="oracle_view")
