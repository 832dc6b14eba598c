"""The laws of CCE over hand-made episodes of nothing but hand-overs, put-ons, crafts and work, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.metrics import Trace

AGENTS = ("a", "b", "c", "d")


class _Step(NamedTuple):
    tool: Literal["give", "equip", "craft", "work", "idle"]
    agent: str
    to: str
    item: str


_STEPS = st.lists(
    st.builds(
        _Step,
        st.sampled_from(("give", "give", "give", "equip", "craft", "work", "idle")),
        st.sampled_from(AGENTS),
        st.sampled_from(AGENTS),
        st.sampled_from(("ore", "axe")),
    ),
    min_size=3,
    max_size=11,
)
_STARTS = st.dictionaries(
    st.tuples(st.sampled_from(AGENTS), st.sampled_from(("ore", "axe"))), st.integers(1, 2), max_size=6
)


def _play(starts: dict[tuple[str, str], int], steps: Sequence[_Step]) -> tuple[Stage, list[int]]:
    """Plays steps; those that cannot be made fail. Returns the stage and the calls that a checkpoint would count."""
    stage = Stage(**dict.fromkeys(AGENTS, (0, 0)))
    for (agent, item), units in sorted(starts.items()):
        stage.own(agent, item, units)
    goals = []
    for tool, agent, to, item in steps:
        held = stage.bags[agent].get(item)
        if tool == "give" and held and to != agent:
            stage.give(agent, to, item)
        elif tool == "equip" and item == "axe" and (held or agent in stage.worn):
            stage.equip(agent, item)
        elif tool == "craft" and stage.bags[agent].get("ore"):
            goals.append(stage.craft(agent, "bar", ore=1))
        elif tool == "work" and agent in stage.worn:
            work = stage.harvest(agent, "logs", 0, 0)
            goals += [work] if item == "axe" else []
        else:
            stage.turn(agent, "pass", ok=False)
    return stage, goals


_DEALT = {"craft": "ore", "work": "axe"}


def _others_undone(
    trace: Trace, steps: Sequence[_Step], items: set[str], taken_out: set[int]
) -> set[tuple[int, int]]:
    return {pair for pair in trace.undone if pair[0] not in taken_out and steps[pair[0]].item in items}


@settings(max_examples=400, deadline=None)
@given(starts=_STARTS, steps=_STEPS, agent=st.sampled_from(AGENTS))
def test_hand_overs_and_put_ons_without_effect_change_nobody_elses_share_and_raise_none(
    starts: dict[tuple[str, str], int], steps: list[_Step], agent: str
) -> None:
    stage, goals = _play(starts, steps)
    fat = stage.trace(*goals)
    taken_out = {n for n, step in enumerate(steps) if step.agent == agent and n not in fat.contributing}
    lean = [step._replace(tool="idle") if n in taken_out else step for n, step in enumerate(steps)]
    bare, same_goals = _play(starts, lean)
    without = bare.trace(*same_goals)
    counted = {*fat.contributing, *without.contributing}
    items = {_DEALT.get(steps[n].tool, steps[n].item) for n in counted}
    undone, undone_without = (_others_undone(trace, steps, items, taken_out) for trace in (fat, without))
    if same_goals != goals or undone != undone_without:
        return  # they had an effect
    for number in counted:
        one, other = stage.lines[number], bare.lines[number]
        if (one.result, one.events) != (other.result, other.events):
            return  # they had an effect
    assert [n for n in fat.contributing if steps[n].agent != agent] == [
        n for n in without.contributing if steps[n].agent != agent
    ]
    assert len(fat.contributing) <= len(without.contributing)
