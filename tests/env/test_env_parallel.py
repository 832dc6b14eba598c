from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import parallel_api_test
from pettingzoo.test.seed_test import parallel_seed_test
from tests.env.teams import boss_crew, chance, crew, hunters

from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.parallel import ParallelAgentWorldEnv
from agentworld_env.tasks import get_task

TASKS = st.sampled_from((crew(), boss_crew(), hunters(), get_task("t93_fortress_construction")))
KINDS = [(o, a) for o in ("text", "features") for a in ("tool", "discrete")]
WAIT = {"tool": "sleep", "arguments": {"rounds": 1}}


def parallel(task: Any = None, seed: int = 1, **options: Any) -> ParallelAgentWorldEnv:
    env = ParallelAgentWorldEnv(task or crew(), **options)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize(("observation", "action"), KINDS)
def test_the_parallel_api_test_passes_without_warnings(observation: str, action: str, capsys: Any) -> None:
    for task in (crew(rounds=12), boss_crew()):
        env = ParallelAgentWorldEnv(task, observation=observation, action=action)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parallel_api_test(env, num_cycles=20)


@pytest.mark.parametrize(("observation", "action"), KINDS)
def test_the_parallel_seed_test_passes(observation: str, action: str) -> None:
    parallel_seed_test(lambda: ParallelAgentWorldEnv(crew(), observation=observation, action=action))


@settings(max_examples=25, deadline=None)
@given(task=TASKS, seed=st.integers(0, 2**32), rounds=st.integers(1, 12))
def test_all_apis_and_views_give_the_same_events_and_hashes_for_the_same_calls(
    task: Any, seed: int, rounds: int
) -> None:
    """One side submits whole rounds, by index where it reads features; the other plays the calls turn by turn."""
    below = chance(seed)
    by_index = ParallelAgentWorldEnv(task, observation="features", action="discrete")
    by_call = ParallelAgentWorldEnv(task)
    turns = AgentWorldEnv(task)
    turn_indices = LearningEnv(task)
    for env in (by_index, by_call, turns, turn_indices):
        env.reset(seed=seed)
    for _ in range(rounds):
        if not by_index.agents:
            break
        indices = {}
        for name in by_index.agents:
            legal = np.flatnonzero(by_index.action_mask(name))
            indices[name] = int(legal[below(len(legal))])
        calls = {name: by_index.call_of(name, index) for name, index in indices.items()}
        round_ = turns.round
        told = by_index.step(indices)
        heard = by_call.step(calls)
        for env in (turns, turn_indices):
            while env.agents:
                name = env.agent_selection
                if env.terminations[name] or env.truncations[name]:
                    env.step(None)
                elif env.round != round_:
                    break
                elif env is turns:
                    env.step(calls[name])
                else:
                    # An index means what its row shows now; the parallel agent chose by what it saw before.
                    index = turn_indices.index_of(name, calls[name])
                    if index is None:
                        AgentWorldEnv.step(turn_indices, calls[name])
                    else:
                        turn_indices.step(index)
        hashes = {env.state_hash() for env in (by_index, by_call, turns, turn_indices)}
        assert len(hashes) == 1
        assert told[1:4] == heard[1:4]
        assert by_index.agents == by_call.agents == turns.agents
    logs = [env.sim.state.events for env in (by_index.turns, by_call.turns, turns, turn_indices)]
    assert all(log == logs[0] for log in logs)


def test_what_an_agent_chose_is_read_before_anybody_acts() -> None:
    # Two miners choose the same rock: the first depletes it, the second's call still names that rock and fails.
    plain = crew().spec.model_dump()
    plain["team"]["smith"] = {**plain["team"]["miner"], "inventory": {}}
    from agentworld_env.tasks.schema import TaskSpec
    from agentworld_env.tasks.task import Task

    env = parallel(Task(TaskSpec.model_validate(plain)), seed=3, observation="features", action="discrete")
    from agentworld_env.env.discrete.slots import START

    views = {name: env.view(name) for name in ("miner", "smith")}
    first = {name: env.call_of(name, START["harvest"])["arguments"]["target"] for name in views}
    both = {
        name: next(
            k
            for k in range(18)
            if env.call_of(name, START["harvest"] + k)["arguments"]["target"] == first["miner"]
        )
        for name in views
    }
    env.step({**{name: START["harvest"] + k for name, k in both.items()}, "guard": 0})
    results = [env.turns.sim.state.agents[i].last for i in range(2)]
    assert [last.result.ok for last in results if last] == [True, False]
    assert [last.arguments["target"] for last in results if last] == [first["miner"]] * 2
    assert results[1] is not None
    assert results[1].result.code == "depleted"


