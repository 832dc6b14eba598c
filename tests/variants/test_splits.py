"""Seeds of different splits have nothing in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task
from agentworld_env.variants import SPLITS, find_variant
from agentworld_env.variants.digests import demand, errand
from agentworld_env.variants.edit import with_role
from agentworld_env.variants.splits import GREATEST, check_seeds, split_of_errand, split_of_seed


def test_the_ranges_adjoin_and_do_not_overlap() -> None:
    seeds = [bound for first, last in SPLITS.values() for bound in (first, last)]
    assert seeds == [0, 999_999, 1_000_000, 1_999_999, 2_000_000, 2_999_999]
    assert seeds[-1] == GREATEST


@given(st.integers(0, GREATEST))
def test_every_seed_belongs_to_the_split_whose_range_holds_it(seed: int) -> None:
    assert split_of_seed(seed) == ("train", "validation", "test")[seed // 1_000_000]


@pytest.mark.parametrize("seed", [-1, 3_000_000])
def test_a_seed_outside_is_refused_with_the_ranges(seed: int) -> None:
    with pytest.raises(AgentWorldError, match=r"0-999999 \(train\).*got " + str(seed)):
        split_of_seed(seed)


def test_half_of_the_errands_train_and_a_quarter_each_is_held_out() -> None:
    digests = [f"{number:08x}" + "0" * 24 for number in range(400)]
    splits = [split_of_errand(digest) for digest in digests]
    assert [splits.count(split) for split in SPLITS] == [200, 100, 100]


@pytest.mark.parametrize("seed", [5, 1_000_005, 2_000_005])
def test_a_variant_s_errand_belongs_to_the_split_of_its_seed(seed: int) -> None:
    source = get_task("t05_beryl_pendant")
    variant = find_variant(source, seed).variant
    assert variant is not None
    assert split_of_errand(errand(variant.task.spec, source.world)) == split_of_seed(seed)


def test_another_start_is_another_demand_in_the_same_split() -> None:
    task = get_task("t86_forge_vanguard")
    other = with_role(task.spec, "miner1", start=(330, 40))
    assert demand(other, task.world) != demand(task.spec, task.world)
    assert errand(other, task.world) == errand(task.spec, task.world)


@pytest.mark.parametrize(
    ("seed", "count", "said"),
    [
        (999_999, 3, "seeds 999999-1000001 leave train (0-999999)"),
        (1_999_999, 2, "seeds 1999999-2000000 leave validation (1000000-1999999)"),
        (2_999_999, 2, "seeds 2999999-3000000 leave test (2000000-2999999)"),
    ],
)
def test_seeds_that_leave_their_split_are_refused(seed: int, count: int, said: str) -> None:
    with pytest.raises(AgentWorldError) as refused:
        check_seeds(seed, count)
    assert str(refused.value) == said
    check_seeds(seed, 1)
