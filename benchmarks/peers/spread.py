"""Plays random actions in mpe2's simple_spread; run by the interpreter of that peer's environment."""

from __future__ import annotations

import json
import time
from typing import Any

from mpe2 import simple_spread_v3

EPISODES = 3


def play(env: Any, actions: list[Any], observe: bool) -> float:
    """Returns agent-steps per second of process time."""
    steps = 0
    begin = time.process_time()
    for seed in range(EPISODES):
        env.reset(seed=seed)
        while env.agents:
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                env.step(None)
                continue
            if observe:
                env.observe(agent)
            env.step(actions[steps % len(actions)])
            steps += 1
    return steps / (time.process_time() - begin)


def main() -> None:
    """Prints rates as JSON: name -> agent-steps per second."""
    rates = {}
    for size in (3, 20):
        env = simple_spread_v3.env(N=size, max_cycles=25)
        space = env.action_space("agent_0")
        space.seed(0)
        actions = [space.sample() for _ in range(997)]
        rates[f"stepping, N={size}"] = max(play(env, actions, False) for _ in range(3))
        rates[f"with observations, N={size}"] = max(play(env, actions, True) for _ in range(2))
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
