from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.world.memo import make_room


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
