from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from tests.env.teams import boss_crew, crew, hunters
from tests.learning.vectors import choose, idle, trace

import agentworld_env
from agentworld_env.env import ParallelAgentWorldEnv
from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.errors import AgentWorldError
from agentworld_env.learning.group import next_seed
from agentworld_env.learning.vector import TeamVectorEnv


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_episodes_are_the_same_in_one_process_and_in_several(autoreset: str) -> None:
    options: Any = {"autoreset": autoreset}
    here = TeamVectorEnv([crew(), boss_crew()], 5, **options)
    with_others = TeamVectorEnv([crew(), boss_crew()], 5, processes=2, **options)
    try:
        assert trace(here, 3, 45) == trace(with_others, 3, 45)
    finally:
        with_others.close()


def test_a_vector_environment_is_what_gymnasium_says_it_is() -> None:
    env = agentworld_env.vector("t01_magic_staff", 4)
    assert isinstance(env, VectorEnv)
    assert env.num_envs == 12
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observation, infos = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    env.action_space.seed(1)
    actions = env.action_space.sample()
    assert actions.shape == (12,)
    observation, rewards, terminations, truncations, infos = env.step(actions)
    assert env.observation_space.contains(observation)
    assert rewards.dtype == np.float64
    assert terminations.dtype == truncations.dtype == infos["active"].dtype == np.bool_
    assert env.episode_of.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert env.slots(2) == slice(6, 9)


def test_a_slot_shows_what_the_parallel_environment_of_its_episode_shows() -> None:
    env = TeamVectorEnv([crew(), hunters()], 3)
    singles = [
        ParallelAgentWorldEnv(task, observation="features", action="discrete")
        for task in (crew(), hunters(), crew())
    ]
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=[7, 9, 8])
    told = [single.reset(seed=seed)[0] for single, seed in zip(singles, (7, 9, 8), strict=True)]
    for _ in range(8):
        for e, single in enumerate(singles):
            for offset, name in enumerate(single.possible_agents):
                slot = env.slots(e).start + offset
                for field, array in told[e][name]["observation"].items():
                    assert np.array_equal(array, observation["observation"][field][slot])
                assert np.array_equal(told[e][name]["action_mask"], observation["action_mask"][slot])
        actions = choose(rng, observation["action_mask"])
        observation, rewards, _, _, _ = env.step(actions)
        for e, single in enumerate(singles):
            own = actions[env.slots(e)].tolist()
            told[e], paid, _, _, _ = single.step(dict(zip(single.possible_agents, own, strict=True)))
            assert rewards[env.slots(e)].tolist() == list(paid.values())
        if any(not single.agents for single in singles):
            break


def test_next_step_starts_the_following_episode_in_the_step_after_the_last() -> None:
    env = TeamVectorEnv([crew(rounds=3)], 2)
    first, _ = env.reset(seed=4)
    for round_ in (1, 2, 3):
        observation, _, terminations, truncations, infos = env.step(idle(env))
        assert truncations.all() == (round_ == 3)
        assert infos["active"].all()
    assert not terminations.any()
    assert infos["rounds"].tolist() == [3] * 6
    assert infos["_rounds"].all()
    assert infos["seed"].tolist() == [4, 4, 4, 5, 5, 5]
    assert infos["psr"].tolist() == [0.0] * 6
    assert not infos["success"].any()
    observation, rewards, terminations, truncations, infos = env.step(np.full(6, 1))
    assert not (terminations | truncations | infos["active"]).any()
    assert not rewards.any()
    assert (observation["observation"]["status"][:, 0] == np.float32(1 / 3)).all()
    alone = ParallelAgentWorldEnv(crew(rounds=3), observation="features", action="discrete")
    told, _ = alone.reset(seed=next_seed(5, 1))
    assert np.array_equal(observation["observation"]["status"][3], told["miner"]["observation"]["status"])
    assert not np.array_equal(observation["observation"]["status"], first["observation"]["status"])


def test_same_step_returns_the_following_episode_at_once_and_the_last_observation_in_the_infos() -> None:
    env = TeamVectorEnv([crew(rounds=2)], 2, autoreset="same_step")
    env.reset(seed=4)
    env.step(idle(env))
    observation, _, _, truncations, infos = env.step(idle(env))
    assert truncations.all()
    assert infos["_final_obs"].all()
    assert infos["active"].all()
    assert infos["final_obs"][0]["observation"]["status"][0] == 1.0
    assert (observation["observation"]["status"][:, 0] == np.float32(1 / 2)).all()
    assert infos["seed"].tolist() == [4, 4, 4, 5, 5, 5]
    _, _, _, truncations, infos = env.step(idle(env))
    assert not truncations.any()
    assert "final_obs" not in infos
    assert "psr" not in infos


