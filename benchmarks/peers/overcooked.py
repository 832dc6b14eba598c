"""Plays random joint actions in overcooked-ai; run by the interpreter of that peer's environment."""

from __future__ import annotations

import json
import random
import time

from overcooked_ai_py.mdp.actions import Action
from overcooked_ai_py.mdp.overcooked_env import OvercookedEnv
from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld

HORIZON = 400
EPISODES = 4


def main() -> None:
    """Prints rates as JSON: name -> agent-steps per second of process time, two to a joint step."""
    mdp = OvercookedGridworld.from_layout_name("cramped_room")
    env = OvercookedEnv.from_mdp(mdp, horizon=HORIZON, info_level=0)
    rng = random.Random(0)
    actions = Action.ALL_ACTIONS
    joint = [(rng.choice(actions), rng.choice(actions)) for _ in range(HORIZON)]

    def play(encode: bool) -> float:
        begin = time.process_time()
        for _ in range(EPISODES):
            env.reset()
            for action in joint:
                env.step(action)
                if encode:
                    env.lossless_state_encoding_mdp(env.state)
        return 2 * HORIZON * EPISODES / (time.process_time() - begin)

    play(False)
    rates = {
        "stepping": max(play(False) for _ in range(3)),
        "with observations": max(play(True) for _ in range(2)),
    }
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
