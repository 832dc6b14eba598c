from __future__ import annotations

import asyncio
import copy
import gc
import signal
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from tests.env.teams import crew

import agentworld_env
from agentworld_env.errors import AgentWorldError
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.protocol import Turn
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.tasks import get_task


def play(env: Any, seed: int, choice: Any) -> tuple[float, dict[str, Any], int]:
    """Plays an episode and returns return, last info and steps."""
    observation, info = env.reset(seed=seed)
    total, steps = 0.0, 0
    while True:
        observation, reward, terminated, truncated, info = env.step(choice(observation, info))
        total, steps = total + reward, steps + 1
        if terminated or truncated:
            return total, info, steps


def at_random(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return lambda observation, info: int(rng.choice(np.flatnonzero(info["action_mask"])))


@pytest.mark.parametrize("mates", ["planner", "scripted", "random", "idle"])
def test_one_learner_plays_among_mates_of_every_kind_and_its_rewards_sum_to_psr(mates: str) -> None:
    env = agentworld_env.gym_env("t01_magic_staff", learner="wizard", mates=mates)
    total, info, steps = play(env, 3, at_random(1))
    assert total == pytest.approx(info["psr"]) == pytest.approx(env.verdict().psr)
    assert steps <= 25
    assert isinstance(info["success"], bool)
    assert info["is_success"] is info["success"]


def test_gymnasiums_checker_is_satisfied() -> None:
    check_env(agentworld_env.gym_env("t01_magic_staff", mates="idle"), skip_render_check=True)


def test_a_learner_that_plays_the_planners_part_solves_the_task_with_it() -> None:
    """Its calls are turned into indices where the menu has them, and into waiting where it has not."""
    planner = PlannerPolicy(rehearsals=False)
    env = agentworld_env.gym_env("t01_magic_staff", learner="lumberjack", mates=planner, action="tool")

    def act(observation: Any, info: Any) -> Any:
        turns = env.turns
        return planner.act(
            Turn(agent="lumberjack", round=turns.round, observation="", info=turns.infos["lumberjack"])
        )

    total, info, _ = play(env, 0, act)
    assert total == pytest.approx(1.0)
    assert info["is_success"]


def test_any_policy_plays_the_mates_also_one_that_is_awaited_and_none_is_asked_for_the_learner() -> None:
    class Patient:
        name = "patient"
        wants_text = True

        def __init__(self) -> None:
            self.asked: list[str] = []
            self.closed = False

        async def act(self, turn: Turn) -> dict[str, Any]:
            assert turn.observation.startswith("Round ")
            self.asked.append(turn.agent)
            return {"tool": "sleep", "arguments": {}}

        async def close(self) -> None:
            self.closed = True

    mates = Patient()
    env = agentworld_env.gym_env(crew(rounds=4), learner="smith", mates=mates)
    _, _, steps = play(env, 1, lambda observation, info: 0)
    assert steps == 4
    assert mates.asked == ["miner", "guard"] * 4
    env.close()
    assert mates.closed


def test_the_same_seed_gives_the_same_episode_and_later_ones_follow_from_it() -> None:
    runs = []
    for _ in range(2):
        env = agentworld_env.gym_env("t01_magic_staff", mates="random")
        hashes = [env.reset(seed=5) and env.turns.state_hash()]
        hashes += [env.reset() and env.turns.state_hash() for _ in range(2)]
        runs.append(hashes)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3


def test_texts_and_tool_calls_are_offered_too() -> None:
    env = agentworld_env.gym_env(crew(), mates="idle", observation="text", action="tool")
    observation, info = env.reset(seed=1)
    assert observation.startswith("Round 1 of 40. You are miner")
    assert env.observation_space.contains(observation)
    assert "sleep" in info["legal"]
    assert info["action_mask"] == info["legal"]
    env.step(env.action_space.sample(info["action_mask"]))


def test_masks_are_offered_as_maskable_learners_ask_for_them() -> None:
    env = agentworld_env.gym_env(crew(), mates="idle")
    observation, info = env.reset(seed=1)
    assert set(observation) == set(env.observation_space.spaces)  # type: ignore[attr-defined]
    assert env.action_masks().dtype == np.bool_
    assert info["action_mask"].dtype == np.int8
    assert np.array_equal(env.action_masks(), info["action_mask"])
    index = env.index_of({"tool": "sleep", "arguments": {}})
    assert index == 0
    assert env.call_of(0) == {"tool": "sleep", "arguments": {"rounds": 1}}


def test_what_is_given_wrong_is_refused_with_one_clear_line() -> None:
    with pytest.raises(AgentWorldError, match="unknown agent 'wizzard'; did you mean wizard"):
        agentworld_env.gym_env("t01_magic_staff", learner="wizzard")
    with pytest.raises(AgentWorldError, match="unknown policy 'planer'; did you mean planner"):
        agentworld_env.gym_env("t01_magic_staff", mates="planer")
    env = agentworld_env.gym_env(crew(rounds=1), mates="idle")
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(TypeError, match="integer"):
        env.step("sleep")
    env.step(0)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)


