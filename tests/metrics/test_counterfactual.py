from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.planted import USELESS, Planted, plant_episode, planted_episodes

from agentworld_env.episodes import Episode
from agentworld_env.errors import EpisodeFileError
from agentworld_env.evaluate import policy_by_name, run_episode
from agentworld_env.metrics.counterfactual import Outcome, Replayer, counterfactual, counterfactuals, shapley
from agentworld_env.metrics.counterfactual.shapley import shuffled


@cache
def _played(task: str, policy: str = "planner", seed: int = 1) -> Episode:
    return run_episode(task, policy_by_name(policy), seed=seed)


def _small() -> Planted:
    return planted_episodes(1, ("failure", "small talk"))[0]


# -- replays -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["t01_magic_staff", "t51_survival_challenge", "t76_elemental_bosses"])
@pytest.mark.parametrize("policy", ["planner", "random"])
def test_the_recorded_course_ends_where_the_record_says(task: str, policy: str) -> None:
    episode = _played(task, policy)
    assert Replayer(episode).actual == Outcome.of(episode.verdict)


def test_leaving_out_nothing_changes_nothing() -> None:
    replayer = Replayer(_played("t01_magic_staff"))
    assert replayer.without(()) is replayer.actual
    assert replayer.without_agents(()) is replayer.actual


def test_leaving_out_everybody_is_an_idle_team() -> None:
    episode = _played("t01_magic_staff")
    outcome = Replayer(episode).without_agents(episode.team)
    assert (outcome.success, outcome.psr) == (False, 0.0)


def test_a_call_that_is_left_out_is_a_pass_and_shifts_nobody() -> None:
    planted = _small()
    replayer = Replayer(planted.episode)
    talk = planted.plants["small talk"][0]
    assert replayer.without((talk,)) == replayer.actual


def test_a_slept_turn_can_be_left_out() -> None:
    episode = _played("t01_magic_staff")
    asleep = [line.action for line in episode.lines if line.call["tool"] == "sleep"]
    replayer = Replayer(episode)
    assert asleep
    assert not replayer.without(asleep).loses(replayer.actual)


def test_replays_do_not_disturb_each_other() -> None:
    episode = _played("t51_survival_challenge")
    once = Replayer(episode)
    first = [once.without((number,)) for number in range(len(episode.lines))]
    again = [once.without((number,)) for number in reversed(range(len(episode.lines)))][::-1]
    fresh = [Replayer(episode).without((number,)) for number in range(0, len(episode.lines), 9)]
    assert first == again
    assert fresh == first[::9]


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 53), max_size=12))
def test_ending_a_replay_early_never_changes_what_it_finds(left_out: set[int]) -> None:
    episode = _played("t51_survival_challenge")
    left_out = {number for number in left_out if number < len(episode.lines)}
    quick, thorough = Replayer(episode), Replayer(episode)
    thorough._joined = lambda mark: False  # type: ignore[method-assign]
    assert quick.without(left_out) == thorough.without(left_out)


def test_a_record_that_deviates_is_refused() -> None:
    import msgspec

    episode = _played("t01_magic_staff")
    lines = list(episode.lines)
    lines[0] = msgspec.structs.replace(lines[0], call={"tool": "sleep", "arguments": {}})
    forged = Episode(header=episode.header, lines=lines, footer=episode.footer)
    with pytest.raises(EpisodeFileError, match="deviates"):
        Replayer(forged)


def test_an_unfinished_record_is_judged_as_far_as_it_goes() -> None:
    episode = _played("t01_magic_staff")
    cuts = [
        line.action
        for line in episode.lines
        if line.result.ok and line.call["tool"] == "harvest_resource" and line.agent == "lumberjack"
    ]
    # Two logs are cut by then, and nothing else is reached.
    part = Episode(header=episode.header, lines=episode.lines[: cuts[1] + 1])
    found = counterfactual(part)
    assert set(cuts[:2]) <= set(found.necessary)
    assert {episode.lines[number].agent for number in found.necessary} == {"lumberjack"}


# -- necessity ---------------------------------------------------------------------------------------


def test_an_agent_is_necessary_if_the_others_would_not_have_succeeded() -> None:
    planted = _small()
    found = counterfactual(planted.episode)
    assert [name for name, absence in found.agents.items() if absence.necessary] == ["cutter", "carver"]
    assert found.groups["hands"].psr == 0.0
    # The binder is handed the sticks where it stands: it need do nothing.
    assert found.agents["binder"].success


