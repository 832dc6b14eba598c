"""The policies that need neither model nor person."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from agentworld_env import make, run_episode
from agentworld_env.evaluate.seating import briefs_of
from agentworld_env.policies import Brief, Decision, Turn
from agentworld_env.policies.idle import IdlePolicy
from agentworld_env.policies.random_play import RandomPolicy, random_flat
from agentworld_env.policies.replay import ReplayPolicy

TASK = "t86_forge_vanguard"


class Legal(dict[str, tuple[dict[str, Any], ...]]):
    """Stands for the legal calls of a turn."""

    def calls(self) -> list[dict[str, Any]]:
        return [{"tool": tool, "arguments": dict(one)} for tool, many in self.items() for one in many]


# One call of one tool, nine of another, and the tool that must never be drawn.
LEGAL = Legal(sleep=({"rounds": 1},), chat=tuple({"message": str(k)} for k in range(9)), complete=({},))


def brief(agent: str) -> Brief:
    return Brief(
        agent=agent, title="", objective="", role="", guide="", team=("a", "b"), max_rounds=9, tools=()
    )


def begun(policy: RandomPolicy, seed: int = 1) -> RandomPolicy:
    policy.begin({agent: brief(agent) for agent in ("a", "b")}, seed)
    return policy


def turn(round_: int, agent: str = "a", legal: Any = LEGAL) -> Turn:
    return Turn(agent=agent, round=round_, observation="", info={"legal": legal})


def test_an_idle_team_sleeps_and_never_leaves() -> None:
    episode = run_episode("t01_magic_staff", IdlePolicy(), seed=4)
    assert {line.call["tool"] for line in episode.lines} == {"sleep"}
    assert len(episode.lines) == 75


@pytest.mark.parametrize(("policy", "share"), [(RandomPolicy(), 0.5), (random_flat(), 0.1)])
def test_random_play_draws_tools_first_and_flat_play_all_calls_alike(
    policy: RandomPolicy, share: float
) -> None:
    begun(policy)
    drawn = Counter(policy.act(turn(r))["tool"] for r in range(1, 4001))
    # Four standard deviations of a binomial share.
    assert abs(drawn["sleep"] / 4000 - share) < 4 * (share * (1 - share) / 4000) ** 0.5
    assert "complete" not in drawn


def test_arguments_are_drawn_uniformly() -> None:
    policy = begun(RandomPolicy())
    calls = (policy.act(turn(r)) for r in range(1, 8001))
    drawn = Counter(call["arguments"]["message"] for call in calls if call["tool"] == "chat")
    total = sum(drawn.values())
    assert len(drawn) == 9
    assert all(abs(n / total - 1 / 9) < 4 * (8 / 81 / total) ** 0.5 for n in drawn.values())


@pytest.mark.parametrize("flat", [False, True])
def test_an_agent_that_can_only_leave_leaves(flat: bool) -> None:
    only = Legal(complete=({"response": "x"},))
    assert begun(RandomPolicy(flat)).act(turn(1, legal=only))["tool"] == "complete"


@pytest.mark.parametrize("flat", [False, True])
def test_a_draw_depends_on_seed_agent_and_round_only(flat: bool) -> None:
    straight = begun(RandomPolicy(flat))
    expected = [straight.act(turn(r)) for r in range(1, 40)]
    other = begun(RandomPolicy(flat))
    for r in range(39, 0, -1):
        other.act(turn(r, "b"))
        other.recall(turn(r), Decision(call=None))
        assert other.act(turn(r)) == expected[r - 1]
    assert [begun(RandomPolicy(flat), seed=2).act(turn(r)) for r in range(1, 40)] != expected
    assert [straight.act(turn(r, "b")) for r in range(1, 40)] != expected


def test_random_play_makes_only_legal_calls() -> None:
    env = make(TASK)
    env.reset(seed=3)
    policy = RandomPolicy()
    policy.begin(briefs_of(env), 3)
    while not env.is_over and env.round <= 8:
        agent = env.agent_selection
        info = env.infos[agent]
        call = policy.act(Turn(agent=agent, round=env.round, observation="", info=info))
        assert call in info["legal"].calls()
        env.step(call)


def test_a_replayed_episode_is_the_episode() -> None:
    original = run_episode(TASK, RandomPolicy(), seed=6)
    again = run_episode(TASK, ReplayPolicy(original), seed=6)
    assert again.lines == original.lines
    assert again.footer == original.footer


def test_where_a_replay_has_no_call_the_agent_sleeps() -> None:
    original = run_episode("t01_magic_staff", RandomPolicy(), seed=6)
    del original.lines[10:]
    again = run_episode("t01_magic_staff", ReplayPolicy(original), seed=6)
    assert [line.call for line in again.lines[:10]] == [line.call for line in original.lines]
    assert {line.call["tool"] for line in again.lines[10:]} == {"sleep"}


def test_the_configuration_tells_replays_of_different_calls_apart() -> None:
    one = run_episode("t01_magic_staff", RandomPolicy(), seed=6)
    two = run_episode("t01_magic_staff", RandomPolicy(), seed=7)
    assert ReplayPolicy(one).config() == ReplayPolicy(one).config()
    assert ReplayPolicy(one).config() != ReplayPolicy(two).config()