def test_every_task_is_registered_once_with_both_libraries_and_made_only_when_asked_for() -> None:
    import pettingzoo

    ids = agentworld_env.register()
    assert agentworld_env.register() == ids
    assert ids[0] == "agentworld/t01_magic_staff-v1"
    assert len(ids) == len(agentworld_env.list_tasks())
    for name in (
        "agentworld/t01_magic_staff",
        "agentworld/t01_magic_staff-v1",
        "agentworld/t01_magic_staff_v1",
    ):
        assert pettingzoo.make("aec", name).task.id == "t01_magic_staff"  # type: ignore[attr-defined]
    both = pettingzoo.make("parallel", ids[1], observation="features", action="discrete")
    assert isinstance(both, pettingzoo.ParallelEnv)
    single = gymnasium.make(ids[0], learner="wizard", mates="idle")
    assert single.unwrapped.learner == "wizard"  # type: ignore[attr-defined]
    assert single.reset(seed=1)[1]["action_mask"].any()


def test_registering_loads_neither_simulator_nor_tasks() -> None:
    import subprocess
    import sys

    code = (
        "import sys, agentworld_env; agentworld_env.register(); "
        "print([m for m in ('agentworld_env.sim', 'agentworld_env.facade', 'agentworld_env.tasks.load') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("observation", ["features", "text"])
def test_gymnasiums_checker_is_satisfied_with_tool_calls_too(observation: Any) -> None:
    env = agentworld_env.gym_env("p03_small_bowl", action="tool", observation=observation, mates="idle")
    check_env(env, skip_render_check=True)


def test_infos_with_tool_calls_stay_readable_and_equal_after_the_episode_has_moved_on() -> None:
    env = agentworld_env.gym_env("p03_small_bowl", action="tool", mates="idle")
    _, first = env.reset(seed=1)
    before = copy.deepcopy(first)
    env.step({"tool": "sleep", "arguments": {}})
    assert first == before
    assert env.reset(seed=1)[1] == before


@pytest.mark.parametrize(
    ("task", "near"), [("t01_magic_staff_aug", "t01_magic_staff"), ("p03_small_bowl", "t86_")]
)
def test_scripted_mates_without_a_script_are_refused_when_the_environment_is_made(
    task: str, near: str
) -> None:
    with pytest.raises(AgentWorldError, match=f"no script for the task '{task}'; .*{near}"):
        agentworld_env.gym_env(task, mates="scripted")


def test_closing_closes_a_policy_that_answers_at_once_and_does_so_once() -> None:
    closed: list[bool] = []

    class Mates:
        name = "mates"

        def act(self, turn: Turn) -> dict[str, Any]:
            return {"tool": "sleep", "arguments": {}}

        def close(self) -> None:
            closed.append(True)

    env = agentworld_env.gym_env(crew(), mates=Mates())
    env.reset(seed=0)
    env.close()
    env.close()
    assert closed == [True]


@pytest.mark.parametrize("ending", ["close", "drop"])
def test_awaited_mates_play_inside_a_running_loop_as_outside_of_one(ending: str) -> None:
    """As in a notebook. They keep one loop, in which what they opened stays usable, and no thread is left."""
    loops: list[Any] = []

    class Patient:
        name = "patient"

        async def act(self, turn: Turn) -> dict[str, Any]:
            await asyncio.sleep(0)
            loops.append(asyncio.get_running_loop())
            return {"tool": "sleep", "arguments": {"rounds": 1}}

    def episode() -> tuple[float, int, str]:
        env = agentworld_env.gym_env("t01_magic_staff", mates=Patient())
        total, _, steps = play(env, 3, at_random(1))
        digest = env.turns.state_hash()
        if ending == "close":
            env.close()
        return total, steps, digest

    async def notebook() -> Any:
        return episode()

    before = threading.active_count()
    outside = episode()
    assert outside == asyncio.run(notebook())
    assert len({id(loop) for loop in loops}) <= 2
    gc.collect()
    assert threading.active_count() == before


def test_what_an_awaited_mate_raises_comes_out_and_an_interruption_cancels_it() -> None:
    states: list[str] = []

    def interrupt() -> None:
        """As Ctrl-C does."""
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    class Failing:
        name = "failing"

        async def act(self, turn: Turn) -> dict[str, Any]:
            raise ZeroDivisionError("boom")

    class Slow:
        name = "slow"

        async def act(self, turn: Turn) -> dict[str, Any]:
            try:
                threading.Timer(0.05, interrupt).start()
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                states.append("cancelled")
                raise
            return {}

    # The second of the team learns, so that a mate plays before it.
    learner = list(get_task("t01_magic_staff").spec.team)[1]
    with pytest.raises(ZeroDivisionError, match="boom"):
        agentworld_env.gym_env("t01_magic_staff", mates=Failing(), learner=learner).reset(seed=0)
    env = agentworld_env.gym_env("t01_magic_staff", mates=Slow(), learner=learner)
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=0)
    env.close()
    assert states == ["cancelled"]


