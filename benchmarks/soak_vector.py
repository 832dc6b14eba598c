"""Plays many episodes in a vector environment and watches its memory: ``python benchmarks/soak_vector.py``.

Random legal indices, the tool drawn first, ever new seeds. What is remembered of ways, places and bags is bounded, but
fills up as long as agents come to new places; to tell that from a leak, the first laps are left out as warm-up, and
memory is read after every lap. Memory is what this process and its children have to themselves. The script fails if a
later lap holds over 2 % more than the last one of the warm-up.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

import numpy as np
from arguments import at_least, task_id
from bench_rl import tool_first

from agentworld_env.learning.vector import TeamVectorEnv
from agentworld_env.tasks import get_task

LAP = 100
"""Episodes of a lap."""


def resident(pids: list[int]) -> int:
    """Returns the resident memory that processes have to themselves (kB); library pages come and go with others."""
    total = 0
    for pid in pids:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Anonymous:"))
    return total


def main() -> None:
    """Plays and prints a line for every lap."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--task", type=task_id, default="t01_magic_staff")
    options.add_argument("--episodes", type=at_least(1), default=3_000)
    options.add_argument(
        "--warm-up", type=at_least(0), default=1_500, help="Episodes that come before the comparison."
    )
    options.add_argument("--at-once", type=at_least(1), default=16)
    options.add_argument("--processes", type=at_least(0), default=0)
    given = options.parse_args()
    env = TeamVectorEnv([get_task(given.task)], given.at_once, processes=given.processes)
    pids = [*([process.pid for process in env._crew.processes] if env._crew else []), os.getpid()]
    seen: list[int] = []
    done = 0
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    while done < given.episodes:
        lap = 0
        while lap < LAP:
            actions = np.array([tool_first(mask, rng) for mask in observation["action_mask"]])
            observation, _, _, _, infos = env.step(actions)
            if "psr" in infos:
                lap += len(np.unique(env.episode_of[infos["_psr"]]))
        done += lap
        gc.collect()
        seen.append(resident(pids))
        print(f"  {done:6} episodes {seen[-1] / 1024:8.1f} MB", flush=True)
    env.close()
    warm = max(given.warm_up // LAP, 1)
    if len(seen) <= warm:
        sys.exit("nothing was played after the warm-up: --episodes must be greater than --warm-up")
    growth = 100 * (max(seen[warm:]) / seen[warm - 1] - 1)
    print(f"from the end of the warm-up to the greatest: {growth:+.2f} %")
    sys.exit(growth > 2)


if __name__ == "__main__":
    main()