def test_an_agent_that_leaves_is_told_its_end_with_the_round_and_then_is_gone() -> None:
    env = parallel()
    leave = {"tool": "complete", "arguments": {"response": "done"}}
    observations, rewards, terminations, truncations, infos = env.step(
        {"miner": leave, "smith": WAIT, "guard": WAIT}
    )
    everybody = {"miner", "smith", "guard"}
    assert all(set(part) == everybody for part in (observations, rewards, terminations, truncations, infos))
    assert terminations == {"miner": True, "smith": False, "guard": False}
    assert env.agents == ["smith", "guard"]
    told = env.step({"miner": WAIT, "smith": WAIT, "guard": WAIT})
    assert set(told[0]) == {"smith", "guard"}
    assert len(env.turns.sim.state.agents) == 3
    assert env.turns.sim.state.actions == 5


def test_the_action_of_an_agent_whose_turn_no_longer_comes_is_dropped() -> None:
    # The first agent's blow ends the task: the others, who also submitted, leave no trace.
    plain = crew().spec.model_dump()
    plain["checkpoints"] = [{"kind": "gathered", "item": "ironore", "count": 1, "label": "Iron dug"}]
    from agentworld_env.tasks.schema import TaskSpec
    from agentworld_env.tasks.task import Task

    env = parallel(Task(TaskSpec.model_validate(plain)), seed=3)
    rocks = [seen for seen in env.view("miner").nodes if seen.kind == "ironrock" and seen.nearest]
    number = rocks[0].nearest[0][1]
    target = env.turns.sim.world.nodes[number].id
    dig = {"tool": "harvest_resource", "arguments": {"target": target}}
    _, rewards, terminations, _, _ = env.step({"miner": dig, "smith": WAIT, "guard": WAIT})
    assert env.verdict().success
    assert terminations == dict.fromkeys(("miner", "smith", "guard"), True)
    assert rewards == dict.fromkeys(("miner", "smith", "guard"), 1.0)
    assert env.agents == []
    assert env.turns.sim.state.actions == 1


def test_a_sleeper_does_not_act_until_a_message_wakes_it_in_the_same_round() -> None:
    env = parallel()
    nap = {"tool": "sleep", "arguments": {"rounds": 4}}
    env.step({"miner": WAIT, "smith": nap, "guard": WAIT})
    agents = env.turns.sim.state.agents
    env.step({"miner": WAIT, "smith": {"tool": "chat", "arguments": {"message": "x"}}, "guard": WAIT})
    assert agents[1].last is not None
    assert agents[1].last.tool == "sleep"
    call = {"tool": "chat", "arguments": {"message": "wake up"}}
    env.step({"miner": call, "smith": {"tool": "chat", "arguments": {"message": "awake"}}, "guard": WAIT})
    assert agents[1].last.tool == "chat"


def test_a_sleepers_mask_holds_waiting_alone_until_it_can_act_again() -> None:
    env = parallel()
    env.step({"miner": {"tool": "sleep", "arguments": {"rounds": 3}}, "smith": WAIT, "guard": WAIT})
    acts = []
    for _ in range(3):
        acts.append(int(env.action_mask("miner").sum()) > 1)
        before = env.turns.sim.state.actions
        env.step({"miner": {"tool": "chat", "arguments": {"message": "hm"}}, "smith": WAIT, "guard": WAIT})
        assert env.turns.sim.state.actions - before == 2 + acts[-1]
    assert acts == [False, False, True]


def test_rewards_of_an_agent_that_stays_sum_to_psr() -> None:
    below = chance(5)
    for task in (crew(rounds=30), boss_crew(), get_task("t93_fortress_construction")):
        env = parallel(task, seed=7)
        total = dict.fromkeys(env.agents, 0.0)
        stayed = set(env.agents)
        while env.agents:
            calls = {name: sample_legal(env.legal(name), below) for name in env.agents}
            _, rewards, terminations, truncations, _ = env.step(calls)
            for name, reward in rewards.items():
                total[name] += reward
            if env.agents:
                stayed -= {name for name in rewards if terminations[name] or truncations[name]}
        assert stayed
        assert all(total[name] == pytest.approx(env.verdict().psr) for name in stayed)


