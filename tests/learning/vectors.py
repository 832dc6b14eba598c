"""Playing vector environments in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from agentworld_env.learning.vector import TeamVectorEnv


def choose(rng: np.random.Generator, mask: Any) -> Any:
    """Returns a random legal index for every slot."""
    return (rng.random(mask.shape, dtype=np.float32) * mask).argmax(1)


def trace(env: TeamVectorEnv, seed: int, steps: int) -> list[bytes]:
    """Plays at random and returns everything that comes out."""
    rng = np.random.default_rng(seed)
    observation, infos = env.reset(seed=seed)
    out = []
    for _ in range(steps):
        observation, rewards, terminations, truncations, infos = env.step(
            choose(rng, observation["action_mask"])
        )
        parts = [
            *observation["observation"].values(),
            observation["action_mask"],
            rewards,
            terminations,
            truncations,
        ]
        infos |= {f"last {name}": array for name, array in infos.pop("final_info", {}).items()}
        parts += [infos[name] for name in sorted(infos) if name != "final_obs"]
        out.append(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    return out


def idle(env: TeamVectorEnv) -> Any:
    """Returns the index for waiting for every slot."""
    return np.zeros(env.num_envs, dtype=np.int64)
