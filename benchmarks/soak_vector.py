"""Plays many episodes in a vector environment and watches its memory: ``python benchmarks/soak_vector.py``.

Random legal indices, tool first. Memory is that of this process and of its children, read after every tenth of the
episodes; the world's memos of ways and neighbourhoods are bounded and fill up in the first part, which is left out. The
script fails if the second half holds more than 2 % beyond the middle.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

import numpy as np
from bench_rl import tool_first

from agentworld_env.learning.vector import TeamVectorEnv
from agentworld_env.tasks import get_task


def resident(pids: list[int]) -> int:
    """Returns the proportional resident memory of processes (kB), shared pages counted once in all."""
    total = 0
    for pid in pids:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total


def main() -> None:
    """Plays and prints a line for every tenth."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--task", default="t01_magic_staff")
    options.add_argument("--episodes", type=int, default=1_000)
    options.add_argument("--at-once", type=int, default=16)
    options.add_argument("--processes", type=int, default=0)
    given = options.parse_args()
    env = TeamVectorEnv([get_task(given.task)], given.at_once, processes=given.processes)
    pids = [*([process.pid for process in env._crew.processes] if env._crew else []), os.getpid()]
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    done, tenth, seen = 0, max(1, given.episodes // 10), []
    while done < given.episodes:
        actions = np.array([tool_first(mask, rng) for mask in observation["action_mask"]])
        observation, _, _, _, infos = env.step(actions)
        if "psr" in infos:
            firsts = [env.slots(e).start for e in range(env.episodes)]
            before, done = done, done + int(infos["_psr"][firsts].sum())
            if done // tenth > before // tenth:
                gc.collect()
                seen.append(resident(pids))
                print(f"  {done:6} episodes {seen[-1] / 1024:8.1f} MB", flush=True)
    env.close()
    middle, last = seen[len(seen) // 2], max(seen[len(seen) // 2 :])
    growth = 100 * (last / middle - 1)
    print(f"from the middle to the greatest: {growth:+.2f} %")
    sys.exit(growth > 2)


if __name__ == "__main__":
    main()
