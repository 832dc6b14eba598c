from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.world.load import build_world, load_catalogue
from agentworld_env.world.memo import make_room
from agentworld_env.world.terrain import load_terrain


@given(most=st.integers(2, 20), keys=st.lists(st.integers(0, 60), max_size=200))
def test_a_memo_never_holds_more_than_it_may_and_keeps_what_came_last(most: int, keys: list[int]) -> None:
    memo: dict[int, int] = {}
    for key in keys:
        if key not in memo:
            make_room(memo, most)
            memo[key] = -key
        assert len(memo) <= most
        assert memo[key] == -key
    order = list(memo)
    make_room(memo, most)
    assert list(memo) == (order[most // 2 :] if len(order) >= most else order)


def test_what_one_agent_of_a_crowd_asked_for_is_still_known_after_the_turns_of_all_others() -> None:
    world = build_world(load_terrain(), load_catalogue())
    agents = 1_200
    world.expect(agents)
    x, y = next((x, y) for y in range(300, 500) for x in range(300, 500) if world.is_walkable(x, y))
    # Tiles and limits are numbers like any others here: twenty walks and three looks of everybody.
    walks = [(x, y, x + k % 20, y, 1 + k // 20, 0) for k in range(20 * agents)]
    looks = [(k % 1056, k // 1056, 1) for k in range(3 * agents)]
    first = world.paths.walk(*walks[0]), world.near.nodes_by_kind(*looks[0])
    for walk in walks:
        world.paths.walk(*walk)
    for look in looks:
        world.near.nodes_by_kind(*look)
    assert world.paths.walk(*walks[0]) is first[0]
    assert world.near.nodes_by_kind(*looks[0]) is first[1]
