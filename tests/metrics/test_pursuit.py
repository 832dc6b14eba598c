"""Unhurt mobs come home without an event; when they do is worked out from the log, and must be what really happened."""

from __future__ import annotations

import pytest
from benchmarks.cce_effects import effects
from benchmarks.cce_laws import again, calls_of
from tests.metrics.noisy import NoisyPlanner

from agentworld_env import run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, play_turn, skip_departed, task_of
from agentworld_env.metrics import Method
from agentworld_env.metrics.causal import Homes, Log
from agentworld_env.policies.protocol import Policy
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim.events import Regained


def _really_returned(episode: Episode) -> tuple[AgentWorldEnv, set[tuple[int, str]]]:
    """Plays an episode again; returns (round, mob) of the common mobs that went home, or stood again, in silence."""
    env = AgentWorldEnv(task_of(episode.header))
    env.reset(seed=episode.header.seed)
    sim = env.sim
    found = set()
    world_turn = sim._world_turn

    def watched(sim: object) -> None:
        state = env.sim.state
        after = {number for number, mob in state.mobs.items() if not mob.dead_until}
        read = len(state.events)
        world_turn(env.sim)
        told = {event.mob for event in state.events[read:] if isinstance(event, Regained)}
        for number in after - state.mobs.keys():
            mob = env.sim.spec(number).id
            if number < env.sim.raiders_from and mob not in told:
                found.add((state.round, mob))

    sim._world_turn = watched
    for line in episode.lines:
        skip_departed(env)
        play_turn(env, line.call)
    skip_departed(env)
    return env, found


@pytest.mark.parametrize(
    ("task", "policy", "seed"),
    [
        ("t16_resource_protection", RandomPolicy(), 1),
        ("t27_volcanic_forge", RandomPolicy(), 1),
        ("t51_survival_challenge", NoisyPlanner(20), 1),
        ("t79_dragon_hunt", RandomPolicy(), 5),
        ("t79_dragon_hunt", NoisyPlanner(20), 5),
    ],
)
def test_mobs_are_told_to_be_home_when_they_really_came_home(task: str, policy: Policy, seed: int) -> None:
    episode = run_episode(task, policy, seed=seed)
    env, real = _really_returned(episode)
    log = Log(episode.lines)
    told = Homes(lambda: env.sim).told(log, None)
    worked_out = {
        (event.round, event.mob)
        for _, event in told.events
        if isinstance(event, Regained) and not any(event is other for _, other in log.events)
    }
    last = episode.lines[-1].round
    assert any(round_ < last for round_, _ in real)
    assert worked_out == {(round_, mob) for round_, mob in real if round_ < last}
    assert [pair for pair in told.events if pair in log.events] == log.events


@pytest.mark.parametrize("method", ["events", "events+chat"])
def test_a_blow_for_nothing_does_not_decide_which_walk_of_a_mate_contributes(method: Method) -> None:
    """A shaman is after a walker. Struck by a mate for nothing, it leaves an event when it comes home; else none."""
    episode = run_episode("t15_jellyfish_smoothie", RandomPolicy(), seed=96036)
    calls = calls_of(episode)
    fat = again(episode, calls, method=method)
    rest = {
        slot: call for slot, call in calls.items() if slot[1] != "marine_fisher" or slot in fat.contributing
    }
    without = again(episode, rest, method=method)
    assert len(rest) < len(calls)
    assert effects(fat, without) == []
    assert fat.contributing == without.contributing
