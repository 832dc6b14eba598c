"""Times the environment: ``python benchmarks/bench_env.py [--seconds S] [--quick]``.

The workload is recorded episodes of random legal calls. They are replayed literally, once in a process whose memos of
ways and neighbourhoods are empty (cold) and then again and again (warm). "Choosing" plays anew: it finds out which
tools have legal calls and lists those of the one drawn; "enumerating" writes out every legal call of every turn. One
agent-step is one call of one agent. Rates are taken in process time, the best of several runs.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

from workload import Call, Episodes, chooser, choosing, open_world, play, rate, record, replay

from agentworld_env.env import AgentWorldEnv
from agentworld_env.tasks import get_task
from agentworld_env.tasks.task import Task
from agentworld_env.world import load_world

SMALL, LARGE = "t01_magic_staff", "t94_maritime_trading"
"""Teams of 3 and of 20."""

SIZES = (3, 10, 30, 100, 300, 1000)
FURTHER = 20
"""So many further environments are made to weigh one."""


def line(what: str, value: float, unit: str, digits: int = 0) -> None:
    """Prints one row."""
    print(f"  {what:42}{value:>12,.{digits}f} {unit}", flush=True)


def micro(run: Callable[[], object], count: int) -> float:
    """Returns the median process time of a call (microseconds), the best of five batches."""
    batches = []
    for _ in range(5):
        times = []
        for _ in range(count):
            begin = time.process_time_ns()
            run()
            times.append(time.process_time_ns() - begin)
        batches.append(statistics.median(times) / 1e3)
    return min(batches)


def fresh_process(setup: str, statement: str) -> tuple[float, float]:
    """Returns the least wall time and process time of a statement in a fresh process (milliseconds)."""
    code = (
        f"import time; {setup}; w, c = time.perf_counter(), time.process_time(); {statement}; "
        "print(time.perf_counter() - w, time.process_time() - c)"
    )
    runs = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        wall, cpu = done.stdout.split()
        runs.append((1e3 * float(wall), 1e3 * float(cpu)))
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def start() -> None:
    """Prints what importing and making cost."""
    print("start")
    setup = "from pettingzoo import AECEnv; import numpy"
    line("import agentworld_env", fresh_process("pass", "import agentworld_env")[0], "ms", 1)
    wall, cpu = fresh_process(setup, f"import agentworld_env as a; a.make({SMALL!r})")
    line("first make, pettingzoo imported", wall, f"ms ({cpu:.0f} ms of process time)", 1)
    get_task(SMALL)
    line("make again", micro(lambda: AgentWorldEnv(get_task(SMALL)), 50) / 1e3, "ms", 2)


def one_task(name: str, seconds: float) -> None:
    """Prints the figures of a task."""
    task = get_task(name)
    load_world.cache_clear()
    env = AgentWorldEnv(task)
    episodes = record(env)
    print(f"{name}, {len(task.team)} agents, {sum(map(len, episodes))} steps in {len(episodes)} episodes")
    load_world.cache_clear()
    env = AgentWorldEnv(task)
    steps, took = replay(env, episodes, text=False)
    line("stepping, cold", steps / took, "steps/s")
    line("stepping", rate(lambda: replay(env, episodes, text=False), seconds), "steps/s")
    line("stepping with text", rate(lambda: replay(env, episodes, text=True), seconds), "steps/s")
    line("choosing", rate(lambda: choosing(env, text=False), seconds), "steps/s")
    line("enumerating", rate(lambda: choosing(env, text=False, enumerate_all=True), seconds), "steps/s")
    line("choosing with text", rate(lambda: choosing(env, text=True), seconds), "steps/s")
    half_way(env, episodes)
    aside = env.snapshot()
    line("snapshot, half-way", micro(env.snapshot, 200), "us", 1)
    line("restore", micro(lambda: env.restore(aside), 200), "us", 1)
    line("state hash", micro(env.state_hash, 200), "us", 1)
    line("reset", micro(lambda: env.reset(seed=1), 100), "us", 1)
    line("memory of a further environment, reset", weigh(task, None), "kB")
    line("memory of a further environment, played", weigh(task, episodes), "kB")


def half_way(env: AgentWorldEnv, episodes: Episodes) -> None:
    """Plays half of the first episode."""
    replay(env, [episodes[0][: len(episodes[0]) // 2]], text=False)


def weigh(task: Task, episodes: Episodes | None) -> float:
    """Returns the memory of one more environment in a process (kB), after its reset or half an episode."""
    one = AgentWorldEnv(task)
    one.reset(seed=0)
    if episodes:
        half_way(one, episodes)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = []
    for _ in range(FURTHER):
        env = AgentWorldEnv(task)
        env.reset(seed=0)
        if episodes:
            half_way(env, episodes)
        kept.append(env)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(kept) == FURTHER
    return grown / FURTHER / 1e3


def crowds(rounds: int, sizes: tuple[int, ...]) -> None:
    """Prints how the cost of an agent-step grows with the team."""
    print(f"open world, {rounds} rounds, microseconds per agent-step: stepping, choosing, stepping with text")
    for size in sizes:
        env = AgentWorldEnv(open_world(size, rounds))
        count = max(1, 60 // size)
        begin = time.perf_counter()
        episodes = record(env, count)
        took = time.perf_counter() - begin
        runs = 2 if size >= 300 else 5
        bare = min(_cost(replay(env, episodes, text=False)) for _ in range(runs))
        drawn = min(_cost(choosing(env, text=False, episodes=count)) for _ in range(runs))
        text = min(_cost(replay(env, episodes, text=True)) for _ in range(1 if size >= 300 else 3))
        steps = sum(map(len, episodes))
        print(
            f"  {size:>5} agents {bare:>8.1f} {drawn:>8.1f} {text:>8.1f}   {steps:>7,} steps, first run {took:.1f} s",
            flush=True,
        )


def _cost(run: tuple[int, float]) -> float:
    return 1e6 * run[1] / run[0]


def sights() -> None:
    """Prints what a text costs where much and where little is in sight."""
    print("text by resource nodes in sight")
    env = AgentWorldEnv(open_world(10))
    env.reset(seed=1)
    world, me, name = env.sim.world, env.sim.state.agents[0], env.possible_agents[0]
    rows = [
        (len(world.nodes_near(x, y, env.sim.rules.sight_nodes)), x, y)
        for x in range(8, world.width, 24)
        for y in range(8, world.height, 24)
        if world.is_walkable(x, y)
    ]
    rows.sort()
    for nodes, x, y in (rows[len(rows) * share // 100] for share in (5, 25, 50, 75, 95, 99)):
        me.x, me.y = x, y
        env.restore(env.snapshot())
        view, me = env.view, env.sim.state.agents[0]

        def look() -> str:
            env._texts.clear()
            return env.observe(name)

        legal = micro(lambda view=view: len(env.legal(name).calls()), 100)  # type: ignore[misc]
        print(f"  {nodes:>5} nodes: text {micro(look, 100):>7.1f} us, all legal calls {legal:>7.1f} us")


def lengths(rounds: int) -> None:
    """Prints the cost of an agent-step in each quarter of a long episode of hardy agents who start no fights."""
    env = AgentWorldEnv(open_world(10, rounds, health=135))
    print(f"quarters of an episode of {rounds} rounds, 10 agents, microseconds per agent-step")
    for text in (False, True):
        runs = [quarters(env, rounds, text=text) for _ in range(3)]
        least = [min(run[k] for run in runs) for k in range(len(runs[0]))]
        what = "choosing with text" if text else "choosing"
        print(
            f"  {what:20}",
            "  ".join(f"{cost:7.1f}" for cost in least),
            f"  {len(env.sim.state.events):,} events",
        )


def quarters(env: AgentWorldEnv, rounds: int, *, text: bool) -> list[float]:
    """Plays one episode and returns the cost of an agent-step in each quarter of it (microseconds)."""
    draw, marks = chooser(0), [(0, time.process_time())]
    steps = 0

    def peaceful(env: AgentWorldEnv) -> Call:
        nonlocal steps
        if env.round > len(marks) * rounds // 4:
            marks.append((steps, time.process_time()))
        steps += 1
        call = draw(env)
        return {"tool": "sleep", "arguments": {}} if call["tool"] == "attack_entity" else call

    play(env, 0, peaceful, text=text)
    marks.append((steps, time.process_time()))
    return [1e6 * (t1 - t0) / (s1 - s0) for (s0, t0), (s1, t1) in pairwise(marks)]


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0, help="process time per rate (seconds)")
    parser.add_argument(
        "--quick", action="store_true", help="leave out the large crowds and the long episode"
    )
    arguments = parser.parse_args()
    start()
    for name in (SMALL, LARGE):
        one_task(name, arguments.seconds)
    sights()
    lengths(100 if arguments.quick else 400)
    crowds(50, SIZES[:4] if arguments.quick else SIZES)


if __name__ == "__main__":
    main()
