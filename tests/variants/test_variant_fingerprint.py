"""Fingerprints ignore names and texts; demands ignore quantities as well."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants.conftest import Drafts

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s
from agentworld_env.variants.digests import demand, fingerprint
from agentworld_env.variants.edit import with_points, with_role, with_units
from agentworld_env.variants.text.names import renamed
from agentworld_env.world import World

IDS = [info.id for info in list_tasks("main")]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(IDS), st.text("abcxyz ", min_size=1, max_size=12))
def test_names_and_texts_have_no_part_in_fingerprint_or_demand(task: str, words: str) -> None:
    spec = get_task(task).spec
    words = words.strip() or "x"
    names = {name: f"agent{number}" for number, name in enumerate(spec.team)}
    other = renamed(spec, names).model_copy(
        update={"title": words, "objective": words, "id": "other", "changes": ()}
    )
    for name in other.team:
        other = with_role(
            other, name, about=words, guide=s.Guide(notes=words), group=other.team[name].group + "x"
        )
    labels: dict[str, str] = {}

    def relabel(point: Any) -> Any:
        labels[point.label] = f"label {len(labels)}"
        update = {"label": labels[point.label]}
        if getattr(point, "after", None):
            update["after"] = labels[point.after]
        return point.model_copy(update=update)

    other = with_points(other, relabel)
    assert fingerprint(other) == fingerprint(spec)
    world = get_task(task).world
    assert demand(other, world) == demand(spec, world)


def test_main_tasks_have_different_fingerprints_and_demands(world: World) -> None:
    specs = [get_task(task).spec for task in IDS]
    assert len({fingerprint(spec) for spec in specs}) == len(specs)
    assert len({demand(spec, world) for spec in specs}) == len(specs)


def test_a_quantity_or_budget_is_another_fingerprint_but_the_same_demand(world: World) -> None:
    spec = get_task("t86_forge_vanguard").spec
    first = spec.checkpoints[0]
    more = spec.model_copy(
        update={"checkpoints": (with_units(first, {"ironore": 12}), *spec.checkpoints[1:])}
    )
    tight = spec.model_copy(update={"max_rounds": 44})
    assert len({fingerprint(it) for it in (spec, more, tight)}) == 3
    assert len({demand(it, world) for it in (spec, more, tight)}) == 1


@pytest.mark.parametrize(
    "update",
    [
        {"start": (330, 40)},
        {"inventory": {"flask": 20, "apple": 25, "ironbar": 1}},
        {"skills": {"mining": 42, "strength": 34, "health": 36, "smelting": 20}},
    ],
)
def test_another_start_part_or_skill_is_another_demand(update: dict[str, Any], world: World) -> None:
    spec = get_task("t86_forge_vanguard").spec
    assert demand(with_role(spec, "miner1", **update), world) != demand(spec, world)


def test_every_draft_asks_for_something_else_than_its_source(drafts: Drafts, world: World) -> None:
    for source, spec, _ in drafts:
        assert demand(spec, world) != demand(source.spec, world)
        assert fingerprint(spec) != fingerprint(source.spec)
