from __future__ import annotations

import pytest
from tests.metrics.hand_made import Stage, verdict

from agentworld_env.metrics import basics, episode_metrics, mean_metrics


def _stage() -> tuple[Stage, int]:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.say("b")
    ore = stage.harvest("a", "ore", 0, 0)
    stage.round = 2
    stage.turn("a", "harvest_resource", ok=False)
    stage.sleep("b", 3)
    return stage, ore


def test_plain_figures_count_calls_messages_failures_and_slept_turns() -> None:
    stage, ore = _stage()
    found = basics(stage.lines, verdict(ore), stage.turns, rounds=4)
    assert (found.actions, found.turns, found.chats, found.failed_calls, found.rounds) == (4, 6, 1, 1, 4)
    assert found.idle_share == 3 / 6


def test_a_sleep_that_was_refused_is_no_idleness() -> None:
    stage = Stage(a=(0, 0))
    stage.turn("a", "sleep", ok=False)
    assert basics(stage.lines, verdict(), stage.turns, rounds=1).idle_share == 0.0


def test_episode_metrics_are_plain_json_values() -> None:
    import json

    stage, ore = _stage()
    figures = episode_metrics(stage.episode(), verdict(ore), stage.turns)
    assert json.loads(json.dumps(figures)) == figures
    assert figures["cce_method"] == "events"
    assert figures["cce"] == 1 / 6
    assert figures["pac"] == {"a": 1 / 2, "b": 0.0}
    assert figures["rounds"] == 2


def test_episode_metrics_need_turns_for_an_unfinished_episode() -> None:
    stage, ore = _stage()
    with pytest.raises(ValueError, match="turns are needed"):
        episode_metrics(stage.episode(), verdict(ore))


def test_means_give_the_success_rate_and_cce_of_successes_apart() -> None:
    stage, ore = _stage()
    won = episode_metrics(stage.episode(), verdict(ore), stage.turns)
    lost = episode_metrics(stage.episode(), verdict(ore, won=False), stage.turns)
    means = mean_metrics([won, lost, lost, lost])
    assert means["sr"] == 1 / 4
    assert means["psr"] == 1 / 4
    assert means["cce_of_successes"] == won["cce"]
    assert means["cce"] == won["cce"] / 4
    assert mean_metrics([lost])["cce_of_successes"] is None


def test_means_over_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        mean_metrics([])
