"""What lies near a tile agrees with brute force, and asking twice gives the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.world import load_world
from agentworld_env.world.geometry import HEIGHT, WIDTH, manhattan
from agentworld_env.world.near import NEAREST, nearest_first

WORLD = load_world()
XS = st.integers(0, WIDTH - 1)
YS = st.integers(0, HEIGHT - 1)
RADII = st.integers(0, 80)


@settings(max_examples=60, deadline=None)
@given(XS, YS, RADII)
def test_nodes_come_by_kind_the_kind_with_the_nearest_first(x: int, y: int, radius: int) -> None:
    rows = sorted(
        (manhattan(x, y, node.x, node.y), i)
        for i, node in enumerate(WORLD.nodes)
        if manhattan(x, y, node.x, node.y) <= radius
    )
    order = list(dict.fromkeys(WORLD.nodes[i].kind for _, i in rows))
    near = WORLD.near.nodes_by_kind(x, y, radius)
    assert [kind for kind, _ in near.kinds] == order
    for (kind, found), fresh in zip(near.kinds, near.fresh, strict=True):
        expected = [row for row in rows if WORLD.nodes[row[1]].kind == kind]
        assert list(found) == expected
        assert list(fresh.nearest) == expected[:NEAREST]
        assert len(fresh.nearest) + fresh.more == len(expected)
        assert fresh.depleted == 0
    assert near.members == {i for _, i in rows}
    assert WORLD.near.nodes_by_kind(x, y, radius) == near


@settings(max_examples=60, deadline=None)
@given(XS, YS, RADII)
def test_people_and_portals_come_nearest_first_and_by_id(x: int, y: int, radius: int) -> None:
    people = sorted((manhattan(x, y, p.x, p.y), p.id) for p in WORLD.npcs.values())
    assert [(d, p.id) for d, p in WORLD.near.people(x, y, radius)] == [r for r in people if r[0] <= radius]
    portals = sorted((manhattan(x, y, p.x, p.y), p.id) for p in WORLD.portals.values())
    assert [(d, p.id) for d, p in WORLD.near.portals(x, y, radius)] == [r for r in portals if r[0] <= radius]
    assert nearest_first((), x, y, radius) == ()


def test_every_recipe_is_filed_once_under_an_input_of_its_own() -> None:
    filed = [row for rows in WORLD.recipes_with.values() for row in rows]
    assert sorted(i for i, _ in filed) == list(range(len(WORLD.recipes)))
    for item, rows in WORLD.recipes_with.items():
        assert all(item in recipe.inputs and WORLD.recipes[i] is recipe for i, recipe in rows)
