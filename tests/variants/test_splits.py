"""Seeds of different splits have nothing in common."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import get_task
from agentworld_env.variants import SPLITS, find_variant, fingerprint
from agentworld_env.variants.digests import demand, errand
from agentworld_env.variants.draft import draft
from agentworld_env.variants.edit import with_role
from agentworld_env.variants.narrow import SOURCES
from agentworld_env.variants.splits import (
    check_seeds,
    narrow,
    split_of,
    split_of_digest,
    split_of_seed,
)


def test_the_ranges_adjoin_and_do_not_overlap() -> None:
    seeds = [bound for first, last in SPLITS.values() for bound in (first, last)]
    assert seeds == [0, 999_999, 1_000_000, 1_999_999, 2_000_000, 2_999_999]


@given(st.integers(0, 2_999_999))
def test_every_seed_belongs_to_the_split_whose_range_holds_it(seed: int) -> None:
    assert split_of_seed(seed) == ("train", "validation", "test")[seed // 1_000_000]


@pytest.mark.parametrize("seed", [-1, 3_000_000])
def test_a_seed_outside_is_refused_with_the_ranges(seed: int) -> None:
    with pytest.raises(AgentWorldError, match=r"0-999999 \(train\).*got " + str(seed)):
        split_of_seed(seed)


def test_half_of_the_digests_train_and_a_quarter_each_is_held_out() -> None:
    digests = [f"{number:08x}" + "0" * 24 for number in range(400)]
    splits = [split_of_digest(digest) for digest in digests]
    assert [splits.count(split) for split in SPLITS] == [200, 100, 100]


@pytest.mark.parametrize("seed", [5, 1_000_005, 2_000_005])
def test_a_variant_s_errand_belongs_to_the_split_of_its_seed(seed: int) -> None:
    source = get_task("t05_beryl_pendant")
    variant = find_variant(source, seed).variant
    assert variant is not None
    spec = variant.task.spec
    assert split_of_digest(errand(spec, source.world)) == split_of_seed(seed)
    assert split_of(errand(spec, source.world), demand(spec, source.world)) == split_of_seed(seed)


@given(
    st.sampled_from([*SOURCES, "t02_arrow_production", "t35_combat_training", "t39_farming_harvest"]),
    st.integers(0, 2_999_999),
    st.integers(0, 239),
)
@settings(max_examples=60, deadline=None)
def test_a_demand_is_drawn_for_one_split_only(name: str, seed: int, attempt: int) -> None:
    """The split of a draft follows from its demand, which is the same in every split; so demands are disjoint."""
    source = get_task(name)
    drawn = draft(source, seed, attempt, anywhere=True)
    if drawn is None:
        return
    asked = demand(drawn[0], source.world)
    mine = {
        split
        for split, (first, _) in SPLITS.items()
        if split_of(errand(drawn[0], source.world), asked) == split_of_seed(first)
    }
    assert len(mine) == 1
    assert (draft(source, seed, attempt) is not None) == (split_of_seed(seed) in mine)


@pytest.mark.parametrize("name", [*SOURCES, "t02_arrow_production"])
def test_every_split_draws_from_a_source_and_no_two_share_a_demand(name: str) -> None:
    source = get_task(name)
    drawn = {}
    for split, (first, _) in SPLITS.items():
        specs = [
            found[0] for attempt in range(60) if (found := draft(source, first + 7, attempt)) is not None
        ]
        drawn[split] = {(demand(spec, source.world), fingerprint(spec)) for spec in specs}
        assert drawn[split], split
    for one, other in combinations(drawn.values(), 2):
        assert not {asked for asked, _ in one} & {asked for asked, _ in other}
        assert not {digest for _, digest in one} & {digest for _, digest in other}


@pytest.mark.parametrize("name", SOURCES)
def test_the_list_holds_the_errands_of_narrow_sources_as_they_are_now(name: str) -> None:
    source = get_task(name)
    drafts = [draft(source, 3, attempt, anywhere=True) for attempt in range(60)]
    met = {errand(found[0], source.world) for found in drafts if found is not None}
    assert met
    assert met <= set(narrow()[name])


def test_a_narrow_source_is_one_whose_errands_leave_a_split_with_one_at_the_most() -> None:
    assert list(narrow()) == list(SOURCES)
    for errands in narrow().values():
        splits = [split_of_digest(digest) for digest in errands]
        assert min(splits.count(split) for split in SPLITS) <= 1


def test_the_demands_of_a_listed_errand_are_dealt_out_wherever_they_come_from() -> None:
    digests = {"train": "0" * 32, "validation": "00000002" + "0" * 24, "test": "00000003" + "0" * 24}
    listed = narrow()["t07_pickaxe_crafting"][0]
    for split, digest in digests.items():
        assert split_of(listed, digest) == split
        # Any other errand decides for itself, whatever the demand.
        assert {split_of(digest, other) for other in digests.values()} == {split}


def test_another_start_is_another_demand_in_the_same_split() -> None:
    task = get_task("t86_forge_vanguard")
    other = with_role(task.spec, "miner1", start=(330, 40))
    assert demand(other, task.world) != demand(task.spec, task.world)
    assert errand(other, task.world) == errand(task.spec, task.world)


@pytest.mark.parametrize(
    ("seed", "count", "said"),
    [
        (
            999_999,
            3,
            "seeds 999999-1000001 leave train (0-999999); "
            "expected seed 999997 at the latest or seed 1000000 for validation",
        ),
        (
            1_999_999,
            2,
            "seeds 1999999-2000000 leave validation (1000000-1999999); "
            "expected seed 1999998 at the latest or seed 2000000 for test",
        ),
        (
            2_999_999,
            2,
            "seeds 2999999-3000000 leave test (2000000-2999999); expected seed 2999998 at the latest",
        ),
    ],
)
def test_seeds_that_leave_their_split_are_refused(seed: int, count: int, said: str) -> None:
    with pytest.raises(AgentWorldError) as refused:
        check_seeds(seed, count)
    assert str(refused.value) == said
    check_seeds(seed, 1)
