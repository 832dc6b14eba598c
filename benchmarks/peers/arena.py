"""Plays well-formed random moves in games of TextArena; run by the interpreter of that peer's environment."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

import textarena

EPISODES = 10
MOST = 400

Move = Callable[[int, int, random.Random], str]


def vote(_player: int, size: int, rng: random.Random) -> str:
    """Returns a suspicion and a vote."""
    return f"I suspect [{rng.randrange(size)}]"


def bet(_player: int, _size: int, rng: random.Random) -> str:
    """Returns a move of poker."""
    return rng.choice(("[Check]", "[Call]", "[Fold]"))


def cooperate(player: int, size: int, _rng: random.Random) -> str:
    """Returns a decision for every other player."""
    return " ".join(f"[{other} cooperate]" for other in range(size) if other != player)


GAMES: tuple[tuple[str, int, Move], ...] = (
    ("ThreePlayerIPD-v0", 3, cooperate),
    ("Poker-v0", 6, bet),
    ("SecretMafia-v0", 15, vote),
)


def play(game: str, size: int, move: Move) -> float:
    """Returns agent-steps per second of process time, each with its observation text."""
    steps = 0
    begin = time.process_time()
    for seed in range(EPISODES):
        env = textarena.make(game)
        env.reset(num_players=size, seed=seed)
        rng = random.Random(seed)
        for _ in range(MOST):
            player, _observation = env.get_observation()
            done, _ = env.step(move(player, size, rng))
            steps += 1
            if done:
                break
    return steps / (time.process_time() - begin)


def main() -> None:
    """Prints rates as JSON: name -> agent-steps per second."""
    print(
        json.dumps(
            {
                f"{game}, {size} players": max(play(game, size, move) for _ in range(3))
                for game, size, move in GAMES
            }
        )
    )


if __name__ == "__main__":
    main()
