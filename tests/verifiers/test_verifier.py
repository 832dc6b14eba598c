"""Verdict, constraints, and the value semantics of the verifier."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env.sim import READY, ROUND_OVER, Simulation
from agentworld_env.sim.events import Result
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.verifiers import Verifier

LOGS = {"kind": "gathered", "item": "logs", "count": 2}
STICKS = {"kind": "crafted", "item": "stick", "count": 4}
ALIVE = [{"kind": "all_alive"}]


def test_psr_counts_checkpoints_all_or_nothing_and_progress_is_graded(stage: Any) -> None:
    s = stage([LOGS, STICKS])
    s.harvest("a")
    s.craft("a", "stick", 4)
    s.verifier.update()
    verdict = s.verifier.verdict()
    assert (verdict.psr, verdict.progress, verdict.success) == (0.5, 0.75, False)


def test_success_needs_every_checkpoint_and_every_constraint(stage: Any) -> None:
    s = stage([LOGS, STICKS], constraints=ALIVE)
    s.harvest("a", count=2)
    s.craft("a", "stick", 4)
    s.verifier.update()
    assert (s.verifier.success, s.verifier.psr) == (True, 1.0)


def test_a_death_makes_success_impossible_and_caps_psr_below_one(stage: Any) -> None:
    s = stage([LOGS, STICKS], constraints=ALIVE)
    s.harvest("a", count=2)
    s.craft("a", "stick", 4)
    s.die("c")
    s.verifier.update()
    verdict = s.verifier.verdict()
    assert (verdict.success, verdict.psr, verdict.impossible) == (False, 0.5, True)
    broken = verdict.constraints[0]
    assert (broken.held, broken.broken_by, broken.round) == (False, "c", 1)


def test_a_constraint_on_named_roles_ignores_the_others(stage: Any) -> None:
    s = stage([LOGS], constraints=[{"kind": "all_alive", "by": ["a"]}])
    s.die("c")
    s.verifier.update()
    assert not s.verifier.impossible
    s.die("a")
    s.verifier.update()
    assert s.verifier.impossible


def test_never_crafted_is_broken_by_one_craft_of_that_item(stage: Any) -> None:
    s = stage([LOGS], constraints=[{"kind": "never_crafted", "item": "axe"}])
    s.craft("a", "stick", 4)
    s.verifier.update()
    assert not s.verifier.impossible
    s.craft("b", "axe", 1)
    s.verifier.update()
    assert s.verifier.verdict().constraints[0].broken_by == "b"


def test_a_round_reported_twice_counts_once(stage: Any) -> None:
    area = {"at": [388, 10], "within": 20}
    s = stage([{"kind": "held_for_rounds", "area": area, "rounds": 2}])
    s.end_round()
    s.verifier.round_end()
    assert s.check().have == 1


def test_update_says_whether_anything_happened(stage: Any) -> None:
    s = stage([LOGS])
    assert not s.verifier.update()
    s.harvest("a")
    assert s.verifier.update()
    assert not s.verifier.update()


AREA = {"at": [450, 400], "within": 5}
EVERY_KIND = [
    {**LOGS, "label": "Logs"},
    STICKS,
    {"kind": "delivered", "item": "logs", "count": 5, "to": "c", "origin": "any"},
    {"kind": "held", "item": "coal", "count": 1},
    {"kind": "visited", "area": AREA, "need": "all"},
    {"kind": "present_together", "area": AREA, "by": ["a", "b"]},
    {"kind": "held_for_rounds", "area": AREA, "rounds": 2, "by": ["a"]},
    {"kind": "survived_until", "round": 3, "after": "Logs"},
    {"kind": "killed", "mob": "rat", "count": 2},
]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["harvest", "craft", "give", "move", "home", "kill", "round"]), st.sampled_from("abc")
    ),
    max_size=30,
)


def play(s: Any, step: str, agent: str) -> None:
    if step == "harvest":
        s.harvest(agent)
    elif step == "craft":
        s.craft(agent, "stick", 1)
    elif step == "give":
        s.give(agent, "c", "logs", (-1 - "abc".index(agent), 1))
    elif step == "move":
        s.move(agent, 450, 400)
    elif step == "home":
        s.move(agent, 388, 10)
    elif step == "kill":
        s.kill("rat-0001", "rat", agent)
    else:
        s.end_round()


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, lazy=st.sets(st.integers(0, 30)))
def test_updating_seldom_gives_the_same_verdict_as_updating_always(
    stage: Any, steps: list[tuple[str, str]], lazy: set[int]
) -> None:
    eager, seldom = stage(EVERY_KIND, constraints=ALIVE), stage(EVERY_KIND, constraints=ALIVE)
    for i, (step, agent) in enumerate(steps):
        for s in (eager, seldom):
            play(s, step, agent)
        eager.verifier.update()
        if i in lazy:
            seldom.verifier.update()
    seldom.verifier.update()
    assert seldom.verifier.verdict() == eager.verifier.verdict()


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, cut=st.integers(0, 30))
def test_going_back_to_a_snapshot_and_playing_on_gives_the_same_verdict(
    stage: Any, steps: list[tuple[str, str]], cut: int
) -> None:
    s = stage(EVERY_KIND, constraints=ALIVE)
    for step, agent in steps[:cut]:
        play(s, step, agent)
    s.verifier.update()
    state, saved = s.sim.snapshot(), s.verifier.snapshot()
    before = s.verifier.verdict()
    for step, agent in steps[cut:]:
        play(s, step, agent)
    s.verifier.update()
    after, digest = s.verifier.verdict(), s.verifier.digest_parts()
    s.die("a")
    s.verifier.update()
    s.sim.restore(state)
    s.verifier.restore(saved)
    assert s.verifier.verdict() == before
    for step, agent in steps[cut:]:
        play(s, step, agent)
    s.verifier.update()
    assert (s.verifier.verdict(), s.verifier.digest_parts()) == (after, digest)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_a_copy_is_equal_and_independent(stage: Any, clone: Any) -> None:
    s = stage([LOGS])
    s.harvest("a")
    s.verifier.update()
    twin = clone(s.verifier)
    assert twin.verdict() == s.verifier.verdict()
    s.harvest("a")
    s.verifier.update()
    assert (s.verifier.success, twin.update(), twin.success) == (True, False, False)


def test_a_verifier_built_late_reads_what_has_happened(stage: Any) -> None:
    s = stage([LOGS, {"kind": "visited", "area": {"at": [388, 10], "within": 20}, "by": ["a"]}])
    s.harvest("a", count=2)
    s.move("a", 450, 400)
    late = Verifier(s.task, s.sim)
    late.update()
    assert late.psr == 1.0


@pytest.mark.parametrize("task_id", [info.id for info in list_tasks("main")])
def test_an_idle_team_reaches_nothing(task_id: str) -> None:
    task = get_task(task_id)
    sim = Simulation(task.world, task.setup())
    sim.reset(3)
    verifier = Verifier(task, sim)
    assert (verifier.psr, verifier.verdict().progress) == (0.0, 0.0)
    for _ in range(5 * len(task.team)):
        sim.perform("idle", {}, Result(False, "idle"))
        while (turn := sim.next_turn()) != READY:
            if turn == ROUND_OVER:
                verifier.round_end()
    verifier.update()
    assert (verifier.psr, verifier.impossible) == (0.0, False)
