from __future__ import annotations

from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.world import search
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import GROUND_CODE, Terrain, load_terrain
from agentworld_env.world.walk import Walk

Tile = tuple[int, int]


def land(*rows: str) -> Terrain:
    """Returns a terrain drawn in characters: '#' is a cliff, everything else grass."""
    ground = bytes(GROUND_CODE["cliff" if char == "#" else "grass"] for row in rows for char in row)
    return Terrain(ground, bytes(len(ground)), width=len(rows[0]), height=len(rows))


def flood(terrain: Terrain, start: Tile) -> dict[Tile, int]:
    """Returns the distance of every reachable tile by plain breadth-first search."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        x, y = queue.popleft()
        for tile in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if tile not in found and terrain.is_walkable(*tile):
                found[tile] = found[x, y] + 1
                queue.append(tile)
    return found


def apart(a: Tile, b: Tile) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


@st.composite
def questions(draw: st.DrawFn) -> tuple[Terrain, Tile, Tile]:
    width, height = draw(st.integers(1, 14)), draw(st.integers(1, 14))
    cells = st.sampled_from("...#") if draw(st.booleans()) else st.sampled_from(".#")
    rows = [
        "".join(row)
        for row in draw(
            st.lists(st.lists(cells, min_size=width, max_size=width), min_size=height, max_size=height)
        )
    ]
    start = draw(st.tuples(st.integers(0, width - 1), st.integers(0, height - 1)))
    rows[start[1]] = rows[start[1]][: start[0]] + "." + rows[start[1]][start[0] + 1 :]
    target = draw(st.tuples(st.integers(-1, width), st.integers(-1, height)))
    return land(*rows), start, target


limits = st.sampled_from([1, 2, 7, 120])
withins = st.sampled_from([0, 0, 1, 2, 5])


@pytest.fixture(params=["integers", "arrays"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a test with both ways of searching a box."""
    if request.param == "arrays":
        monkeypatch.setattr(search, "_BITS_FOR_INTEGERS", 0)


BOTH = pytest.mark.usefixtures("method")
LAW = settings(max_examples=150, deadline=None)


def check_against_flood(question: tuple[Terrain, Tile, Tile], limit: int, within: int) -> None:
    terrain, start, target = question
    reachable = flood(terrain, start)
    nearest = min(apart(tile, target) for tile in reachable)
    enough = max(within, nearest)
    steps = min(far for tile, far in reachable.items() if apart(tile, target) <= enough)
    walk = PathFinder(terrain).walk(*start, *target, limit, within)
    if walk is None:
        assert len(reachable) == 1
        assert apart(start, target) > within
        return
    tiles = list(walk.tiles())
    assert tiles[0] == start
    assert all(terrain.is_walkable(*tile) for tile in tiles)
    assert all(apart(a, b) == 1 for a, b in pairwise(tiles))
    assert walk.length == len(tiles) - 1 == min(steps, limit)
    assert walk.reached == (apart(tiles[-1], target) <= within)
    if steps <= limit:
        assert apart(tiles[-1], target) <= enough


@given(questions(), limits, withins)
@LAW
def test_a_walk_is_walkable_and_as_short_as_breadth_first_search_finds(
    question: tuple[Terrain, Tile, Tile], limit: int, within: int
) -> None:
    check_against_flood(question, limit, within)


@given(questions(), limits, withins)
@LAW
def test_a_walk_found_by_arrays_is_the_one_found_by_integers(
    question: tuple[Terrain, Tile, Tile], limit: int, within: int
) -> None:
    terrain, start, target = question
    by_integers = PathFinder(terrain).walk(*start, *target, limit, within)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_BITS_FOR_INTEGERS", 0)
        check_against_flood(question, limit, within)
        assert PathFinder(terrain).walk(*start, *target, limit, within) == by_integers


@given(questions(), st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=6))
@LAW
def test_an_answer_does_not_depend_on_what_was_asked_before(
    question: tuple[Terrain, Tile, Tile], others: list[Tile]
) -> None:
    terrain, start, target = question
    warm = PathFinder(terrain)
    for x, y in others:
        if terrain.is_walkable(x, y):
            warm.walk(x, y, *target)
            warm.walk(x, y, *target, 3)
    for limit in (2, 120):
        assert warm.walk(*start, *target, limit) == PathFinder(terrain).walk(*start, *target, limit)


@given(questions())
@LAW
def test_short_walks_in_a_row_add_up_to_the_shortest_way(question: tuple[Terrain, Tile, Tile]) -> None:
    terrain, start, target = question
    finder = PathFinder(terrain)
    whole = finder.walk(*start, *target, 10_000)
    here, gone = start, 0
    while whole is not None and gone < whole.length:
        part = finder.walk(*here, *target, 3)
        assert part is not None
        assert part.length > 0
        here, gone = part.end, gone + part.length
    assert whole is None or gone == whole.length


