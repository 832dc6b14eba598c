"""The plain PettingZoo loop: a random team on one task, and what came of it."""

import agentworld_env

env = agentworld_env.make("t01_magic_staff")
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    if terminated or truncated:
        action = None
    else:
        action = env.action_space(agent).sample(info["action_mask"])
    env.step(action)

verdict = env.verdict()
print(f"success {verdict.success}, PSR {verdict.psr:.2f}")
for checkpoint in verdict.checkpoints:
    print(f"  [{'x' if checkpoint.reached else ' '}] {checkpoint.text}")
