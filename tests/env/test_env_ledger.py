"""Laws that hold after every step of any episode."""

from __future__ import annotations

from collections import Counter

from benchmarks.ledger import booked, holdings
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import boss_crew, chance, crew, fresh, random_calls

from agentworld_env.env import sample_legal
from agentworld_env.sim import DEAD
from agentworld_env.tasks import get_task
from agentworld_env.tasks.task import Task

STEPS = 125
TASKS = st.sampled_from((crew(), boss_crew(), get_task("t76_elemental_bosses")))
SEEDS = st.integers(0, 2**32)


def moved(was: Counter[str], now: Counter[str]) -> dict[str, int]:
    """Returns what changed between two holdings."""
    return {item: now[item] - was[item] for item in was | now if now[item] != was[item]}


@settings(max_examples=125, deadline=None)
@given(task=TASKS, seed=SEEDS)
def test_no_item_is_made_or_lost_but_by_harvest_loot_craft_use_and_barter(task: Task, seed: int) -> None:
    # Episodes end early at times, so that 125 examples make some ten thousand calls.
    env = fresh(task, seed)
    was, seen = holdings(env), 0
    for _ in random_calls(env, seed, STEPS):
        now, events = holdings(env), env.sim.state.events
        assert moved(was, now) == {k: v for k, v in booked(env, events[seen:]).items() if v}
        was, seen = now, len(events)


@settings(max_examples=30, deadline=None)
@given(task=TASKS, seed=SEEDS)
def test_hit_points_and_mana_stay_within_bounds_and_the_dead_have_none(task: Task, seed: int) -> None:
    env = fresh(task, seed)
    for _ in random_calls(env, seed, STEPS):
        sim = env.sim
        for i, agent in enumerate(sim.state.agents):
            assert 0 <= agent.hp <= sim.max_hp[i]
            assert 0 <= agent.mana <= sim.max_mana[i]
            assert (agent.hp == 0) == (agent.status == DEAD)
        for number, mob in sim.state.mobs.items():
            assert 0 < mob.hp <= sim.spec(number).hp


@settings(max_examples=30, deadline=None)
@given(task=TASKS, seed=SEEDS)
def test_nobody_ever_stands_on_a_blocked_tile(task: Task, seed: int) -> None:
    env = fresh(task, seed)
    for _ in random_calls(env, seed, STEPS):
        for agent in env.sim.state.agents:
            assert env.sim.world.is_walkable(agent.x, agent.y)
        for mob in env.sim.state.mobs.values():
            assert env.sim.world.is_walkable(mob.x, mob.y)


@settings(max_examples=30, deadline=None)
@given(task=TASKS, seed=SEEDS)
def test_a_bag_never_holds_an_empty_stack_or_more_than_25_kinds(task: Task, seed: int) -> None:
    env = fresh(task, seed)
    for _ in random_calls(env, seed, STEPS):
        for agent in env.sim.state.agents:
            assert len(agent.bag) <= 25
            assert all(lots and all(lot[2] > 0 for lot in lots) for lots in agent.bag.values())


@settings(max_examples=30, deadline=None)
@given(task=TASKS, seed=SEEDS)
def test_rewards_of_an_agent_sum_to_psr_for_as_long_as_it_stays(task: Task, seed: int) -> None:
    env, below = fresh(task, seed), chance(seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter(STEPS):
        _, reward, over, cut, info = env.last()
        total[name] += reward
        env.step(None if over or cut else sample_legal(info["legal"], below))
    for name in env.agents:
        due = env._cumulative_rewards[name]
        assert abs(total[name] + due - env.verdict().psr) < 1e-9
    assert env.team_return == env.verdict().psr


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_what_a_checkpoint_says_is_held_is_what_a_recount_finds(seed: int) -> None:
    env = fresh(crew(), seed)
    for _ in random_calls(env, seed, STEPS):
        smith = env.sim.state.agents[1]
        worn = sum(piece[0] == "logs" for piece in smith.worn.values())
        assert env.verdict().checkpoints[2].have == smith.count("logs") + worn
