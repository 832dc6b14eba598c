"""What the simulation remembers to save time is what it would find anew."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sim.worlds import agent, do, start

from agentworld_env.sim import randomness as rng
from agentworld_env.sim import simulation
from agentworld_env.sim.crafting import missing_inputs, times_possible
from agentworld_env.sim.crowd import Crowd
from agentworld_env.sim.mentions import _TOKEN, _WORD, mentions
from agentworld_env.sim.rules import RULES
from agentworld_env.sim.simulation import Simulation
from agentworld_env.world.geometry import manhattan

OGRE = "ogre-king-1"
SEEDS = st.integers(0, 2**32)
TILES = st.tuples(st.integers(0, 1055), st.integers(0, 767))


@settings(max_examples=20, deadline=None)
@given(SEEDS, SEEDS, st.tuples(st.integers(90, 220), st.integers(90, 220)), st.integers(0, 60))
def test_the_homes_around_a_tile_are_those_of_the_present_seed(
    first: int, second: int, tile: tuple[int, int], radius: int
) -> None:
    def homes(sim: Simulation) -> list[tuple[int, int, int, int]]:
        numbers = (*range(len(sim.world.mob_spawns)), *sim.named.values())
        rows = [(manhattan(*tile, *sim.home(n)), n, *sim.home(n)) for n in numbers]
        return sorted(row for row in rows if row[0] <= radius)

    sim, other = (start(agent("a"), rules=RULES, spawns=(OGRE,), seed=seed) for seed in (first, second))
    aside, expected, expected_there = sim.snapshot(), homes(sim), homes(other)
    assert list(sim.homes_near(*tile, radius)) == expected
    assert list(sim.homes_near(*tile, radius)) == expected
    sim.reset(second)
    assert list(sim.homes_near(*tile, radius)) == expected_there
    sim.restore(aside)
    assert list(sim.homes_near(*tile, radius)) == expected


@given(
    SEEDS, SEEDS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40), st.integers(0, 900)), max_size=9)
)
def test_the_luck_of_a_pair_is_that_of_the_present_seed_and_round(
    first: int, second: int, keys: list[tuple[int, int, int]]
) -> None:
    sim = start(agent("a"), seed=first)
    for seed in (first, second):
        sim.reset(seed)
        for round_ in (1, 7):
            sim.state.round = round_
            for key in keys:
                assert sim.stem(*key) == rng.stem(seed, *key, round_)


def test_what_is_remembered_of_luck_and_homes_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_STEMS", 4)
    monkeypatch.setattr(simulation, "_HOME_ROWS", 4)
    sim = start(agent("a"))
    for k in range(40):
        assert sim.stem(rng.HIT, k, k) == rng.stem(sim.state.seed, rng.HIT, k, k, sim.state.round)
        sim.homes_near(k, k, 10)
    assert len(sim._stems) <= 4
    assert len(sim._homes_near) <= 4


@given(st.lists(TILES, max_size=40), TILES, st.integers(0, 90))
def test_looking_around_in_a_crowd_misses_nobody_in_reach(
    tiles: list[tuple[int, int]], at: tuple[int, int], radius: int
) -> None:
    crowd = Crowd((k, x, y) for k, (x, y) in enumerate(tiles))
    found = crowd.around(*at, radius)
    assert len(set(found)) == len(found)
    assert {k for k, tile in enumerate(tiles) if manhattan(*at, *tile) <= radius} <= set(found)


@given(st.text("ab1, 9(-)'_x", max_size=60))
def test_words_are_read_alike_whether_or_not_tiles_are_looked_for(text: str) -> None:
    found = _TOKEN.findall(text)
    if not any(x for x, _, _ in found):
        assert _WORD.findall(text) == [word for _, _, word in found]
    sim = start(agent("a"))
    # A tile at the end sends the whole message through the longer way; it must change nothing before it.
    assert mentions(sim, f"{text} . (7, 7)")[:-1] in (mentions(sim, text), mentions(sim, f"{text} ."))


def test_a_recipe_can_be_made_as_often_as_nothing_is_missing() -> None:
    # Two sticks and a fang make arrows: nine sticks are enough for four times, whatever the fangs.
    for sticks, fangs, times in ((9, 20, 4), (9, 3, 3), (1, 3, 0), (8, 0, 0)):
        bag = {item: units for item, units in (("stick", sticks), ("fang", fangs)) if units}
        sim = start(agent("a", bag=bag))
        recipe = sim.world.recipe_of["arrow"]
        assert times_possible(sim, 0, recipe) == times
        assert missing_inputs(sim, 0, recipe, times + 1)
        assert not missing_inputs(sim, 0, recipe, times)


def test_units_are_counted_over_all_lots() -> None:
    sim = start(agent("a", bag={"logs": 3}), agent("b", bag={"logs": 4}))
    assert do(sim, "b", "transfer_items", to="a", item="logs", count=4).ok
    me = sim.state.agents[0]
    assert len(me.bag["logs"]) == 2
    assert [me.count(item) for item in ("logs", "axe")] == [7, 0]