def test_disabled_waits_for_a_reset_of_the_episodes_that_are_over() -> None:
    env = TeamVectorEnv([crew(rounds=2), crew(rounds=3)], 2, autoreset="disabled")
    env.reset(seed=4)
    env.step(idle(env))
    _, _, _, truncations, _ = env.step(idle(env))
    assert truncations.tolist() == [True] * 3 + [False] * 3
    with pytest.raises(
        RuntimeError, match=r"episode 0 is over: reset it with options=\{'reset_mask': mask\}"
    ):
        env.step(idle(env))
    observation, _ = env.reset(seed=9, options={"reset_mask": truncations})
    assert observation["observation"]["status"][:, 0].tolist() == pytest.approx([1 / 2] * 3 + [1.0] * 3)
    _, _, _, truncations, _ = env.step(idle(env))
    assert truncations.tolist() == [False] * 3 + [True] * 3


@pytest.mark.parametrize("processes", [0, 2])
def test_a_refused_step_plays_no_episode_and_the_environment_stays_usable(processes: int) -> None:
    """One task is over after two rounds, the other after three; the episode that is over comes last."""
    env = TeamVectorEnv([crew(rounds=3), crew(rounds=2)], 2, autoreset="disabled", processes=processes)
    try:
        env.reset(seed=4)
        env.step(idle(env))
        observation, _, _, over, _ = env.step(idle(env))
        for _ in range(3):
            with pytest.raises(RuntimeError, match=r"^episode 1 is over: reset it with"):
                env.step(idle(env))
        after, _ = env.reset(seed=4, options={"reset_mask": over})
        first = env.slots(0)
        for name, field in observation["observation"].items():
            assert np.array_equal(field[first], after["observation"][name][first])
        # Two rounds of three had been played before the refused steps, and still are.
        _, _, _, over, _ = env.step(idle(env))
        assert over.tolist() == [True] * 3 + [False] * 3
        env.reset(seed=4, options={"reset_mask": over})
        _, _, _, over, _ = env.step(idle(env))
        assert over.tolist() == [False] * 3 + [True] * 3
    finally:
        env.close()


def test_a_refused_step_says_how_many_episodes_are_over() -> None:
    env = TeamVectorEnv([crew(rounds=1)], 3, autoreset="disabled")
    env.reset(seed=4)
    env.step(idle(env))
    with pytest.raises(RuntimeError, match=r"^episode 0 and 2 others are over: reset them with"):
        env.step(idle(env))