@given(questions())
@LAW
def test_the_distance_is_that_of_breadth_first_search(question: tuple[Terrain, Tile, Tile]) -> None:
    terrain, start, target = question
    reachable = flood(terrain, start)
    beside = [far + 1 for tile, far in reachable.items() if apart(tile, target) == 1]
    expected = reachable.get(target, min(beside, default=None))
    assert PathFinder(terrain).distance(*start, *target) == expected


@given(questions(), st.tuples(st.integers(-2, 15), st.integers(-2, 15)), st.integers(0, 9))
@LAW
def test_the_first_step_near_a_point_is_that_of_listing_the_tiles(
    question: tuple[Terrain, Tile, Tile], point: Tile, radius: int
) -> None:
    terrain, start, target = question
    walk = PathFinder(terrain).walk(*start, *target)
    if walk is not None:
        steps = (step for step, tile in enumerate(walk.tiles()) if apart(tile, point) <= radius)
        assert walk.first_near(*point, radius) == next(steps, None)


@given(questions(), st.integers(0, 30))
@LAW
def test_tiles_cuts_and_rests_of_a_walk_agree(question: tuple[Terrain, Tile, Tile], step: int) -> None:
    terrain, start, target = question
    walk = PathFinder(terrain).walk(*start, *target)
    if walk is not None:
        tiles = list(walk.tiles())
        step = min(step, walk.length)
        assert walk.at(step) == tiles[step]
        assert list(walk.cut(step).tiles()) == tiles[: step + 1]
        assert list(walk.after(step).tiles()) == tiles[step:]


def test_a_clear_way_goes_along_x_first() -> None:
    walk = PathFinder(land("....", "....", "....")).walk(0, 0, 3, 2)
    assert walk == Walk(((0, 0), (3, 0), (3, 2)), 5, True)


@BOTH
def test_a_wall_is_walked_around() -> None:
    terrain = land(".....", ".###.", ".#...", ".###.", ".....")
    walk = PathFinder(terrain).walk(0, 2, 2, 2)
    assert walk is not None
    assert walk.length == 2 + 4 + 2 + 2
    assert walk.reached


def test_a_walk_to_a_blocked_tile_ends_beside_it_and_says_that_it_was_not_reached() -> None:
    walk = PathFinder(land("...#")).walk(0, 0, 3, 0)
    assert walk == Walk(((0, 0), (2, 0)), 2, False)


def test_a_blocked_tile_is_reached_when_standing_beside_it_is_near_enough() -> None:
    walk = PathFinder(land("...#")).walk(0, 0, 3, 0, within=1)
    assert walk == Walk(((0, 0), (2, 0)), 2, True)


def test_who_is_near_enough_does_not_walk() -> None:
    assert PathFinder(land("....")).walk(0, 0, 3, 0, within=3) == Walk(((0, 0),), 0, True)


def test_who_is_as_near_as_possible_does_not_walk() -> None:
    assert PathFinder(land("..#.")).walk(1, 0, 3, 0) == Walk(((1, 0),), 0, False)


def test_a_walled_in_tile_has_no_walk_but_to_itself() -> None:
    finder = PathFinder(land(".#.", "##.", "..."))
    assert finder.walk(0, 0, 2, 2) is None
    assert finder.walk(0, 0, 0, 0) == Walk(((0, 0),), 0, True)


def test_a_walk_stops_at_its_limit() -> None:
    assert PathFinder(land("." * 9)).walk(0, 0, 8, 0, 5) == Walk(((0, 0), (5, 0)), 5, False)


def test_a_walk_cannot_start_in_a_wall() -> None:
    with pytest.raises(ValueError, match="where nobody can stand"):
        PathFinder(land("#.")).walk(0, 0, 1, 0)


def test_tiles_of_different_lands_have_no_distance() -> None:
    assert PathFinder(land("..#..")).distance(0, 0, 4, 0) is None
    assert not PathFinder(land("..#..")).connected(0, 0, 4, 0)


def test_a_journey_across_the_whole_map_arrives_in_moves_of_120() -> None:
    finder = PathFinder(load_terrain())
    here, goal, gone = (20, 18), (1016, 682), 0
    expected = finder.distance(*here, *goal)
    while here != goal:
        walk = finder.walk(*here, *goal)
        assert walk is not None
        assert 0 < walk.length <= 120
        here, gone = walk.end, gone + walk.length
    assert gone == expected
