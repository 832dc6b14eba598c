"""The augmented suite: one sound, harder task for every main task, as the generator draws it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages.difficulty import from_csv

from agentworld_env.certify import certify_task
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.variants.digests import demand, errand, fingerprint
from agentworld_env.variants.mutations import MUTATIONS
from agentworld_env.variants.mutations.quantities import horizon
from agentworld_env.variants.splits import split_of
from agentworld_env.variants.suite import augmented, fingerprints
from agentworld_env.world import World

DOCS = Path(__file__).parents[2] / "docs"
MAIN = list_tasks("main")
SUITE = list_tasks("augmented")


def test_every_main_task_has_one_augmented_task() -> None:
    assert [info.id for info in SUITE] == [f"{info.id}_aug" for info in MAIN]


def test_categories_and_horizons_are_those_of_the_main_tasks_one_by_one() -> None:
    main = {info.id: info for info in MAIN}
    for after in SUITE:
        before = main[after.id.removesuffix("_aug")]
        assert after.category == before.category
        assert horizon(after.max_rounds) == horizon(before.max_rounds)


def test_no_title_is_a_main_task_s_since_scripts_are_found_by_it() -> None:
    assert not {info.title for info in MAIN} & {info.title for info in SUITE}


def test_no_two_titles_are_alike() -> None:
    assert len({info.title for info in SUITE}) == len(SUITE)


def test_no_task_asks_for_what_another_shipped_one_asks_for(world: World) -> None:
    demands = [demand(get_task(info.id).spec, world) for info in (*MAIN, *SUITE)]
    assert len(set(demands)) == len(demands)
    assert len(fingerprints("main") | fingerprints("augmented")) == len(MAIN) + len(SUITE)


def test_every_task_belongs_to_the_validation_split(world: World) -> None:
    for info in SUITE:
        spec = get_task(info.id).spec
        assert split_of(errand(spec, world), demand(spec, world)) == "validation", info.id


def test_a_task_names_its_mutations_as_changes() -> None:
    known = {mutation.about: mutation.kind for mutation in MUTATIONS}
    for info in SUITE:
        changes = get_task(info.id).spec.changes
        assert len(changes) >= 2
        assert all(known[change.what] == change.kind for change in changes)


@pytest.mark.parametrize("number", [0, 34])
def test_a_checked_in_task_is_what_the_generator_draws(number: int) -> None:
    """Small ones, drawn anew from the main tasks as they are now."""
    name = MAIN[number].id
    assert augmented(get_task(name)).task == get_task(f"{name}_aug")


@pytest.mark.parametrize("number", [1, 12, 28, 43, 54])
def test_a_checked_in_task_certifies_quickly(number: int) -> None:
    certificate = certify_task(get_task(SUITE[number].id), (0,), quick=True)
    assert certificate.problems == ()


def test_measured_figures_are_those_of_the_files_and_harder_on_average() -> None:
    main = from_csv((DOCS / "difficulty.csv").read_text(encoding="utf-8"))
    mine = from_csv((DOCS / "augmented.csv").read_text(encoding="utf-8"))
    assert list(mine) == [info.id for info in SUITE]
    fresh = [f for f in mine.values() if get_task(f.task).content_hash == f.content_hash]
    pairs = [(main[f.task.removesuffix("_aug")], f) for f in fresh if f.task.removesuffix("_aug") in main]
    assert len(pairs) >= 90
    for figure in ("use", "handovers", "agents"):
        assert sum(getattr(b, figure) - getattr(a, figure) for a, b in pairs) > 0, figure


def test_the_page_is_what_the_files_and_tables_say() -> None:
    from pages.augmented import augmented_page

    main = from_csv((DOCS / "difficulty.csv").read_text(encoding="utf-8"))
    mine = from_csv((DOCS / "augmented.csv").read_text(encoding="utf-8"))
    page = augmented_page([get_task(info.id) for info in SUITE], main, mine)
    assert (DOCS / "augmented.md").read_text(encoding="utf-8") == page


def test_the_documents_list_every_mutation_as_it_is() -> None:
    text = (DOCS / "variants.md").read_text(encoding="utf-8")
    rows = [f"| `{mutation.name}` | {mutation.about} |" for mutation in MUTATIONS]
    assert "\n".join(rows) in text


def test_fingerprints_of_the_suite_are_its_files_own() -> None:
    assert fingerprints("augmented") == {fingerprint(get_task(info.id).spec) for info in SUITE}
