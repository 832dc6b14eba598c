"""The coarse map of the surroundings."""

import pytest

from agentworld_env.world.catalogue import Portal
from agentworld_env.world.overview import REACH_X, REACH_Y, SQUARE, Overview
from agentworld_env.world.terrain import GROUND_CODE, Terrain

SIDE = 4 * SQUARE


def terrain(kinds: dict[tuple[int, int], str]) -> Terrain:
    """Grass, but for whole squares of another ground at the given (column, row) of squares."""
    ground = bytearray([GROUND_CODE["grass"]] * (SIDE * SIDE))
    for (column, row), kind in kinds.items():
        for y in range(row * SQUARE, (row + 1) * SQUARE):
            for x in range(column * SQUARE, (column + 1) * SQUARE):
                ground[y * SIDE + x] = GROUND_CODE[kind]
    return Terrain(bytes(ground), bytes(SIDE * SIDE), width=SIDE, height=SIDE)


@pytest.mark.parametrize(
    ("kind", "char"), [("grass", "."), ("road", "="), ("deep water", "~"), ("cliff", "#"), ("thicket", "#")]
)
def test_a_square_shows_what_fills_it(kind: str, char: str) -> None:
    rows = Overview(terrain({(1, 0): kind}), ()).around(0, 0)
    assert rows[REACH_Y][REACH_X + 1] == char


def test_the_agent_stands_in_the_middle_and_beyond_the_map_is_blank() -> None:
    rows = Overview(terrain({}), ()).around(0, 0)
    assert len(rows) == 2 * REACH_Y + 1
    assert {len(row) for row in rows} == {2 * REACH_X + 1}
    assert rows[REACH_Y] == " " * REACH_X + "@..." + " " * (REACH_X - 3)
    assert rows[0].strip() == ""


def test_a_portal_is_shown_as_an_exit() -> None:
    portal = Portal(id="a", name="A", x=SQUARE + 1, y=1, to="b", to_x=0, to_y=0)
    assert Overview(terrain({(1, 0): "cliff"}), (portal,)).around(0, 0)[REACH_Y][REACH_X + 1] == ">"
