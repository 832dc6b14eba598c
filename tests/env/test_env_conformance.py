from __future__ import annotations

import warnings
from typing import Any

from pettingzoo.test import api_test, render_test, seed_test
from tests.env.teams import boss_crew, crew

from agentworld_env.env import AgentWorldEnv

EXPECTED_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    'We recommend agents to be named in the format <descriptor>_<number>, like "player_0"',
}
"""What PettingZoo says about text observations, tool calls as actions, and agents named after their roles."""


def test_the_api_test_passes_with_exactly_the_four_warnings_of_custom_spaces_and_role_names(
    capsys: Any,
) -> None:
    for task in (crew(rounds=500), boss_crew()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            api_test(AgentWorldEnv(task), num_cycles=1_000)
        assert {str(warning.message) for warning in caught} == EXPECTED_WARNINGS


def test_the_seed_test_passes() -> None:
    seed_test(lambda: AgentWorldEnv(crew()), num_cycles=40)


def test_the_render_test_passes_for_every_mode(capsys: Any) -> None:
    render_test(lambda render_mode=None: AgentWorldEnv(crew(), render_mode=render_mode))
    assert "Round 1 of 40" in capsys.readouterr().out