def test_an_action_must_be_given_for_every_agent_and_of_the_right_type() -> None:
    env = parallel(observation="features", action="discrete")
    before = env.state_hash()
    with pytest.raises(ValueError, match="missing: smith, guard"):
        env.step({"miner": 0})
    with pytest.raises(TypeError, match="integer"):
        env.step({"miner": WAIT, "smith": 0, "guard": 0})
    with pytest.raises(ValueError, match=r"0\.\.1369, not 1370"):
        env.step({"miner": 0, "smith": 1370, "guard": 0})
    for wrong in (None, [0, 0, 0], "wait", 3):
        with pytest.raises(TypeError, match="expected a dictionary agent -> action, got"):
            env.step(wrong)  # type: ignore[arg-type]
    assert env.state_hash() == before
    with pytest.raises(RuntimeError, match="reset"):
        ParallelAgentWorldEnv(crew()).step({})


@pytest.mark.parametrize(("observation", "action"), KINDS)
def test_a_copy_in_the_middle_of_an_episode_goes_on_alike_and_independently(
    observation: str, action: str
) -> None:
    env = parallel(observation=observation, action=action)
    wait: Any = 0 if action == "discrete" else WAIT
    env.step(dict.fromkeys(env.agents, wait))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    aside, then = env.snapshot(), env.state_hash()
    env.step(dict.fromkeys(env.agents, wait))
    for twin in twins:
        assert twin.state_hash() == then
        twin.step(dict.fromkeys(twin.agents, wait))
        assert twin.state_hash() == env.state_hash()
    env.restore(aside)
    assert env.state_hash() == then
    assert pickle.loads(pickle.dumps(ParallelAgentWorldEnv(crew()))).agents == []


def test_drawing_prints_one_picture_per_round(capsys: Any) -> None:
    env = parallel(render_mode="human")
    env.step(dict.fromkeys(env.agents, WAIT))
    assert capsys.readouterr().out.count("Round ") == 1
    assert str(parallel(render_mode="ansi").render()).startswith("Round 1 of 40")
    assert np.asarray(parallel(render_mode="rgb_array").render()).shape == (640, 960, 3)


_EPISODE = """
import hashlib
from tests.env.teams import boss_crew, chance, crew
from agentworld_env.env.parallel import ParallelAgentWorldEnv
digest = hashlib.blake2b(digest_size=16)
for task in (crew(), boss_crew()):
    env, below = ParallelAgentWorldEnv(task, observation="features", action="discrete"), chance(9)
    observations, _ = env.reset(seed=11)
    for _ in range(15):
        if not env.agents:
            break
        actions = {}
        for name in env.agents:
            legal = observations[name]["action_mask"].nonzero()[0]
            actions[name] = int(legal[below(len(legal))])
        observations = env.step(actions)[0]
        for name in sorted(observations):
            for field, array in observations[name]["observation"].items():
                digest.update(field.encode() + array.tobytes())
            digest.update(observations[name]["action_mask"].tobytes())
        digest.update(env.state_hash().encode())
print(digest.hexdigest())
"""


def test_observations_masks_and_hashes_are_the_same_in_every_process() -> None:
    seen = set()
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", _EPISODE], env=environment, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout)
    assert len(seen) == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda env: env.episode_seed,
        lambda env: env.round,
        lambda env: env.action_mask("miner"),
        lambda env: env.call_of("miner", 0),
        lambda env: env.index_of("miner", WAIT),
        lambda env: env.view("miner"),
        lambda env: env.legal("miner"),
        lambda env: env.state_hash(),
        lambda env: env.verdict(),
        lambda env: env.snapshot(),
    ],
)
@pytest.mark.parametrize(("observation", "action"), KINDS)
def test_what_is_asked_before_the_first_reset_is_refused_in_one_line(
    ask: Any, observation: str, action: str
) -> None:
    env = ParallelAgentWorldEnv(crew(), observation=observation, action=action)
    with pytest.raises(RuntimeError, match=r"^call reset\(\) first$"):
        ask(env)
