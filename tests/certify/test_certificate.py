"""A sound task is certified; each kind of mistake is found on a task that has just that one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.certify.brute import STILL, tiny_task

from agentworld_env.certify import Certificate, Problem, certify_task
from agentworld_env.certify.play import PASS, Played, Tape, play_planner
from agentworld_env.certify.truth import guide_problems
from agentworld_env.report.certificates import certificate_table
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task, get_task

Make = Callable[..., Task]
HERE = {"at": (390, 10), "within": 40}
FAR = {"at": (388, 80), "within": 5}


def _point(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Returns a spoiler that adds a checkpoint."""
    return lambda task: task["checkpoints"].append({"label": "Extra", **fields})


def _only(*points: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Returns a spoiler that leaves only some checkpoints."""
    numbered = [{"label": f"Point {i}", **point} for i, point in enumerate(points)]
    return lambda task: task.update(checkpoints=numbered)


def _guide(role: str, **fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda task: task["team"][role]["guide"].update(fields)


def test_a_sound_task_is_certified_with_its_figures(doctored: Make) -> None:
    found = certify_task(doctored())
    assert found.problems == ()
    assert found.ok
    difficulty = found.difficulty
    assert difficulty is not None
    # Logs go to the carver in one hand-over or two, sticks to the keeper likewise; nothing is done together.
    assert found.handovers in range(2, 5)
    assert (found.joint, difficulty.information) == (0, found.handovers)
    # Somebody must cut and somebody else must carve; the keeper only stands there.
    assert difficulty.necessary_agents == ("logger", "carver")
    assert difficulty.smallest_team == ("logger", "carver")
    assert difficulty.necessary_groups == 2
    # Two logs take two turns of the one logger, carving and handing over two more rounds.
    assert 4 <= found.bound.rounds <= min(found.rounds.values())
    assert found.ratio is not None
    assert found.row()["rounds/bound"] == round(found.ratio, 2)
    assert {proof.agent: proof.kind for proof in found.solo} == dict.fromkeys(
        ("logger", "carver", "keeper"), "capability"
    )


@pytest.mark.parametrize(
    ("spoil", "kind", "text"),
    [
        (_point(kind="visited", area=HERE), "start", "holds at the start"),
        (_point(kind="held_for_rounds", area=HERE, rounds=3), "idle", "an idle team reaches"),
        (_only({"kind": "present_together", "area": FAR}), "meeting", "all that is asked for is to meet"),
        (
            _only(
                {"kind": "present_together", "area": FAR},
                {"kind": "visited", "area": FAR, "need": "all"},
            ),
            "meeting",
            "all that is asked for is to meet",
        ),
        (
            _only({"kind": "gathered", "item": "logs", "count": 3}),
            "wording",
            "'Point 0' asks for 3 logs, the objective says 2",
        ),
        (
            _only({"kind": "gathered", "item": "logs", "count": 1}),
            "alone",
            "logger could do everything alone",
        ),
        (
            _only({"kind": "gathered", "item": "logs", "count": 1}),
            "nothing_shared",
            "nothing passes between agents",
        ),
        (_only({"kind": "gathered", "item": "logs", "count": 1}), "groups", "fewer than two role groups"),
        (
            _only({"kind": "crafted", "item": "stick", "count": 400}),
            "hopeless",
            "nobody can do this in time: at least",
        ),
        (_point(kind="crafted", item="ironbar", count=1), "unprovided", "nobody can provide"),
        (_guide("carver", recipes=[]), "untold", "no guide names the recipe for stick"),
        (_guide("logger", nodes=[]), "untold", "no guide names the resource oak"),
        (lambda task: task.update(max_rounds=6), "messages", "one message per item and receiver"),
        (
            _point(kind="survived_until", round=2, after="Sticks"),
            "mutant",
            "no episode tells the task from a copy that says 'Extra' with round 1",
        ),
    ],
)
def test_each_kind_of_mistake_is_named(doctored: Make, spoil: Any, kind: str, text: str) -> None:
    task = doctored(spoil)
    found = certify_task(task, seeds=(0,))
    assert not found.ok
    assert any(each.kind == kind and text in each.text for each in found.problems), found.problems
    for each in found.problems:
        assert _at(task, each.path), each


def _at(task: Task, path: tuple[str | int, ...]) -> Any:
    """Returns what stands at a path of a task's file; fails if nothing does."""
    here: Any = task.spec.model_dump()
    for key in path:
        here = here[key]
    return here


def _lonely(task: dict[str, Any]) -> None:
    """Lets the keeper die far away, in a task that goes on without it."""
    task["objective"] = "Cut 12 logs and hand them to the carver."
    task["team"]["keeper"]["start"] = (290, 155)
    task["waves"] = [{"mob": "orcwarlord", "count": 6, "at": (290, 160), "appears": 2}]
    task["constraints"] = []
    task["checkpoints"] = [
        {"kind": "gathered", "label": "Logs", "item": "logs", "count": 12},
        {"kind": "delivered", "label": "Handed", "item": "logs", "count": 12, "to": "carver"},
    ]


def test_a_task_that_goes_on_after_a_death_is_examined_to_the_end_and_the_death_is_noted(
    doctored: Make,
) -> None:
    found = certify_task(doctored(_lonely), (0, 1))
    assert all(found.rounds.values())
    assert found.notes == tuple(f"seed {seed}: solved, although keeper dies in round 2" for seed in (0, 1))
    assert found.near_misses > 0
    assert found.mutants > 0


def test_deaths_are_told_where_the_planner_fails(doctored: Make) -> None:
    def spoil(task: dict[str, Any]) -> None:
        _lonely(task)
        task["checkpoints"].append(
            {
                "kind": "held_for_rounds",
                "label": "Kept",
                "area": {"at": (290, 160), "within": 2},
                "rounds": 10,
                "by": ["keeper"],
            }
        )

    problems = certify_task(doctored(spoil), (0,)).problems
    (died,) = [each for each in problems if "; keeper dies in round 2" in each.text]
    # It stands at the first checkpoint that is not reached, not at whoever died of what.
    assert died.path == ("checkpoints", 2)


def test_what_nobody_can_do_in_time_is_refused_before_the_planner_tries(
    doctored: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: Any, **__: Any) -> Played:
        raise AssertionError("the planner was asked")

    monkeypatch.setattr("agentworld_env.certify.certificate.play_planner", forbidden)
    points = {"kind": "gathered", "item": "logs", "count": 1_000_000}
    found = certify_task(doctored(_only(points)), (0, 1))
    assert not found.ok
    assert found.problems[0].kind == "hopeless"
    assert "nobody can do this in time: more than 30 rounds" in found.problems[0].text
    assert found.rounds == {0: 0, 1: 0}


def test_an_unsolved_task_has_no_slack(doctored: Make) -> None:
    found = certify_task(
        doctored(_only({"kind": "crafted", "item": "stick", "count": 400})), (0,), quick=True
    )
    assert (found.solved, found.slack, found.ratio) == (False, None, None)
    row = dict(zip(*_table(found), strict=True))
    assert (row["won"], row["rnd"], row["slack"]) == ("0/1", "-", "-")


def _table(found: Certificate) -> tuple[tuple[str, ...], tuple[str, ...]]:
    table = certificate_table([found])
    return table.columns, table.rows[0]


def test_a_place_that_cannot_be_walked_to_is_named() -> None:
    # The site lies in the middle of a lake, and no portal leads there.
    task = tiny_task(
        {"a": {"guide": {"sites": ["raft"]}}},
        {"kind": "built", "site": "raft"},
        sites={"raft": {"name": "Raft", "at": (320, 120), "wants": {"logs": 1}}},
    )
    sim = Simulation(task.world, task.setup(), STILL)
    sim.reset(0)
    played = cast(Played, SimpleNamespace(env=SimpleNamespace(sim=sim)))
    assert guide_problems(task, sim, played) == [
        Problem(
            "unreachable", "a cannot get to raft (320, 120), which its guide names", ("team", "a", "guide")
        )
    ]


def test_a_quick_certificate_leaves_the_costly_parts_out_and_finds_the_same_first_mistakes(
    doctored: Make,
) -> None:
    found = certify_task(doctored(), quick=True)
    assert found.ok
    assert (len(found.rounds), found.near_misses, found.mutants, found.difficulty) == (1, 0, 0, None)
    assert found.groups
    spoilt = certify_task(doctored(_only({"kind": "gathered", "item": "logs", "count": 1})), quick=True)
    assert Problem("groups", "fewer than two role groups are necessary", ("team",)) in spoilt.problems


def test_a_group_that_only_a_name_makes_necessary_is_told_apart_and_noted(doctored: Make) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["team"]["keeper"].update(skills={"lumberjacking": 30, "health": 30}, worn=["axe"])
        task["checkpoints"][0]["by"] = ["logger"]

    found = certify_task(doctored(spoil), quick=True)
    assert {need.group: (need.how, need.necessary) for need in found.groups} == {
        "loggers": ("named", True),
        "carvers": ("capability", True),
        "keepers": ("", False),
    }
    assert found.ok
    assert found.notes == ("needed only because a checkpoint names them (by): loggers",)


def test_a_certificate_without_seeds_is_refused(doctored: Make) -> None:
    with pytest.raises(ValueError, match="seed"):
        certify_task(doctored(), seeds=())


def test_the_proof_replays_to_a_success(doctored: Make) -> None:
    task = doctored()
    found = certify_task(task, seeds=(4,))
    tape = Tape(task, 4, list(found.proof))
    assert tape.statuses[-1][0]
    assert not any(success for success, _, _ in tape.statuses[:-1])


def test_a_tape_entered_anywhere_ends_as_recorded_and_differs_without_a_needed_call(doctored: Make) -> None:
    task = doctored()
    played = play_planner(task, 1)
    tape = Tape(task, 1, played.calls)
    for number, call in enumerate(played.calls):
        assert tape.changed(number, call).state_hash() == played.env.state_hash()
    first_cut = next(n for n, call in enumerate(played.calls) if call["tool"] == "harvest_resource")
    assert not tape.changed(first_cut, PASS).verdict().success


@pytest.mark.parametrize("task_id", ["t01_magic_staff", "t44_messenger_run", "t76_elemental_bosses"])
def test_tasks_of_the_package_are_certified(task_id: str) -> None:
    assert certify_task(get_task(task_id), seeds=(0,)).problems == ()
