from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.metrics import gini


def _forge() -> tuple[Stage, int]:
    """A miner digs, walks and hands over; a smith forges: four useful actions of six turns."""
    stage = Stage(miner=(0, 0), smith=(150, 0))
    stage.harvest("miner", "ore", 60, 0)
    stage.sleep("smith")
    stage.move("miner", 145, 0)
    stage.sleep("smith")
    stage.give("miner", "smith", "ore")
    return stage, stage.craft("smith", "bar", ore=1)


def test_cce_is_the_contributing_share_of_all_turns() -> None:
    stage, made = _forge()
    found = stage.found(made)
    assert found.cce == 4 / 6
    assert found.cce_active == 1.0
    assert found.pac == {"miner": 1.0, "smith": 1 / 3}


def test_a_team_that_wastes_nothing_has_cce_one() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.harvest("a", "ore", 0, 0)
    stage.harvest("b", "coal", 1, 0)
    stage.give("a", "b", "ore")
    made = stage.craft("b", "bar", ore=1, coal=1)
    found = stage.found(made)
    assert found.cce == 1.0
    assert found.skew == 0.0


def test_a_sleep_counts_as_many_turns_as_it_lasted() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    stage.sleep("b", 4)
    found = stage.found(ore)
    assert found.cce == 1 / 5
    assert found.cce_active == 1.0


def test_a_failed_episode_has_cce_nought_but_its_graph_can_be_seen() -> None:
    stage, made = _forge()
    found = stage.found(made, won=False)
    assert (found.cce, found.cce_active, found.pac) == (0.0, 0.0, {"miner": 0.0, "smith": 0.0})
    assert found.partial == 4 / 6
    assert len(found.trace.contributing) == 4


