"""Random play: an agent's draws follow from its place in the whole team, whoever plays the others."""

from __future__ import annotations

from typing import Any

from agentworld_env import run_episode
from agentworld_env.policies import Turn
from agentworld_env.policies.mixed import MixedPolicy
from agentworld_env.policies.random_play import RandomPolicy

TASK = "t01_magic_staff"


class Fixed:
    """Stands for the list of legal calls: many of one tool, so that a call shows what was drawn."""

    tools = ("move_character",)

    def __iter__(self) -> Any:
        return iter(self.tools)

    def __contains__(self, tool: object) -> bool:
        return tool in self.tools

    def __len__(self) -> int:
        return 1

    def __getitem__(self, tool: str) -> Any:
        return [{"x": x, "y": 0} for x in range(10_000)]

    def calls(self) -> Any:
        return [{"tool": "move_character", "arguments": arguments} for arguments in self["move_character"]]


def _draws(policy: Any, agent: str) -> list[int]:
    turns = [Turn(agent=agent, round=k, observation="", info={"legal": Fixed()}) for k in range(1, 9)]
    return [policy.act(turn)["arguments"]["x"] for turn in turns]


def _begun(policy: Any) -> Any:
    class Held:
        """Takes the briefs of an episode that is then played without the policy."""

        name = "held"

        def begin(self, briefs: Any, seed: int) -> None:
            policy.begin(briefs, seed)

        def act(self, turn: Turn) -> Any:
            return {"tool": "complete", "arguments": {"response": "done"}}

    run_episode(TASK, Held(), seed=4)
    return policy


def test_a_random_member_of_a_mixed_team_draws_as_in_a_random_team_and_unlike_the_others() -> None:
    for flat in (False, True):
        alone = _begun(RandomPolicy(flat))
        parts = [
            ("lumberjack", RandomPolicy(flat)),
            ("woodworker", RandomPolicy(flat)),
            ("*", RandomPolicy(flat)),
        ]
        mixed = _begun(MixedPolicy(parts))
        drawn = {agent: _draws(alone, agent) for agent in ("lumberjack", "woodworker", "wizard")}
        assert {agent: _draws(mixed, agent) for agent in drawn} == drawn
        assert len({tuple(draws) for draws in drawn.values()}) == 3


def test_a_random_team_plays_the_same_episode_as_one_policy_or_as_several() -> None:
    one = run_episode(TASK, RandomPolicy(), seed=4)
    several = MixedPolicy([("w*", RandomPolicy()), ("*", RandomPolicy())])
    assert [line.call for line in run_episode(TASK, several, seed=4).lines] == [
        line.call for line in one.lines
    ]