def test_mates_that_cannot_play_under_the_setting_are_refused_when_the_environment_is_made() -> None:
    with pytest.raises(
        AgentWorldError,
        match="no script for the agents of 't01_magic_staff' under the setting no_roles: agent_2",
    ):
        agentworld_env.gym_env("t01_magic_staff", mates="scripted", setting="no_roles")
    with pytest.raises(AgentWorldError, match="oracle_view is for texts"):
        agentworld_env.gym_env(
            "t01_magic_staff",
            mates=agentworld_env.DiscretePolicy(lambda observation: 0),
            setting="oracle_view",
            observation="text",
            action="tool",
        )


@pytest.mark.parametrize("setting", ["default", "discussion_rounds(2)"])
def test_mates_are_shown_the_same_turns_as_in_an_episode_of_their_own(setting: str) -> None:
    """In a round of discussion fewer tools are offered than the brief names."""

    class Noting:
        name = "noting"

        def __init__(self) -> None:
            self.shown: dict[tuple[int, str], Any] = {}

        def act(self, turn: Turn) -> dict[str, Any]:
            self.shown[turn.round, turn.agent] = (turn.observation, turn.last, turn.tools)
            return {"tool": "sleep", "arguments": {"rounds": 1}}

    whole, mates = Noting(), Noting()
    agentworld_env.run_episode("t01_magic_staff", whole, seed=4, setting=setting)
    env = agentworld_env.gym_env("t01_magic_staff", mates=mates, setting=setting, action="tool")
    env.reset(seed=4)
    for _ in range(3):
        env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    assert len(mates.shown) >= 6
    for key, shown in mates.shown.items():
        assert shown == whole.shown[key]
    sizes = {len(tools) for _, _, tools in mates.shown.values()}
    assert len(sizes) == (1 if setting == "default" else 2)


class Asked:
    """Notes whom it is told of, checks for, begins for and is asked for."""

    name = "asked"
    wants_text = False

    def __init__(self) -> None:
        self.checked: list[list[str]] = []
        self.begun: list[list[str]] = []
        self.asked: set[str] = set()

    def check(self, assignment: Any) -> None:
        self.checked.append(list(assignment.briefs))

    def begin(self, briefs: Any, seed: int) -> None:
        self.begun.append(list(briefs))

    def act(self, turn: Turn) -> dict[str, Any]:
        self.asked.add(turn.agent)
        return {"tool": "sleep", "arguments": {"rounds": 1}}


@pytest.mark.parametrize("mixed", [False, True])
def test_mates_are_begun_checked_and_asked_for_the_mates_only(mixed: bool) -> None:
    asked = Asked()
    mates: Any = asked
    if mixed:
        mates = agentworld_env.MixedPolicy([("[mg]*", asked), ("nobody", Asked())])
    env = agentworld_env.gym_env(crew(rounds=3), learner="smith", mates=mates)
    play(env, 1, lambda observation, info: 0)
    assert asked.begun == [["miner", "guard"]]
    assert asked.checked == [["miner", "guard"]] * 2
    assert asked.asked == {"miner", "guard"}
    with pytest.raises(AgentWorldError, match="nobody plays 'guard'"):
        agentworld_env.gym_env(
            crew(), learner="smith", mates=agentworld_env.MixedPolicy([("miner", Asked())])
        )


@pytest.mark.parametrize("api", ["parallel", "aec"])
def test_learned_mates_are_not_shown_what_the_learner_sees(api: Any) -> None:
    seen: set[int] = set()

    def choose(observation: Any) -> int:
        seen.add(int(observation["observation"]["ids"][0]))  # the agent's place in turn order, from 1
        return 0

    policy = agentworld_env.DiscretePolicy(choose, api=api)
    env = agentworld_env.gym_env(crew(rounds=3), learner="smith", mates=policy)
    play(env, 1, lambda observation, info: 0)
    place = env.turns.possible_agents.index("smith") + 1
    assert seen == {1, 2, 3} - {place}


def test_a_single_agent_has_no_mates_to_begin() -> None:
    asked = Asked()
    env = agentworld_env.gym_env("t01_magic_staff", setting="single_agent", mates=asked)
    env.reset(seed=0)
    assert asked.begun == [[]]


def test_random_mates_draw_as_they_do_in_the_whole_team() -> None:
    """A draw depends on the seed, the place in the team and the round, not on who plays the others."""
    team = list(get_task("t01_magic_staff").spec.team)

    class Learner:
        name = "learner"

        def act(self, turn: Turn) -> dict[str, Any]:
            return {"tool": "sleep", "arguments": {"rounds": 1}}

    calls = {}
    for learner in (team[0], team[-1]):
        parts = [(learner, Learner()), ("*", RandomPolicy())]
        episode = agentworld_env.run_episode("t01_magic_staff", agentworld_env.MixedPolicy(parts), seed=3)
        env = agentworld_env.gym_env("t01_magic_staff", learner=learner, mates="random")
        env.reset(seed=3)
        while not any(env.step(0)[2:4]):
            pass
        assert env.verdict() == episode.verdict
        first = {line.agent: line.call["tool"] for line in reversed(episode.lines) if line.agent != learner}
        calls[learner] = first
    both = set(team[1:-1])
    assert {a: calls[team[0]][a] for a in both} == {a: calls[team[-1]][a] for a in both}
