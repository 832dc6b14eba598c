"""Playing several episodes into the arrays of a vector environment."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from agentworld_env.env import ParallelAgentWorldEnv
from agentworld_env.env.discrete.slots import START
from agentworld_env.learning.arrays import Arrays

NEXT_STEP, SAME_STEP, DISABLED = "next_step", "same_step", "disabled"
AUTORESETS = (NEXT_STEP, SAME_STEP, DISABLED)

_WAIT = START["wait"]


def next_seed(base: int, episode: int) -> int:
    """Returns the seed of a further episode: a function of the first one's seed and the count, on every machine.

    Args:
        base: Seed of the first episode.
        episode: How many episodes came before, at least 1.
    """
    digest = hashlib.blake2b(f"{base}/{episode}".encode("ascii"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 16


class Group:
    """Some of a vector environment's episodes, played one after the other.

    Args:
        envs: The environments, with features and discrete actions.
        arrays: The arrays of all episodes.
        first: Number of the first episode among all.
        slot: First slot of that episode.
        autoreset: One of ``AUTORESETS``.
    """

    def __init__(
        self, envs: Sequence[ParallelAgentWorldEnv], arrays: Arrays, first: int, slot: int, autoreset: str
    ) -> None:
        self.envs = tuple(envs)
        self._arrays = arrays
        self._first = first
        self._autoreset = autoreset
        self._starts: list[int] = []
        for env in self.envs:
            self._starts.append(slot)
            slot += len(env.possible_agents)
        begin = self._starts[0]
        # Made once: each costs as much as filling one.
        self._features = [memoryview(row) for row in arrays.features[begin:slot]]
        self._masks = [memoryview(row).cast("B") for row in arrays.mask[begin:slot]]
        self._begin = begin
        self._bases = [0] * len(self.envs)
        self._played = [0] * len(self.envs)
        self._over = [False] * len(self.envs)

    def reset(self, seeds: Sequence[int | None]) -> None:
        """Starts episodes.

        Args:
            seeds: Seed of each environment's episode; None leaves it as it is.
        """
        for k, seed in enumerate(seeds):
            if seed is not None:
                self._bases[k], self._played[k] = seed, 0
                self._start(k, seed)

    def _start(self, k: int, seed: int) -> None:
        env, arrays, start = self.envs[k], self._arrays, self._starts[k]
        env.begin(seed)
        stop = start + len(env.possible_agents)
        arrays.rewards[start:stop] = 0.0
        arrays.terminations[start:stop] = False
        arrays.truncations[start:stop] = False
        arrays.active[start:stop] = False
        arrays.ended[self._first + k] = False
        arrays.seeds[self._first + k] = seed
        self._over[k] = False
        self._played[k] += 1
        for offset, name in enumerate(env.possible_agents):
            self._look(env, name, start + offset)

    def _next(self, k: int) -> None:
        self._start(k, next_seed(self._bases[k], self._played[k]))

    def _look(self, env: ParallelAgentWorldEnv, name: str, slot: int) -> None:
        senses = env.interface.senses
        senses.write(name, self._features[slot - self._begin])
        senses.write_mask(name, self._masks[slot - self._begin])

    def step(self) -> None:
        """Plays a round of every episode with the actions in the arrays, and starts those again that are over.

        Where nothing starts again by itself, whoever calls has made sure that none is over.
        """
        for k, over in enumerate(self._over):
            if over:
                self._next(k)
            else:
                self._step(k)

    def _step(self, k: int) -> None:
        env, arrays, start = self.envs[k], self._arrays, self._starts[k]
        team = env.possible_agents
        chosen = arrays.actions[start : start + len(team)].tolist()
        rewards, terminations, truncations = env.play(dict(zip(team, chosen, strict=True)))
        for offset, name in enumerate(team):
            slot = start + offset
            if name not in rewards:
                self._leave_empty(slot)
                continue
            done = terminations[name] or truncations[name]
            arrays.active[slot] = True
            arrays.rewards[slot] = rewards[name]
            arrays.terminations[slot] = terminations[name]
            arrays.truncations[slot] = truncations[name]
            self._look(env, name, slot)
            if done:
                # Its next choice is not played; a sampler needs something to choose from all the same.
                self._masks[slot - self._begin][_WAIT] = 1
                if self._autoreset == SAME_STEP:
                    arrays.final_features[slot] = arrays.features[slot]
                    arrays.final_mask[slot] = arrays.mask[slot]
        arrays.ended[self._first + k] = over = not env.agents
        if over:
            self._finish(k, env, start, start + len(team))

    def _leave_empty(self, slot: int) -> None:
        """Fills the slot of an agent whose team plays on without it."""
        arrays = self._arrays
        arrays.active[slot] = False
        arrays.rewards[slot] = 0.0
        arrays.terminations[slot] = True
        arrays.truncations[slot] = False
        arrays.features[slot] = 0
        arrays.mask[slot] = 0
        arrays.mask[slot, _WAIT] = 1

    def _finish(self, k: int, env: ParallelAgentWorldEnv, start: int, stop: int) -> None:
        arrays, number = self._arrays, self._first + k
        verifier = env.turns.verifier
        arrays.psr[number] = verifier.psr
        arrays.success[number] = verifier.success
        arrays.rounds[number] = min(env.round, env.max_rounds)
        if self._autoreset != SAME_STEP:
            self._over[k] = True
            return
        kept: list[Any] = [
            part[start:stop].copy()
            for part in (arrays.rewards, arrays.terminations, arrays.truncations, arrays.active)
        ]
        seed = arrays.seeds[number]
        self._next(k)
        arrays.rewards[start:stop], arrays.terminations[start:stop] = kept[0], kept[1]
        arrays.truncations[start:stop], arrays.active[start:stop] = kept[2], kept[3]
        arrays.ended[number] = True
        arrays.seeds[number] = seed
