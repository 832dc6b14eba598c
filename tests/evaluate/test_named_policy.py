"""A policy may be given by its name."""

import pytest

from agentworld_env.errors import UnknownNameError
from agentworld_env.evaluate import run_episode


def test_a_policy_given_by_name_plays() -> None:
    assert run_episode("t01_magic_staff", "planner", seed=0).verdict.success


def test_a_mistyped_policy_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean planner"):
        run_episode("t01_magic_staff", "planer", seed=0)
