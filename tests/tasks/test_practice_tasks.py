"""The practice tasks: small, of the shape that is promised, and sound like the main ones."""

from __future__ import annotations

import pytest

from agentworld_env.certify import certify_task
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s

IDS = [info.id for info in list_tasks("practice")]


def test_the_suite_has_twelve_small_tasks_for_two_to_four_agents_and_eight_to_twenty_rounds() -> None:
    infos = list_tasks("practice")
    assert len(infos) == 12
    assert {info.team_size for info in infos} == {2, 3, 4}
    assert (min(i.max_rounds for i in infos), max(i.max_rounds for i in infos)) == (8, 20)
    assert [get_task(info.id).spec.number for info in infos] == list(range(1, 13))


def test_suites_are_apart() -> None:
    assert {info.suite for info in list_tasks("practice")} == {"practice"}
    assert not {info.id for info in list_tasks("main")} & set(IDS)


def test_the_suite_practises_every_kind_of_working_together() -> None:
    kinds = {point.kind for task_id in IDS for point in get_task(task_id).spec.checkpoints}
    assert kinds >= {"gathered", "delivered", "crafted", "killed", "built", "held_for_rounds", "worn"}


@pytest.mark.parametrize("task_id", IDS)
def test_every_practice_task_is_certified(task_id: str) -> None:
    certificate = certify_task(get_task(task_id), [0], quick=True)
    assert certificate.problems == ()


@pytest.mark.parametrize("task_id", IDS)
def test_every_practice_task_asks_for_everyone_alive_and_departs_from_no_published_one(task_id: str) -> None:
    spec = get_task(task_id).spec
    assert s.AllAlive(kind="all_alive") in spec.constraints
    assert spec.changes == ()
    assert spec.canary.startswith("agentworld-env-canary ")


@pytest.mark.parametrize("task_id", IDS)
def test_a_note_names_only_members_of_the_team(task_id: str) -> None:
    """Ids with an underscore in notes are those of team-mates; a typo would send an agent looking for nobody."""
    spec = get_task(task_id).spec
    for role in spec.team.values():
        words = {word.strip(".,;:") for word in role.guide.notes.split()}
        named = {word for word in words if "_" in word}
        assert named <= {*spec.team, "transfer_items", "equip_item", "pickup_item"}, named
