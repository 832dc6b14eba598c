from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.sim.randomness import below, draw


def test_draws_are_the_same_on_every_machine() -> None:
    # The finaliser of SplitMix64 after one addition of its constant: h(0) of seed 0, stream 0 and a zero word,
    # followed by three more such steps.
    mask = (1 << 64) - 1
    h = 0
    for _ in range(4):
        h = (h + 0x9E3779B97F4A7C15) & mask
        h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & mask
        h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & mask
        h ^= h >> 31
    assert draw(0, 0, 0, 0) == h


@given(st.integers(1, 10**6), st.integers(0, 2**64 - 1))
def test_a_number_below_a_limit_is_below_it(limit: int, bits: int) -> None:
    assert 0 <= below(limit, bits) < limit


def test_each_part_of_the_key_matters() -> None:
    base = (5, 1, 2, 3, 4, 5)
    draws = {draw(*base)}
    for place in range(6):
        changed = list(base)
        changed[place] += 1
        draws.add(draw(*changed))
    assert len(draws) == 7


def test_draws_are_spread_evenly() -> None:
    counts = [0] * 10
    for k in range(10_000):
        counts[below(10, draw(1, 1, k % 7, k % 11, k, 0))] += 1
    # 1,000 each are expected; six standard deviations are 180.
    assert all(820 < count < 1180 for count in counts)
