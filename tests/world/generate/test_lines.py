from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.world.generate.lines import read_lines, winding

points = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), min_size=2, max_size=5)


@given(points, st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_a_line_goes_in_single_steps_from_its_first_point_to_its_last(
    corners: list[tuple[int, int]], sway: int
) -> None:
    tiles = winding(3, corners, sway)
    assert tiles[0] == corners[0]
    assert tiles[-1] == corners[-1]
    assert set(corners) <= set(tiles)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in pairwise(tiles))


def test_a_line_without_sway_is_as_short_as_can_be() -> None:
    assert len(winding(3, [(0, 0), (90, 40)], 0)) == 1 + 90 + 40


@pytest.mark.parametrize("name", ["roads.csv", "rivers.csv", "trails.csv"])
def test_every_drawn_line_stays_on_the_map(name: str) -> None:
    for line, width, corners in read_lines(name):
        assert len(corners) >= 2, line
        assert width >= 2, line
        assert all(0 <= x < 1056 and 0 <= y < 768 for x, y in corners), line