def test_of_a_failed_episode_that_an_action_spoilt_the_action_is_harmful() -> None:
    from agentworld_env.env import AgentWorldEnv
    from agentworld_env.episodes import make_footer, make_header, play_turn, skip_departed
    from agentworld_env.tasks.schema import TaskSpec
    from agentworld_env.tasks.task import Task

    spec = {
        "id": "held",
        "title": "Held",
        "category": "crafting",
        "max_rounds": 2,
        "objective": "Hold 2 logs at the end.",
        "team": {
            name: {"group": name, "about": "A hand.", "start": (388, 3), "inventory": {"logs": units}}
            for name, units in (("a", 2), ("b", 1))
        },
        "checkpoints": [
            {"kind": "delivered", "label": "Given", "item": "logs", "count": 1, "to": "a", "origin": "any"},
            {"kind": "held", "label": "Held by a", "item": "logs", "count": 3, "by": "a"},
        ],
    }
    env = AgentWorldEnv(Task(TaskSpec.model_validate(spec)))
    env.reset(seed=1)
    script = {
        "a": [
            {"tool": "transfer_items", "arguments": {"to": "b", "item": "logs", "count": 1}},
            {"tool": "sleep", "arguments": {}},
        ],
        "b": [
            {"tool": "transfer_items", "arguments": {"to": "a", "item": "logs", "count": 1}},
            {"tool": "sleep", "arguments": {}},
        ],
    }
    lines = []
    while skip_departed(env):
        lines.append(play_turn(env, script[env.agent_selection].pop(0)))
    header = make_header(env.task, seed=1, setting="default", policy={"name": "script"})
    episode = Episode(header=header, lines=lines)
    episode.footer = make_footer(env, {})
    assert not episode.verdict.success
    found = counterfactual(episode)
    assert found.harmful == (0,)
    assert 1 in found.necessary


def test_several_processes_find_the_same_as_one() -> None:
    episodes = [_played("t86_forge_vanguard"), _played("t01_magic_staff")]
    alone = counterfactuals(episodes)
    assert counterfactuals(episodes, processes=2) == alone
    assert counterfactual(episodes[0], processes=2) == alone[0]


def test_in_a_long_episode_of_random_play_a_few_actions_are_necessary_and_sleeping_is_not() -> None:
    episode = _played("t86_forge_vanguard", "random")
    assert len(episode.lines) >= 150
    found = counterfactual(episode)
    assert len(found.necessary) < len(episode.lines) / 4
    assert all(episode.lines[number].result.ok for number in found.necessary)


# -- Shapley -----------------------------------------------------------------------------------------


def test_the_shares_of_the_agents_add_up_to_the_outcome() -> None:
    for task, worth in (("t01_magic_staff", "psr"), ("t51_survival_challenge", "progress")):
        episode = _played(task)
        found = shapley(episode, worth=worth, orders=6)  # type: ignore[arg-type]
        assert sum(credit.value for credit in found.agents.values()) == pytest.approx(found.total)
        assert found.total == pytest.approx(1.0)


def test_an_agent_whose_actions_change_nothing_has_no_share() -> None:
    planted = next(p for p in planted_episodes(30, ("failure", "small talk", "junk")))
    found = shapley(planted.episode, worth="success", orders=24)
    assert found.exact
    assert found.agents["idler"].value == found.agents["binder"].value == 0.0
    # Sticks need both of the others: neither alone reaches anything.
    assert found.agents["cutter"].value == found.agents["carver"].value == 0.5


def test_all_orders_of_a_small_team_have_no_error_and_drawn_ones_agree_with_them() -> None:
    episode = _played("t51_survival_challenge")
    exact = shapley(episode, worth="success", orders=120)
    drawn = shapley(episode, worth="success", orders=60, seed=3)
    assert exact.exact
    assert not drawn.exact
    for agent, credit in exact.agents.items():
        assert credit.error == 0.0
        other = drawn.agents[agent]
        assert abs(other.value - credit.value) <= 4 * other.error + 1e-9


def test_equal_seeds_draw_equal_orders_in_any_number_of_processes() -> None:
    episode = _played("t51_survival_challenge")
    alone = shapley(episode, orders=20, seed=5)
    assert shapley(episode, orders=20, seed=5, processes=2) == alone
    assert shapley(episode, orders=20, seed=6) != alone


@given(st.integers(1, 20), st.integers(0, 2**60), st.integers(0, 1000))
def test_a_drawn_order_holds_everybody_once(size: int, seed: int, number: int) -> None:
    assert sorted(shuffled(size, seed, number)) == list(range(size))


def test_worth_and_orders_must_make_sense() -> None:
    episode = _played("t01_magic_staff")
    with pytest.raises(ValueError, match="psr, progress, success"):
        shapley(episode, worth="money")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 2"):
        shapley(episode, orders=1)


def test_a_planted_team_with_useless_plants_gives_the_same_shares_whatever_was_planted() -> None:
    found = [plant_episode(seed, USELESS[:1]) for seed in (1, 2, 3)]
    for planted in found:
        assert planted is not None
        shares = shapley(planted.episode, worth="success", orders=24).agents
        assert (shares["cutter"].value, shares["carver"].value) == (0.5, 0.5)
