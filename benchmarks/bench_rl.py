"""Times what learners use: ``python benchmarks/bench_rl.py [--seconds S] [--only NAME]``.

The workload is recorded episodes of random legal indices, the tool drawn first, as in ``bench_env.py``. They are
replayed literally, so that the cost of choosing is left out; features and masks of every agent are written every round.
One agent-step is one action of one agent. Single environments are timed in process time; vector environments, which may
use several processes, in wall time and in the processor time of all of them. All rates are the best of several runs.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from arguments import at_least

from agentworld_env.env import ParallelAgentWorldEnv
from agentworld_env.env.discrete.slots import SEGMENTS, START
from agentworld_env.learning.vector import TeamVectorEnv
from agentworld_env.tasks import get_task

SMALL, LARGE = "t01_magic_staff", "t94_maritime_trading"
"""Teams of 3 and of 20."""

STARTS = np.array([START[segment.name] for segment in SEGMENTS])
TOOLS = np.array([segment.tool for segment in SEGMENTS])


def tool_first(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Returns a random legal index: the tool uniformly among those with any, then the index uniformly."""
    legal = np.flatnonzero(mask)
    tools = TOOLS[np.searchsorted(STARTS, legal, side="right") - 1]
    tool = rng.choice(np.unique(tools))
    return int(rng.choice(legal[tools == tool]))


def record(name: str, episodes: int) -> list[tuple[int, list[dict[str, int]]]]:
    """Returns episodes as (seed, actions of each round)."""
    env = ParallelAgentWorldEnv(get_task(name), observation="features", action="discrete")
    found = []
    for seed in range(episodes):
        rng = np.random.default_rng(seed)
        observations, _ = env.reset(seed=seed)
        rounds = []
        while env.agents:
            actions = {agent: tool_first(observations[agent]["action_mask"], rng) for agent in env.agents}
            rounds.append(actions)
            observations = env.step(actions)[0]
        found.append((seed, rounds))
    return found


def best(run: Callable[[], float], seconds: float, times: int) -> tuple[float, float]:
    """Returns the greatest and the middle rate of several runs, each at least so many seconds long."""
    rates = sorted(run() for _ in range(times))
    return rates[-1], rates[len(rates) // 2]


def replay(name: str, seconds: float, observe: bool) -> Callable[[], float]:
    """Returns what replays recorded episodes and returns agent-steps per second of process time."""
    episodes = record(name, 12 if name == SMALL else 3)
    env = ParallelAgentWorldEnv(get_task(name), observation="features", action="discrete")

    def run() -> float:
        steps, begin = 0, time.process_time()
        while time.process_time() - begin < seconds:
            for seed, rounds in episodes:
                if observe:
                    env.reset(seed=seed)
                else:
                    env.begin(seed)
                for actions in rounds:
                    if observe:
                        env.step(actions)
                    else:
                        env.play(actions)
                    steps += len(actions)
        return steps / (time.process_time() - begin)

    return run


def cpu_seconds(pids: list[int]) -> float:
    """Returns the processor time that processes have used so far."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def vector(processes: int, seconds: float, by_wall: bool, episodes: int = 64) -> Callable[[], float]:
    """Returns what plays a vector environment and returns agent-steps per second of wall or of processor time."""
    env = TeamVectorEnv([get_task(SMALL)], episodes, processes=processes, copy=False)
    pids = [os.getpid(), *([process.pid for process in env._crew.processes] if env._crew else [])]
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    tape = []
    # Indices are drawn beforehand from the masks of a first pass, which then is played again and again.
    for _ in range(60):
        actions = np.array([tool_first(mask, rng) for mask in observation["action_mask"]])
        tape.append(actions)
        observation = env.step(actions)[0]

    def run() -> float:
        steps, begin, used = 0, time.perf_counter(), cpu_seconds(pids)
        while time.perf_counter() - begin < seconds:
            env.reset(seed=0)
            for actions in tape:
                infos = env.step(actions)[4]
                steps += int(infos["active"].sum())
        return steps / (time.perf_counter() - begin if by_wall else cpu_seconds(pids) - used)

    return run


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seconds", type=float, default=2.0, help="length of one run")
    options.add_argument(
        "--times", type=at_least(1), default=5, help="runs of each, of which the best counts"
    )
    options.add_argument("--only", default="", help="only lines that contain this")
    given = options.parse_args()
    lines: list[tuple[str, Callable[[], Callable[[], float]]]] = [
        ("3 agents, playing indices only", lambda: replay(SMALL, given.seconds, False)),
        ("3 agents, features and masks", lambda: replay(SMALL, given.seconds, True)),
        ("20 agents, playing indices only", lambda: replay(LARGE, given.seconds, False)),
        ("20 agents, features and masks", lambda: replay(LARGE, given.seconds, True)),
        *[
            (f"vector of 64, {where}, per {unit}", partial(vector, count, given.seconds, unit == "second"))
            for count, where in ((0, "this process"), (1, "1 process"), (2, "2 processes"))
            for unit in ("second", "processor second")
        ],
    ]
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; agent-steps/s, best and middle of {given.times}"
    )
    for what, make in lines:
        if given.only in what:
            top, middle = best(make(), given.seconds, given.times)
            print(f"  {what:48}{top:>10,.0f}{middle:>10,.0f}", flush=True)


if __name__ == "__main__":
    main()
