"""The world's look-ups agree with brute force over all entries."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.world import load_world
from agentworld_env.world.geometry import HEIGHT, WIDTH, compass, manhattan

WORLD = load_world()
XS = st.integers(0, WIDTH - 1)
YS = st.integers(0, HEIGHT - 1)


@settings(max_examples=60, deadline=None)
@given(XS, YS, st.integers(0, 80))
def test_nodes_near_are_all_nodes_within_the_radius_nearest_first(x: int, y: int, radius: int) -> None:
    found = WORLD.nodes_near(x, y, radius)
    expected = sorted(
        (manhattan(x, y, node.x, node.y), i)
        for i, node in enumerate(WORLD.nodes)
        if manhattan(x, y, node.x, node.y) <= radius
    )
    assert list(found) == expected
    assert WORLD.nodes_near(x, y, radius) == found


@settings(max_examples=60, deadline=None)
@given(XS, YS, st.integers(0, 80))
def test_mob_homes_near_are_all_homes_within_the_radius(x: int, y: int, radius: int) -> None:
    expected = [i for i, m in enumerate(WORLD.mob_spawns) if manhattan(x, y, m.x, m.y) <= radius]
    assert list(WORLD.mob_homes_near(x, y, radius)) == expected


@settings(max_examples=60, deadline=None)
@given(XS, YS)
def test_place_at_is_a_smallest_place_that_holds_the_tile(x: int, y: int) -> None:
    holding = [p for p in WORLD.places.values() if p.x0 <= x <= p.x1 and p.y0 <= y <= p.y1]
    found = WORLD.place_at(x, y)
    if not holding:
        assert found is None
    else:
        assert found in holding
        least = min((p.x1 - p.x0 + 1) * (p.y1 - p.y0 + 1) for p in holding)
        assert (found.x1 - found.x0 + 1) * (found.y1 - found.y0 + 1) == least


@given(st.integers(-2, WIDTH + 1), st.integers(-2, HEIGHT + 1))
def test_nothing_outside_the_map_is_walkable(x: int, y: int) -> None:
    if not (0 <= x < WIDTH and 0 <= y < HEIGHT):
        assert not WORLD.is_walkable(x, y)
    else:
        assert WORLD.is_walkable(x, y) == (WORLD.walkable[y * WIDTH + x] == 1)


@given(st.integers(-500, 500), st.integers(-500, 500))
def test_the_compass_turns_round_when_the_offset_does(dx: int, dy: int) -> None:
    opposite = {"north": "south", "south": "north", "east": "west", "west": "east", "here": "here"}
    assert compass(-dx, -dy) == "-".join(opposite[part] for part in compass(dx, dy).split("-"))


def test_compass_words_point_north_upwards_and_east_rightwards() -> None:
    assert compass(0, -5) == "north"
    assert compass(5, 0) == "east"
    assert compass(-5, 5) == "south-west"