@pytest.mark.parametrize("processes", [0, 1])
def test_after_an_interrupted_step_no_other_is_played(
    processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = TeamVectorEnv([crew()], 3, processes=processes)
    try:
        env.reset(seed=1)
        player: Any = env._crew or env._group
        part = "_gather" if processes else "_step"
        plain = getattr(player, part)

        def interrupted(*arguments: Any) -> Any:
            if arguments in ((), (1,)):  # in the second of three episodes
                raise KeyboardInterrupt
            return plain(*arguments)

        monkeypatch.setattr(player, part, interrupted)
        with pytest.raises(KeyboardInterrupt):
            env.step(idle(env))
        monkeypatch.setattr(player, part, plain)
        for _ in range(2):
            with pytest.raises(RuntimeError, match=r"^the last step was interrupted; "):
                env.step(idle(env))
        if processes:
            return
        with pytest.raises(ValueError, match=r"^after an interruption a reset must start every episode$"):
            env.reset(options={"reset_mask": np.array([True, False, False])})
        again = env.reset(seed=1)[0]["observation"]["status"]
        assert np.array_equal(again, TeamVectorEnv([crew()], 3).reset(seed=1)[0]["observation"]["status"])
        env.step(idle(env))
    finally:
        env.close()


def test_final_info_tells_what_gymnasiums_own_vector_environment_does() -> None:
    """Per slot that is done: what became of the episode if it ended, with masks; the masks agree with final_obs."""
    env = TeamVectorEnv([crew(rounds=2), crew(rounds=3)], 2, autoreset="same_step")
    env.reset(seed=4)
    assert "final_info" not in env.step(idle(env))[4]
    infos = env.step(idle(env))[4]
    done = [True] * 3 + [False] * 3
    assert infos["_final_info"].tolist() == infos["_final_obs"].tolist() == done
    last = infos["final_info"]
    assert sorted(last) == sorted(
        [*(names := ["active", "psr", "rounds", "seed", "success"]), *(f"_{n}" for n in names)]
    )
    assert all(last[f"_{name}"].tolist() == done for name in names)
    assert last["rounds"].tolist() == [2, 2, 2, 0, 0, 0]
    assert last["seed"].tolist() == [4, 4, 4, 0, 0, 0]
    assert last["active"].tolist() == done


def test_final_info_of_an_agent_that_leaves_before_its_team_holds_no_verdict() -> None:
    env = TeamVectorEnv([hunters()], 1, autoreset="same_step")
    env.reset(seed=2)
    team = env.envs[0]
    leave = {"tool": "complete", "arguments": {"response": ""}}
    plain = team.interface.call
    team.interface.call = lambda name, index: leave if name == "hunter2" else plain(name, index)  # type: ignore[method-assign]
    infos = env.step(idle(env))[4]
    assert infos["_final_info"].tolist() == [False, False, True, False, False, False]
    assert sorted(infos["final_info"]) == ["_active", "active"]


@pytest.mark.parametrize("processes", [0, 1])
def test_no_slot_is_active_after_a_reset_of_some_or_all_episodes(processes: int) -> None:
    env = TeamVectorEnv([crew(rounds=2), crew(rounds=3)], 2, autoreset="disabled", processes=processes)
    try:
        assert not env.reset(seed=4)[1]["active"].any()
        env.step(idle(env))
        _, _, _, over, infos = env.step(idle(env))
        assert infos["active"].all()
        assert not env.reset(seed=9, options={"reset_mask": over})[1]["active"].any()
    finally:
        env.close()


@pytest.mark.parametrize("seed", [1.5, True, "a", "12", -1, 2**63, [1, 1.5], [True, 2], np.array([0.5, 1.0])])
def test_what_is_no_seed_is_refused_and_never_rounded(seed: Any) -> None:
    env = TeamVectorEnv([crew()], 2)
    with pytest.raises(ValueError, match=r"^a seed is a whole number from 0 to 9223372036854775807, not "):
        env.reset(seed=seed)


def test_the_greatest_seed_leaves_room_for_every_episodes_own() -> None:
    env = TeamVectorEnv([crew()], 2)
    assert env.reset(seed=2**63 - 2)[1]["seed"].max() == 2**63 - 1
    with pytest.raises(ValueError, match=r"for 2 episodes a seed is at most 9223372036854775806, not"):
        env.reset(seed=2**63 - 1)


def test_none_among_the_seeds_is_a_fresh_one() -> None:
    env = TeamVectorEnv([crew()], 2)
    first, second = (env.reset(seed=[None, 7])[1]["seed"].tolist() for _ in range(2))
    assert first[3:] == second[3:] == [7, 7, 7]
    assert first[0] != second[0]
    assert env.reset(seed=np.array([3, 7]))[1]["seed"].tolist() == [3, 3, 3, 7, 7, 7]


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_own_names_of_what_follows_an_end_are_taken(mode: AutoresetMode) -> None:
    env = agentworld_env.vector("t01_magic_staff", 1, autoreset=mode)
    assert env.metadata["autoreset_mode"] is mode


@pytest.mark.parametrize("processes", [0, 1])
def test_after_closing_neither_reset_nor_step_goes_on(processes: int) -> None:
    env = TeamVectorEnv([crew()], 1, processes=processes)
    env.reset(seed=1)
    env.close()
    for call in (env.reset, lambda: env.step(idle(env))):
        with pytest.raises(RuntimeError, match=r"^the vector environment is closed$"):
            call()


def test_a_slot_whose_agent_has_left_stays_empty_and_terminated_until_the_next_episode() -> None:
    env = TeamVectorEnv([hunters()], 1)
    env.reset(seed=2)
    team = env.envs[0]
    leave = {"tool": "complete", "arguments": {"response": ""}}
    plain = team.interface.call
    team.interface.call = lambda name, index: leave if name == "hunter2" else plain(name, index)  # type: ignore[method-assign]
    _, _, terminations, _, infos = env.step(idle(env))
    assert terminations.tolist() == [False, False, True, False, False, False]
    assert infos["active"].all()
    for _ in range(3):
        observation, rewards, terminations, _, infos = env.step(idle(env))
        assert terminations.tolist() == [False, False, True, False, False, False]
        assert infos["active"].tolist() == [True, True, False, True, True, True]
        assert rewards[2] == 0
        assert not any(field[2].any() for field in observation["observation"].values())
        assert observation["action_mask"][2].nonzero()[0].tolist() == [0]


def test_observations_are_new_arrays_unless_asked_otherwise() -> None:
    for copy in (True, False):
        env = TeamVectorEnv([crew()], 1, copy=copy)
        before, _ = env.reset(seed=1)
        kept = before["observation"]["status"].copy()
        env.step(idle(env))
        assert np.array_equal(before["observation"]["status"], kept) == copy


def test_what_is_given_wrong_is_refused_with_one_clear_line() -> None:
    with pytest.raises(ValueError, match="at least one episode, not 0"):
        agentworld_env.vector("t01_magic_staff", 0)
    with pytest.raises(
        ValueError, match="autoreset must be one of next_step, same_step, disabled, not 'later'"
    ):
        agentworld_env.vector("t01_magic_staff", 1, autoreset="later")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="processes must be 0 or more, not -1"):
        agentworld_env.vector("t01_magic_staff", 1, processes=-1)
    with pytest.raises(AgentWorldError, match="did you mean t01_magic_staff"):
        agentworld_env.vector("t01_magic_stuff", 2, processes=2)
    with pytest.raises(ValueError, match="at least one task"):
        agentworld_env.vector([], 2)
    env = TeamVectorEnv([crew()], 2)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(idle(env))
    with pytest.raises(ValueError, match="first reset must start every episode"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"integers of shape \(6,\), not float64 of shape \(6,\)"):
        env.step(np.zeros(6))
    with pytest.raises(ValueError, match=rf"must lie in 0\.\.{SIZE - 1}"):
        env.step(np.full(6, SIZE))
    with pytest.raises(ValueError, match="one seed per episode: 2, not 3"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="same for all slots"):
        env.reset(options={"reset_mask": np.array([True, False, False, False, False, False])})
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.step(idle(env))