def test_an_agent_without_turns_has_pac_nought() -> None:
    stage = Stage(a=(0, 0), dead=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    assert stage.found(ore).pac == {"a": 1.0, "dead": 0.0}


def test_gini_is_nought_for_equals_and_nears_one_if_one_has_all() -> None:
    assert gini([0.5, 0.5, 0.5]) == pytest.approx(0.0)
    assert gini([0, 0, 0, 1]) == pytest.approx(3 / 4)  # (n - 1) / n
    assert gini([]) == gini([0, 0]) == 0.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_gini_lies_between_nought_and_one_less_one_nth(values: list[float]) -> None:
    assert 0.0 <= gini(values) <= 1 - 1 / len(values) + 1e-9


_USELESS = (
    "sleep", "fail", "detour", "surplus", "swap", "exchange", "chat", "unwatched blow", "lend", "lend tool", "round",
)  # fmt: skip


def _useless(stage: Stage, agent: str, what: str) -> None:
    """Adds actions that change nothing for anybody's work."""
    x, y = stage.at[agent]
    near = [
        mate
        for mate, (p, q) in stage.at.items()
        if mate != agent and abs(p - x) + abs(q - y) <= 8 and what in ("lend", "lend tool", "round")
    ]
    if near:
        _pass_about(stage, agent, near, what)
        return
    if what == "sleep":
        stage.sleep(agent)
    elif what == "fail":
        stage.turn(agent, "harvest_resource", ok=False)
    elif what == "detour":
        stage.move(agent, x, y + 37)
        stage.move(agent, x, y)
    elif what == "surplus":
        stage.harvest(agent, "berry", x, y, walk=False, tool=False)
    elif what == "swap":
        if agent in stage.worn:
            item = stage.worn[agent][0]
            stage.equip(agent, item)
            stage.equip(agent, item)
    elif what == "exchange":
        if agent in stage.worn and "pickaxe" in stage.bags[agent]:
            stage.equip_another(agent)
    elif what == "chat":
        stage.say(agent)
    elif what == "unwatched blow":
        stage.strike(agent, "rat-0009", 1)


def _pass_about(stage: Stage, agent: str, near: list[str], what: str) -> None:
    """Hands something on till it is back with the one who had it."""
    if what == "lend tool":
        stage.equip(agent, "pickaxe")
    item = "pickaxe" if what == "lend tool" else "ore"
    if item in stage.bags[agent]:
        ring = [agent, *(near if what == "round" else near[:1]), agent]
        for _ in range(1 if what == "round" else 3):
            for giver, receiver in pairwise(ring):
                stage.give(giver, receiver, item)
    if what == "lend tool":
        stage.equip(agent, "pickaxe")


@st.composite
def _plans(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """A script of useful steps for three agents; each is (verb, agent, other)."""
    names = ("a", "b", "c")
    verbs = st.sampled_from(("dig", "pick", "walk", "give", "craft", "guard"))
    length = draw(st.integers(1, 12))
    return [(draw(verbs), draw(st.sampled_from(names)), draw(st.sampled_from(names))) for _ in range(length)]


def _play(plan: list[tuple[str, ...]], extras: dict[int, tuple[str, str]]) -> tuple[Stage, list[int]]:
    """Plays a plan, in which nobody gives back; extras are the useless actions before each of its steps."""
    stage = Stage(a=(0, 0), b=(6, 0), c=(80, 0))
    for agent in ("a", "b", "c"):
        stage.wear(agent, "pickaxe")
    stage.own("a", "pickaxe", 1)
    stage.harvest("a", "ore", 0, 0, walk=False)
    stage.harvest("b", "ore", 6, 0, walk=False)
    goals: list[int] = []
    for i, (verb, agent, other) in enumerate(plan):
        if i in extras:
            _useless(stage, *extras[i])
        x, y = stage.at[agent]
        if verb == "dig":
            stage.harvest(agent, "ore", x + 20, y)
        elif verb == "pick":
            stage.harvest(agent, "ore", x, y, walk=False)
        elif verb == "walk":
            stage.move(agent, *stage.at[other])
        elif verb == "give" and agent < other and "ore" in stage.bags[agent]:
            if sum(abs(p - q) for p, q in zip(stage.at[agent], stage.at[other], strict=True)) <= 8:
                stage.give(agent, other, "ore")
        elif verb == "craft" and "ore" in stage.bags[agent]:
            goals.append(stage.craft(agent, "bar", ore=1))
        elif verb == "guard" and agent != other:
            stage.strike(agent, "wolf-0001", 3, guarded=other)
    goals.append(stage.harvest("a", "gem", *stage.at["a"], walk=False))
    return stage, goals


@settings(max_examples=150, deadline=None)
@given(
    _plans(),
    st.integers(0, 11),
    st.tuples(st.sampled_from(("a", "b", "c")), st.sampled_from(_USELESS)),
)
def test_adding_useless_actions_never_raises_cce(
    plan: list[tuple[str, ...]], where: int, extra: tuple[str, str]
) -> None:
    lean, lean_goals = _play(plan, {})
    fat, fat_goals = _play(plan, {where % len(plan): extra})
    before, after = lean.found(*lean_goals), fat.found(*fat_goals)
    assert after.cce <= before.cce
    assert after.cce_active <= before.cce_active
    assert len(after.trace.contributing) <= len(before.trace.contributing)


@settings(max_examples=100, deadline=None)
@given(_plans())
def test_edges_lead_forward_in_time_and_explain_every_contributing_action(
    plan: list[tuple[str, ...]],
) -> None:
    stage, goals = _play(plan, {})
    trace = stage.trace(*goals)
    assert all(edge.source < edge.target for edge in trace.edges)
    assert {edge.source for edge in trace.edges} | set(goals) == set(trace.contributing)
    assert {edge.target for edge in trace.edges} <= set(trace.contributing)


@settings(max_examples=60, deadline=None)
@given(_plans())
def test_more_success_actions_never_make_less_contribute(plan: list[tuple[str, ...]]) -> None:
    stage, goals = _play(plan, {})
    for count in range(1, len(goals)):
        smaller = {edge.source for edge in stage.trace(*goals[:count]).edges if edge.kind != "movement"}
        larger = set(stage.trace(*goals).contributing)
        assert smaller <= larger
