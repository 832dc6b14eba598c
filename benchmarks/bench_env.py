"""Times the environment: ``python benchmarks/bench_env.py [--seconds S]``.

The workload is recorded episodes of random legal calls. They are replayed literally, once on a world whose memos of
paths and neighbourhoods are empty (cold) and then again and again (warm); "choosing" plays anew and so pays for listing
the legal calls, too. One agent-step is one call of one agent.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.world import load_world

Call = dict[str, Any]
EPISODES = 6


def play(env: AgentWorldEnv, seed: int, choose: Callable[[AgentWorldEnv], Call], *, text: bool) -> int:
    """Plays one episode and returns its agent-steps."""
    env.reset(seed=seed)
    steps = 0
    while env.agents:
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
            continue
        if text:
            env.observe(agent)
        env.step(choose(env))
        steps += 1
    return steps


def chooser(seed: int) -> Callable[[AgentWorldEnv], Call]:
    """Returns a random player of legal calls."""
    rng = np.random.default_rng(seed)

    def below(limit: int) -> int:
        return int(rng.integers(limit))

    return lambda env: sample_legal(env.infos[env.agent_selection]["legal"], below)


def record(env: AgentWorldEnv) -> list[list[Call]]:
    """Returns the calls of some random episodes."""
    episodes = []
    for seed in range(EPISODES):
        calls: list[Call] = []
        choose = chooser(seed)

        def keep(
            env: AgentWorldEnv, choose: Callable[[AgentWorldEnv], Call] = choose, calls: list[Call] = calls
        ) -> Call:
            calls.append(choose(env))
            return calls[-1]

        play(env, seed, keep, text=False)
        episodes.append(calls)
    return episodes


def replay(env: AgentWorldEnv, episodes: list[list[Call]], *, text: bool) -> tuple[int, float]:
    """Replays episodes and returns agent-steps and seconds."""
    begin = time.perf_counter()
    steps = 0
    for seed, calls in enumerate(episodes):
        ahead = iter(calls)
        steps += play(env, seed, lambda _, ahead=ahead: next(ahead), text=text)  # type: ignore[misc]
    return steps, time.perf_counter() - begin


def rate(run: Callable[[], tuple[int, float]], seconds: float) -> float:
    """Returns the best rate (agent-steps per second) of repeated runs within a time (seconds)."""
    best, spent = 0.0, 0.0
    while spent < seconds:
        steps, took = run()
        best = max(best, steps / took)
        spent += took
    return best


def choosing(env: AgentWorldEnv, *, text: bool) -> tuple[int, float]:
    """Plays random episodes and returns agent-steps and seconds."""
    begin = time.perf_counter()
    steps = sum(play(env, seed, chooser(seed), text=text) for seed in range(EPISODES))
    return steps, time.perf_counter() - begin


def micro(run: Callable[[], object], count: int) -> float:
    """Returns the median time of a call (microseconds)."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def import_time(statement: str) -> float:
    """Returns how long a statement takes in a fresh process, less the interpreter's own start (milliseconds)."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    return 1e3 * min(runs)


def rows(task_id: str, seconds: float) -> list[tuple[str, str]]:
    """Returns the table of one task."""
    task = get_task(task_id)
    episodes = record(AgentWorldEnv(task))
    steps = sum(len(calls) for calls in episodes)
    load_world.cache_clear()
    env = AgentWorldEnv(task)
    cold, took = replay(env, episodes, text=False)
    size = len(task.team)
    table = [
        (f"{task_id}, {size} agents, {steps} steps", ""),
        ("  replay, no text, cold", f"{cold / took:>10,.0f} steps/s"),
        ("  replay, no text", f"{rate(lambda: replay(env, episodes, text=False), seconds):>10,.0f} steps/s"),
        ("  replay, text", f"{rate(lambda: replay(env, episodes, text=True), seconds):>10,.0f} steps/s"),
        ("  choosing, no text", f"{rate(lambda: choosing(env, text=False), seconds):>10,.0f} steps/s"),
        ("  choosing, text", f"{rate(lambda: choosing(env, text=True), seconds):>10,.0f} steps/s"),
    ]
    env.reset(seed=0)
    for call in episodes[0][: len(episodes[0]) // 2]:
        env.step(call)
    aside = env.snapshot()
    table += [
        ("  snapshot, mid-episode", f"{micro(env.snapshot, 300):>10,.1f} us"),
        ("  restore", f"{micro(lambda: env.restore(aside), 300):>10,.1f} us"),
        ("  state hash", f"{micro(env.state_hash, 300):>10,.1f} us"),
        ("  reset", f"{micro(lambda: env.reset(seed=1), 100):>10,.1f} us"),
        ("  make again", f"{micro(lambda: AgentWorldEnv(task), 50):>10,.1f} us"),
    ]
    return table


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0, help="time per rate (seconds)")
    seconds = parser.parse_args().seconds
    sizes = sorted((info.team_size, info.id) for info in list_tasks())
    smallest = next(name for size, name in sizes if size >= 3)
    table = [
        ("import agentworld_env", f"{import_time('import agentworld_env'):>10,.1f} ms"),
        (
            "import and first make",
            f"{import_time(f'import agentworld_env as a; a.make({smallest!r})'):>10,.1f} ms",
        ),
    ]
    for name in (smallest, sizes[-1][1]):
        table += rows(name, seconds)
    for what, value in table:
        print(f"{what:44}{value}")


if __name__ == "__main__":
    main()