def test_tasks_and_settings_are_mixed_as_asked() -> None:
    env = agentworld_env.vector(
        ["t01_magic_staff", "t94_maritime_trading"],
        3,
        setting="no_communication",
        reward="shaped",
        discount=0.9,
    )
    assert [len(team) for team in env.teams] == [3, 20, 3]
    env.reset(seed=0)
    assert env.step(idle(env))[1].shape == (26,)


def test_memory_stays_flat_over_many_episodes() -> None:
    """The short version of ``benchmarks/soak_vector.py``: the same episodes again leave nothing behind."""
    import gc
    import tracemalloc

    env = TeamVectorEnv([crew(rounds=6)], 8)

    def play() -> None:
        rng = np.random.default_rng(0)
        observation, _ = env.reset(seed=0)
        for _ in range(50):
            observation = env.step(choose(rng, observation["action_mask"]))[0]

    def held() -> int:
        env.reset(seed=0)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    # The world remembers ways and neighbourhoods, up to a limit; after the first pass it knows these.
    play()
    tracemalloc.start()
    try:
        play()
        first = held()
        for _ in range(4):
            play()
        # One episode left behind in each pass would weigh more than this.
        assert held() - first < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("given", ["8", 1.5, True, None])
def test_numbers_that_are_none_are_refused_in_one_line(given: Any) -> None:
    with pytest.raises(TypeError, match=r"^n must be a whole number, not "):
        agentworld_env.vector("t01_magic_staff", given)
    with pytest.raises(TypeError, match=r"^processes must be a whole number, not "):
        agentworld_env.vector("t01_magic_staff", 1, processes=given)


def test_fewer_episodes_than_tasks_are_refused_since_some_would_never_be_played() -> None:
    with pytest.raises(ValueError, match=r"^2 tasks need at least 2 episodes at once, not 1$"):
        agentworld_env.vector(["t01_magic_staff", "t02_arrow_production"], 1)


def test_processes_are_refused_in_one_line_where_memory_cannot_be_inherited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agentworld_env.learning.vector._POSIX", False)
    with pytest.raises(AgentWorldError, match=r"^processes .* need Linux or macOS; use processes=0 here$"):
        agentworld_env.vector("t01_magic_staff", 1, processes=1)
    agentworld_env.vector("t01_magic_staff", 1).close()
