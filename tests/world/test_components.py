from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.world.components import label_components

shapes = st.tuples(st.integers(1, 12), st.integers(1, 12))


def flood(walkable: np.ndarray) -> np.ndarray:
    """Labels components by plain depth-first search."""
    labels = np.zeros(walkable.shape, dtype=int)
    for row, column in zip(*np.nonzero(walkable), strict=True):
        stack = [(row, column)] if labels[row, column] == 0 else []
        number = labels.max() + 1
        while stack:
            y, x = stack.pop()
            if (
                0 <= y < walkable.shape[0]
                and 0 <= x < walkable.shape[1]
                and walkable[y, x]
                and not labels[y, x]
            ):
                labels[y, x] = number
                stack += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return labels


@given(
    shapes.flatmap(
        lambda s: st.lists(st.booleans(), min_size=s[0] * s[1], max_size=s[0] * s[1]).map(
            lambda cells: np.array(cells, dtype=np.bool_).reshape(s)
        )
    )
)
@settings(max_examples=200, deadline=None)
def test_tiles_share_a_label_exactly_when_a_walk_connects_them(walkable: np.ndarray) -> None:
    labels, expected = label_components(walkable), flood(walkable)
    assert ((labels == 0) == ~walkable).all()
    pairs = set(zip(labels[walkable].tolist(), expected[walkable].tolist(), strict=True))
    assert len(pairs) == len({mine for mine, _ in pairs}) == len({other for _, other in pairs})


def test_land_without_a_walkable_tile_has_no_label() -> None:
    assert not label_components(np.zeros((3, 4), dtype=np.bool_)).any()
