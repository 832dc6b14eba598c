"""Plays random, mistyped and malformed calls on every task: ``python -m benchmarks.fuzz [--calls N] [--seed S]``.

After every few calls it checks what must always hold: every unit of every item is accounted for by events, hit points
and mana stay within bounds, nobody stands on a blocked tile, bags stay within their limit, texts lie in their space, a
snapshot leads back to the same hash, and no call raises. The first breach ends the run with task, seed and call.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.arguments import at_least
from benchmarks.ledger import booked, holdings

from agentworld_env.calls import Call
from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.sim import DEAD
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tools import TOOLS

Below = Callable[[int], int]

EVERY = 8
"""Calls between two checks."""

EPISODE = 240
"""Most calls of one episode."""

JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 1, 5, 2**31, -(2**63), 10**40, 0.5, 3.0, float("nan"), float("inf"), "", " ", "7", "-3", "0x10",
    "\u0661\u0662", "oak-0001", "gold", "logs", "a" * 9_000, "\x00\n\u2028", "\ud800", ">>", [], [1], {},
    {"x": {"y": {}}}, (1, 2), b"bytes", object(), np.int64(4), np.float32(2.0), {1: 2},
)  # fmt: skip
NAMES = (
    "x",
    "y",
    "target",
    "item",
    "to",
    "count",
    "skill",
    "message",
    "rounds",
    "response",
    "",
    "tool",
    "é",
    "__class__",
)


def malformed(below: Below, legal: Call) -> Call:
    """Returns a call with something wrong with it; now and then it happens to be right."""
    kind = below(6)
    tool = tuple(TOOLS)[below(len(TOOLS))]
    junk = JUNK[below(len(JUNK))]
    if kind == 0:
        return {"tool": junk, "arguments": {}}
    if kind == 1:
        return {"tool": tool, "arguments": junk}
    if kind == 2:
        return {NAMES[below(len(NAMES))]: junk}
    if kind == 3:
        return {
            "tool": tool,
            "arguments": {NAMES[below(len(NAMES))]: JUNK[below(len(JUNK))] for _ in range(below(4))},
        }
    arguments = dict(legal["arguments"])
    if arguments and kind == 4:
        arguments[tuple(arguments)[below(len(arguments))]] = junk
    else:
        arguments[NAMES[below(len(NAMES))]] = junk
    return {"tool": legal["tool"], "arguments": arguments}


def a_call(env: AgentWorldEnv, below: Below) -> Call:
    """Returns a legal, a well-typed or a malformed call of the selected agent."""
    agent = env.agent_selection
    kind = below(10)
    if kind < 3:
        call: Call = env.action_space(agent).sample()
        return call
    legal = sample_legal(env.infos[agent]["legal"], below)
    return legal if kind < 7 else malformed(below, legal)


def check(env: AgentWorldEnv) -> None:
    """Makes sure that everybody and every mob is as the rules allow."""
    sim = env.sim
    for i, agent in enumerate(sim.state.agents):
        assert 0 <= agent.hp <= sim.max_hp[i], f"{sim.names[i]} has {agent.hp} hit points"
        assert 0 <= agent.mana <= sim.max_mana[i], f"{sim.names[i]} has {agent.mana} mana"
        assert (agent.hp == 0) == (agent.status == DEAD), f"{sim.names[i]} is neither dead nor alive"
        assert sim.world.is_walkable(agent.x, agent.y), f"{sim.names[i]} stands at ({agent.x}, {agent.y})"
        assert len(agent.bag) <= sim.rules.bag_kinds, f"the bag of {sim.names[i]} is overfull"
        assert all(lot[2] > 0 for lots in agent.bag.values() for lot in lots), (
            f"{sim.names[i]} holds an empty stack"
        )
    for number, mob in sim.state.mobs.items():
        assert 0 < mob.hp <= sim.spec(number).hp, f"{sim.spec(number).id} has {mob.hp} hit points"
        assert sim.world.is_walkable(mob.x, mob.y), f"{sim.spec(number).id} stands at ({mob.x}, {mob.y})"


def check_moment(env: AgentWorldEnv) -> None:
    """Makes sure that text, view and snapshot of this moment are sound."""
    agent = env.agent_selection
    assert env.observation_space(agent).contains(env.observe(agent)), "the observation is not in its space"
    env.view(agent).to_dict()
    was = env.state_hash()
    env.restore(env.snapshot())
    assert env.state_hash() == was, "a snapshot does not lead back"


def episode(env: AgentWorldEnv, seed: int, most: int) -> tuple[int, int]:
    """Plays one episode and returns its calls and how many of them failed."""
    rng = np.random.default_rng(seed)

    def below(limit: int) -> int:
        return int(rng.integers(limit))

    env.reset(seed=seed)
    for i, name in enumerate(env.possible_agents):
        env.action_space(name).seed(seed + i)
    was, seen, calls, failed = holdings(env), 0, 0, 0
    while env.agents and calls < most:
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
            continue
        call = a_call(env, below)
        try:
            env.step(call)
            calls += 1
            last = env.sim.state.agents[env.sim.index[agent]].last
            failed += last is not None and not last.result.ok
            if calls % EVERY == 0:
                now, events = holdings(env), env.sim.state.events
                was.update(booked(env, events[seen:]))
                assert +was == +now, "items came from nowhere or were lost"
                was, seen = now, len(events)
                check(env)
            if calls % (8 * EVERY) == 0 and env.agents:
                check_moment(env)
        except Exception as error:
            raise SystemExit(
                f"{env.task.id}, seed {seed}, call {calls} by {agent}: {call!r}\n{error!r}"
            ) from error
    return calls, failed


def main() -> None:
    """Fuzzes all tasks and reports."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=at_least(1), default=1_000_000, help="calls in all")
    parser.add_argument("--seed", type=at_least(0), default=0, help="seed of the first pass over the tasks")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    calls = failed = episodes = 0
    seed = arguments.seed
    names = [info.id for info in list_tasks()]
    while calls < arguments.calls:
        for name in names:
            made, wrong = episode(AgentWorldEnv(get_task(name)), seed, min(EPISODE, arguments.calls - calls))
            calls, failed, episodes = calls + made, failed + wrong, episodes + 1
            if calls >= arguments.calls:
                break
        seed += 1
    took = time.perf_counter() - begin
    print(
        f"{calls:,} calls in {episodes:,} episodes of {len(names)} tasks, {failed:,} failed as they should;"
    )
    print(f"no breach, {took:.0f} s")


if __name__ == "__main__":
    main()
