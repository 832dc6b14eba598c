from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.worlds import agent, start

from agentworld_env.sim import randomness as rng
from agentworld_env.sim.randomness import below, below_each, draw, draw_each, mark, spin, stem

BITS = st.integers(0, 2**64 - 1)


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


@given(
    BITS,
    st.integers(0, 9),
    st.integers(0, 2000),
    st.integers(-1, 2000),
    st.integers(0, 500),
    st.integers(0, 20),
)
def test_a_stem_and_one_more_word_make_the_draw(
    seed: int, stream: int, actor: int, target: int, round_: int, exchange: int
) -> None:
    expected = draw(seed, stream, actor, target, round_, exchange)
    assert spin(stem(seed, stream, actor, target, round_), exchange) == expected
    assert spin(spin(stem(seed, stream, actor, 0, 0), 0), 0) != expected


@given(BITS, st.integers(0, 1), st.lists(st.integers(0, 5000), max_size=8), st.integers(1, 10_000))
def test_drawing_for_many_at_once_gives_everybody_the_same(
    seed: int, target: int, actors: list[int], limit: int
) -> None:
    bits = draw_each(seed, rng.NODE, np.array(actors, dtype=np.uint64), target)
    assert bits.tolist() == [draw(seed, rng.NODE, actor, target) for actor in actors]
    assert below_each(limit, bits).tolist() == [below(limit, int(b)) for b in bits]


@given(st.integers(0, 1000), BITS)
def test_the_mark_of_a_chance_parts_success_from_failure(chance: int, bits: int) -> None:
    assert (bits < mark(chance)) == (below(1000, bits) < chance)
    edge = mark(chance)
    # The very edge is where rounding would show.
    assert edge == 0 or below(1000, edge - 1) < chance
    assert edge == 2**64 or below(1000, edge) >= chance


@given(st.integers(0, 2**32))
def test_all_nodes_depleted_at_the_start_are_those_that_are_when_asked_one_by_one(seed: int) -> None:
    one_by_one, at_once = start(agent("a"), seed=seed), start(agent("a"), seed=seed)
    nodes = range(len(one_by_one.world.nodes))
    waits = {number: ready for number in nodes if (ready := one_by_one.node_ready(number)) > 1}
    assert at_once.depleted_at_start() == waits
    assert [at_once.node_ready(number) for number in nodes] == [waits.get(number, 1) for number in nodes]
