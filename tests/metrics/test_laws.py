"""The laws of CCE on real episodes; ``benchmarks/cce_laws.py`` tries them on all tasks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import pytest
from benchmarks.cce_laws import NOISE, Trial, again, calls_of, insertions, removals, trials
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.noisy import NoisyPlanner

from agentworld_env import run_episode
from agentworld_env.episodes import Episode
from agentworld_env.metrics.causal import Briefing
from agentworld_env.policies.random_play import RandomPolicy

TASKS = (
    "t02_arrow_production",
    "t16_resource_protection",
    "t27_volcanic_forge",
    "t28_dark_forest_cleansing",
    "t38_trade_crafting",
)
"""Tasks with fights, which were the hard ones, and two without."""


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [run_episode(task, NoisyPlanner(noise), seed=0) for task in TASKS for noise in (0, NOISE)]


def test_a_call_that_is_put_in_and_does_not_contribute_never_raises_cce(episodes: list[Episode]) -> None:
    tried = [(episode, trial) for episode in episodes for trial in insertions(episode, 8)]
    assert len(tried) >= 40
    assert [trial.what for episode, trial in tried if trial.changed and _spoken_of(episode, trial)] == []


def test_a_call_or_message_that_is_put_in_and_does_not_contribute_never_raises_cce_with_chat(
    episodes: list[Episode],
) -> None:
    tried = [(episode, trial) for episode in episodes for trial in insertions(episode, 8, "events+chat")]
    assert sum("'chat'" in trial.what for _, trial in tried) >= 20
    assert [trial.what for episode, trial in tried if trial.changed and _spoken_of(episode, trial)] == []


def _spoken_of(episode: Episode, trial: Trial) -> bool:
    """Whether a call must not raise CCE; of failures, whose share is `partial`, only useless ones must not.

    In these successes not even calls with an effect do.
    """
    return trial.useless or (episode.verdict.success and trial.kind != "contributing")


def test_one_more_blow_at_what_others_kill_contributes_and_is_told_apart(episodes: list[Episode]) -> None:
    """All damage since a mob was last whole counts, so that such a blow is no useless call."""
    tried = [trial for episode in episodes[:2] for trial in insertions(episode, 60)]
    counted = [trial for trial in tried if trial.kind == "contributing"]
    assert counted
    assert all("attack_entity" in trial.what and not trial.useless for trial in counted)


def test_taking_out_an_agents_useless_calls_never_changes_what_the_others_contributed(
    episodes: list[Episode],
) -> None:
    tried = [trial for episode in episodes for trial in removals(episode, 9) if trial.useless]
    assert len(tried) >= 10
    assert [trial.what for trial in tried if trial.changed] == []


def test_a_useless_call_that_takes_a_mob_out_of_the_way_changes_nobody_elses_walks() -> None:
    """A dragon that a useless blow has drawn from its place bars the ways past it as if it stood there."""
    episode = run_episode("t79_dragon_hunt_aug", NoisyPlanner(30), seed=587314)
    tried = [trial for trial in removals(episode, 9) if trial.useless]
    assert tried
    assert [trial.what for trial in tried if trial.changed] == []


def test_that_one_thing_went_to_and_fro_does_not_decide_how_circles_of_another_are_cut() -> None:
    """A bar is passed to and fro, and ore that was not needed is returned: neither makes a call contribute."""

    def give(to: str, item: str) -> dict[str, Any]:
        return {"tool": "transfer_items", "arguments": {"to": to, "item": item, "count": 1}}

    episode = _planned("t86_forge_vanguard")
    calls: dict[tuple[int, str], Mapping[str, Any]] = {
        **calls_of(episode),
        (6, "miner2"): give("smelter", "ironore"),
        (8, "smith2"): give("smith1", "ironbar"),
        (9, "miner2"): {"tool": "harvest_resource", "arguments": {"target": "coalrock-0008"}},
        (9, "miner1"): {"tool": "move_character", "arguments": {"x": 233, "y": 56}},
        (9, "smith1"): give("smith2", "ironbar"),
        (9, "smith2"): {"tool": "craft_item", "arguments": {"skill": "smithing", "item": "axe", "count": 1}},
        (10, "smith2"): give("coordinator", "axe"),
        (9, "smelter"): give("miner1", "ironore"),
    }
    longer = msgspec.structs.replace(
        episode, lines=[*episode.lines, msgspec.structs.replace(episode.lines[-1], round=13)]
    )
    with_return = again(longer, calls)
    without = again(longer, {slot: call for slot, call in calls.items() if slot != (9, "smelter")})
    assert with_return.success
    assert len(with_return.contributing) <= len(without.contributing)


@pytest.mark.parametrize("task", ["t15_jellyfish_smoothie", "t27_volcanic_forge", "t41_tool_production"])
def test_both_laws_hold_of_random_play_though_it_fails(task: str) -> None:
    tried = list(trials([task], 0, 5, 3, play="random"))
    assert {trial.law for trial in tried} == {"insertion", "removal"}
    assert [trial.what for trial in tried if trial.useless and trial.changed] == []


def test_a_call_that_keeps_another_from_contributing_is_not_useless() -> None:
    """A stroll takes its agent out of sight of what its next call walked to, which would have spared it two walks."""
    episode = run_episode("t41_tool_production", RandomPolicy(), seed=0)
    raised = [trial for trial in insertions(episode, 5) if trial.changed]
    assert [(trial.kind, "coal_miner in round 14" in trial.what) for trial in raised] == [("effect", True)]


def test_an_episode_that_is_played_again_unchanged_is_the_same(episodes: list[Episode]) -> None:
    for episode in episodes:
        played = again(episode, calls_of(episode))
        assert [line.hash for line in played.episode.lines] == [line.hash for line in episode.lines]
        assert played.success == episode.verdict.success


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_message_of_what_every_reader_knows_never_raises_cce_with_chat(data: st.DataObject) -> None:
    episode = _planned(data.draw(st.sampled_from(TALKED)))
    briefing = Briefing(episode.header)
    known = sorted(
        set.intersection(*(set(briefing.named(agent)) for agent in episode.team)),
        key=lambda m: (m.kind, m.key),
    )
    words = data.draw(st.lists(st.sampled_from([m.key for m in known if m.kind != "agent"]), max_size=5))
    calls = calls_of(episode)
    slot = data.draw(st.sampled_from([slot for slot, call in calls.items() if call["tool"] == "sleep"]))
    message = {"tool": "chat", "arguments": {"message": f"Now {' '.join(words)}!"}}
    before = again(episode, {**calls, slot: {"tool": "pass", "arguments": {}}}, method="events+chat")
    after = again(episode, {**calls, slot: message}, method="events+chat")
    assert after.contributing == before.contributing


TALKED = ("t01_magic_staff", "t02_arrow_production", "t38_trade_crafting")


@cache
def _planned(task: str) -> Episode:
    return run_episode(task, NoisyPlanner(0), seed=0)
