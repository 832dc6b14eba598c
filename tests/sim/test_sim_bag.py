from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.sim.bag import carried_by, count, material, put, take

LOTS = st.lists(
    st.tuples(st.integers(-3, 9), st.integers(-1, 9), st.integers(1, 5)), min_size=1, max_size=6
).map(tuple)


def test_the_oldest_units_leave_first() -> None:
    bag = {"logs": ((1, 1, 2), (5, 5, 3))}
    assert take(bag, "logs", 3) == ((1, 1, 2), (5, 5, 1))
    assert bag == {"logs": ((5, 5, 2),)}


def test_an_emptied_stack_frees_its_slot() -> None:
    bag = {"logs": ((1, 1, 2),)}
    take(bag, "logs", 2)
    assert bag == {}


def test_taking_more_than_there_is_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="lacks"):
        take({"logs": ((1, 1, 2),)}, "logs", 3)


def test_a_transfer_keeps_the_origin_and_renews_the_way_it_came() -> None:
    assert carried_by(((1, 1, 2), (-1, -1, 1), (1, 4, 3)), 9) == ((1, 9, 5), (-1, 9, 1))


def test_what_was_held_from_the_start_has_no_material_cause() -> None:
    assert material(((-1, -1, 3), (4, 4, 1), (4, 4, 2), (4, 6, 1))) == (("material", 4), ("material", 6))


@given(LOTS, st.data())
def test_taking_and_putting_back_conserves_units_per_origin(
    lots: tuple[tuple[int, int, int], ...], data: st.DataObject
) -> None:
    bag = {"logs": lots}
    units = data.draw(st.integers(1, count(lots)))
    taken = take(bag, "logs", units)
    assert count(taken) == units
    assert count(bag.get("logs", ())) == count(lots) - units
    put(bag, "logs", taken)
    assert _per_origin(bag["logs"]) == _per_origin(lots)


def _per_origin(lots: tuple[tuple[int, int, int], ...]) -> dict[int, int]:
    units: dict[int, int] = {}
    for origin, _, held in lots:
        units[origin] = units.get(origin, 0) + held
    return units
