"""What the benchmarks play: episodes of random legal calls, in the package's tasks and in an open world of any size."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from agentworld_env.calls import Call
from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.world import load_world

Choose = Callable[[AgentWorldEnv], Call]
Episodes = list[list[Call]]

TRADES: tuple[dict[str, Any], ...] = (
    {"skills": {"lumberjacking": 60, "health": 40}, "worn": ("axe",), "inventory": {"apple": 3, "logs": 4}},
    {"skills": {"mining": 60, "smelting": 40, "health": 40}, "worn": ("pickaxe",), "inventory": {"coal": 6}},
    {"skills": {"foraging": 60, "cooking": 40, "health": 40}, "inventory": {"apple": 6}},
    {"skills": {"strength": 30, "accuracy": 30, "defense": 20, "health": 60}, "inventory": {"apple": 9}},
    {"skills": {"crafting": 60, "fletching": 60, "health": 40}, "inventory": {"logs": 9, "stick": 5}},
)
"""What the agents of an open world can do and own, in turn."""


def open_world(size: int, rounds: int = 50, *, health: int | None = None) -> Task:
    """Returns a task of so many agents, spread evenly over the land, whose goal is out of reach.

    Nobody's death ends it, so that an episode lasts all its rounds.

    Args:
        size: Number of agents.
        rounds: Round budget.
        health: Health level of everybody, in place of their trades' own.
    """
    world = load_world()
    # Every start lies on the mainland, or else a random walker would be penned in on some islet.
    home = next(iter(world.places.values()))
    span = world.width * world.height
    team: dict[str, Any] = {}
    tile = span // (2 * size)
    while len(team) < size:
        # Steps of the golden section spread any number of agents evenly.
        tile = (tile + int(span * 0.6180339887498949)) % span
        x, y = tile % world.width, tile // world.width
        if world.paths.connected(home.x, home.y, x, y):
            fields = dict(TRADES[len(team) % len(TRADES)])
            if health is not None:
                fields["skills"] = {**fields["skills"], "health": health}
            team[f"agent{len(team)}"] = {"group": "hands", "about": "A hand.", "start": (x, y), **fields}
    spec = {
        "id": f"open-{size}", "title": f"Open world of {size}", "category": "gathering", "max_rounds": rounds,
        "objective": "Gather more than there is.", "team": team,
        "checkpoints": [{"kind": "gathered", "item": "logs", "count": 1_000_000, "label": "Logs"}],
    }  # fmt: skip
    return Task(TaskSpec.model_validate(spec))


def play(env: AgentWorldEnv, seed: int, choose: Choose, *, text: bool, limit: int = 1_000_000) -> int:
    """Plays one episode, or its first agent-steps, and returns how many there were."""
    env.reset(seed=seed)
    steps = 0
    while env.agents and steps < limit:
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
            continue
        if text:
            env.observe(agent)
        env.step(choose(env))
        steps += 1
    return steps


def chooser(seed: int, *, enumerate_all: bool = False) -> Choose:
    """Returns a random player of legal calls.

    Args:
        seed: Its seed.
        enumerate_all: Whether it writes out all legal calls before it draws one, as a flat policy does.
    """
    rng = np.random.default_rng(seed)

    def below(limit: int) -> int:
        return int(rng.integers(limit))

    def choose(env: AgentWorldEnv) -> Call:
        legal = env.infos[env.agent_selection]["legal"]
        if enumerate_all:
            dict(legal)
        return sample_legal(legal, below)

    return choose


def record(env: AgentWorldEnv, episodes: int = 6, limit: int = 1_000_000) -> Episodes:
    """Returns the calls of some random episodes."""
    recorded: Episodes = []
    for seed in range(episodes):
        calls: list[Call] = []
        choose = chooser(seed)

        def keep(env: AgentWorldEnv, choose: Choose = choose, calls: list[Call] = calls) -> Call:
            calls.append(choose(env))
            return calls[-1]

        play(env, seed, keep, text=False, limit=limit)
        recorded.append(calls)
    return recorded


def replay(env: AgentWorldEnv, episodes: Episodes, *, text: bool) -> tuple[int, float]:
    """Replays episodes literally and returns agent-steps and process time (seconds)."""
    begin = time.process_time()
    steps = 0
    for seed, calls in enumerate(episodes):
        ahead = iter(calls)
        steps += play(env, seed, lambda _, ahead=ahead: next(ahead), text=text, limit=len(calls))  # type: ignore[misc]
    return steps, time.process_time() - begin


def choosing(
    env: AgentWorldEnv, *, text: bool, enumerate_all: bool = False, episodes: int = 6, limit: int = 1_000_000
) -> tuple[int, float]:
    """Plays random episodes anew and returns agent-steps and process time (seconds)."""
    begin = time.process_time()
    steps = sum(
        play(env, seed, chooser(seed, enumerate_all=enumerate_all), text=text, limit=limit)
        for seed in range(episodes)
    )
    return steps, time.process_time() - begin


def rate(run: Callable[[], tuple[int, float]], seconds: float) -> float:
    """Returns the best rate (agent-steps per second) of runs repeated for a time (seconds), at least two."""
    best, spent, runs = 0.0, 0.0, 0
    while spent < seconds or runs < 2:
        steps, took = run()
        best = max(best, steps / took)
        spent += took
        runs += 1
    return best
