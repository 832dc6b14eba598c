"""Prints one hash of many episodes: ``python benchmarks/digest.py``, the same under every Python and hash seed.

Random legal calls, drawn with the package's own integer arithmetic, are played on every task; every state hash and
every fifth observation goes into the hash. Run it with two interpreters, or on two machines, and compare the lines.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.sim import randomness as rng
from agentworld_env.tasks import get_task, list_tasks

STEPS = 200
"""Most agent-steps of a task."""

SEED = 7


def main() -> None:
    """Plays and prints."""
    digest = hashlib.blake2b(digest_size=16)
    steps = drawn = 0

    def below(limit: int) -> int:
        nonlocal drawn
        drawn += 1
        return rng.below(limit, rng.draw(SEED, rng.POLICY, 0, 0, 0, drawn))

    for info in list_tasks():
        env = AgentWorldEnv(get_task(info.id))
        env.reset(seed=SEED)
        played = 0
        while env.agents and played < STEPS:
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                env.step(None)
                continue
            if played % 5 == 0:
                digest.update(env.observe(agent).encode())
            env.step(sample_legal(env.infos[agent]["legal"], below))
            digest.update(env.state_hash().encode())
            played += 1
        steps += played
    print(f"{digest.hexdigest()}  {steps:,} steps, Python {sys.version.split()[0]}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()
