"""Snapshots: what would have happened if one turn had gone differently?"""

import agentworld_env

env = agentworld_env.make("t86_forge_vanguard")
env.reset(seed=1)
for _ in range(12):
    _, _, _, _, info = env.last(observe=False)
    env.step(env.action_space(env.agent_selection).sample(info["action_mask"]))

before = env.snapshot()
hashes = []
for rounds in (1, 3):
    env.restore(before)
    env.step({"tool": "sleep", "arguments": {"rounds": rounds}})
    hashes.append(env.state_hash())
print("same future" if hashes[0] == hashes[1] else "different futures", *hashes)
env.restore(before)
