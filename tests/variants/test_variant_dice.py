"""Draws are functions of their key and nothing else."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.variants.dice import Dice


@given(st.text(max_size=10), st.integers(0, 10**6), st.integers(1, 1000))
def test_a_draw_is_the_digest_of_key_and_number_reduced_to_the_range(
    name: str, seed: int, limit: int
) -> None:
    dice = Dice(name, seed)
    for number in range(3):
        digest = hashlib.blake2b(f"{name}|{seed}|{number}".encode(), digest_size=8).digest()
        assert dice.below(limit) == int.from_bytes(digest, "big") % limit


@given(st.lists(st.integers(), max_size=12), st.integers(0, 99))
def test_shuffling_keeps_everything_and_leaves_the_list_alone(things: list[int], seed: int) -> None:
    before = list(things)
    assert sorted(Dice(seed).shuffled(things)) == sorted(before)
    assert things == before


def test_draws_of_equal_chances_are_spread_evenly() -> None:
    dice = Dice("spread")
    counts = [0] * 4
    for _ in range(4000):
        counts[dice.below(4)] += 1
    # Four standard deviations of a binomial with 4000 draws at a quarter are 110.
    assert all(abs(count - 1000) < 110 for count in counts)
